"""One memory: what it says, since when, what is like it, and how it is changed."""

from collections.abc import Sequence

import streamlit as st

from dashboard import resources, state
from dashboard.editing import value_text
from dashboard.invisible import escaped
from dashboard.memories import preview, size
from dashboard.nearest import nearest
from dashboard.questions import Adding, Copying, Expiring, Moving
from dashboard.widgets.confirm import ask_delete
from dashboard.widgets.editor import begin_edit, editor
from dashboard.widgets.report import report
from dashboard.widgets.value import facts, fields
from dashboard.wording import escape_markdown, namespace_text
from store import ChromaStore, Match, Memory, Reference, SearchUnavailable

_MORE = ("Duplicate…", "Move or rename…", "Change expiry…", "Copy as Python or link…")


def inspector(reference: Reference, *, near: bool = False) -> None:
    """Draw one memory with everything that can be done to it; `near` opens its nearest ones."""
    store = resources.store()
    memory = store.read(*reference)
    with st.container(border=True, key="inspector"):
        _header(reference)
        report(reference)
        if memory is None:
            st.warning("This memory is no longer in the store.", icon=":material/delete:")
        elif state.draft() is not None:
            editor(store)
        else:
            _actions(memory)
            _value(memory, store)
            facts(memory, store.info())
            _nearest(memory, store, near)


def _header(reference: Reference) -> None:
    with st.container(
        horizontal=True, vertical_alignment="center", key="inspector-head", wrap=False, gap="xsmall"
    ):
        with st.container(gap=None):
            st.caption(escape_markdown(namespace_text(reference[0])))
            st.markdown(f"**{escape_markdown(escaped(reference[1])) or '(empty key)'}**")
        before, after = state.neighbours()
        for name, other, shortcut in (("up", before, "K"), ("down", after, "J")):
            st.button(
                "Previous" if name == "up" else "Next",
                icon=f":material/keyboard_arrow_{name}:",
                key=f"inspector-{name}",
                help="Previous in the list" if name == "up" else "Next in the list",
                type="tertiary",
                disabled=other is None,
                on_click=state.select,
                args=(other,),
                shortcut=shortcut,
            )
        st.button(
            "Close",
            icon=":material/close:",
            key="inspector-close",
            help="Close",
            type="tertiary",
            on_click=state.select,
            args=(None,),
            shortcut="Esc",
        )


def _actions(memory: Memory) -> None:
    with st.container(horizontal=True, key="inspector-actions", gap="xsmall"):
        st.button(
            "Edit",
            icon=":material/edit:",
            key="inspector-edit",
            shortcut="E",
            on_click=begin_edit,
            args=(memory,),
        )
        st.button(
            "Delete",
            icon=":material/delete:",
            key="inspector-delete",
            shortcut="Delete",
            on_click=ask_delete,
            args=((memory,),),
        )
        wish = st.menu_button("More", _MORE, key="inspector-more", type="tertiary")
    if wish is not None:
        state.ask(_question(wish, memory))


def _question(wish: str, memory: Memory) -> object:
    match _MORE.index(wish):
        case 0:
            return Adding(memory.namespace, memory)
        case 1:
            return Moving(memory)
        case 2:
            return Expiring(memory)
        case _:
            return Copying(memory)


def _value(memory: Memory, store: ChromaStore) -> None:
    side = st.segmented_control(
        "Show as",
        ["Fields", "JSON"],
        default="Fields",
        required=True,
        key="inspector-side",
        label_visibility="collapsed",
    )
    if side == "JSON":
        tall = size(memory.value) > 2000
        st.code(
            value_text(memory.value),
            language="json",
            wrap_lines=True,
            height=480 if tall else "content",
        )
    else:
        fields(memory, store.info())


def _nearest(memory: Memory, store: ChromaStore, expanded: bool) -> None:
    if not memory.vectors:
        return
    shown = st.expander(
        "Nearest memories",
        expanded,
        key="inspector-nearest",
        on_change="rerun",
        icon=":material/hub:",
    )
    if not shown.open:
        return
    with shown:
        try:
            found = nearest(store, memory.reference)
        except SearchUnavailable as error:
            st.caption(escape_markdown(str(error)))
            return
        _near_rows(found, store)


def _near_rows(found: Sequence[Match], store: ChromaStore) -> None:
    with st.container(key="nearest-panel-rows", gap=None):
        for number, match in enumerate(found):
            text = preview(match.memory.value, store.info().fields)
            place = escape_markdown(namespace_text(match.memory.namespace))
            st.button(
                f"{escape_markdown(text[:90])} :gray[{match.score:.2f}]",
                key=f"nearest-{number}",
                type="tertiary",
                width="stretch",
                help=f"{place} · the number is cosine similarity",
                on_click=state.select,
                args=(match.memory.reference,),
            )
    if not found:
        st.caption("Nothing else can be compared with it.")
