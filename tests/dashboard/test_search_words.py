"""Search by words: what counts as a word, and that only holders of one are matches."""

from datetime import UTC, datetime
from typing import Any

import pytest

from dashboard.wordsearch import best_path, build, query_words, renew, snippet, tokens
from store import Memory

NOW = datetime(2025, 1, 1, tzinfo=UTC)


def memory(key: str, value: Any) -> Memory:
    return Memory(("a",), key, value if isinstance(value, dict) else {"text": value}, NOW, NOW)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Green TEA, please!", ["green", "tea", "please"]),
        ("order #A-1204_b", ["order", "a", "1204", "b"]),
        ("Straße CAFÉ", ["strasse", "café"]),
        ("don’t don't", ["don't", "don't"]),
        ("绿茶很好", ["绿茶", "茶很", "很好"]),
        ("茶", ["茶"]),
        ("x绿茶y", ["x", "绿茶", "y"]),
        ("👍 …", []),
        ("", []),
    ],
)
def test_words_are_compared_without_case_and_unspaced_scripts_in_pairs(
    text: str, expected: list[str]
) -> None:
    assert tokens(text) == expected


def test_common_words_are_left_out_and_named() -> None:
    words = query_words("What does Mira do for a living?")
    assert words.used == ("mira", "living")
    assert words.ignored == ("what", "does", "do", "for", "a")


def test_a_query_of_common_words_alone_is_looked_for_as_it_is() -> None:
    assert query_words("to be or not to be").used == ("to", "be", "or", "not")


def test_only_memories_that_hold_a_word_match_and_the_rarer_word_counts_more() -> None:
    index = build([memory("1", "green tea"), memory("2", "black tea"), memory("3", "coffee")])
    found = index.find("green tea")
    assert [(one.reference[1], one.words) for one in found] == [
        ("1", ("green", "tea")),
        ("2", ("tea",)),
    ]
    assert found[0].score > found[1].score > 0


def test_equal_scores_are_ordered_by_reference_whatever_the_limit() -> None:
    index = build([memory(key, "tea") for key in ("c", "a", "b")])
    assert [one.reference[1] for one in index.find("tea", limit=2)] == ["a", "b"]


@pytest.mark.parametrize("memories", [[], [memory("1", {})], [memory("1", {"n": 5})]])
def test_nothing_to_index_finds_nothing(memories: list[Memory]) -> None:
    assert build(memories).find("tea") == []


def test_a_word_nobody_holds_finds_nothing() -> None:
    assert build([memory("1", "green tea")]).find("zebra") == []


def test_every_text_in_a_value_counts() -> None:
    value = {"title": "plain", "more": {"notes": ["first", "rhubarb pie"]}}
    assert build([memory("1", value)]).find("rhubarb")[0].reference == (("a",), "1")
    assert best_path(value, ["rhubarb"]) == "more.notes[1]"


def test_progress_is_told_while_many_are_indexed() -> None:
    told: list[tuple[int, int]] = []
    build(
        (memory(str(at), "tea") for at in range(5_000)),
        total=5_000,
        progress=lambda done, total: told.append((done, total)),
    )
    assert told == [(2_000, 5_000), (4_000, 5_000)]


def test_a_long_text_is_cut_to_where_the_word_stands() -> None:
    text = "so it goes " * 100 + "then a Rhubarb pie\nis baked " + "and on " * 100
    shown = snippet({"a": [text]}, "a[0]", ["rhubarb", "missing"])
    assert "then a Rhubarb pie is baked" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) < 250
    assert snippet({"a": "short pie"}, "a", ["pie"]) == "short pie"


def test_a_renewed_index_ranks_like_one_built_anew() -> None:
    before = [memory("1", "green tea"), memory("2", "black tea"), memory("3", "coffee")]
    after = [memory("1", "green coffee cup"), memory("3", "coffee"), memory("4", "tea tea")]
    renewed = renew(build(before), {one.reference for one in after}, [after[0], after[2]])
    for query in ("tea", "green coffee", "black"):
        assert renewed.find(query) == build(after).find(query)
