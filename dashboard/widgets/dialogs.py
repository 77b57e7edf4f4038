"""Draws the dialog that is open, on whichever page."""

from dashboard import state
from dashboard.curation import Delete
from dashboard.questions import Adding, Copying, DeletingNamespace, Expiring, Moving, MovingMany
from dashboard.widgets.changes import add_memory, copy_memory, duplicate_memory
from dashboard.widgets.confirm import confirm_delete, confirm_delete_namespace
from dashboard.widgets.ending import change_expiry
from dashboard.widgets.moving import move_memories, move_memory


def open_dialog() -> None:
    """Draw the question that was asked last and not answered yet."""
    match state.question():
        case Delete() as plan:
            confirm_delete(plan)
        case DeletingNamespace() as asked:
            confirm_delete_namespace(asked)
        case Adding() as asked:
            (duplicate_memory if asked.original else add_memory)(asked)
        case Moving() as asked:
            move_memory(asked)
        case MovingMany() as asked:
            move_memories(asked)
        case Expiring() as asked:
            change_expiry(asked)
        case Copying() as asked:
            copy_memory(asked)
