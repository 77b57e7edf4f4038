"""What is searched for: the question, by meaning or words, how many, from which score on."""

from dataclasses import replace
from typing import Any

import streamlit as st

from dashboard import resources, state
from dashboard.scoring import Background
from dashboard.searching import LIMITS, MODES, Mode, Search
from dashboard.searchoptions import NAMES, VIEWS, Options, View, from_params, to_params
from dashboard.wording import escape_markdown, namespace_text
from store import Namespace

QUERY, MODE, LIMIT, THRESHOLD = "search-query", "search-mode", "search-limit", "search-threshold"
VIEW = "search-view"
COMPARE, OTHER_QUERY, OTHER_SCOPE = (
    "search-compare",
    "search-other-query",
    "search-other-scope",
)
MOST_PLACES = 2_000
_MODE_NAMES: dict[Mode, str] = {"meaning": "Meaning", "words": "Words"}
_VIEW_NAMES: dict[View, str] = {
    "list": ":material/view_agenda: List",
    "table": ":material/table_rows: Table",
}
MODE_HELP = (
    "Meaning finds memories that say something similar, in any words, as the agent's own search "
    "does. Words finds the words themselves: names, numbers, codes."
)


def options() -> Options:
    """Return how the search is set up, as the address bar says."""
    return from_params({name: state.param(name) for name in NAMES})


def change(changed: Options) -> None:
    """Set the search up differently."""
    for name, text in to_params(changed).items():
        state.set_param(name, text)


def query_box() -> str:
    """Draw the question; return it."""
    show(QUERY, state.query())
    st.text_input(
        "Search memories",
        key=QUERY,
        type="search",
        icon=":material/search:",
        placeholder="Ask in your own words, then press Enter",
        label_visibility="collapsed",
        on_change=lambda: state.set_query(st.session_state[QUERY] or ""),
    )
    return state.query()


def mode_picker(chosen: Options) -> None:
    """Draw the choice between meaning and words."""
    show(MODE, chosen.mode)
    st.segmented_control(
        "Search by",
        MODES,
        key=MODE,
        format_func=_MODE_NAMES.__getitem__,
        required=True,
        help=MODE_HELP,
        label_visibility="collapsed",
        on_change=lambda: _set(mode=st.session_state[MODE] or "meaning"),
    )


def limit_picker(chosen: Options) -> None:
    """Draw how many hits are shown."""
    show(LIMIT, chosen.limit)
    st.selectbox(
        "How many",
        LIMITS,
        key=LIMIT,
        format_func=lambda limit: f"Top {limit}",
        label_visibility="collapsed",
        width=110,
        on_change=lambda: _set(limit=st.session_state[LIMIT]),
    )


def view_picker(chosen: Options) -> None:
    """Draw the choice between a list to read and a table to sort and tick."""
    show(VIEW, chosen.view)
    st.segmented_control(
        "Show hits as",
        VIEWS,
        key=VIEW,
        format_func=_VIEW_NAMES.__getitem__,
        required=True,
        label_visibility="collapsed",
        on_change=lambda: _set(view=st.session_state[VIEW] or "list"),
    )


def threshold_picker(chosen: Options, background: Background | None, hides: str) -> None:
    """Draw the least score that is shown, and how many hits it hides."""
    value = chosen.threshold
    label = "Any score" if value is None else f"From {value:.2f}"
    with st.popover(label, icon=":material/tune:", help="Hide hits below a score"):
        show(THRESHOLD, value or 0.0)
        st.slider(
            "Hide hits that score below",
            0.0,
            1.0,
            step=0.01,
            key=THRESHOLD,
            on_change=lambda: _set(threshold=st.session_state[THRESHOLD] or None),
        )
        st.caption(hides)
        if background:
            st.caption(
                f"related from {background.related:.2f}, strong from {background.strong:.2f}"
            )


def compare_picker(chosen: Options) -> None:
    """Draw the switch for a second search beside the first."""
    show(COMPARE, chosen.compare)
    st.toggle(
        "Compare",
        key=COMPARE,
        help="Show a second search beside it",
        on_change=lambda: _set(compare=bool(st.session_state[COMPARE])),
    )


def other_search(search: Search, options: Options) -> Search:
    """Draw what the second search changes, beside what the first one is; return the second."""
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        st.markdown(f"**{escape_markdown(search.query or 'No question yet')}**")
        st.caption(escape_markdown(namespace_text(search.scope)))
    with right.container(horizontal=True):
        _other_query(options)
        _other_scope(options, search.scope)
    return options.other_search(search.query, search.scope)


def _other_query(chosen: Options) -> None:
    show(OTHER_QUERY, chosen.other_query)
    st.text_input(
        "Second question",
        key=OTHER_QUERY,
        type="search",
        placeholder="The same question",
        on_change=lambda: _set(other_query=st.session_state[OTHER_QUERY] or ""),
    )


def _other_scope(chosen: Options, scope: Namespace) -> None:
    current = scope if chosen.other_scope is None else chosen.other_scope
    places = [branch.namespace for branch in resources.tree().find("", MOST_PLACES)[0]]
    show(OTHER_SCOPE, current)
    st.selectbox(
        "Second namespace",
        list(dict.fromkeys([current, (), *places])),
        key=OTHER_SCOPE,
        format_func=namespace_text,
        on_change=lambda: _set(other_scope=st.session_state[OTHER_SCOPE]),
    )


def show(key: str, value: object) -> None:
    """Let a widget show a value; what is typed there and not yet sent stays when it is the same."""
    if st.session_state.get(key) != value:
        st.session_state[key] = value


def _set(**changes: Any) -> None:
    change(replace(options(), **changes))
