"""A page of the scope's memories: how many, in which order, page turns, and the bulk bar."""

from collections.abc import Sequence

import streamlit as st

from dashboard import state
from dashboard.namespace_tree import Branch
from dashboard.widgets.confirm import ask_delete, ask_delete_namespace
from dashboard.widgets.report import report
from dashboard.wording import memories_text, range_text
from store import ChromaStore, Memory, Order, Page, Reference

_ORDERS: dict[str, tuple[Order, bool]] = {
    "Changed last": ("updated_at", True),
    "Changed first": ("updated_at", False),
    "Newest": ("created_at", True),
    "Oldest": ("created_at", False),
    "Key": ("key", False),
    "Namespace": ("namespace", False),
    "Expires soonest": ("expires_at", False),
}


def headline(store: ChromaStore, branch: Branch) -> Page:
    """Draw what is listed and in which order; return the page of memories."""
    view = state.view()
    report()
    page = store.page(
        branch.namespace,
        own=view.own,
        order=view.order,
        descending=view.descending,
        limit=view.size,
        offset=(view.page - 1) * view.size,
    )
    with st.container(horizontal=True, vertical_alignment="center", key="listing-head"):
        shown = range_text((view.page - 1) * view.size, len(page.memories), page.total)
        st.markdown(f"**{shown}**", width="stretch")
        if branch.own and branch.total > branch.own:
            _reach(branch)
        _order(view)
        if branch.namespace:
            _more(branch)
    return page


def _reach(branch: Branch) -> None:
    def changed() -> None:
        state.update(own=st.session_state["listing-reach"] == "here", page=1)

    names = {"all": f"Here and below {branch.total:,}", "here": f"Only here {branch.own:,}"}
    st.segmented_control(
        "Reach",
        list(names),
        default="here" if state.view().own else "all",
        required=True,
        format_func=names.__getitem__,
        key="listing-reach",
        label_visibility="collapsed",
        on_change=changed,
    )


def _order(view: state.View) -> None:
    def changed() -> None:
        order, descending = _ORDERS[st.session_state["listing-order"]]
        state.update(order=order, descending=descending, page=1)

    current = next(name for name, pair in _ORDERS.items() if pair == (view.order, view.descending))
    st.selectbox(
        "Order",
        list(_ORDERS),
        index=list(_ORDERS).index(current),
        key="listing-order",
        label_visibility="collapsed",
        width=170,
        on_change=changed,
    )


def _more(branch: Branch) -> None:
    chosen = st.menu_button(
        "",
        ["Delete this namespace…"],
        icon=":material/more_vert:",
        key="listing-more",
        help="More for this namespace",
        type="tertiary",
    )
    if chosen:
        ask_delete_namespace(branch.namespace)


def pager(page: Page) -> None:
    """Draw the page turns, when there is more than one page."""
    view = state.view()
    pages = -(-page.total // view.size)
    if pages < 2 and page.total <= min(state.PAGE_SIZES):
        return

    def turned(key: str) -> None:
        state.update(page=st.session_state[key])

    def sized() -> None:
        state.update(size=st.session_state["listing-size"], page=1)

    with st.container(horizontal=True, vertical_alignment="center", key="listing-pager"):
        if pages > 1:
            key = f"listing-page-{view.page}"
            st.pagination(
                pages, default=min(view.page, pages), key=key, on_change=turned, args=(key,)
            )
        st.selectbox(
            "Rows per page",
            state.PAGE_SIZES,
            index=state.PAGE_SIZES.index(view.size),
            format_func=lambda count: f"{count} a page",
            key="listing-size",
            label_visibility="collapsed",
            width=130,
            on_change=sized,
        )


def bulk_bar(memories: Sequence[Memory], ticked: Sequence[Reference]) -> None:
    """Draw what can be done with the ticked memories."""
    chosen = tuple(memory for memory in memories if memory.reference in set(ticked))
    if not chosen:
        return
    with st.container(horizontal=True, vertical_alignment="center", border=True, key="bulk-bar"):
        st.markdown(f"**{memories_text(len(chosen))} ticked**", width="stretch")
        st.button(
            "Delete…",
            icon=":material/delete:",
            key="bulk-delete",
            on_click=ask_delete,
            args=(chosen,),
        )
