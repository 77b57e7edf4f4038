"""Browse: walk through the namespaces, read, correct and delete memories."""

import streamlit as st

from dashboard import resources, state, widgets
from dashboard.widgets.listing import bulk_bar, headline, pager

store, tree = resources.store(), resources.tree()
scope = widgets.scope_picker(drill=False)
view = state.view()
branch = tree.branch(scope)

if not tree.branch(()).total:
    widgets.first_memory(store.info().location, store.info().name)
    st.stop()

widths = [2, 5, 4] if view.selected else [2, 9]
panes = st.columns(widths, gap="medium")
with panes[0]:
    widgets.namespace_panel()
with panes[1]:
    page = headline(store, branch)
    if page.memories:
        ticked = widgets.memory_table(
            page.memories, key="browse", fields=store.info().fields, scope=scope
        )
        pager(page)
        bulk_bar(page.memories, ticked)
    else:
        widgets.empty("No memories here", "Choose another namespace on the left.")
if view.selected:
    with panes[2]:
        widgets.inspector(view.selected)
