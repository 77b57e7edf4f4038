"""Reading the words of a scope: progress while a large one is read, a note while it is behind."""

import streamlit as st

from dashboard import resources
from dashboard.searching import Search
from dashboard.wordsearch import WordIndex


def ready(search: Search) -> WordIndex | None:
    """Return the scope's word index; None while it is first read, with the progress drawn."""
    words = resources.words().get(search.scope)
    if words.index is None:
        _reading(search)
    elif not words.current:
        _catching_up(search)
    return words.index


@st.fragment(run_every=0.7)
def _reading(search: Search) -> None:
    words = resources.words().get(search.scope)
    if words.index is not None:
        st.rerun()
    st.progress(
        words.done / max(1, words.total),
        text=f"Reading the words of {words.total:,} memories, once: {words.done:,} so far",
    )
    st.skeleton(height=220)


@st.fragment(run_every=2)
def _catching_up(search: Search) -> None:
    words = resources.words().get(search.scope)
    if words.current:
        st.rerun()
    done = f" ({words.done:,} of {words.total:,} read)" if words.done else ""
    st.caption(
        "Something changed since the words were read: deleted memories are left out already, new "
        f"words follow{done}."
    )
