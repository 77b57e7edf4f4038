"""Dialogs that give memories another namespace or key."""

import streamlit as st

from dashboard import resources, state
from dashboard.curation import Move, MoveMany, Outcome, apply, common_namespace, plan_moves
from dashboard.proof import prove
from dashboard.questions import Moving, MovingMany
from dashboard.widgets.carrying import agreed, carry_out
from dashboard.widgets.guard import guarded
from dashboard.wording import escape_markdown, memories_text, namespace_text, parse_namespace
from store import Memory, Namespace, StoreError

_SHOWN = 6


@st.dialog(
    "Move or rename", icon=":material/drive_file_move:", width="medium", on_dismiss=state.ask
)
@guarded
def move_memory(asked: Moving) -> None:
    """Ask for another namespace or key, and move it there; everything else stays."""
    memory = asked.memory
    namespace = st.text_input("Namespace", namespace_text(memory.namespace), key="move-namespace")
    key = st.text_input("Key", memory.key, key="move-key")
    st.caption("Value, times, expiry and what is searched stay as they are.")
    if agreed("Move", "move-go", ":material/drive_file_move:"):
        try:
            plan = Move(memory, parse_namespace(namespace or ""), key or "")
            if (plan.namespace, plan.key) == memory.reference:
                st.info("It is there already: change the namespace or the key.")
                return
            carry_out(plan, (plan.namespace, plan.key), "Moved.")
        except (StoreError, ValueError) as error:
            st.error(escape_markdown(str(error)), icon=":material/error:")


@st.dialog("Move memories", icon=":material/drive_file_move:", width="medium", on_dismiss=state.ask)
@guarded
def move_memories(asked: MovingMany) -> None:
    """Ask for another namespace for several memories, show where each goes, and move them."""
    shared = common_namespace(asked.memories)
    start = namespace_text(shared) if shared else ""
    typed = st.text_input(f"Move {memories_text(len(asked.memories))} to", start, key="bulk-target")
    below = () if not _kept_apart(asked.memories, shared) else shared
    try:
        plan = plan_moves(asked.memories, parse_namespace(typed or ""), below=below)
    except ValueError as error:
        plan = None
        if (typed or "").strip() != start:
            st.error(escape_markdown(str(error)), icon=":material/error:")
    if plan is None:
        st.caption("Name another namespace to see where each of them goes.")
    else:
        _places(plan)
    if agreed("Move", "bulk-go", ":material/drive_file_move:") and plan is not None:
        try:
            _move(plan)
        except (StoreError, ValueError) as error:
            st.error(escape_markdown(str(error)), icon=":material/error:")


def _kept_apart(memories: tuple[Memory, ...], shared: Namespace) -> bool:
    if not shared or all(memory.namespace == shared for memory in memories):
        return False
    name = escape_markdown(namespace_text(shared))
    return st.toggle(f"Keep the namespaces below {name}", value=True, key="bulk-below")


def _places(plan: MoveMany) -> None:
    with st.container(key="confirm-list", gap="xsmall"):
        for move in plan.moves[:_SHOWN]:
            old, new = namespace_text(move.before.namespace), namespace_text(move.namespace)
            st.text(f"{old} → {new} · {move.key}")
        if len(plan.moves) > _SHOWN:
            st.caption(f"and {memories_text(len(plan.moves) - _SHOWN)} more")


def _move(plan: MoveMany) -> None:
    store = resources.store()
    outcome = apply(plan, store)
    refused = {conflict.reference for conflict in outcome.conflicts}
    done = MoveMany(
        tuple(
            move
            for move in plan.moves
            if not refused & {move.before.reference, (move.namespace, move.key)}
        )
    )
    state.ask()
    state.untick(move.before.reference for move in done.moves)
    if state.selected() in {move.before.reference for move in done.moves}:
        state.select(None)
    state.set_report(state.Report(_moved(outcome), prove(done, store)))
    st.rerun()


def _moved(outcome: Outcome) -> str:
    said = f"{memories_text(outcome.done)} moved"
    if outcome.conflicts:
        kept = memories_text(len(outcome.conflicts))
        said += f", {kept} left: changed meanwhile, or their key is taken there"
    return f"{said}."
