"""The memories chosen on the map: as a table, and what can be done with them."""

from collections.abc import Sequence

import streamlit as st

from dashboard import resources, widgets
from dashboard.exporting import as_json_lines
from dashboard.map_colours import Colours, Groups
from dashboard.map_drawing import Drawn
from dashboard.map_export import as_csv, as_svg
from dashboard.widgets.map_chart import choose
from dashboard.widgets.report import report
from dashboard.wording import memories_text
from store import Memory, Namespace, Reference

_LISTED = 250


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
        placeholder="Choose a whole group",
        key="map-group",
        label_visibility="collapsed",
        width=185,
        on_change=picked,
    )


def selection(scope: Namespace, references: Sequence[Reference]) -> None:
    """Draw the chosen memories below the map, or how to choose some."""
    report()
    found = resources.store().read_many(list(references))
    memories = tuple(memory for memory in found if memory is not None)
    if not memories:
        st.caption(
            "Click a point to open it. With the lasso or the box above the map, "
            "draw around points to list them here."
        )
        return
    with st.container(horizontal=True, vertical_alignment="center", key="map-bulk"):
        more = f", the first {_LISTED:,} listed" if len(memories) > _LISTED else ""
        st.markdown(f"**{memories_text(len(memories))} chosen**{more}", width="stretch")
        bar = st.container(horizontal=True, width="content")
    ticked = widgets.memory_table(
        memories[:_LISTED],
        key="map",
        fields=resources.store().info().fields,
        scope=scope,
        rows=8,
    )
    with bar:
        _actions(scope, memories, ticked)


def _actions(scope: Namespace, memories: tuple[Memory, ...], ticked: Sequence[Reference]) -> None:
    wanted = set(ticked)
    acted = tuple(memory for memory in memories if memory.reference in wanted) or memories
    which = f"{len(acted):,} ticked" if wanted else f"all {len(memories):,}"
    st.button(
        f"Delete {which}…",
        icon=":material/delete:",
        key="map-delete",
        on_click=widgets.ask_delete,
        args=(acted,),
        disabled=not acted,
    )
    st.download_button(
        f"Export {which}",
        lambda: as_json_lines(acted),
        "memories.jsonl",
        "application/x-ndjson",
        icon=":material/download:",
        key="map-export",
        on_click="ignore",
        disabled=not acted,
    )
    st.button("Clear", icon=":material/close:", key="map-clear", on_click=choose, args=(scope, ()))
