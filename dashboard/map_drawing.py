"""From a map of a store to the figure that shows it, for the dashboard and for notebooks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import plotly.graph_objects as go

from dashboard.charts import map_figure, tooltips
from dashboard.filterforms import observed_fields
from dashboard.map_colours import (
    Colours,
    best_level,
    by_level,
    by_score,
    by_time,
    by_values,
    levels,
)
from dashboard.map_names import Named, clusters, name_groups
from dashboard.map_pin import Pinned
from dashboard.map_query import Asked
from dashboard.map_stance import Stance
from dashboard.map_view import Density, Rows, density, drawn_rows
from dashboard.memories import preview
from dashboard.projection_jobs import StoreMap, picture_version
from store import ChromaStore, Entry, Memory, Namespace

GONE = "(no longer in the store)"
SCORE = "score"
_TIMES = {"created": "Created", "updated": "Changed last"}
_FIELD = "field-"
_LEVEL = "level-"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A map, the rows of it drawn as points, what they say, and where the others are dense."""

    picture: StoreMap
    rows: Rows
    memories: tuple[Memory | None, ...]
    texts: tuple[str, ...]
    tooltips: tuple[str, ...]
    layer: Density | None


def drawn(picture: StoreMap, store: ChromaStore) -> Drawn:
    """Choose the points of a map and read what they say; costs one read of all of them."""
    positions = picture.layout.positions
    rows = drawn_rows(positions, picture.ids)
    fields = store.info().fields
    memories = tuple(store.read_many([picture.entries[row].reference for row in rows]))
    texts = tuple(GONE if memory is None else preview(memory.value, fields) for memory in memories)
    layer = density(positions) if len(rows) < len(positions) else None
    return Drawn(picture, rows, memories, texts, tuple(tooltips(texts)), layer)


def colour_choices(view: Drawn, *, asked: bool = False) -> dict[str, str]:
    """Give what the points of a map can be coloured by, each with its name for people."""
    deepest = levels([entry.reference for entry in view.picture.entries])
    depths = {f"{_LEVEL}{level}": f"Namespace, label {level}" for level in range(1, deepest + 1)}
    seen = [memory for memory in view.memories[:300] if memory is not None]
    fields = {
        f"{_FIELD}{field.path}": f"Field {field.path}"
        for field in observed_fields(seen)
        if field.kind in ("text", "number", "true or false")
    }
    return depths | _TIMES | fields | ({SCORE: "Score of the query"} if asked else {})


def best_choice(view: Drawn) -> str:
    """Choose the colours that tell most about a map."""
    return f"{_LEVEL}{best_level([entry.reference for entry in view.picture.entries])}"


def colours_of(view: Drawn, choice: str, asked: Asked | None = None) -> Colours:
    """Give the colours for one of `colour_choices`.

    The values of a field are those of the drawn points; the other rows' are unknown.
    """
    entries = view.picture.entries
    if choice == SCORE:
        return by_score(asked.scores if asked else {}, len(entries))
    if choice in _TIMES:
        return by_time(_TIMES[choice], [getattr(entry, choice) for entry in entries])
    if choice.startswith(_FIELD):
        path = choice.removeprefix(_FIELD)
        values = [memory and value_at(memory.value, path) for memory in view.memories]
        return by_values(path, values, view.rows.tolist(), len(entries))
    level = int(choice.removeprefix(_LEVEL))
    return by_level([entry.reference for entry in entries], level)


def value_at(value: Any, path: str) -> Any:
    """Give what stands at a dotted path, None when there is nothing simple."""
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, (str, int, float, bool)) else None


def still_there(picture: StoreMap, store: ChromaStore, scope: Namespace) -> StoreMap:
    """Give the map without the memories that have been deleted since it was made."""
    if picture.token == store.token():
        return picture
    alive = {entry.reference for entry in store.entries(scope)}
    rows = [row for row, entry in enumerate(picture.entries) if entry.reference in alive]
    return picture if len(rows) == len(picture.entries) else keep_rows(picture, rows)


def keep_rows(picture: StoreMap, rows: Sequence[int]) -> StoreMap:
    """Give a map of some of its rows."""
    kept = list(rows)
    # Its notes count all rows: they are made anew when the map is arranged again.
    layout = replace(picture.layout, positions=picture.layout.positions[kept], notes=())
    ids, revisions = picture.ids[kept], picture.revisions[kept]
    return StoreMap(
        tuple(picture.entries[row] for row in kept),
        ids,
        revisions,
        layout,
        picture_version(ids, revisions, layout),
        picture.token,
    )


def names_of(view: Drawn) -> list[Named]:
    """Name the groups that stand apart on a map by the words of the memories drawn."""
    positions = view.picture.layout.positions
    labels = clusters(positions)[view.rows]
    return name_groups(labels, view.texts, positions[view.rows])


def draw(
    view: Drawn,
    colours: Colours,
    *,
    names: Sequence[Named] = (),
    asked: Asked | None = None,
    pinned: Pinned | None = None,
    near: Sequence[str] = (),
    stance: Stance | None = None,
    height: int = 650,
    revision: str = "",
    dark: bool = False,
) -> go.Figure:
    """Draw a map with its colours, and on it the names of groups, a query and a pinned memory."""
    return map_figure(
        view.picture.layout.positions,
        view.rows,
        view.tooltips,
        colours,
        density=view.layer,
        names=names,
        asked=asked,
        pinned=pinned,
        near=near,
        stance=stance or Stance(),
        height=height,
        revision=revision or view.picture.layout.method,
        dark=dark,
    )


def unmapped(entries: Sequence[Entry]) -> int:
    """Count the memories that have no vector and so no place on a map."""
    return sum(not entry.vectors for entry in entries)
