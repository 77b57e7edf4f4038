"""How a map is arranged and coloured, and how far its arranging is."""

import time

import streamlit as st

from dashboard import resources, state
from dashboard.map_drawing import best_choice, colour_choices
from dashboard.projection import Settings
from dashboard.projection_jobs import Request, Status, StoreMap
from dashboard.wording import escape_markdown
from store import Namespace

_COLOUR = "colour"
_NEIGHBOURS, _DISTANCE, _FIELD = "map-neighbours", "map-distance", "map-field"
_POLL_SECONDS = 0.8
_DEFAULTS = Settings()


def request(scope: Namespace) -> Request:
    """Draw the settings of the arrangement behind a button; return the map they ask for."""
    fields = resources.store().info().fields
    with st.popover("Arrange", icon=":material/tune:"):
        neighbours = st.slider(
            "Neighbours",
            5,
            50,
            _DEFAULTS.neighbours,
            key=_NEIGHBOURS,
            help="How many nearest memories each one is kept close to. Few show small groups, "
            "many show the large picture.",
        )
        distance = st.slider(
            "Tightness",
            0.0,
            0.8,
            _DEFAULTS.min_distance,
            0.05,
            key=_DISTANCE,
            help="How close points may lie. 0 packs groups tightly, higher spreads them out.",
        )
        field = ""
        if len(fields) > 1:
            field = st.selectbox(
                "Field",
                ("", *fields),
                format_func=lambda name: name or "First embedded one",
                key=_FIELD,
                help="Which embedded field the places are made from.",
            )
    return Request(scope, field, Settings(neighbours, distance))


def colour(picture: StoreMap) -> str:
    """Draw what the points are coloured by; return the choice."""
    choices = colour_choices(picture)
    current = state.param(_COLOUR)
    current = current if current in choices else best_choice(picture)

    def changed() -> None:
        state.set_param(_COLOUR, st.session_state["map-colour"])

    st.selectbox(
        "Colour",
        list(choices),
        index=list(choices).index(current),
        format_func=lambda choice: escape_markdown(choices[choice]),
        key="map-colour",
        label_visibility="collapsed",
        width=220,
        on_change=changed,
    )
    return current


def progress(wanted: Request, status: Status) -> None:
    """Draw how far the map is while it is made, and how to stop; redraw the page when it is."""
    if status.running:
        _poll(wanted, status.map.version if status.map else None)
    elif status.problem:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.warning(escape_markdown(status.problem), icon=":material/info:")
            if st.button("Arrange again", icon=":material/refresh:", key="map-retry"):
                resources.maps().retry()
                st.rerun()


@st.fragment(run_every=_POLL_SECONDS)
def _poll(wanted: Request, drawn: str | None) -> None:
    status = resources.maps().ask(wanted)
    version = status.map.version if status.map else None
    if version != drawn or not status.running:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", key="map-progress"):
        share = status.done / status.total if status.total else 0.0
        st.progress(min(1.0, share), text=_doing(status))
        if st.button("Stop", icon=":material/stop_circle:", key="map-stop"):
            resources.maps().cancel()
            time.sleep(0.1)
            st.rerun()


def _doing(status: Status) -> str:
    count = f" ({status.done:,} of {status.total:,})" if status.total else ""
    shown = status.map.layout.method if status.map else None
    meanwhile = {
        "pca": " A quick first view is shown meanwhile.",
        "preview": " A preview is shown.",
    }
    return f"{status.doing}{count}…{meanwhile.get(shown or '', '')}"
