"""The map itself, and which memories a person has chosen on it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from dashboard import state
from dashboard.charts import group_labels
from dashboard.map_colours import Groups
from dashboard.map_drawing import Drawn, colours_of, draw
from dashboard.map_names import Named
from dashboard.map_query import Asked
from dashboard.map_stance import Shape, Stance, same_shapes, shapes_of
from dashboard.map_view import Rows, chosen_rows, clicked_row, visible_rows
from dashboard.projection_jobs import Request
from dashboard.widgets.map_arrange import Look
from dashboard.widgets.map_near import Near
from dashboard.widgets.map_tools import told, tools
from store import Namespace, Reference

if TYPE_CHECKING:
    import plotly.graph_objects as go

_CHART, _CHOSEN, _FIGURE = "map-chart", "map-chosen", "map-figure"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The memories chosen on a map of `scope`, by reference, and the shapes drawn around them.

    `turn` counts the choices that were not drawn on the map, which does not show them by itself.
    """

    scope: Namespace
    references: tuple[Reference, ...] = ()
    shapes: tuple[Shape, ...] = ()
    turn: int = 0


@dataclass(frozen=True, slots=True)
class View:
    """All that a drawing of a map hangs on."""

    drawn: Drawn
    look: Look
    asked: Asked | None
    near: Near | None
    wanted: Request
    names: tuple[Named, ...] = ()

    @property
    def revision(self) -> str:
        """Equal for pictures in which a place means the same."""
        parts = repr((self.wanted, self.drawn.picture.layout.method))
        return hashlib.blake2b(parts.encode(), digest_size=6).hexdigest()


def chosen(scope: Namespace) -> tuple[Reference, ...]:
    """Return the memories chosen on the map of this scope."""
    return _chosen(scope).references


def choose(
    scope: Namespace, references: Sequence[Reference], shapes: tuple[Shape, ...] = ()
) -> None:
    """Choose memories, in place of those chosen before; `shapes` say that the map shows it."""
    turn = _chosen(scope).turn + (not shapes)
    st.session_state[_CHOSEN] = Chosen(scope, tuple(references), shapes, turn)


def _chosen(scope: Namespace) -> Chosen:
    held: Chosen | None = st.session_state.get(_CHOSEN)
    return held if held is not None and held.scope == scope else Chosen(scope)


def chart(view: View) -> None:
    """Draw the map; what is drawn around becomes chosen, a clicked point is opened."""
    entries, scope = view.drawn.picture.entries, view.wanted.scope
    key = f"{_CHART}-{view.drawn.picture.version}"

    def cleared() -> None:
        if view.near:
            state.select(None)
        elif chosen(scope):
            choose(scope, ())

    def selected() -> None:
        selection: dict[str, Any] = st.session_state[key]["selection"]
        shapes = shapes_of(selection)
        rows = chosen_rows(selection, view.drawn.picture.layout.positions)
        row = clicked_row(selection, np.intersect1d(rows, view.drawn.rows))
        known = not shapes or same_shapes(shapes, _chosen(scope).shapes)
        if known and row is not None and row < len(entries):
            state.select(entries[row].reference)
            return
        if known:
            # Nothing new was drawn: what was drawn before is gone, or told once more.
            if not shapes:
                cleared()
            return
        choose(scope, [entries[row].reference for row in _shown(view, selection, rows)], shapes)

    with st.container(key="map-canvas", gap=None):
        tools(cleared)
        st.plotly_chart(
            _figure(view),
            key=key,
            on_select=selected,
            selection_mode=("points", "box", "lasso"),
            config={
                "displayModeBar": True,
                "displaylogo": False,
                "scrollZoom": True,
                "modeBarButtonsToRemove": ["autoScale2d"],
                "toImageButtonOptions": {"filename": "memlens-map", "scale": 2},
            },
            alt=f"Map of {len(entries):,} memories",
        )


def _shown(view: View, selection: dict[str, Any], rows: Rows) -> Rows:
    """Leave out rows whose group is switched off in the legend."""
    colours = colours_of(view.drawn, view.look.choice, view.asked)
    if not isinstance(colours, Groups):
        return rows
    away = told(view.revision).hidden
    groups = {code for code, label in enumerate(group_labels(colours)) if label in away}
    return visible_rows(selection, rows, view.drawn.rows, colours.codes, groups)


def _figure(view: View) -> "go.Figure":
    """Return the figure drawn before, unless something else is to be seen.

    Streamlit replaces the chart when anything of its figure changes: what a person has set on the
    old one is drawn into the new one, and only into a new one.
    """
    dark = st.context.theme.type == "dark"
    held = _chosen(view.wanted.scope)
    identity = (
        view.drawn.picture.version,
        view.revision,
        view.look,
        view.names,
        view.asked.text if view.asked else None,
        view.near.pinned if view.near else None,
        held.turn,
        dark,
    )
    known = st.session_state.get(_FIGURE)
    if known is None or known[0] != identity:
        figure = draw(
            view.drawn,
            colours_of(view.drawn, view.look.choice, view.asked),
            names=view.names,
            asked=view.asked,
            pinned=view.near.pinned if view.near else None,
            near=view.near.texts if view.near else (),
            stance=_stance(view, held),
            revision=view.revision,
            dark=dark,
        )
        known = st.session_state[_FIGURE] = (identity, figure)
    found: go.Figure = known[1]
    return found


def _stance(view: View, held: Chosen) -> Stance:
    stance = told(view.revision)
    if not held.references or view.near:
        return stance
    wanted, entries = set(held.references), view.drawn.picture.entries
    marked = tuple(int(row) for row in view.drawn.rows if entries[row].reference in wanted)
    # Nothing of it is left once it has been deleted, and then nothing is to be marked.
    return replace(stance, shapes=held.shapes, marked=marked) if marked else stance
