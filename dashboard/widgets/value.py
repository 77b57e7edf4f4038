"""What a memory says, field by field, and what is known about it."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from dashboard.invisible import named
from dashboard.memories import size
from dashboard.shapes import binary_size, file_text
from dashboard.widgets.ending import local_time, zone
from dashboard.wording import age, escape_markdown, size_text
from store import Memory, StoreInfo

_EMBEDDED = " :green-badge[searched by meaning]"
_SHORT, _LONG = 48, 1500
_WHOLE = ("$", "")


def fields(memory: Memory, info: StoreInfo) -> None:
    """Draw every field: long or embedded text as a block, the rest as rows."""
    searched = {re.split(r"[.\[]", path)[0] for path in searched_paths(memory, info)}
    for number, (name, item) in enumerate(memory.value.items()):
        text = _shown(name, item, memory.value)
        _field(number, name, text, embedded=name in searched)
    if not memory.value:
        st.caption("This memory has no fields.")


def searched_paths(memory: Memory, info: StoreInfo) -> tuple[str, ...]:
    """Return which paths of a memory a search by meaning reads; none when it cannot find it."""
    if not memory.vectors or info.search_off is not None:
        return ()
    return info.fields if memory.index is None else memory.index


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
    if unseen := ", ".join(named(text)):
        st.caption(f":material/warning: Holds invisible characters: {escape_markdown(unseen)}")


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
        return _as_json(item)
    return json.dumps(item, ensure_ascii=False)


def _as_json(item: Any) -> str:
    line = json.dumps(item, ensure_ascii=False)
    return line if len(line) <= _SHORT else json.dumps(item, ensure_ascii=False, indent=2)


def facts(memory: Memory, info: StoreInfo) -> None:
    """Draw times in one named zone, expiry, size, and whether search by meaning can find it."""
    rows = {
        "Created": _when(memory.created_at),
        "Updated": _when(memory.updated_at),
        **_expiry(memory.expires_at),
        "Size": size_text(size(memory.value)),
    }
    with st.container(key="facts", gap=None):
        for name, text in rows.items():
            with st.container(horizontal=True, key=f"fact-{name.lower()}", gap="small", wrap=False):
                st.caption(name, width=64)
                st.text(text, width="stretch")
        st.caption(f"Times are in {escape_markdown(zone().key)}.")
    _findable(memory, info)


def _expiry(ends: datetime | None) -> dict[str, str]:
    if ends is None:
        return {"Expires": "never"}
    return {"Expired" if ends <= datetime.now(UTC) else "Expires": _when(ends)}


def _when(moment: datetime) -> str:
    return f"{local_time(moment)} · {age(moment)}"


def _findable(memory: Memory, info: StoreInfo) -> None:
    if info.search_off is not None:
        st.badge("Search by meaning is off for this store", icon=":material/block:", color="gray")
    elif memory.vectors:
        whole = any(path in _WHOLE for path in searched_paths(memory, info))
        said = "Search by meaning reads all of it" if whole else "Search by meaning can find it"
        st.badge(said, icon=":material/check:", color="green")
    else:
        st.badge(
            "Search by meaning cannot find it", icon=":material/visibility_off:", color="orange"
        )
