"""Draws the dialog that is open, on whichever page."""

from dashboard import state
from dashboard.curation import Delete, DeleteNamespace
from dashboard.widgets.confirm import confirm_delete, confirm_delete_namespace


def open_dialog() -> None:
    """Draw the question that was asked last and not answered yet."""
    match state.question():
        case Delete() as plan:
            confirm_delete(plan)
        case DeleteNamespace() as plan:
            confirm_delete_namespace(plan)
