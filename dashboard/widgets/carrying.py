"""The end of every dialog: the button that agrees, and doing what was agreed, with proof."""

import streamlit as st

from dashboard import resources, state
from dashboard.curation import Outcome, Plan, apply
from dashboard.proof import prove
from dashboard.wording import escape_markdown, namespace_text
from store import Reference


def agreed(label: str, key: str, icon: str, *, cancel: str = "Cancel") -> bool:
    """Draw the two ways out of a dialog; tell whether the person agreed."""
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button(cancel, key=f"{key}-cancel"):
            state.ask()
            st.rerun()
        return st.button(label, type="primary", key=key, icon=icon)


def carry_out(plan: Plan, reference: Reference, title: str) -> None:
    """Do what a plan for one memory says, open that memory, and report the proof."""
    store = resources.store()
    outcome = apply(plan, store)
    if outcome.conflicts:
        st.error(escape_markdown(_refused(outcome)), icon=":material/error:")
        return
    state.ask()
    if reference[0][: len(state.scope())] != state.scope():
        state.set_scope(reference[0])
    state.select(reference)
    state.set_report(state.Report(title, prove(plan, store), reference))
    st.rerun()


def _refused(outcome: Outcome) -> str:
    conflict = outcome.conflicts[0]
    if conflict.expected is None:
        place = namespace_text(conflict.reference[0])
        return f"There is a memory {conflict.reference[1]} in {place} already: choose another key."
    if conflict.found is None:
        return "Someone deleted this memory meanwhile: nothing was changed."
    return "Someone changed this memory since you opened it: close this and look at it again."
