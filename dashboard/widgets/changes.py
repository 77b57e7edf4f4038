"""Dialogs that add a memory, move it, or change when it expires."""

import uuid
from typing import Any
from urllib.parse import urlencode, urlsplit

import streamlit as st

from dashboard import resources, state
from dashboard.curation import LIFETIMES, Create, Move, Outcome, Plan, apply, plan_expiry
from dashboard.editing import parse_value, value_text
from dashboard.proof import prove
from dashboard.questions import Adding, Copying, Expiring, Moving
from dashboard.widgets.guard import guarded
from dashboard.wording import age, escape_markdown, namespace_text, parse_namespace
from store import Namespace, Reference, StoreError


@st.dialog("New memory", icon=":material/add_circle:", width="medium", on_dismiss=state.ask)
@guarded
def add_memory(asked: Adding) -> None:
    """Ask where and what, and write it."""
    place = namespace_text(asked.namespace) if asked.namespace else ""
    namespace = st.text_input(
        "Namespace", place, key="add-namespace", placeholder="users / mira / preferences"
    )
    key = st.text_input(
        "Key", asked.key, key="add-key", placeholder="Chosen for you when left empty"
    )
    as_json = st.toggle("Write the value as JSON", asked.value is not None, key="add-json")
    field = _main_field()
    if as_json:
        start = value_text(asked.value if asked.value is not None else {field: ""})
        entered = st.text_area("Value", start, key="add-value", height=200)
    else:
        entered = st.text_area(escape_markdown(field), key="add-text", height=120)
    lifetime = st.selectbox("Expires", list(LIFETIMES), key="add-expires")
    if _agreed("Create", "add-create", ":material/add:"):
        try:
            value = parse_value(entered or "") if as_json else _text_value(field, entered)
            found = parse_namespace(namespace or "")
            plan = Create(found, key or uuid.uuid4().hex[:12], value, LIFETIMES[lifetime])
            _do(plan, (plan.namespace, plan.key), "Created.")
        except (StoreError, ValueError) as error:
            st.error(escape_markdown(str(error)), icon=":material/error:")


@st.dialog(
    "Move or rename", icon=":material/drive_file_move:", width="medium", on_dismiss=state.ask
)
def move_memory(asked: Moving) -> None:
    """Ask for another namespace or key, and move it there; its times stay."""
    memory = asked.memory
    namespace = st.text_input("Namespace", namespace_text(memory.namespace), key="move-namespace")
    key = st.text_input("Key", memory.key, key="move-key")
    st.caption("Value, times and expiry stay as they are.")
    if _agreed("Move", "move-go", ":material/drive_file_move:"):
        try:
            plan = Move(memory, parse_namespace(namespace or ""), key or "")
            if (plan.namespace, plan.key) == memory.reference:
                st.info("It is there already: change the namespace or the key.")
                return
            _do(plan, (plan.namespace, plan.key), "Moved.")
        except (StoreError, ValueError) as error:
            st.error(escape_markdown(str(error)), icon=":material/error:")


@st.dialog("Expiry", icon=":material/timer:", on_dismiss=state.ask)
@guarded
def change_expiry(asked: Expiring) -> None:
    """Ask when a memory expires, and set that."""
    memory = asked.memory
    now = f"expires {age(memory.expires_at)}" if memory.expires_at else "never expires"
    st.text(f"This memory {now}.")
    lifetime = st.selectbox("It shall expire", list(LIFETIMES), key="expiry-choice")
    if _agreed("Set", "expiry-set", ":material/timer:"):
        try:
            _do(plan_expiry(memory, LIFETIMES[lifetime]), memory.reference, "Expiry set.")
        except (StoreError, ValueError) as error:
            st.error(escape_markdown(str(error)), icon=":material/error:")


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


def _do(plan: Plan, reference: Reference, title: str) -> None:
    store = resources.store()
    outcome = apply(plan, store)
    if outcome.conflicts:
        st.error(escape_markdown(_refused(outcome)), icon=":material/error:")
        return
    state.ask()
    if not _inside(reference[0], state.scope()):
        state.set_scope(reference[0])
    state.select(reference)
    state.set_report(state.Report(title, prove(plan, store), reference))
    st.rerun()


def _inside(namespace: Namespace, scope: Namespace) -> bool:
    return namespace[: len(scope)] == scope


def _refused(outcome: Outcome) -> str:
    conflict = outcome.conflicts[0]
    if conflict.expected is None:
        place = namespace_text(conflict.reference[0])
        return f"There is a memory {conflict.reference[1]} in {place} already: choose another key."
    if conflict.found is None:
        return "Someone deleted this memory meanwhile: nothing was changed."
    return "Someone changed this memory since you opened it: close this and look at it again."


def _agreed(label: str, key: str, icon: str) -> bool:
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button("Cancel", key=f"{key}-cancel"):
            state.ask()
            st.rerun()
        return st.button(label, type="primary", key=key, icon=icon)
