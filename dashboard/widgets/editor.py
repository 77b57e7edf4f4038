"""Editing a memory: inputs or JSON, then the difference to review, then saving with proof."""

from dataclasses import replace
from typing import Any

import streamlit as st

from dashboard import state
from dashboard.curation import Edit, apply
from dashboard.editing import (
    difference,
    field_kind,
    field_text,
    parse_field,
    parse_value,
    value_text,
)
from dashboard.impact import Change
from dashboard.proof import prove
from dashboard.shapes import file_text, with_file_text
from dashboard.widgets.search_impact import impact_preview
from dashboard.wording import escape_markdown
from store import ChromaStore, InvalidValue, Memory, StoreError

TEXT_KEY = "editor-text"
FIELD_KEY = "editor-field"
_NEW_KEY = "editor-new-field"


def begin_edit(memory: Memory) -> None:
    """Start editing a memory; fit for callbacks."""
    state.set_draft(state.Draft(memory, memory.value))


def editor(store: ChromaStore) -> None:
    """Draw the edit under way: its inputs, or the difference when it is to be reviewed."""
    draft = state.draft()
    if draft is None:
        return
    if draft.conflict is not None:
        _conflict(draft)
    elif draft.reviewed is not None:
        _review(draft, store)
    else:
        _inputs(draft)


def _inputs(draft: state.Draft) -> None:
    if draft.text is None:
        _form(draft)
    else:
        st.text_area(
            "Value as JSON",
            value=draft.text,
            height=_height(draft.text),
            key=f"{TEXT_KEY}-{draft.serial}",
        )
    if draft.problem:
        st.error(escape_markdown(draft.problem), icon=":material/error:")
    other = "As JSON" if draft.text is None else "As fields"
    with st.container(horizontal=True):
        st.button(
            "Review change",
            key="editor-review",
            type="primary",
            icon=":material/difference:",
            on_click=_to_review,
        )
        st.button("Cancel", key="editor-cancel", on_click=state.set_draft, args=(None,))
        st.button(other, key="editor-side", type="tertiary", on_click=_switch)


def _form(draft: state.Draft) -> None:
    for number, (name, item) in enumerate(draft.value.items()):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", wrap=False):
            _input(draft, number, name, item)
            st.button(
                f"Remove {escape_markdown(name)}",
                icon=":material/close:",
                key=f"editor-drop-{draft.serial}-{number}",
                help=f"Remove the field {escape_markdown(name)}",
                type="tertiary",
                on_click=_drop,
                args=(name,),
            )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", wrap=False):
        st.text_input(
            "New field",
            key=f"{_NEW_KEY}-{draft.serial}",
            placeholder="Name of a new field",
            label_visibility="collapsed",
        )
        st.button("Add", key="editor-add", icon=":material/add:", on_click=_add)


def _input(draft: state.Draft, number: int, name: str, item: Any) -> None:
    key = f"{FIELD_KEY}-{draft.serial}-{number}"
    label = escape_markdown(name) or "(no name)"
    file = file_text(draft.value) if name == "content" else None
    if file is not None:
        st.text_area(label, file, key=key, height=_height(file))
        return
    match field_kind(item):
        case "yes or no":
            st.toggle(label, item, key=key, width="stretch")
        case "whole number" | "number":
            _number_input(label, item, key)
        case "list":
            st.multiselect(
                label, item, item, key=key, accept_new_options=True, placeholder="Add an entry"
            )
        case "text":
            st.text_input(label, item, key=key)
        case "long text":
            st.text_area(label, item, key=key, height=_height(item))
        case "JSON":
            text = field_text(item)
            st.text_area(f"{label} :gray[JSON]", text, key=key, height=_height(text, least=68))


def _number_input(label: str, item: int | float, key: str) -> None:
    if isinstance(item, int):
        st.number_input(label, value=item, step=1, key=key)
    else:
        step = 0.1 if round(item, 1) == item else 0.01
        st.number_input(label, value=item, step=step, format="%g", key=key)


def _collected(draft: state.Draft) -> dict[str, Any]:
    """Read the value from the inputs; InvalidValue names the first that cannot be used."""
    if draft.text is not None:
        return parse_value(st.session_state.get(f"{TEXT_KEY}-{draft.serial}", draft.text))
    value = dict(draft.value)
    file = file_text(value)
    for number, (name, item) in enumerate(draft.value.items()):
        entered = st.session_state.get(f"{FIELD_KEY}-{draft.serial}-{number}", item)
        if entered is not item and not (name == "content" and file is not None):
            value[name] = parse_field(name, item, entered)
    if file is None:
        return value
    text = st.session_state.get(_content_key(draft), file)
    return value if text == file else with_file_text(value, text)


def _content_key(draft: state.Draft) -> str:
    return f"{FIELD_KEY}-{draft.serial}-{list(draft.value).index('content')}"


def _with_inputs(draft: state.Draft) -> state.Draft:
    """Return the draft with what the inputs hold, or with what is wrong with them."""
    try:
        return replace(draft, value=_collected(draft), problem="")
    except InvalidValue as error:
        text = draft.text
        if text is not None:
            text = st.session_state.get(f"{TEXT_KEY}-{draft.serial}", text)
        return replace(draft, text=text, problem=str(error))


def _to_review() -> None:
    if (draft := state.draft()) is not None:
        read = _with_inputs(draft)
        state.set_draft(read if read.problem else replace(read, reviewed=read.value))


def _switch() -> None:
    if (draft := state.draft()) is not None:
        read = _with_inputs(draft)
        if not read.problem:
            text = value_text(read.value) if draft.text is None else None
            read = replace(read, text=text, serial=read.serial + 1)
        state.set_draft(read)


def _drop(name: str) -> None:
    if (draft := state.draft()) is not None:
        read = _with_inputs(draft)
        if not read.problem:
            kept = {other: item for other, item in read.value.items() if other != name}
            read = replace(read, value=kept, serial=read.serial + 1)
        state.set_draft(read)


def _add() -> None:
    if (draft := state.draft()) is not None:
        read = _with_inputs(draft)
        name = st.session_state.get(f"{_NEW_KEY}-{draft.serial}") or ""
        if not read.problem and name in read.value:
            read = replace(read, problem=f"There is a field {name} already: choose another name.")
        elif not read.problem and name:
            read = replace(read, value={**read.value, name: ""}, serial=read.serial + 1)
        state.set_draft(read)


def _review(draft: state.Draft, store: ChromaStore) -> None:
    value = draft.reviewed or {}
    changes = difference(draft.before.value, value)
    if changes:
        st.caption("This will change")
        st.code(changes, language="diff", wrap_lines=True)
        impact_preview([Change(draft.before.reference, value, draft.before.index)])
    else:
        st.info("Nothing is changed yet.", icon=":material/info:")
    with st.container(horizontal=True):
        if changes and st.button("Save", type="primary", icon=":material/save:", key="editor-save"):
            _save(draft, store)
        back = replace(draft, reviewed=None, serial=draft.serial + 1)
        if draft.text is not None:
            back = replace(back, text=value_text(value))
        st.button("Back", key="editor-back", on_click=state.set_draft, args=(back,))
        st.button("Cancel", key="editor-cancel", on_click=state.set_draft, args=(None,))


def _save(draft: state.Draft, store: ChromaStore) -> None:
    plan = Edit(draft.before, draft.reviewed or {})
    try:
        outcome = apply(plan, store)
    except StoreError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return
    if outcome.conflicts:
        state.set_draft(replace(draft, conflict=outcome.conflicts[0]))
    else:
        state.set_draft(None)
        state.set_report(state.Report("Saved.", prove(plan, store), draft.before.reference))
    st.rerun()


def _conflict(draft: state.Draft) -> None:
    found = draft.conflict.found if draft.conflict else None
    if found is None:
        st.error("Someone deleted this memory while you were editing; nothing was saved.")
        st.code(value_text(draft.value), language="json", wrap_lines=True)
        st.button("Close", key="editor-close", on_click=state.set_draft, args=(None,))
        return
    st.error(
        "Someone changed this memory while you were editing; nothing was saved. Their change:",
        icon=":material/group:",
    )
    theirs = difference(draft.before.value, found.value)
    st.code(theirs or "(the same value, written again)", language="diff", wrap_lines=True)
    with st.container(horizontal=True):
        st.button(
            "Continue with mine",
            key="editor-mine",
            type="primary",
            help="Compare your change with the memory as it is now; you can still edit it.",
            on_click=state.set_draft,
            args=(replace(draft, before=found, conflict=None),),
        )
        st.button("Start from theirs", key="editor-theirs", on_click=begin_edit, args=(found,))


def _height(text: str, least: int = 110) -> int:
    lines = text.count("\n") + 1 + len(text) // 48
    return min(420, max(least, 40 + 24 * lines))
