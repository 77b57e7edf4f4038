"""What can be done with many memories at once: delete, move, export, or let go of them.

bulk_bar(references, key="map", word="chosen", clear=...) on any screen, by reference alone.
"""

from collections.abc import Callable, Collection, Sequence

import streamlit as st

from dashboard import resources, state
from dashboard.exporting import as_json_lines
from dashboard.questions import MovingMany
from dashboard.widgets.confirm import ask_delete
from dashboard.wording import memories_text
from store import Memory, Reference

_CHECKED = 1_000


def bulk_bar(
    references: Sequence[Reference],
    *,
    key: str = "bulk",
    word: str = "ticked",
    here: Collection[Reference] | None = None,
    clear: Callable[[], None] | None = None,
    everything: Callable[[], None] | None = None,
    total: int = 0,
) -> None:
    """Draw a bar that acts on these memories; nothing when there are none.

    `word` says how they were picked. `here` are those the page shows, when others are picked
    too. `clear` lets go of them, `everything` picks all `total` memories of the list. Values are
    read only when an action wants them. The parts are known as `<key>-delete`, `-move`,
    `-export`, `-clear` and `-all`.
    """
    picked = _present(references)
    if not picked:
        return
    with st.container(horizontal=True, vertical_alignment="center", border=True, key=f"{key}-bar"):
        st.markdown(_said(picked, word, here), width="stretch")
        if everything is not None and total > len(picked):
            st.button(
                f"Tick all {total:,}",
                key=f"{key}-all",
                type="tertiary",
                icon=":material/done_all:",
                on_click=everything,
            )
        _actions(picked, key)
        if clear is not None:
            st.button(
                "Clear",
                key=f"{key}-clear",
                type="tertiary",
                icon=":material/close:",
                on_click=clear,
            )


def _actions(picked: Sequence[Reference], key: str) -> None:
    st.button(
        "Delete…",
        icon=":material/delete:",
        key=f"{key}-delete",
        on_click=lambda: ask_delete(_read(picked)),
    )
    st.button(
        "Move…",
        icon=":material/drive_file_move:",
        key=f"{key}-move",
        on_click=lambda: state.ask(MovingMany(_read(picked))),
    )
    st.download_button(
        "Export",
        lambda: as_json_lines(_read(picked)),
        "memories.jsonl",
        "application/x-ndjson",
        icon=":material/download:",
        key=f"{key}-export",
        help="A file that memlens import reads",
        on_click="ignore",
    )


def _said(picked: Sequence[Reference], word: str, here: Collection[Reference] | None) -> str:
    elsewhere = 0 if here is None else len(picked) - len(frozenset(here).intersection(picked))
    said = f"**{memories_text(len(picked))} {word}**"
    if not elsewhere:
        return said
    which = "not on this page" if elsewhere == len(picked) else f"{elsewhere:,} not on this page"
    return f"{said}, {which}"


def _present(references: Sequence[Reference]) -> Sequence[Reference]:
    """Leave out memories that are gone; of very many this is told when something is done."""
    if len(references) > _CHECKED:
        return references
    found = resources.store().read_many(references)
    return [memory.reference for memory in found if memory is not None]


def _read(references: Sequence[Reference]) -> tuple[Memory, ...]:
    return tuple(memory for memory in resources.store().read_many(references) if memory)
