"""The memories chosen on the map: as a table, and what can be done with them."""

from collections.abc import Sequence

import streamlit as st

from dashboard import resources, widgets
from dashboard.map_colours import Colours, Groups
from dashboard.map_drawing import Drawn
from dashboard.map_export import as_csv, as_svg
from dashboard.widgets.bulk import bulk_bar
from dashboard.widgets.map_chart import choose
from dashboard.widgets.report import report
from store import Namespace, Reference

_LISTED = 250
_TABLE = "map"


def downloads(drawn: Drawn, colours: Colours) -> None:
    """Draw the ways to take the view away: a table of places, or a picture to scale."""
    with st.popover("Export", icon=":material/download:"):
        st.download_button(
            "Places as CSV",
            lambda: as_csv(drawn.picture),
            "memlens-map.csv",
            "text/csv",
            key="map-csv",
            on_click="ignore",
        )
        st.download_button(
            "Picture as SVG",
            lambda: as_svg(drawn.picture.layout.positions, drawn.rows, colours),
            "memlens-map.svg",
            "image/svg+xml",
            key="map-svg",
            on_click="ignore",
        )
        st.caption("The camera above the map saves what you see as PNG.")


def whole_groups(scope: Namespace, drawn: Drawn, colours: Colours) -> None:
    """Draw a list of the legend's groups; picking one chooses all its memories."""
    if not isinstance(colours, Groups) or len(colours.names) < 2:
        return
    names = dict(enumerate(colours.names))

    def picked() -> None:
        code = st.session_state["map-group"]
        rows = [] if code is None else (colours.codes == code).nonzero()[0].tolist()
        choose(scope, [drawn.picture.entries[row].reference for row in rows])

    st.selectbox(
        "Choose a group",
        list(names),
        index=None,
        format_func=lambda code: f"{names[code]} ({colours.counts[code]:,})",
        placeholder="Choose a group",
        key="map-group",
        label_visibility="collapsed",
        width=170,
        on_change=picked,
    )


def selection(scope: Namespace, references: Sequence[Reference]) -> None:
    """Draw the chosen memories below the map and what can be done with them, or how to choose."""
    report()
    store = resources.store()
    listed = [memory for memory in store.read_many(references[:_LISTED]) if memory is not None]
    if not listed:
        st.caption(
            "Click a point to see its nearest memories. Drag with **Box** or **Lasso** "
            "to choose memories and list them here."
        )
        return
    bar = st.container()
    ticked = widgets.memory_table(
        listed, key=_TABLE, fields=store.info().fields, scope=scope, rows=8
    )
    with bar:
        bulk_bar(
            ticked or references,
            key="map",
            word="ticked" if ticked else "chosen",
            clear=lambda: choose(scope, ()),
        )
    if len(references) > _LISTED:
        st.caption(f"The first {_LISTED:,} are listed; what you do is done to all that are chosen.")
