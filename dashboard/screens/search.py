"""Search: ask in your own words or for words; see what is found, how well, and what is not."""

import streamlit as st

from dashboard import resources, searching, state, widgets
from dashboard.scoring import Background
from dashboard.searching import Outcome, Search
from dashboard.searchoptions import Options
from dashboard.widgets import search_filter, search_more, search_results, search_setup, search_words
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
        return searching.by_meaning(store, search, background)
    index = search_words.ready(search)
    return None if index is None else searching.by_words(store, search, index)


def one(search: Search, options: Options, background: Background | None) -> None:
    """Draw one search: hits, threshold, and what is beneath."""
    outcome = find(search, options, background)
    if outcome is None:
        return
    search_results.results(outcome, background, options)
    if options.mode == "meaning" and outcome.state in ("found", "no match"):
        search_setup.threshold_picker(options, background, searching.hides(outcome))
    if outcome.state != "empty store":
        search_more.more(outcome, background)


def two(search: Search, options: Options, background: Background | None) -> None:
    """Draw two searches side by side, each telling the ranks in the other."""
    left, right = st.columns(2)
    with right, st.container(horizontal=True):
        search_setup.other_query_box(options)
        search_setup.other_scope_picker(options, search.scope)
    other = options.other_search(search.query, search.scope)
    outcomes = [find(wanted, options, background) for wanted in (search, other)]
    for column, outcome, against in zip((left, right), outcomes, outcomes[::-1], strict=True):
        if outcome is not None and against is not None:
            with column:
                search_results.results(
                    outcome,
                    background,
                    options,
                    key="left" if column is left else "right",
                    elsewhere=searching.common_ranks(outcome, against),
                )


st.title("Search")
chosen = search_setup.options()
where = setup(chosen)
asked = chosen.search(state.query(), where)
opened = state.selected()
main, side = st.columns([3, 2]) if opened else (st.container(), None)
with main:
    (two if chosen.compare else one)(asked, chosen, resources.background())
if side is not None and opened is not None:
    with side:
        widgets.inspector(opened)
