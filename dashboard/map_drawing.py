"""From a map of a store to the figure that shows it, for the dashboard and for notebooks."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import plotly.graph_objects as go

from dashboard.charts import map_figure
from dashboard.map_colours import Colours, Scale, best_level, by_level, levels
from dashboard.map_view import density, drawn_rows
from dashboard.memories import preview
from dashboard.projection_jobs import StoreMap, picture_version
from store import ChromaStore, Entry, Namespace, Reference

GONE = "(no longer in the store)"
_TIMES = {"created": "Created", "updated": "Changed last"}


def colour_choices(picture: StoreMap) -> dict[str, str]:
    """Give what the points of a map can be coloured by, each with its name for people."""
    deepest = levels([entry.reference for entry in picture.entries])
    by_depth = {f"level-{level}": f"Namespace, label {level}" for level in range(1, deepest + 1)}
    return by_depth | _TIMES


def best_choice(picture: StoreMap) -> str:
    """Choose the colours that tell most about a map."""
    return f"level-{best_level([entry.reference for entry in picture.entries])}"


def colours_of(picture: StoreMap, choice: str) -> Colours:
    """Give the colours for one of `colour_choices`."""
    if choice in _TIMES:
        moments = [getattr(entry, choice) for entry in picture.entries]
        return _times(_TIMES[choice], moments)
    level = int(choice.removeprefix("level-"))
    return by_level([entry.reference for entry in picture.entries], level)


def _times(title: str, microseconds: Sequence[int]) -> Scale:
    values = np.array(microseconds, dtype=np.float64) / 1e6
    ends = [
        datetime.fromtimestamp(float(moment), UTC).strftime("%d %b %Y")
        for moment in (np.min(values), np.max(values))
    ]
    # Ranks, not times: one burst of writing would otherwise take all the colours.
    ranks = np.searchsorted(np.sort(values), values) / max(1, len(values) - 1)
    return Scale(title, ranks.astype(np.float32), ends[0], ends[1])


def still_there(picture: StoreMap, store: ChromaStore, scope: Namespace) -> StoreMap:
    """Give the map without the memories that have been deleted since it was made."""
    if picture.token == store.token():
        return picture
    alive = {entry.reference for entry in store.entries(scope)}
    rows = [row for row, entry in enumerate(picture.entries) if entry.reference in alive]
    return picture if len(rows) == len(picture.entries) else keep_rows(picture, rows)


def keep_rows(picture: StoreMap, rows: Sequence[int]) -> StoreMap:
    """Give a map of some of its rows."""
    ids = picture.ids[list(rows)]
    layout = replace(picture.layout, positions=picture.layout.positions[list(rows)])
    entries = tuple(picture.entries[row] for row in rows)
    return replace(
        picture,
        entries=entries,
        ids=ids,
        layout=layout,
        version=f"{picture.version}-{picture_version(ids, ids, layout)}",
    )


def draw(
    picture: StoreMap, colours: Colours, store: ChromaStore, *, height: int = 620
) -> go.Figure:
    """Draw a map; the texts of the points drawn are read from the store."""
    positions = picture.layout.positions
    rows = drawn_rows(positions, picture.ids)
    texts = tooltips(store, [picture.entries[row].reference for row in rows])
    layer = density(positions) if len(rows) < len(positions) else None
    return map_figure(
        positions,
        rows,
        texts,
        colours,
        density=layer,
        height=height,
        revision=picture.layout.method,
    )


def tooltips(store: ChromaStore, references: Sequence[Reference]) -> list[str]:
    """Read what each memory is about, in one line; costs one read of all of them."""
    fields = store.info().fields
    return [
        GONE if memory is None else preview(memory.value, fields)
        for memory in store.read_many(references)
    ]


def unmapped(entries: Sequence[Entry]) -> int:
    """Count the memories that have no vector and so no place on a map."""
    return sum(not entry.vectors for entry in entries)
