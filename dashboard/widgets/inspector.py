"""One memory: what it says, since when, and how it is corrected or deleted."""

import json
from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

import streamlit as st

from dashboard import resources, state
from dashboard.editing import value_text
from dashboard.memories import size
from dashboard.widgets.confirm import ask_delete
from dashboard.widgets.editor import editor
from dashboard.widgets.report import report
from dashboard.wording import age, escape_markdown, namespace_text, size_text
from store import Memory, Reference, StoreInfo

_EMBEDDED = " :gray-badge[searched by meaning]"
_SHORT, _LONG = 48, 1500
_TIME = "%Y-%m-%d %H:%M"


def inspector(reference: Reference) -> None:
    """Draw one memory with everything that can be done to it."""
    store = resources.store()
    memory = store.read(*reference)
    with st.container(border=True, key="inspector"):
        _header(reference)
        report(reference)
        if memory is None:
            st.warning("This memory is no longer in the store.", icon=":material/delete:")
            return
        if state.draft() is not None:
            editor(store)
            return
        _actions(memory)
        _value(memory, store.info())
        _facts(memory, store.info())


def _header(reference: Reference) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="inspector-head"):
        with st.container(gap=None):
            st.caption(escape_markdown(namespace_text(reference[0])))
            st.markdown(f"**{escape_markdown(reference[1]) or '(empty key)'}**")
        st.button(
            "",
            icon=":material/close:",
            key="inspector-close",
            help="Close",
            type="tertiary",
            on_click=state.select,
            args=(None,),
            shortcut="Esc",
        )


def _actions(memory: Memory) -> None:
    with st.container(horizontal=True, key="inspector-actions"):
        st.button(
            "Edit",
            icon=":material/edit:",
            key="inspector-edit",
            shortcut="E",
            on_click=state.set_draft,
            args=(state.Draft(memory, value_text(memory.value)),),
        )
        st.button(
            "Delete",
            icon=":material/delete:",
            key="inspector-delete",
            shortcut="Delete",
            on_click=ask_delete,
            args=((memory,),),
        )


def _value(memory: Memory, info: StoreInfo) -> None:
    side = st.segmented_control(
        "Show as",
        ["Fields", "JSON"],
        default="Fields",
        required=True,
        key="inspector-side",
        label_visibility="collapsed",
    )
    if side == "JSON":
        st.code(value_text(memory.value), language="json", wrap_lines=True, height=_height(memory))
        return
    for number, (name, item) in enumerate(memory.value.items()):
        _field(number, name, item, embedded=name in info.fields)
    if not memory.value:
        st.caption("This memory has no fields.")


def _field(number: int, name: str, item: Any, *, embedded: bool) -> None:
    label = f"{escape_markdown(name) or '(no name)'}{_EMBEDDED if embedded else ''}"
    text = _shown(item)
    if embedded or len(text) > _SHORT or "\n" in text:
        with st.container(gap="xxsmall", key=f"field-text-{number}"):
            st.caption(label)
            tall = len(text) > _LONG or text.count("\n") > 20
            st.code(text, language=None, wrap_lines=True, height=360 if tall else "content")
    else:
        with st.container(horizontal=True, key=f"field-row-{number}"):
            st.caption(label, width=96)
            st.text(text, width="stretch")


def _shown(item: Any) -> str:
    if isinstance(item, str):
        return item if item else '""'
    if isinstance(item, Mapping | list) and item:
        return json.dumps(item, ensure_ascii=False, indent=2)
    return json.dumps(item, ensure_ascii=False)


def _height(memory: Memory) -> Any:
    return 480 if size(memory.value) > 2000 else "content"


def _facts(memory: Memory, info: StoreInfo) -> None:
    zone = ZoneInfo(st.context.timezone or "UTC")
    created, updated = memory.created_at.astimezone(zone), memory.updated_at.astimezone(zone)
    parts = [f"created {age(created)}", f"updated {age(updated)}"]
    if memory.expires_at is not None:
        parts.append(f"expires {age(memory.expires_at)}")
    st.caption(
        " · ".join([*parts, size_text(size(memory.value))]),
        help=f"Created {created:{_TIME}} · updated {updated:{_TIME}} ({zone.key})",
    )
    if memory.vectors:
        st.badge("Search by meaning can find it", icon=":material/check:", color="green")
    elif info.search_off is None:
        st.badge(
            "Search by meaning cannot find it", icon=":material/visibility_off:", color="orange"
        )
