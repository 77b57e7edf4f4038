"""Dialogs that show what a change will do before it is done."""

import streamlit as st

from dashboard import resources, state
from dashboard.curation import Delete, DeleteNamespace, Outcome, apply, plan_namespace_deletion
from dashboard.memories import preview
from dashboard.proof import prove
from dashboard.wording import escape_markdown, memories_text, namespace_text, plural
from store import Memory, Namespace, StoreError

_SHOWN = 8


@st.dialog("Delete for good?", icon=":material/delete:")
def confirm_delete(memories: tuple[Memory, ...]) -> None:
    """Name the memories that go, and delete them when the person agrees."""
    store = resources.store()
    fields = store.info().fields
    for memory in memories[:_SHOWN]:
        with st.container(border=True, gap=None):
            st.text(preview(memory.value, fields))
            st.text(f"{namespace_text(memory.namespace)} · {memory.key}")
    if len(memories) > _SHOWN:
        st.text(f"and {memories_text(len(memories) - _SHOWN)} more")
    plan = Delete(memories)
    if _agreed(f"Delete {memories_text(len(memories))}"):
        try:
            outcome = apply(plan, store)
        except StoreError as error:
            st.error(escape_markdown(str(error)))
            return
        kept = {conflict.reference for conflict in outcome.conflicts}
        gone = Delete(tuple(memory for memory in memories if memory.reference not in kept))
        state.select(None)
        state.update(picked=tuple(kept))
        state.set_report(state.Report(_deleted(outcome), prove(gone, store)))
        st.rerun()


@st.dialog("Delete a namespace?", icon=":material/folder_delete:")
def confirm_delete_namespace(namespace: Namespace) -> None:
    """Name the namespaces and how many memories go, and delete them when the person agrees."""
    store = resources.store()
    branch = resources.tree().branch(namespace)
    own = False
    st.text(namespace_text(namespace))
    if branch.own and branch.total > branch.own:
        own = not st.toggle(f"With the {plural(branch.children, 'namespace')} below", value=True)
    plan = plan_namespace_deletion(store, namespace, own=own)
    for found, count in plan.counts[:_SHOWN]:
        st.text(f"{namespace_text(found)} · {memories_text(count)}")
    if len(plan.counts) > _SHOWN:
        st.text(f"and {plural(len(plan.counts) - _SHOWN, 'namespace')} more")
    if _agreed(f"Delete {memories_text(plan.total)}"):
        _delete_namespace(plan)


def _delete_namespace(plan: DeleteNamespace) -> None:
    store = resources.store()
    bar = st.progress(0.0, text="Deleting…")

    def progress(done: int, total: int) -> None:
        bar.progress(done / max(total, 1), text=f"Deleted {done:,} of {total:,}")

    try:
        outcome = apply(plan, store, progress=progress)
    except StoreError as error:
        st.error(escape_markdown(str(error)))
        return
    state.set_scope(plan.namespace if plan.own else plan.namespace[:-1])
    state.set_report(state.Report(_deleted(outcome), prove(plan, store)))
    st.rerun()


def _agreed(label: str) -> bool:
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button("Keep", key="confirm-keep"):
            st.rerun()
        return st.button(label, type="primary", key="confirm-delete", icon=":material/delete:")


def _deleted(outcome: Outcome) -> str:
    parts = [f"{memories_text(outcome.done)} deleted"]
    if outcome.gone:
        parts.append(f"{memories_text(outcome.gone)} already gone")
    if outcome.conflicts:
        kept = memories_text(len(outcome.conflicts))
        parts.append(f"{kept} kept: changed by someone else since you opened the list")
    return ", ".join(parts) + "."
