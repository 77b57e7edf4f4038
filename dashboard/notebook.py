"""The map in a notebook: the dashboard's figure and a table, from any open store.

from dashboard.notebook import map_of
figure, table = map_of(store, ("users",), colour="field-kind")
"""

import pandas as pd
import plotly.graph_objects as go

from dashboard.map_drawing import best_choice, colours_of, draw, drawn, names_of
from dashboard.map_query import ask
from dashboard.memories import preview
from dashboard.projection import Settings, project
from dashboard.projection_jobs import StoreMap, picture_of
from dashboard.projection_vectors import rows_of_field
from store import ChromaStore, Namespace


def map_of(
    store: ChromaStore,
    scope: Namespace = (),
    *,
    colour: str | None = None,
    query: str | None = None,
    field: str = "",
    names: bool = True,
    settings: Settings | None = None,
    height: int = 650,
) -> tuple[go.Figure, pd.DataFrame]:
    """Map the memories at or below a namespace; return the figure and a table of places.

    `colour` is "level-1", "level-2" … for a label of the namespace, "field-PATH" for a field,
    "created", "updated", or "score" with a `query`; without it the labels that tell most are
    taken. The table has a row for each memory that has a vector: namespace, key, text, times,
    and x and y, which are NaN for one that has no place. Seconds for ten thousand memories; the
    same memories give the same map.
    """
    entries = tuple(entry for entry in store.entries(scope) if entry.vectors)
    references = [entry.reference for entry in entries]
    matrix = rows_of_field(store.vectors(scope), field, references)
    layout = project(matrix, settings=settings)
    picture = picture_of(entries, layout, store.token())
    view = drawn(picture, store)
    asked = ask(picture, store, scope, query) if query else None
    colours = colours_of(view, colour or ("score" if asked else best_choice(view)), asked)
    figure = draw(view, colours, names=names_of(view) if names else (), asked=asked, height=height)
    return figure, _table(picture, store)


def _table(picture: StoreMap, store: ChromaStore) -> pd.DataFrame:
    memories = store.read_many([entry.reference for entry in picture.entries])
    fields = store.info().fields
    entries = picture.entries
    return pd.DataFrame(
        {
            "namespace": [entry.namespace for entry in entries],
            "key": [entry.key for entry in entries],
            "text": ["" if one is None else preview(one.value, fields) for one in memories],
            "created_at": pd.to_datetime([entry.created for entry in entries], unit="us", utc=True),
            "updated_at": pd.to_datetime([entry.updated for entry in entries], unit="us", utc=True),
            "x": picture.layout.positions[:, 0],
            "y": picture.layout.positions[:, 1],
        }
    )
