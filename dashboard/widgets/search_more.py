"""Beneath the hits: why a memory is not among them, what the agent gets, saved questions."""

import streamlit as st

from dashboard import recalling, resources, state, whynot, widgets
from dashboard.memories import preview
from dashboard.probes import Probe
from dashboard.scoring import Background
from dashboard.searching import Outcome
from dashboard.wording import escape_markdown, namespace_text
from store import EmbeddingError, Memory, SearchUnavailable

SAVED = (
    "Before an edit or a deletion is saved, these questions are asked with and without it. They "
    "are kept in your settings on this computer, not in the store."
)
NONE_SAVED = (
    "Save the questions that must keep finding the right memory: before an edit or a deletion you "
    "then see whether it changes what they find."
)
TABS = ("Why not?", "As the agent sees it", "Saved questions")
LONG = 4_000
EXPECTED, CHOSEN, STYLE = "search-expected", "search-chosen", "search-style"
_STYLES: dict[recalling.Style, str] = {"texts": "Texts", "values": "Whole values"}


def more(outcome: Outcome, background: Background | None) -> None:
    """Draw the three tabs; only the open one costs anything."""
    why, recall, saved = st.tabs(TABS, key="search-more", on_change="rerun")
    with why:
        if why.open:
            why_not(outcome, background)
    with recall:
        if recall.open:
            as_recalled(outcome)
    with saved:
        if saved.open:
            saved_questions(outcome)


def why_not(outcome: Outcome, background: Background | None) -> None:
    """Let a person name a memory they expected; say where it stands and why.

    Until one is named, the memory open beside the hits is explained.
    """
    text = st.text_input(
        "Which memory did you expect?", key=EXPECTED, placeholder="Some of its words, or its key"
    )
    memory = _expected(text) if text and text.strip() else _opened()
    if memory is None:
        return
    words = resources.words().get(outcome.search.scope) if outcome.mode == "words" else None
    _verdict(
        whynot.explain(
            resources.store(),
            memory,
            outcome,
            background=background,
            index=words.index if words else None,
        )
    )


def _expected(text: str) -> Memory | None:
    found = whynot.candidates(resources.store(), text, resources.words().get(()).index)
    if not found:
        st.caption("No memory in this store holds these words.")
        return None
    return st.selectbox("Memory", found, key=CHOSEN, format_func=_one_line)


def _opened() -> Memory | None:
    reference = state.selected()
    memory = resources.store().read(*reference) if reference else None
    if memory is not None:
        st.caption(f"The memory that is open: {escape_markdown(_one_line(memory))}")
    return memory


def _verdict(verdict: whynot.Verdict) -> None:
    with st.container(horizontal=True):
        for name, text in verdict.numbers():
            st.metric(name, escape_markdown(text))
    if verdict.found:
        st.success(f"It is found: rank {verdict.rank}.", icon=":material/check_circle:")
    for reason in verdict.reasons:
        st.text(f"• {reason}")


def as_recalled(outcome: Outcome) -> None:
    """Show the text that a recall step would put into the agent's prompt."""
    if not outcome.hits:
        st.caption("Nothing is recalled: the search gives no memory.")
        return
    style = st.segmented_control(
        "Each memory as",
        recalling.STYLES,
        key=STYLE,
        default="texts",
        required=True,
        format_func=_STYLES.__getitem__,
    )
    fields = resources.store().info().fields
    text = recalling.recall_text(outcome.hits, style=style or "texts", fields=fields)
    st.caption(escape_markdown(recalling.summary(text, outcome.hits)))
    with st.container(height=420 if len(text) > LONG else "content", border=False):
        st.code(text, language=None, wrap_lines=True)


def saved_questions(outcome: Outcome) -> None:
    """Show the saved questions with what each finds now; save the present one."""
    file = resources.probes()
    probes = file.load()
    if outcome.state == "idle" and not probes:
        return
    asked = Probe(outcome.search.query, outcome.search.scope)
    st.caption(SAVED if probes else NONE_SAVED)
    if asked.query.strip() and asked not in probes:
        st.button(
            "Save this question", icon=":material/bookmark_add:", on_click=lambda: _save(asked)
        )
    for at, probe in enumerate(probes):
        _saved(at, probe)


def _saved(at: int, probe: Probe) -> None:
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.text(probe.query, width="stretch")
        st.caption(widgets.namespace_label(probe.scope), width="content")
        try:
            hits = resources.store().match(probe.scope, query=probe.query, limit=1)
        except (SearchUnavailable, EmbeddingError):
            hits = []
        best = _one_line(hits[0].memory) if hits else "nothing"
        st.caption(f"finds {escape_markdown(best)}", width="stretch")
        st.button("Ask", key=f"search-ask-{at}", on_click=_ask, args=(probe,))
        st.button(
            "",
            icon=":material/delete:",
            key=f"search-forget-{at}",
            help="Forget this question",
            type="tertiary",
            on_click=_forget,
            args=(probe,),
        )


def _ask(probe: Probe) -> None:
    state.set_scope(probe.scope)
    state.set_query(probe.query)


def _save(probe: Probe) -> None:
    resources.probes().add(probe)
    state.say("Saved. It is asked before every edit and deletion from now on.")


def _forget(probe: Probe) -> None:
    resources.probes().remove(probe)


def _one_line(memory: Memory) -> str:
    text = preview(memory.value, resources.store().info().fields)
    return f"{text[:80]} ({namespace_text(memory.namespace)}, {memory.key})"
