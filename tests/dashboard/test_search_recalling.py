"""What the agent is given, as one text."""

from datetime import UTC, datetime
from typing import Any

from dashboard.recalling import count_tokens, recall_text, summary
from dashboard.searching import Hit
from store import Memory

NOW = datetime(2025, 1, 1, tzinfo=UTC)


def hit(value: dict[str, Any], path: str = "text") -> Hit:
    return Hit(1, Memory(("a",), "k", value, NOW, NOW), 0.5, "", path, "short")


def test_texts_are_listed_best_first_one_line_each() -> None:
    hits = [hit({"text": "drinks\n  tea", "kind": "x"}), hit({"text": "has a dog"})]
    assert recall_text(hits, fields=["text"]) == ("Relevant memories:\n- drinks tea\n- has a dog")


def test_whole_values_are_json() -> None:
    assert recall_text([hit({"text": "ä", "n": 1})], style="values") == (
        'Relevant memories:\n- {"text": "ä", "n": 1}'
    )


def test_the_matched_field_is_given_in_full_however_long() -> None:
    long = "word " * 400
    assert recall_text([hit({"note": long}, "note")]).endswith(long.strip())


def test_a_value_without_text_is_given_as_json() -> None:
    assert recall_text([hit({"n": 5}, "$")], fields=["$"]) == 'Relevant memories:\n- {"n": 5}'


def test_no_hits_give_no_text() -> None:
    assert recall_text([]) == ""
    assert count_tokens("") == 0


def test_tokens_are_counted_beyond_what_the_embedder_reads() -> None:
    assert count_tokens("tea") == 1
    assert count_tokens("tea " * 1_000) == 1_000


def test_the_summary_says_who_counted() -> None:
    assert summary("tea time", [hit({})]).startswith("1 memory, 2 tokens (counted by the tokenizer")
