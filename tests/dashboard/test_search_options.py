"""How a search is set up survives in the address bar."""

import pytest

from dashboard.searching import Search
from dashboard.searchoptions import Options, from_params, to_params


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options("words", "table", 50, None, {"kind": {"$eq": "ä & b"}}),
        Options("meaning", "list", 5, 0.35, {"$or": [{"a": {"$gt": 1}}, {"b": {"$eq": None}}]}),
        Options(compare=True, other_query="coffee", other_scope=("users", "max")),
        Options(compare=True, other_scope=()),
    ],
)
def test_options_come_back_from_the_address_bar(options: Options) -> None:
    assert from_params(to_params(options)) == options


def test_usual_options_leave_the_address_bar_clean() -> None:
    assert set(to_params(Options()).values()) == {None}


@pytest.mark.parametrize(
    "params",
    [
        {"mode": "magic", "top": "99999999", "min": "high"},
        {"min": "nan", "filter": "{", "ns2": "users"},
        {"min": "7", "filter": "[1]", "ns2": "[1]", "top": "-1"},
    ],
)
def test_unreadable_entries_count_as_absent(params: dict[str, str]) -> None:
    assert from_params(params) == Options()


def test_the_second_search_changes_only_what_it_names() -> None:
    options = Options(limit=5, other_query="coffee")
    assert options.other_search("tea", ("a",)) == Search("coffee", ("a",), None, 5)
    options = Options(limit=5, other_scope=("b",))
    assert options.other_search("tea", ("a",)) == Search("tea", ("b",), None, 5)


def test_words_have_no_cosine_threshold() -> None:
    assert Options("words", threshold=0.4).search("tea", ()).threshold is None
