"""The index: which texts of a value get vectors, and that none outlives its text."""

import json
from typing import Any

import pytest
from langgraph.store.base import IndexConfig, PutOp

from store import EmbedderMismatch
from tests.store.backends import CHROMA, Place, words_index
from tests.store.words import DIMS, Words, aembed_texts, embed_texts, words_vector

NS = ("a",)
VALUE: dict[str, Any] = {
    "text": "green tea",
    "title": "morning",
    "n": {"a": "deep", "b": {"c": "deeper"}},
    "list": ["first", "second", "third"],
    "rows": [{"t": "one", "u": "x"}, {"t": "two"}, {"u": "y"}],
    "empty": "",
    "null": None,
    "number": 5,
    "flag": True,
}
WHOLE = json.dumps(VALUE, sort_keys=True, ensure_ascii=False)

PATHS: dict[str, tuple[list[str], list[str]]] = {
    "field": (["text"], ["green tea"]),
    "two-fields": (["text", "title"], ["green tea", "morning"]),
    "nested": (["n.a"], ["deep"]),
    "nested-deeper": (["n.b.c"], ["deeper"]),
    "first": (["list[0]"], ["first"]),
    "last": (["list[-1]"], ["third"]),
    "every": (["list[*]"], ["first", "second", "third"]),
    "past-the-end": (["list[9]"], []),
    "field-of-every": (["rows[*].t"], ["one", "two"]),
    "field-of-the-last": (["rows[-1].u"], ["y"]),
    "star": (["n.b.*"], ["deeper"]),
    "braces": (["{text,n.a}"], ["green tea", "deep"]),
    "a-dict-is-json": (["n.b"], ['{"c": "deeper"}']),
    "a-list-is-json": (["list"], ['["first", "second", "third"]']),
    "number": (["number"], ["5"]),
    "flag": (["flag"], ["True"]),
    "whole": (["$"], [WHOLE]),
    "whole-and-field": (["$", "title"], [WHOLE, "morning"]),
    "missing": (["nothing"], []),
    "missing-nested": (["n.nothing.c"], []),
    "null": (["null"], []),
    "empty-text": (["empty"], []),
    "through-text": (["text.a"], []),
    "none": ([], []),
}


def nearly(left: list[float], right: list[float]) -> bool:
    return left == pytest.approx(right, abs=1e-5)


@pytest.mark.parametrize("row", PATHS)
def test_the_configured_fields_are_embedded_one_vector_a_text(place: Place, row: str) -> None:
    fields, texts = PATHS[row]
    embedder = Words()
    store = place.open(index=words_index(embedder, fields))
    store.put(NS, "k", VALUE)
    assert sorted(embedder.texts) == sorted(texts)
    assert (store.search(NS, query="anything")[0].score is None) is (not texts)


@pytest.mark.parametrize("row", PATHS)
def test_a_list_on_a_put_replaces_the_configured_fields(
    indexed: Any, embedder: Words, row: str
) -> None:
    paths, texts = PATHS[row]
    indexed.put(NS, "k", {**VALUE}, index=paths)
    assert sorted(embedder.texts) == sorted(texts)


@pytest.mark.backends(*CHROMA)
@pytest.mark.parametrize("row", PATHS)
def test_the_stored_vectors_are_those_of_the_texts(place: Place, row: str) -> None:
    fields, texts = PATHS[row]
    store = place.open(index=words_index(Words(), fields))
    store.put(NS, "k", VALUE)
    stored = sorted(store.vectors().matrix.tolist())
    expected = sorted(words_vector(text) for text in texts)
    assert len(stored) == len(expected)
    assert all(map(nearly, stored, expected))
    assert place.stored("vectors") == len(texts)


def test_by_default_all_of_a_value_is_embedded(place: Place) -> None:
    embedder = Words()
    store = place.open(index=words_index(embedder))
    store.put(NS, "k", {"b": "ä", "a": [1]})
    assert embedder.texts == ['{"a": [1], "b": "ä"}']


@pytest.mark.parametrize("index", [False, []], ids=["false", "empty-list"])
def test_a_put_can_opt_out_of_the_index(indexed: Any, embedder: Words, index: Any) -> None:
    indexed.put(NS, "k", VALUE, index=index)
    assert embedder.documents == []
    assert indexed.search(NS, query="green tea")[0].score is None


def test_index_is_ignored_by_a_store_without_an_index(store: Any) -> None:
    store.put(NS, "k", VALUE, index=["text"])
    assert store.search(NS, query="green tea")[0].score is None


CHANGES: dict[str, tuple[list[str], dict[str, Any], Any, dict[str, Any], Any, int]] = {
    # fields, first value, its index, second value, its index, vectors in the end
    "another-text": (["t"], {"t": "old"}, None, {"t": "new"}, None, 1),
    "dropped-field": (["t", "u"], {"t": "new", "u": "old"}, None, {"t": "new"}, None, 1),
    "nulled-field": (["t"], {"t": "old"}, None, {"t": None}, None, 0),
    "emptied-field": (["t"], {"t": "old"}, None, {"t": ""}, None, 0),
    "shorter-array": (["t[*]"], {"t": ["a", "b", "old"]}, None, {"t": ["a"]}, None, 1),
    "emptied-array": (["t[*]"], {"t": ["old", "old"]}, None, {"t": []}, None, 0),
    "index-false": (["t"], {"t": "old"}, None, {"t": "old"}, False, 0),
    "index-empty": (["t"], {"t": "old"}, None, {"t": "old"}, [], 0),
    "other-path": (["t"], {"t": "old", "u": "new"}, None, {"t": "old", "u": "new"}, ["u"], 1),
    "back-to-fields": (["t"], {"t": "new", "u": "old"}, ["u"], {"t": "new", "u": "old"}, None, 1),
    "swapped-fields": (["t", "u"], {"t": "old", "u": "x"}, None, {"t": "x", "u": "y"}, None, 2),
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_overwrite_leaves_no_stale_vector(place: Place, change: str) -> None:
    fields, first, first_index, second, second_index, _ = CHANGES[change]
    store = place.open(index=words_index(Words(), fields))
    store.put(NS, "k", first, index=first_index)
    assert store.search(NS, query="old")[0].score == pytest.approx(1.0)
    store.put(NS, "k", second, index=second_index)
    assert store.search(NS, query="old")[0].score in (None, pytest.approx(0.0))


@pytest.mark.backends(*CHROMA)
@pytest.mark.parametrize("change", CHANGES)
def test_an_overwrite_keeps_no_surplus_vector_in_chroma(place: Place, change: str) -> None:
    fields, first, first_index, second, second_index, vectors = CHANGES[change]
    store = place.open(index=words_index(Words(), fields))
    store.put(NS, "k", first, index=first_index)
    store.put(NS, "k", second, index=second_index)
    assert store.read(NS, "k").vectors == vectors
    assert place.stored("vectors") == vectors


def test_a_longer_array_is_found_by_its_new_texts(place: Place) -> None:
    store = place.open(index=words_index(Words(), ["t[*]"]))
    store.put(NS, "k", {"t": ["one"]})
    store.put(NS, "k", {"t": ["one", "two", "three"]})
    for text in ("one", "two", "three"):
        assert store.search(NS, query=text)[0].score == pytest.approx(1.0)


@pytest.mark.backends(*CHROMA)
def test_a_delete_removes_every_vector(place: Place) -> None:
    store = place.open(index=words_index(Words(), ["t[*]"]))
    store.put(NS, "k", {"t": ["one", "two", "three"]})
    store.put(NS, "other", {"t": ["one"]})
    store.delete(NS, "k")
    assert [item.key for item in store.search(NS, query="two")] == ["other"]
    assert place.stored("vectors") == 1


@pytest.mark.backends(*CHROMA)
def test_a_sweep_removes_every_vector(place: Place) -> None:
    store = place.open(index=words_index(Words(), ["t[*]"]))
    store.put(NS, "k", {"t": ["one", "two", "three"]}, ttl=-1)
    store.put(NS, "other", {"t": ["one"]})
    assert store.sweep_ttl() == 1
    assert [item.key for item in store.search(NS, query="two")] == ["other"]
    assert place.stored("vectors") == 1


def test_an_item_deleted_and_put_again_is_found_by_its_new_text_only(indexed: Any) -> None:
    indexed.put(NS, "k", {"text": "old"})
    indexed.delete(NS, "k")
    indexed.put(NS, "k", {"text": "new"})
    assert indexed.search(NS, query="old")[0].score == pytest.approx(0.0)
    assert indexed.search(NS, query="new")[0].score == pytest.approx(1.0)


# --- what embeds ---------------------------------------------------------------------------------

EMBEDS: dict[str, Any] = {
    "object": Words(),
    "function": embed_texts,
    "lambda": lambda texts: embed_texts(texts),
    "async-function": aembed_texts,
}


@pytest.mark.parametrize("kind", EMBEDS)
def test_any_kind_of_embedder_works(place: Place, kind: str) -> None:
    store = place.open(index=words_index(EMBEDS[kind], ["text"]))
    store.batch([PutOp(NS, text, {"text": text}) for text in ("green tea", "coffee")])
    found = store.search(NS, query="tea")
    assert [item.key for item in found] == ["green tea", "coffee"]
    assert found[0].score == pytest.approx(0.5**0.5)


def test_the_asynchronous_half_awaits_the_embedder(
    indexed: Any, embedder: Words, mode: str
) -> None:
    indexed.put(NS, "k", {"text": "tea"})
    indexed.search(NS, query="tea")
    assert embedder.awaited == (2 if mode == "async" else 0)


@pytest.mark.backends(*CHROMA)
@pytest.mark.parametrize(
    "index", [{"dims": DIMS}, {"dims": DIMS, "embed": None}], ids=["no", "none"]
)
def test_a_missing_embedder_is_a_value_error(place: Place, index: IndexConfig) -> None:
    with pytest.raises(ValueError, match="embed"):
        place.open(index=index)


# --- another embedder ----------------------------------------------------------------------------

BOTH_SIZES = rf"(?s)\b32\b.*\b{DIMS}\b|\b{DIMS}\b.*\b32\b"


@pytest.fixture
def written(place: Place) -> Place:
    """A place with a store that holds two embedded items."""
    store = place.open(index=words_index(Words(), ["text"]))
    store.batch([PutOp(NS, text, {"text": text}) for text in ("green tea", "coffee")])
    return place


@pytest.mark.backends(*CHROMA)
def test_another_size_is_an_error_that_names_both(written: Place) -> None:
    smaller = words_index(Words(lambda text: words_vector(text, 32)), ["text"], dims=32)
    with pytest.raises(EmbedderMismatch, match=BOTH_SIZES):
        written.open(index=smaller)


@pytest.mark.backends(*CHROMA)
def test_another_size_found_out_late_writes_nothing(written: Place) -> None:
    embedder = Words(lambda text: words_vector(text, 32))
    store = written.open(index={"embed": embedder, "fields": ["text"]})  # type: ignore[typeddict-item]
    with pytest.raises((ValueError, RuntimeError), match=BOTH_SIZES):
        store.put(NS, "new", {"text": "water"})
    with pytest.raises((ValueError, RuntimeError), match=BOTH_SIZES):
        store.search(NS, query="tea")
    assert sorted(item.key for item in store.search(NS)) == ["coffee", "green tea"]
    assert written.stored("vectors") == 2


class Renamed(Words):
    """The same model behind another class."""


@pytest.mark.backends(*CHROMA)
def test_another_model_of_the_same_size_is_an_error_that_names_both(written: Place) -> None:
    other = Renamed(lambda text: words_vector(text[::-1]))
    with pytest.raises(EmbedderMismatch, match=r"Words.*Renamed|Renamed.*Words"):
        written.open(index=words_index(other, ["text"]))
    assert written.open(index=None).info().memories == 2


@pytest.mark.backends(*CHROMA)
def test_the_same_model_under_another_name_is_accepted(written: Place) -> None:
    embedder = Renamed()
    store = written.open(index=words_index(embedder, ["text"]))
    assert store.search(NS, query="coffee")[0].key == "coffee"
    before = len(embedder.texts)
    store.put(NS, "coffee", {"text": "coffee"})
    assert len(embedder.texts) == before


@pytest.mark.backends(*CHROMA)
def test_a_vector_of_zeros_says_nothing_about_the_model(place: Place) -> None:
    place.open(index=words_index(Words(), ["text"])).put(NS, "k", {"text": "-"})
    store = place.open(index=words_index(Renamed(), ["text"]))
    assert store.search(NS, query="tea")[0].score == 0.0


@pytest.mark.backends(*CHROMA)
def test_a_store_without_vectors_takes_any_embedder_of_its_size(place: Place) -> None:
    place.open(index=words_index(Words(), ["text"])).put(NS, "k", {"n": 1})
    store = place.open(index=words_index(Renamed(lambda text: words_vector(text[::-1])), ["text"]))
    store.put(NS, "k", {"text": "tea"})
    assert store.search(NS, query="tea")[0].score == pytest.approx(1.0)


@pytest.mark.backends(*CHROMA)
@pytest.mark.parametrize("index", ["auto", None], ids=["auto", "no-index"])
def test_a_store_of_an_unknown_embedder_can_be_browsed_and_cleared(
    written: Place, index: Any
) -> None:
    store = written.open(index=index)
    assert store.info().search_off
    assert [memory.value["text"] for memory in store.page(order="key").memories] == [
        "green tea",
        "coffee",
    ]
    store.delete(NS, "coffee")
    assert [memory.key for memory in store.scan()] == ["green tea"]
    assert written.stored("vectors") == 1


@pytest.mark.backends(*CHROMA)
def test_the_same_embedder_finds_again_after_reopening(written: Place) -> None:
    store = written.open(index=words_index(Words(), ["text"]))
    found = store.search(NS, query="green tea")
    assert (found[0].key, found[0].score) == ("green tea", pytest.approx(1.0))
