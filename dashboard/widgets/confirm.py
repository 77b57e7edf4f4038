"""Dialogs that show what a deletion will do before it is done."""

import streamlit as st

from dashboard import resources, state
from dashboard.curation import Delete, DeleteNamespace, Outcome, apply, plan_namespace_deletion
from dashboard.impact import Change
from dashboard.memories import preview
from dashboard.proof import prove
from dashboard.questions import DeletingNamespace
from dashboard.widgets.carrying import agreed
from dashboard.widgets.guard import guarded
from dashboard.widgets.search_impact import impact_preview
from dashboard.wording import escape_markdown, memories_text, namespace_text, plural
from store import Memory, Namespace, StoreError

_SHOWN = 6


def ask_delete(memories: tuple[Memory, ...]) -> None:
    """Ask, from the next run on, whether these memories may go; fit for callbacks."""
    state.ask(Delete(memories))


def ask_delete_namespace(namespace: Namespace) -> None:
    """Ask, from the next run on, whether a namespace may go; fit for callbacks."""
    state.ask(DeletingNamespace(plan_namespace_deletion(resources.store(), namespace, own=False)))


@st.dialog("Delete for good?", icon=":material/delete:", on_dismiss=state.ask)
@guarded
def confirm_delete(plan: Delete) -> None:
    """Name the memories that go, and delete them when the person agrees."""
    store = resources.store()
    fields = store.info().fields
    with st.container(key="confirm-list", gap="xsmall"):
        for memory in plan.memories[:_SHOWN]:
            with st.container(border=True, gap=None):
                st.text(preview(memory.value, fields))
                st.caption(
                    f"{escape_markdown(namespace_text(memory.namespace))} · "
                    f"{escape_markdown(memory.key)}"
                )
        if len(plan.memories) > _SHOWN:
            st.caption(f"and {memories_text(len(plan.memories) - _SHOWN)} more")
    impact_preview([Change(memory.reference, None) for memory in plan.memories])
    if _agreed(len(plan.memories)):
        _delete(plan)


def _delete(plan: Delete) -> None:
    store = resources.store()
    try:
        outcome = apply(plan, store)
    except StoreError as error:
        st.error(escape_markdown(str(error)))
        return
    kept = {conflict.reference for conflict in outcome.conflicts}
    gone = Delete(tuple(memory for memory in plan.memories if memory.reference not in kept))
    state.ask()
    state.untick(memory.reference for memory in gone.memories)
    if state.selected() in {memory.reference for memory in gone.memories}:
        state.select(None)
    state.set_report(state.Report(_deleted(outcome), prove(gone, store)))
    st.rerun()


@st.dialog("Delete this namespace?", icon=":material/folder_delete:", on_dismiss=state.ask)
@guarded
def confirm_delete_namespace(asked: DeletingNamespace) -> None:
    """Name the namespaces and how many memories go, and delete them when the person agrees."""
    plan = asked.plan
    branch = resources.tree().branch(plan.namespace)
    if branch.own and branch.total > branch.own:
        below = branch.total - branch.own
        if not st.toggle(f"Also the {memories_text(below)} in namespaces below", value=True):
            plan = plan.only_own()
    counts = plan.counts
    with st.container(key="confirm-list", gap="xsmall"):
        for found, count in counts[:_SHOWN]:
            st.text(f"{namespace_text(found)} · {memories_text(count)}")
        if len(counts) > _SHOWN:
            st.caption(f"and {plural(len(counts) - _SHOWN, 'namespace')} more")
    impact_preview([Change(entry.reference, None) for entry in plan.seen])
    if _agreed(plan.total):
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
    state.ask()
    state.untick(entry.reference for entry in plan.seen)
    state.set_scope(plan.namespace if plan.own else plan.namespace[:-1])
    state.set_report(state.Report(_deleted(outcome), prove(plan, store)))
    st.rerun()


def _agreed(count: int) -> bool:
    return agreed(
        f"Delete {memories_text(count)}", "confirm-delete", ":material/delete:", cancel="Keep"
    )


def _deleted(outcome: Outcome) -> str:
    parts = [f"{memories_text(outcome.done)} deleted"]
    if outcome.gone:
        parts.append(f"{memories_text(outcome.gone)} already gone")
    if outcome.conflicts:
        kept = memories_text(len(outcome.conflicts))
        parts.append(f"{kept} kept: changed by someone else since you opened the list")
    return ", ".join(parts) + "."
