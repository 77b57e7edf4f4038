"""The map's tools as buttons, and what the browser tells of how a person has set the map up."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from dashboard.map_stance import Stance, stance_of

_DATA = Path(__file__).parent.parent / "data"
_KEY = "map-tools-state"


@st.fragment
def tools(on_clear: Callable[[], None]) -> None:
    """Draw the tools; zooming and hiding reruns nothing but this. `on_clear`: nothing is chosen."""
    # Declared in every run: a declaration belongs to the server it was made in.
    component = st.components.v2.component(
        "memlens-map-tools",
        html=(_DATA / "map_tools.html").read_text("utf-8"),
        js=(_DATA / "map_tools.js").read_text("utf-8"),
    )
    with st.container(key="map-tools", width="content"):
        component(key=_KEY, on_stance_change=_noted, on_cleared_change=on_clear)


def _noted() -> None:
    """Keep the state; what follows from it is drawn when something else changes."""


def told(revision: str) -> Stance:
    """Return how the map was set up last; untouched when that was a map of other places."""
    state = st.session_state.get(_KEY)
    stance = state.get("stance") if state else None
    if not stance or stance.get("revision") != revision:
        return Stance()
    return stance_of(stance)
