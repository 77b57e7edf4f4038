"""What a search found, or why it found nothing."""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from dashboard import resources, searching, state, widgets
from dashboard.scoring import Background, explain
from dashboard.searching import Outcome, State, table_columns
from dashboard.searchoptions import Options
from dashboard.widgets.bulk import bulk_bar
from dashboard.widgets.search_hits import WORDS_HELP, hit_list
from dashboard.widgets.search_setup import MODE_HELP, change, threshold_picker, view_picker
from dashboard.wording import escape_markdown
from store import Reference

_EMPTY: Mapping[State, tuple[str, str]] = {
    "idle": ("What do you want to find?", ":material/search:"),
    "no match": ("Nothing matched", ":material/search_off:"),
    "empty scope": ("This namespace is empty", ":material/folder_off:"),
    "empty store": ("No memories yet", ":material/inbox:"),
    "failed": ("The question could not be embedded", ":material/error:"),
    "off": ("Search by meaning is off for this store", ":material/visibility_off:"),
}


def results(
    outcome: Outcome,
    background: Background | None,
    options: Options,
    *,
    key: str = "hits",
    elsewhere: Mapping[Reference, int] | None = None,
) -> None:
    """Draw an outcome: one sentence and the table of hits, or what is the matter."""
    if outcome.state != "found":
        nothing(outcome, options, key=key)
        return
    if options.view == "table":
        _table(outcome, background, key=key, elsewhere=elsewhere)
    else:
        hit_list(outcome, background, key=key, elsewhere=elsewhere)


def _table(
    outcome: Outcome,
    background: Background | None,
    *,
    key: str,
    elsewhere: Mapping[Reference, int] | None,
) -> None:
    memories = [hit.memory for hit in outcome.hits]
    widgets.memory_table(
        memories,
        key=key,
        fields=resources.store().info().fields,
        scope=outcome.search.scope,
        extra=table_columns(outcome, elsewhere),
        columns=_columns(outcome, background),
        ticks=elsewhere is None,
    )
    if elsewhere is None:
        bulk_bar(
            state.ticked(key),
            here=[memory.reference for memory in memories],
            clear=lambda: state.set_ticked(key, ()),
        )


def headline(outcome: Outcome, background: Background | None, options: Options) -> None:
    """Draw what was found in one sentence, beside it the least score that is shown."""
    if outcome.state not in ("found", "no match"):
        return
    summary = outcome.summary if outcome.state == "found" else ""
    if outcome.hidden and outcome.state == "found":
        summary += f" {searching.hides(outcome)}"
    if outcome.ignored:
        summary += f" Too common to look for: {', '.join(outcome.ignored)}."
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(escape_markdown(summary), width="stretch")
        _open_first(outcome)
        view_picker(options)
        if outcome.mode == "meaning":
            threshold_picker(options, background, searching.hides(outcome))


def _open_first(outcome: Outcome) -> None:
    """Offer the key that steps through the hits; beside an open memory the inspector has it."""
    state.list_shown([hit.reference for hit in outcome.hits])
    if outcome.hits and state.selected() is None:
        st.button(
            "Open first",
            key="search-first",
            help="The same key goes on to the next",
            type="tertiary",
            shortcut="J",
            on_click=state.select,
            args=(outcome.hits[0].reference,),
        )


def nothing(outcome: Outcome, options: Options, *, key: str = "hits") -> None:
    """Draw why there are no hits, and the way on."""
    title, icon = _EMPTY[outcome.state]
    hint = f" {MODE_HELP}" if outcome.state == "idle" else ""
    widgets.empty(title, f"{outcome.summary}{hint}", icon=icon)
    if outcome.state in ("off", "failed"):
        words = replace(options, mode="words")
        st.button("Search for the words", key=f"{key}-words", on_click=change, args=(words,))
    if outcome.state == "empty scope":
        st.button(
            "Search all memories", key=f"{key}-everywhere", on_click=state.set_scope, args=((),)
        )


def _columns(outcome: Outcome, background: Background | None) -> dict[str, object]:
    column = st.column_config
    by_words = outcome.mode == "words"
    top = max((hit.score for hit in outcome.hits), default=1.0)
    meaning = WORDS_HELP if by_words else explain(background)
    return {
        "Match": column.TextColumn(width=100, help=meaning),
        "Score": column.ProgressColumn(
            format="%.2f" if by_words else "%.3f",
            min_value=0.0,
            max_value=top if by_words else 1.0,
            help=meaning,
            width=130,
        ),
        "Other": column.NumberColumn(
            "Other rank",
            width=80,
            help="Its rank in the search beside this one, if it is there.",
        ),
        "Field": column.TextColumn(width=80, help="The field that matched best."),
        "Size": None,
    }
