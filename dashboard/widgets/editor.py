"""Editing a memory: text, then the difference to review, then saving with proof."""

from dataclasses import replace

import streamlit as st

from dashboard import state
from dashboard.curation import Edit, apply
from dashboard.editing import difference, parse_value, value_text
from dashboard.proof import prove
from dashboard.wording import escape_markdown
from store import ChromaStore, InvalidValue, StoreError

TEXT_KEY = "editor-text"


def editor(store: ChromaStore) -> None:
    """Draw the edit under way: the text, or the difference when it is to be reviewed."""
    draft = state.draft()
    if draft is None:
        return
    if draft.conflict is not None:
        _conflict(draft)
    elif draft.reviewed is not None:
        _review(draft, store)
    else:
        _text(draft)


def _text(draft: state.Draft) -> None:
    with st.form("editor", border=False):
        text = st.text_area(
            "Value as JSON",
            value=draft.text,
            height=_height(draft.text),
            key=f"{TEXT_KEY}-{draft.before.revision}",
        )
        if draft.problem:
            st.error(escape_markdown(draft.problem), icon=":material/error:")
        with st.container(horizontal=True):
            review = st.form_submit_button(
                "Review change", type="primary", icon=":material/difference:"
            )
            cancel = st.form_submit_button("Cancel")
    if cancel:
        state.set_draft(None)
        st.rerun()
    if review:
        state.set_draft(_parsed(replace(draft, text=text or "")))
        st.rerun()


def _parsed(draft: state.Draft) -> state.Draft:
    try:
        return replace(draft, reviewed=parse_value(draft.text), problem="")
    except InvalidValue as error:
        return replace(draft, reviewed=None, problem=str(error))


def _review(draft: state.Draft, store: ChromaStore) -> None:
    value = draft.reviewed or {}
    changes = difference(draft.before.value, value)
    if not changes:
        st.info("Nothing is changed yet.", icon=":material/info:")
    else:
        st.caption("This will change")
        st.code(changes, language="diff", wrap_lines=True)
    with st.container(horizontal=True):
        if changes and st.button("Save", type="primary", icon=":material/save:", key="editor-save"):
            _save(draft, store)
        st.button(
            "Back to the text",
            key="editor-back",
            on_click=state.set_draft,
            args=(replace(draft, reviewed=None),),
        )
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
        st.code(draft.text, language="json", wrap_lines=True)
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
            "Continue with my text",
            key="editor-mine",
            type="primary",
            help="Compare your text with the memory as it is now; you can still edit it.",
            on_click=state.set_draft,
            args=(replace(draft, before=found, conflict=None),),
        )
        st.button(
            "Start from theirs",
            key="editor-theirs",
            on_click=state.set_draft,
            args=(state.Draft(found, value_text(found.value)),),
        )


def _height(text: str) -> int:
    return min(480, max(160, 26 * (text.count("\n") + 2 + len(text) // 60)))
