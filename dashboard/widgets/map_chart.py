"""The map itself, and which memories a person has chosen on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dashboard import resources, state
from dashboard.map_colours import Groups
from dashboard.map_drawing import Drawn, colours_of
from dashboard.map_query import Asked
from dashboard.map_view import chosen_rows, clicked_rows, visible_rows
from dashboard.projection import Layout
from dashboard.widgets.map_arrange import Look
from dashboard.wording import escape_markdown
from store import Namespace, Reference

_CHART, _CHOSEN = "map-chart", "map-chosen"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The memories chosen on a map of `scope`, by reference."""

    scope: Namespace
    references: tuple[Reference, ...] = ()


def chosen(scope: Namespace) -> tuple[Reference, ...]:
    """Return the memories chosen on the map of this scope."""
    held: Chosen | None = st.session_state.get(_CHOSEN)
    return held.references if held is not None and held.scope == scope else ()


def choose(scope: Namespace, references: Sequence[Reference]) -> None:
    """Choose memories, in place of those chosen before."""
    st.session_state[_CHOSEN] = Chosen(scope, tuple(references))


def chart(drawn: Drawn, look: Look, asked: Asked | None, scope: Namespace) -> None:
    """Draw the map; what is drawn around becomes chosen, a clicked point is opened."""
    entries = drawn.picture.entries
    key = f"{_CHART}-{drawn.picture.version}"

    def selected() -> None:
        selection: dict[str, Any] = st.session_state[key]["selection"]
        clicked = [row for row in clicked_rows(selection) if row < len(entries)]
        if clicked:
            state.select(entries[clicked[0]].reference)
            return
        rows = chosen_rows(selection, drawn.picture.layout.positions)
        colours = colours_of(drawn, look.choice, asked)
        if isinstance(colours, Groups):
            rows = visible_rows(selection, rows, drawn.rows, colours.codes)
        choose(scope, [entries[row].reference for row in rows])

    st.plotly_chart(
        resources.map_figure(drawn, look.choice, names=look.names, asked=asked),
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


def notes(layout: Layout, unmapped: int) -> None:
    """Say how far the picture can be trusted, and what is not or oddly drawn."""
    remarks = [trust_text(layout.trust, layout.method), *layout.notes]
    if unmapped:
        remarks.append(f"{unmapped:,} without a vector cannot be drawn: search cannot find them.")
    st.caption(escape_markdown(" ".join(remarks)))


def trust_text(trust: float | None, method: str) -> str:
    """Say in words what nearness on this map means."""
    warning = "Distance on a flat map is not similarity"
    if method == "preview":
        return f"{warning}; this is a preview, places will still shift."
    if trust is None:
        return f"{warning}."
    words = next(
        text
        for least, text in (
            (0.93, "neighbours here are nearly always neighbours in meaning"),
            (0.85, "neighbours here are mostly neighbours in meaning"),
            (0.75, "neighbours here are often, not always, neighbours in meaning"),
            (-1.0, "neighbours here are neighbours in meaning only in part"),
        )
        if trust >= least
    )
    return f"{warning}: {words} (trustworthiness {trust:.2f})."
