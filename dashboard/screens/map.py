"""Map: all memories by what they mean, to find groups, gaps and junk, and to act on them."""

import streamlit as st

from dashboard import resources, state, widgets
from dashboard.map_drawing import colours_of, still_there, unmapped
from dashboard.widgets.map_arrange import look, progress, query, request
from dashboard.widgets.map_chart import View, chart, chosen
from dashboard.widgets.map_naming import names, naming
from dashboard.widgets.map_near import nearest_to
from dashboard.widgets.map_notes import notes
from dashboard.widgets.map_selection import downloads, selection, whole_groups

store = resources.store()
scope = widgets.scope_picker()
entries = store.entries(scope)
missing = unmapped(entries)

if not store.count():
    widgets.first_memory(store.info().location, store.info().name)
    st.stop()
if not entries:
    widgets.empty("Nothing to map here", "Choose a namespace that holds memories.")
    st.stop()
if missing == len(entries):
    widgets.empty(
        "No vectors to map",
        store.info().search_off or "None of these memories was embedded, so they have no place.",
        icon=":material/scatter_plot:",
    )
    st.stop()

head = st.container(horizontal=True, vertical_alignment="center", key="map-head")
with head:
    wanted = request(scope)
    text = query()
status = resources.maps().ask(wanted)
progress(wanted, status)
if status.map is None:
    st.skeleton(height=650)
    st.stop()

picture = still_there(status.map, store, scope)
drawn = resources.map_drawn(picture)
asked = resources.map_asked(picture, scope, text)
with head:
    shown = look(drawn, asked=asked is not None)
    colours = colours_of(drawn, shown.choice, asked)
    if shown.names:
        naming(drawn)
    whole_groups(scope, drawn, colours)
    downloads(drawn, colours)

opened = state.selected()
near = nearest_to(picture, opened)
# The same pieces in the same order, so that the chart stays where it is when a memory is opened.
panes = st.columns([7, 4] if opened else [1], gap="medium")
with panes[0]:
    chart(View(drawn, shown, asked, near, wanted, names(drawn) if shown.names else ()))
    notes(picture.layout, missing)
    selection(scope, chosen(scope))
if opened:
    with panes[1]:
        widgets.inspector(opened, near=True)
