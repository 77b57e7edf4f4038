"""Overview: how much is remembered, where, how fresh, and what changed last."""

import streamlit as st

from dashboard import overview, resources, state, widgets
from dashboard.widgets import summary

store, tree = resources.store(), resources.tree()
info = store.info()
st.title("Overview")
if not info.memories:
    widgets.first_memory(info.location, info.name)
    st.stop()

outline = resources.outline()
summary.metrics(info, tree, outline)
summary.health(info, outline)
left, right = st.columns([3, 2], gap="large")
with left:
    st.subheader("Growth")
    summary.growth_chart(outline.growth)
with right:
    st.subheader("Where")
    summary.places(overview.largest(tree), info.memories)
st.subheader("Latest changes")
widgets.memory_table(
    store.page(limit=10).memories,
    key="latest",
    fields=info.fields,
    ticks=False,
    on_open=lambda found: state.go("browse", scope=found[0], selected=found),
)
st.page_link(
    state.PAGES["browse"], label="All memories, latest first", icon=":material/arrow_forward:"
)
