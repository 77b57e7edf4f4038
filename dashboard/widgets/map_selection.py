"""The memories chosen on the map: as a table, and what can be done with them."""

from collections.abc import Sequence

import streamlit as st

from dashboard import resources, widgets
from dashboard.widgets.map_chart import choose
from dashboard.widgets.report import report
from dashboard.wording import memories_text
from store import Memory, Namespace, Reference

_LISTED = 250


def selection(scope: Namespace, references: Sequence[Reference]) -> None:
    """Draw the chosen memories below the map; nothing when none are chosen."""
    report()
    if not references:
        st.caption(
            "Draw a lasso or a box around points to list them here; click one point to open it."
        )
        return
    found = resources.store().read_many(list(references))
    memories = tuple(memory for memory in found if memory is not None)
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
    if st.button(f"Delete {which}…", icon=":material/delete:", key="map-delete"):
        widgets.ask_delete(acted)
    if st.button("Clear", icon=":material/close:", key="map-clear"):
        choose(scope, ())
        st.rerun()
