"""What a memory says, field by field, and what is known about it."""

import json
from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

import streamlit as st

from dashboard.memories import size
from dashboard.shapes import binary_size, file_text
from dashboard.wording import age, escape_markdown, size_text
from store import Memory, StoreInfo

_EMBEDDED = " :gray-badge[searched by meaning]"
_SHORT, _LONG = 48, 1500
_TIME = "%Y-%m-%d %H:%M"


def fields(memory: Memory, info: StoreInfo) -> None:
    """Draw every field: long or embedded text as a block, the rest as rows."""
    for number, (name, item) in enumerate(memory.value.items()):
        text = _shown(name, item, memory.value)
        _field(number, name, text, embedded=name in info.fields)
    if not memory.value:
        st.caption("This memory has no fields.")


def _field(number: int, name: str, text: str, *, embedded: bool) -> None:
    label = f"{escape_markdown(name) or '(no name)'}{_EMBEDDED if embedded else ''}"
    if embedded or len(text) > _SHORT or "\n" in text:
        with st.container(gap="xxsmall", key=f"field-text-{number}"):
            st.caption(label)
            tall = len(text) > _LONG or text.count("\n") > 20
            st.code(text, language=None, wrap_lines=True, height=360 if tall else "content")
    else:
        with st.container(horizontal=True, key=f"field-row-{number}"):
            st.caption(label, width=96)
            st.text(text, width="stretch")


def _shown(name: str, item: Any, value: Mapping[str, Any]) -> str:
    if name == "content":
        binary = binary_size(value)
        if binary is not None:
            return f"binary, {size_text(binary)}"
        file = file_text(value)
        if file is not None:
            return file or '""'
    if isinstance(item, str):
        return item if item else '""'
    if isinstance(item, Mapping | list) and item:
        return json.dumps(item, ensure_ascii=False, indent=2)
    return json.dumps(item, ensure_ascii=False)


def facts(memory: Memory, info: StoreInfo) -> None:
    """Draw times, expiry, size, and whether search by meaning can find it."""
    zone = ZoneInfo(st.context.timezone or "UTC")
    created, updated = memory.created_at.astimezone(zone), memory.updated_at.astimezone(zone)
    parts = [f"created {age(created)}", f"updated {age(updated)}"]
    exact = f"Created {created:{_TIME}} · updated {updated:{_TIME}}"
    if memory.expires_at is not None:
        parts.append(f"expires {age(memory.expires_at)}")
        exact += f" · expires {memory.expires_at.astimezone(zone):{_TIME}}"
    st.caption(" · ".join([*parts, size_text(size(memory.value))]), help=f"{exact} ({zone.key})")
    if memory.vectors:
        st.badge("Search by meaning can find it", icon=":material/check:", color="green")
    elif info.search_off is None:
        st.badge(
            "Search by meaning cannot find it", icon=":material/visibility_off:", color="orange"
        )
