"""Choosing where to look: labels, breadcrumb, and the drill-down with type-to-find."""

import streamlit as st

from dashboard import resources, state
from dashboard.namespace_tree import Branch, Tree
from dashboard.widgets.guard import guarded
from dashboard.wording import ROOT_NAME, escape_markdown, label_text, namespace_text, range_text
from store import Namespace

_ROWS = 30


def namespace_label(namespace: Namespace) -> str:
    """Return a namespace as text that Markdown labels show literally."""
    return escape_markdown(namespace_text(namespace))


def scope_picker(*, key: str = "scope", drill: bool = True) -> Namespace:
    """Draw the breadcrumb, with a drill-down behind it unless told not to; return the scope.

    The scope is shared by all screens and kept in the address bar. Draw it once per page.
    """
    scope = state.scope()
    with st.container(
        horizontal=True, gap="xsmall", vertical_alignment="center", key=f"{key}-crumbs"
    ):
        for depth in range(len(scope) + 1):
            name = label_text(scope[depth - 1]) if depth else ROOT_NAME
            st.button(
                escape_markdown(name),
                key=f"{key}-crumb-{depth}",
                type="tertiary",
                disabled=depth == len(scope),
                on_click=state.set_scope,
                args=(scope[:depth],),
                icon=":material/chevron_right:" if depth else None,
            )
        if drill:
            _drill_down(key)
    return scope


def _drill_down(key: str) -> None:
    # Its content is drawn only while it is open: a closed popover would cost as much.
    popover = st.popover(
        "Choose namespace",
        icon=":material/account_tree:",
        key=f"{key}-popover",
        type="tertiary",
        on_change="rerun",
    )
    if popover.open:
        with popover:
            namespace_panel(key=f"{key}-panel")


@st.fragment
@guarded
def namespace_panel(*, key: str = "panel") -> None:
    """Draw the namespaces below the scope with their counts, and a field that finds any."""
    tree, scope = resources.tree(), state.scope()
    text = st.text_input(
        "Find a namespace",
        key=f"{key}-find",
        type="search",
        live=True,
        placeholder="Namespace",
        label_visibility="collapsed",
        icon=":material/search:",
    )
    if text and text.strip():
        found, total = tree.find(text, _ROWS)
        _rows(found, key=key, path=True)
        if total > len(found):
            st.caption(f"{range_text(0, len(found), total)}: type more to narrow it down")
        elif not found:
            st.caption("No namespace matches")
    else:
        _level(tree, scope, key=key)


def _level(tree: Tree, scope: Namespace, *, key: str) -> None:
    # At the end of a path its neighbours stay in sight, so that one can walk from one to the next.
    top = scope if tree.children(scope) or not scope else scope[:-1]
    if scope:
        up = scope[:-1]
        name = namespace_label(up[-1:]) if up else ROOT_NAME
        if st.button(name, key=f"{key}-up", type="tertiary", icon=":material/arrow_upward:"):
            _go(up)
    children = tree.children(top)
    pages = -(-len(children) // _ROWS)
    page = 1
    if pages > 1:
        page = st.session_state.get(f"{key}-page-{top}") or _page_of(children, scope)
    first = (min(page, max(pages, 1)) - 1) * _ROWS
    shown = children[first : first + _ROWS]
    _rows(shown, key=key, path=False)
    if pages > 1:
        st.caption(range_text(first, len(shown), len(children)))
        st.pagination(pages, default=page, key=f"{key}-page-{top}", max_visible_pages=5)
    if not children:
        st.caption("No namespaces yet")


def _page_of(children: list[Branch], scope: Namespace) -> int:
    """Return the page of a level that shows the namespace looked at."""
    at = next((at for at, child in enumerate(children) if child.namespace == scope), 0)
    return at // _ROWS + 1


def _rows(branches: list[Branch], *, key: str, path: bool) -> None:
    scope = state.scope()
    with st.container(key=f"{key}-rows", gap=None):
        for branch in branches:
            name = namespace_text(branch.namespace) if path else label_text(branch.namespace[-1])
            here = branch.namespace == scope
            label = escape_markdown(name)
            clicked = st.button(
                f"{f'**{label}**' if here else label} :gray[{_counts(branch)}]",
                key=f"{key}-{branch.namespace!r}",
                type="tertiary",
                width="stretch",
                help=_own_and_below(branch),
            )
            if clicked:
                _go(branch.namespace)


def _counts(branch: Branch) -> str:
    """Return how many memories are there, told apart when some are in it and some below."""
    more = " :material/chevron_right:" if branch.children else ""
    if branch.own and branch.total > branch.own:
        return f"{branch.own:,} + {branch.total - branch.own:,}{more}"
    return f"{branch.total:,}{more}"


def _own_and_below(branch: Branch) -> str | None:
    if branch.own and branch.total > branch.own:
        return f"{branch.own:,} here, {branch.total - branch.own:,} below"
    return None


def _go(namespace: Namespace) -> None:
    state.set_scope(namespace)
    st.rerun()
