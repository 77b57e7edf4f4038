"""Map: all memories by what they mean, to find groups, gaps and junk, and to act on them."""

import streamlit as st

from dashboard import resources, state, widgets
from dashboard.map_drawing import still_there, unmapped
from dashboard.widgets.map_arrange import colour, progress, request
from dashboard.widgets.map_chart import chart, chosen, notes
from dashboard.widgets.map_selection import selection

store = resources.store()
scope = widgets.scope_picker()
entries = store.entries(scope)
missing = unmapped(entries)

if not entries:
    widgets.empty("Nothing to map yet", "A map needs memories. There are none here.")
    st.stop()
if missing == len(entries):
    widgets.empty(
        "No vectors to map",
        store.info().search_off or "None of these memories was embedded, so they have no place.",
        icon=":material/scatter_plot:",
    )
    st.stop()

with st.container(horizontal=True, vertical_alignment="center", key="map-head"):
    wanted = request(scope)
    status = resources.maps().ask(wanted)
    picture = status.map and still_there(status.map, store, scope)
    choice = colour(picture) if picture else ""
progress(wanted, status)

opened = state.selected()
panes = st.columns([7, 4], gap="medium") if opened else [st.container()]
with panes[0]:
    if picture is None:
        st.skeleton(height=620)
    else:
        chart(picture, choice, scope)
        notes(picture, missing)
        selection(scope, chosen(scope))
if opened:
    with panes[1]:
        widgets.inspector(opened)
