"""Browse: walk through the namespaces, read, correct and delete memories."""

import streamlit as st

from dashboard import resources, state, widgets
from dashboard.widgets.listing import TABLE, actions, headline, nothing_listed, pager, ticked_bar

store, tree = resources.store(), resources.tree()
info = store.info()
opened = state.selected()
with st.container(horizontal=True, vertical_alignment="center", key="browse-head"):
    scope = widgets.scope_picker(drill=False)
    branch = tree.branch(scope)
    actions(branch)

if not info.memories:
    widgets.first_memory(info.location, info.name)
    st.stop()

with st.container(key="browse-open" if opened else "browse-list"):
    panes = st.columns([4, 10, 9] if opened else [4, 18], gap="medium")
with panes[0]:
    widgets.namespace_panel()
with panes[1]:
    page = headline(store, branch)
    if page.memories:
        widgets.memory_table(page.memories, key=TABLE, fields=info.fields, scope=scope)
        pager(page)
    else:
        nothing_listed(branch, page)
    ticked_bar(branch, page)
if opened is not None:
    with panes[2]:
        widgets.inspector(opened)
