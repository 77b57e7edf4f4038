"""A page of the scope's memories: how many, filtered and ordered how, page turns, bulk bar."""

import streamlit as st

from dashboard import listing, resources, state
from dashboard.filterforms import observed_fields, parse
from dashboard.listing import Listing
from dashboard.namespace_tree import Branch
from dashboard.questions import Adding
from dashboard.views import PAGE_SIZES, View
from dashboard.widgets.bulk import bulk_bar
from dashboard.widgets.confirm import ask_delete_namespace
from dashboard.widgets.frame import empty
from dashboard.widgets.report import report
from dashboard.widgets.search_filter import filter_picker
from dashboard.wording import range_text
from store import ChromaStore, InvalidFilter, Page

TABLE = "browse"
# Left to its content, the row of page numbers leaves out those it could show.
_ARROWS, _BUTTON = 130, 40
_ORDERS = {
    "updated_at": "By last change",
    "created_at": "By creation",
    "expires_at": "By expiry",
    "key": "By key",
    "namespace": "By namespace",
}


def actions(branch: Branch) -> None:
    """Draw what can be done with the namespace as a whole."""
    st.button(
        "New memory",
        icon=":material/add:",
        key="listing-new",
        shortcut="N",
        on_click=state.ask,
        args=(Adding(branch.namespace),),
    )
    if branch.namespace:
        _more(branch)


def shown_listing(branch: Branch) -> Listing:
    """Return the listing that the address bar describes; an unusable filter counts as none."""
    view = state.view()
    text = state.param("filter")
    try:
        wanted = text if text and parse(text) else None
    except InvalidFilter:
        wanted = None
    own = view.own and branch.own > 0
    return Listing(branch.namespace, own, wanted, view.order, view.descending)


def headline(store: ChromaStore, branch: Branch) -> Page:
    """Draw what is listed and in which order; return the page of memories."""
    view, wanted = state.view(), shown_listing(branch)
    report()
    page = _page(store, wanted, view)
    with st.container(
        horizontal=True, vertical_alignment="center", key="listing-head", gap="xsmall"
    ):
        shown = range_text((view.page - 1) * view.size, len(page.memories), page.total)
        whole = branch.own if wanted.own else branch.total
        matched = f" :gray[matched, of {whole:,} here]" if wanted.filter else ""
        st.markdown(f"**{shown}**{matched}" if page.memories else "", width="stretch")
        if branch.own and branch.total > branch.own:
            _reach(branch)
        _open_first(page)
        filter_picker(parse(wanted.filter or ""), branch.namespace)
        with st.container(
            horizontal=True, vertical_alignment="center", width="content", gap="xxsmall", wrap=False
        ):
            _order(view, page)
    return page


def _open_first(page: Page) -> None:
    """Offer the key that goes down the list; beside an open memory the inspector has it."""
    if page.memories and state.selected() is None:
        st.button(
            "Open first",
            key="listing-first-open",
            help="Open the first memory of this page; the same key goes on to the next",
            type="tertiary",
            shortcut="J",
            on_click=state.select,
            args=(page.memories[0].reference,),
        )


def _page(store: ChromaStore, wanted: Listing, view: View) -> Page:
    offset = (view.page - 1) * view.size
    if wanted.reads_values:
        references = resources.listed(wanted)
        return listing.page_of(store, references, limit=view.size, offset=offset)
    return listing.page(store, wanted, limit=view.size, offset=offset)


def _reach(branch: Branch) -> None:
    def changed() -> None:
        state.update(own=st.session_state["listing-reach"] == "here", page=1)

    names = {"all": f"All {branch.total:,}", "here": f"Only here {branch.own:,}"}
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


def _order(view: View, page: Page) -> None:
    def changed() -> None:
        order = st.session_state["listing-order"]
        state.update(order=order, descending=order in ("updated_at", "created_at"), page=1)

    def turned() -> None:
        state.update(descending=not view.descending, page=1)

    fields = {field.path: f"By {field.path}" for field in observed_fields(page.memories)}
    names = {**fields, **{view.order: f"By {view.order}"}, **_ORDERS}
    options = [*_ORDERS, *(name for name in names if name not in _ORDERS)]
    st.selectbox(
        "Order by",
        options,
        index=options.index(view.order),
        format_func=names.__getitem__,
        key="listing-order",
        label_visibility="collapsed",
        width=160,
        on_change=changed,
    )
    st.button(
        "Turn the order around",
        icon=f":material/arrow_{'downward' if view.descending else 'upward'}:",
        key="listing-direction",
        type="tertiary",
        help="Descending; click to turn around" if view.descending else "Ascending; click to turn",
        on_click=turned,
    )


def _more(branch: Branch) -> None:
    chosen = st.menu_button(
        "More",
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
    if pages < 2 and page.total <= min(PAGE_SIZES):
        return

    def turned(key: str) -> None:
        state.update(page=st.session_state[key])

    def sized() -> None:
        state.update(size=st.session_state["listing-size"], page=1)

    with st.container(horizontal=True, vertical_alignment="center", key="listing-pager"):
        if pages > 1:
            key = f"listing-page-{view.page}"
            st.pagination(
                pages,
                default=min(view.page, pages),
                width=_ARROWS + _BUTTON * min(pages, 8),
                key=key,
                on_change=turned,
                args=(key,),
            )
        st.selectbox(
            "Rows per page",
            PAGE_SIZES,
            index=PAGE_SIZES.index(view.size),
            format_func=lambda count: f"{count} a page",
            key="listing-size",
            label_visibility="collapsed",
            width=130,
            on_change=sized,
        )


def ticked_bar(branch: Branch, page: Page) -> None:
    """Draw what can be done with the ticked memories, on this page or not."""
    wanted = shown_listing(branch)

    def everything() -> None:
        store = resources.store()
        state.set_ticked(TABLE, listing.references(store, wanted, parse(wanted.filter or "")))

    bulk_bar(
        state.ticked(TABLE),
        here=[memory.reference for memory in page.memories],
        clear=lambda: state.set_ticked(TABLE, ()),
        everything=everything,
        total=page.total,
    )


def nothing_listed(branch: Branch, page: Page) -> None:
    """Say why the list is empty: past its end, filtered away, or nothing there."""
    if page.total:
        empty("This page is past the end", "The list became shorter: go back to its first page.")
        st.button("First page", key="listing-first", on_click=state.update, kwargs={"page": 1})
    elif shown_listing(branch).filter:
        empty(
            f"0 of {branch.total:,} matched",
            "No memory here passes the filter.",
            icon=":material/filter_alt_off:",
        )
        st.button("Remove the filter", key="listing-unfilter", on_click=_unfilter)
    else:
        empty("No memories here", "Choose another namespace, or write the first one: New memory.")


def _unfilter() -> None:
    state.set_param("filter", None)
