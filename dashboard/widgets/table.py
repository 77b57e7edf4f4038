"""The table of memories that every screen lists them with."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import state
from dashboard.invisible import escaped
from dashboard.memories import kind, preview, size
from dashboard.wording import below_text
from store import Memory, Namespace, Reference

_ROW, _HEAD = 35, 38


def memory_table(
    memories: Sequence[Memory],
    *,
    key: str,
    fields: Sequence[str] = (),
    scope: Namespace = (),
    extra: Mapping[str, Sequence[Any]] | None = None,
    columns: Mapping[str, Any] | None = None,
    rows: int = 15,
    ticks: bool = True,
    on_open: Callable[[Reference], None] = state.select,
) -> tuple[Reference, ...]:
    """Draw memories as a table; return the ticked ones among them, in table order.

    A click on a cell opens that memory in the inspector through `on_open`. `extra` adds
    columns before the standard ones, `columns` configures them (`st.column_config`). `fields`
    are the embedded fields (`store.info().fields`), `scope` shortens namespaces, `rows` is how
    many are visible before the table scrolls. Without `ticks` rows cannot be ticked.

    Rows are positions in the browser, so the table's identity holds every reference it shows:
    when the rows change the selection starts afresh instead of meaning other memories. What was
    ticked stays ticked by reference, on rows shown now or not: `state.ticked(key)`.
    """
    references = [memory.reference for memory in memories]
    identity = repr((references, state.ticks_round(key))).encode("utf-8", "surrogatepass")
    table_key = f"{key}-{hashlib.blake2b(identity, digest_size=8).hexdigest()}"
    opened = state.selected() is not None
    frame = table_frame(memories, fields=fields, scope=scope, extra=extra)
    state.list_shown(references)
    _restore(key, table_key, references, str(frame.columns[0]))

    def clicked() -> None:
        cells = st.session_state[table_key]["selection"]["cells"]
        if cells:
            on_open(references[cells[0][0]])

    event = st.dataframe(
        frame,
        key=table_key,
        hide_index=True,
        height=_HEAD + _ROW * min(rows, max(1, len(references))),
        column_config={**_columns(narrow=opened), **(columns or {})},
        on_select=clicked,
        selection_mode=["multi-row", "single-cell"] if ticks else "single-cell",
        placeholder="",
        alt="Table of memories",
    )
    chosen = tuple(references[row] for row in event["selection"]["rows"] if row < len(references))
    state.note_ticks(key, references, chosen)
    return chosen


def _restore(key: str, table_key: str, references: Sequence[Reference], column: str) -> None:
    """Tick again what was ticked before the rows changed, and mark the open memory."""
    drawn = st.session_state.get(table_key)
    ticked = frozenset(state.ticked(key))
    if drawn is None:
        rows = [row for row, reference in enumerate(references) if reference in ticked]
        cells: list[tuple[int, str]] = []
    else:
        rows, cells = drawn["selection"]["rows"], drawn["selection"]["cells"]
    opened = state.selected()
    at = references.index(opened) if opened in references else None
    if drawn is None or (cells[0][0] if cells else None) != at:
        marked = [] if at is None else [(at, column)]
        st.session_state[table_key] = {"selection": {"rows": rows, "columns": [], "cells": marked}}


def table_frame(
    memories: Sequence[Memory],
    *,
    fields: Sequence[str] = (),
    scope: Namespace = (),
    extra: Mapping[str, Sequence[Any]] | None = None,
) -> pd.DataFrame:
    """Return what the table shows: text as text, columns without content left out."""
    data: dict[str, Sequence[Any]] = dict(extra or {})
    data["Memory"] = [preview(memory.value, fields) for memory in memories]
    data["Namespace"] = [below_text(memory.namespace, scope) for memory in memories]
    data["Kind"] = [kind(memory.value) for memory in memories]
    data["Updated"] = [memory.updated_at for memory in memories]
    data["Expires"] = [memory.expires_at for memory in memories]
    data["Size"] = [size(memory.value) for memory in memories]
    data["Key"] = [escaped(memory.key) for memory in memories]
    frame = pd.DataFrame(data)
    if all(memory.namespace == scope for memory in memories):
        frame = frame.drop(columns="Namespace")
    empty = [name for name in ("Kind", "Expires") if not any(data[name])]
    return frame.drop(columns=empty)


def _columns(*, narrow: bool) -> dict[str, Any]:
    """Return how the columns look; beside an open memory the table has half the room."""
    zone = st.context.timezone
    column = st.column_config
    return {
        "Memory": column.TextColumn(width=270 if narrow else 380),
        "Namespace": column.TextColumn(width=110 if narrow else 140),
        "Kind": column.TextColumn(width=90),
        "Updated": column.DatetimeColumn(format="distance", timezone=zone, width=115),
        "Expires": column.DatetimeColumn(format="distance", timezone=zone, width=115),
        "Size": column.NumberColumn(format="bytes", width=65),
        "Key": column.TextColumn(width=75),
    }
