"""How a map is arranged and what it shows, and how far its arranging is."""

from dataclasses import dataclass

import streamlit as st

from dashboard import resources, state
from dashboard.map_drawing import SCORE, Drawn, best_choice, colour_choices
from dashboard.projection import Settings
from dashboard.projection_jobs import Request, Status
from dashboard.wording import escape_markdown
from store import Namespace

_COLOUR = "colour"
_NEIGHBOURS, _DISTANCE, _FIELD = "map-neighbours", "map-distance", "map-field"
_POLL_SECONDS = 0.8
_DEFAULTS = Settings()


@dataclass(frozen=True, slots=True)
class Look:
    """What of a map is shown: the colours, and whether groups are named."""

    choice: str
    names: bool


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


def query() -> str:
    """Draw the field for a query, shared with Search; return its text."""

    def changed() -> None:
        state.set_query(st.session_state["map-query"].strip())

    text = state.query()
    if st.session_state.get("map-query") != text:
        st.session_state["map-query"] = text
    st.text_input(
        "Query",
        key="map-query",
        type="search",
        placeholder="Show a query on the map",
        label_visibility="collapsed",
        icon=":material/search:",
        width=250,
        on_change=changed,
        disabled=resources.store().info().search_off is not None,
    )
    return text


def look(drawn: Drawn, *, asked: bool) -> Look:
    """Draw what the points are coloured by and whether groups are named; return the choice."""
    choices = colour_choices(drawn, asked=asked)
    current = state.param(_COLOUR)
    current = current if current in choices else SCORE if asked else best_choice(drawn)

    def changed() -> None:
        state.set_param(_COLOUR, st.session_state["map-colour"])

    if st.session_state.get("map-colour") != current:
        st.session_state["map-colour"] = current
    st.selectbox(
        "Colour",
        list(choices),
        format_func=lambda choice: f"Colour: {choices[choice]}",
        key="map-colour",
        label_visibility="collapsed",
        width=245,
        on_change=changed,
        help="What the points are coloured by. A click on a name in the legend hides its points.",
    )
    names = st.toggle("Names", value=True, key="map-names", help="Name groups by their words.")
    return Look(current, names)


def progress(wanted: Request, status: Status) -> None:
    """Draw how far the map is while it is made, and how to stop; redraw the page when it is."""
    if status.running:
        _poll(wanted, status.map.version if status.map else None)
    elif status.problem:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.warning(escape_markdown(status.problem), icon=":material/info:")
            st.button(
                "Arrange again",
                icon=":material/refresh:",
                key="map-retry",
                on_click=resources.maps().retry,
            )


@st.fragment(run_every=_POLL_SECONDS)
def _poll(wanted: Request, drawn: str | None) -> None:
    status = resources.maps().ask(wanted)
    version = status.map.version if status.map else None
    if version != drawn or not status.running:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", key="map-progress"):
        share = status.done / status.total if status.total else 0.0
        st.progress(min(1.0, share), text=_doing(status))
        st.button(
            "Stop",
            icon=":material/stop_circle:",
            key="map-stop",
            on_click=resources.maps().cancel,
        )


def _doing(status: Status) -> str:
    count = f" ({status.done:,} of {status.total:,})" if status.total else ""
    shown = status.map.layout.method if status.map else None
    meanwhile = {"pca": " Meanwhile, a quick first view.", "preview": " Meanwhile, a preview."}
    return f"{status.doing}{count}…{meanwhile.get(shown or '', '')}"
