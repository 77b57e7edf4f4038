"""Hits one below the other: how well each matches, what it says, where it is."""

from collections.abc import Mapping

import streamlit as st

from dashboard import state
from dashboard.scoring import Background, explain
from dashboard.searching import Hit, Outcome
from dashboard.wording import escape_markdown, namespace_text
from store import Reference

WORDS_HELP = (
    "How many of the words of the question the memory holds; words such as “the” are not looked "
    "for. The number is BM25: higher when the memory holds more of the words, rarer ones, and "
    "little else. It only compares memories within one search."
)
_COLOURS = {"strong": "green", "related": "blue", "weak": "gray"}
_ICONS = {
    "strong": ":material/done_all:",
    "related": ":material/check:",
    "weak": ":material/remove:",
}


def hit_list(
    outcome: Outcome,
    background: Background | None,
    *,
    key: str,
    elsewhere: Mapping[Reference, int] | None = None,
) -> None:
    """Draw every hit as a card with a button that opens the memory."""
    top = max((hit.score for hit in outcome.hits), default=0.0)
    full = top if outcome.mode == "words" else 1.0
    meaning = WORDS_HELP if outcome.mode == "words" else explain(background)
    with st.container(gap="xsmall", key=f"{key}-list"):
        for hit in outcome.hits:
            other = None if elsewhere is None else elsewhere.get(hit.reference, 0)
            _card(hit, full=full, meaning=meaning, key=f"{key}-{hit.rank}", other=other)


def _card(hit: Hit, *, full: float, meaning: str, key: str, other: int | None) -> None:
    opened = state.selected() == hit.reference
    with st.container(border=True, gap="xxsmall", key=f"{key}-{'open' if opened else 'card'}"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False):
            _score(hit, full, meaning, width=110 if other is None else 70)
            if other is not None:
                st.caption(f"rank {other} there" if other else "only here", width="content")
            st.button(
                "Opened" if opened else "Open",
                key=f"{key}-button",
                type="tertiary",
                icon=":material/open_in_full:",
                disabled=opened,
                on_click=state.select,
                args=(hit.reference,),
            )
        st.text(hit.preview)
        place = f"{namespace_text(hit.memory.namespace)} · {hit.memory.key}"
        st.caption(escape_markdown(f"{place} · matched in {hit.path}"))


def _score(hit: Hit, full: float, meaning: str, *, width: int) -> None:
    number = f"{hit.score:.3f}"
    if hit.label:
        # One width for all labels, so that the bars start below each other.
        with st.container(width=84 if hit.label in _COLOURS else 124):
            st.badge(
                hit.label,
                color=_COLOURS.get(hit.label, "blue"),  # type: ignore[arg-type]  # names of colours
                icon=_ICONS.get(hit.label),
                help=meaning,
            )
    share = min(max(hit.score / full, 0.0), 1.0) if full > 0 else 0.0
    st.progress(share, width=width)
    st.markdown(number, width="content", help=None if hit.label else meaning)
    st.space("stretch")
