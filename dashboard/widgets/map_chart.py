"""The map itself, and which memories a person has chosen on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dashboard import resources, state
from dashboard.map_view import chosen_rows, clicked_rows
from dashboard.projection_jobs import StoreMap
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


def chart(picture: StoreMap, choice: str, scope: Namespace) -> None:
    """Draw the map; what is drawn around becomes chosen, a clicked point is opened."""
    key = f"{_CHART}-{picture.version}"

    def selected() -> None:
        selection: dict[str, Any] = st.session_state[key]["selection"]
        clicked = [row for row in clicked_rows(selection) if row < len(picture.entries)]
        if len(clicked) == 1:
            state.select(picture.entries[clicked[0]].reference)
            return
        rows = chosen_rows(selection, picture.layout.positions)
        choose(scope, [picture.entries[row].reference for row in rows])

    st.plotly_chart(
        resources.map_figure(picture, choice),
        key=key,
        on_select=selected,
        selection_mode=("points", "box", "lasso"),
        config={"displaylogo": False, "scrollZoom": True},
        alt=f"Map of {len(picture.entries):,} memories",
    )


def notes(picture: StoreMap, unmapped: int) -> None:
    """Say how far the picture can be trusted, and what is not or oddly drawn."""
    layout = picture.layout
    remarks = list(layout.notes)
    if unmapped:
        remarks.append(f"{unmapped:,} without a vector cannot be drawn: search cannot find them.")
    st.caption(escape_markdown(" ".join([trust_text(layout.trust, layout.method), *remarks])))


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
            (0.0, "neighbours here are neighbours in meaning only in part"),
        )
        if trust >= least
    )
    return f"{warning}: {words} (trustworthiness {trust:.2f})."
