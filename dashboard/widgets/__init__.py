"""The pieces screens are made of; each draws in the current container.

namespace_label(namespace) -> str     safe for labels, headings and captions (Markdown-escaped)
scope_picker() -> Namespace           breadcrumb with a drill-down; the shared scope
memory_table(memories, *, key, ...) -> tuple[Reference, ...]   rows ticked; a click opens one
bulk_bar(references, key=..., ...)    delete, move or export many memories
inspector(reference) -> None          read, edit, delete one memory, with proof
empty(title, text, icon=...)          a page with nothing to show, and why
"""

from dashboard.widgets.bulk import bulk_bar
from dashboard.widgets.confirm import ask_delete, ask_delete_namespace
from dashboard.widgets.frame import empty, first_memory
from dashboard.widgets.inspector import inspector
from dashboard.widgets.namespaces import namespace_label, namespace_panel, scope_picker
from dashboard.widgets.table import memory_table

__all__ = [
    "ask_delete",
    "ask_delete_namespace",
    "bulk_bar",
    "empty",
    "first_memory",
    "inspector",
    "memory_table",
    "namespace_label",
    "namespace_panel",
    "scope_picker",
]
