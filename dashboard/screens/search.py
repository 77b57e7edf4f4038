"""Search: ask in your own words or for words; see what is found, how well, and what is not."""

import streamlit as st

from dashboard import resources, searching, state, widgets
from dashboard.scoring import Background
from dashboard.searching import Outcome, Search
from dashboard.searchoptions import Options
from dashboard.widgets import search_filter, search_more, search_results, search_setup, search_words
from dashboard.widgets.report import report
from dashboard.wording import escape_markdown
from store import Namespace


def setup(options: Options) -> Namespace:
    """Draw what is searched for and where; return the scope."""
    search_setup.query_box()
    with st.container(horizontal=True, vertical_alignment="center", key="search-setup"):
        scope = widgets.scope_picker()
        search_setup.mode_picker(options)
        search_setup.limit_picker(options)
        search_filter.filter_picker(options.filter, scope)
        search_setup.compare_picker(options)
    return scope


def find(search: Search, options: Options, background: Background | None) -> Outcome | None:
    """Search; None while the words of a large scope are still being read."""
    store = resources.store()
    if options.mode == "meaning":
        with st.skeleton(height=320):  # the first search of a large store reads its vectors
            return searching.by_meaning(store, search, background)
    index = search_words.ready(search)
    return None if index is None else searching.by_words(store, search, index)


def one(search: Search, options: Options, background: Background | None) -> None:
    """Draw one search: hits, threshold, and what is beneath."""
    outcome = find(search, options, background)
    if outcome is None:
        return
    search_results.headline(outcome, background, options)
    search_results.results(outcome, background, options)
    if outcome.state == "idle":
        search_more.saved_questions(outcome)
    elif outcome.state in ("found", "no match"):
        search_more.more(outcome, background)


def two(search: Search, options: Options, background: Background | None) -> None:
    """Draw two searches side by side, each telling the ranks in the other."""
    other = search_setup.other_search(search, options)
    outcomes = [find(wanted, options, background) for wanted in (search, other)]
    for at, column in enumerate(st.columns(2)):
        outcome, against = outcomes[at], outcomes[1 - at]
        if outcome is not None and against is not None:
            with column:
                st.caption(escape_markdown(outcome.summary))
                ranks = searching.common_ranks(outcome, against)
                key = ("hits", "other")[at]
                search_results.results(outcome, background, options, key=key, elsewhere=ranks)


st.title("Search")
report()
chosen = search_setup.options()
where = setup(chosen)
asked = chosen.search(state.query(), where)
opened = state.selected()
with st.container(key="search-open" if opened else "search-hits"):
    main, side = st.columns([3, 2]) if opened else (st.container(), None)
with main:
    (two if chosen.compare else one)(asked, chosen, resources.background())
if side is not None and opened is not None:
    with side:
        widgets.inspector(opened)
