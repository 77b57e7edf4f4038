"""Dialogs that add a memory, also as a copy of another, and that offer one as code or a link."""

import uuid
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode, urlsplit

import streamlit as st

from dashboard import resources, state
from dashboard.curation import Create
from dashboard.editing import parse_value, value_text
from dashboard.questions import Adding, Copying
from dashboard.widgets.carrying import agreed, carry_out
from dashboard.widgets.ending import Ending, ending_input
from dashboard.widgets.guard import guarded
from dashboard.wording import escape_markdown, namespace_text, parse_namespace
from store import Memory, StoreError


@st.dialog("New memory", icon=":material/add_circle:", width="medium", on_dismiss=state.ask)
@guarded
def add_memory(asked: Adding) -> None:
    """Ask where and what, and write it."""
    _form(asked)


@st.dialog("Duplicate", icon=":material/content_copy:", width="medium", on_dismiss=state.ask)
@guarded
def duplicate_memory(asked: Adding) -> None:
    """Ask where a copy goes and what it says, and write it; expiry and index paths go along."""
    _form(asked)


def _form(asked: Adding) -> None:
    original = asked.original
    place = namespace_text(asked.namespace) if asked.namespace else ""
    namespace = st.text_input(
        "Namespace", place, key="add-namespace", placeholder="users / mira / preferences"
    )
    key = st.text_input(
        "Key",
        f"{original.key}-copy" if original else "",
        key="add-key",
        placeholder="Chosen for you when left empty",
    )
    field = _main_field()
    as_json = st.toggle("Write the value as JSON", original is not None, key="add-json")
    if as_json:
        start = value_text(original.value if original else {field: ""})
        entered = st.text_area("Value", start, key="add-value", height=200)
    else:
        entered = st.text_area(escape_markdown(field), key="add-text", height=120)
    ends = _running(original)
    chosen = ending_input("add-expires", "Expires", ends=ends, first="at" if ends else "never")
    if agreed("Create", "add-create", ":material/add:"):
        try:
            value = parse_value(entered or "") if as_json else _text_value(field, entered)
            found = parse_namespace(namespace or "")
            plan = Create(found, key or uuid.uuid4().hex[:12], value, *_kept(original, chosen))
            carry_out(plan, (plan.namespace, plan.key), "Created.")
        except (StoreError, ValueError) as error:
            st.error(escape_markdown(str(error)), icon=":material/error:")


def _running(original: Memory | None) -> datetime | None:
    ends = original.expires_at if original else None
    return ends if ends is not None and ends > datetime.now(UTC) else None


def _kept(
    original: Memory | None, chosen: Ending
) -> tuple[float | None, datetime | None, tuple[str, ...] | None]:
    """Return minutes to live, moment of expiry and index paths of the new memory."""
    index = original.index if original else None
    if not isinstance(chosen, datetime):
        return chosen, None, index
    same = original is not None and chosen == original.expires_at
    return (original.ttl_minutes if original and same else None), chosen, index


@st.dialog("Copy", icon=":material/content_copy:", width="medium", on_dismiss=state.ask)
@guarded
def copy_memory(asked: Copying) -> None:
    """Offer a memory as Python and as a link; each has a copy button."""
    namespace, key = asked.memory.reference
    st.caption("Read it in Python")
    st.code(f"store.get({namespace!r}, {key!r})", language="python", wrap_lines=True)
    st.caption("Open it here")
    query = urlencode(state.link(scope=namespace, selected=(namespace, key)))
    st.code(f"{_root()}/browse?{query}", language=None, wrap_lines=True)


def _root() -> str:
    parts = urlsplit(st.context.url or "")
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def _main_field() -> str:
    fields = [name for name in resources.store().info().fields if name not in ("", "$")]
    return fields[0] if fields and "." not in fields[0] and "[" not in fields[0] else "text"


def _text_value(field: str, text: str | None) -> dict[str, Any]:
    if not (text or "").strip():
        raise ValueError("There is nothing to remember yet: write the text first.")
    return {field: text}
