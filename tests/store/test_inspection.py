"""What people's tools ask of a store: pages, counts, matches, vectors, writes that keep times."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langgraph.store.base import InvalidNamespaceError, PutOp

from store import ChromaStore, InvalidOperation, Memory, SearchUnavailable, StoreClosed
from tests.store.backends import CHROMA, Place, words_index
from tests.store.words import DIMS, Words, words_vector

pytestmark = pytest.mark.backends(*CHROMA)

A, B, BELOW = ("a",), ("b",), ("a", "below")
LONG_AGO = datetime(2020, 2, 29, 12, 30, 15, 123456, tzinfo=UTC)


@pytest.fixture
def place(backend: str, place_at: Callable[[str], Place]) -> Iterator[Place]:
    place = place_at(backend)
    yield place
    place.close()


@pytest.fixture
def store(place: Place) -> Any:
    """Three memories in ("a",), one below it, one in ("b",); "text" is embedded."""
    store = place.open(index=words_index(Words(), ["text"]))
    for namespace, key, value in [
        (A, "tea", {"text": "green tea", "n": 1}),
        (B, "tea", {"text": "black tea", "n": 2}),
        (A, "coffee", {"text": "coffee", "n": 3}),
        (BELOW, "milk", {"text": "milk", "n": 4}),
        (A, "note", {"n": 5}),
    ]:
        store.put(namespace, key, value)
    return store


def keys(memories: Any) -> list[str]:
    return [memory.key for memory in memories]


# --- pages ---------------------------------------------------------------------------------------

PAGES: dict[str, tuple[dict[str, Any], list[str], int]] = {
    "everything": ({}, ["note", "milk", "coffee", "tea", "tea"], 5),
    "prefix": ({"prefix": A}, ["note", "milk", "coffee", "tea"], 4),
    "own": ({"prefix": A, "own": True}, ["note", "coffee", "tea"], 3),
    "ascending": ({"prefix": A, "descending": False}, ["tea", "coffee", "milk", "note"], 4),
    "by-key": (
        {"order": "key", "descending": False},
        ["coffee", "milk", "note", "tea", "tea"],
        5,
    ),
    "by-namespace": (
        {"order": "namespace", "descending": False},
        ["coffee", "note", "tea", "milk", "tea"],
        5,
    ),
    "by-creation": ({"order": "created_at", "limit": 2}, ["note", "milk"], 5),
    "sliced": ({"limit": 2, "offset": 1}, ["milk", "coffee"], 5),
    "past-the-end": ({"offset": 9}, [], 5),
    "limit-zero": ({"limit": 0}, [], 5),
    "filtered": ({"filter": {"n": {"$gte": 3}}, "limit": 2}, ["note", "milk"], 3),
    "nowhere": ({"prefix": ("x",)}, [], 0),
}


@pytest.mark.parametrize("row", PAGES)
def test_a_page_holds_a_slice_and_the_true_total(store: Any, row: str) -> None:
    options, expected, total = PAGES[row]
    page = store.page(**options)
    assert (keys(page.memories), page.total) == (expected, total)


def test_a_page_by_expiry_has_what_never_expires_last(store: Any) -> None:
    store.put(B, "soon", {}, ttl=5)
    store.put(B, "later", {}, ttl=50)
    page = store.page(B, order="expires_at", descending=False)
    assert keys(page.memories) == ["soon", "later", "tea"]


def test_an_order_follows_every_write(store: Any) -> None:
    assert keys(store.page(A, own=True).memories) == ["note", "coffee", "tea"]
    store.put(A, "tea", {"text": "white tea"})
    store.delete(A, "note")
    store.put(A, "new", {})
    assert keys(store.page(A, own=True).memories) == ["new", "tea", "coffee"]


@pytest.mark.parametrize("option", ["limit", "offset"])
def test_a_negative_number_is_refused(store: Any, option: str) -> None:
    with pytest.raises(InvalidOperation, match=option):
        store.page(**{option: -1})


def test_a_memory_tells_all_there_is_to_know(store: Any) -> None:
    store.put(B, "short", {"text": "tea"}, ttl=30)
    memory = store.read(B, "short")
    assert (memory.namespace, memory.key, memory.value) == (B, "short", {"text": "tea"})
    assert (memory.vectors, memory.ttl_minutes) == (1, 30)
    assert memory.expires_at - memory.updated_at == timedelta(minutes=30)
    assert memory.reference == (B, "short")
    assert store.read(A, "note").vectors == 0


def test_reading_many_keeps_the_order_and_tells_the_missing(store: Any) -> None:
    found = store.read_many([(B, "tea"), (A, "none"), (A, "tea"), (B, "tea")])
    assert [memory and memory.value["n"] for memory in found] == [2, None, 1, 2]
    assert store.read(A, "none") is None


def test_a_scan_gives_everything_once(store: Any) -> None:
    assert sorted(keys(store.scan())) == ["coffee", "milk", "note", "tea", "tea"]
    assert sorted(keys(store.scan(A))) == ["coffee", "milk", "note", "tea"]
    assert sorted(keys(store.scan(A, own=True))) == ["coffee", "note", "tea"]


def test_counts_are_own_counts_without_zeros(store: Any) -> None:
    assert store.namespace_counts() == {A: 3, BELOW: 1, B: 1}
    assert store.namespace_counts(A) == {A: 3, BELOW: 1}
    assert (store.count(), store.count(A), store.count(("x",))) == (5, 4, 0)
    store.delete(B, "tea")
    assert store.namespace_counts() == {A: 3, BELOW: 1}


def test_the_token_changes_with_every_change_only(store: Any) -> None:
    tokens = [store.token()]
    assert store.token() == tokens[0]
    for change in (
        lambda: store.put(A, "tea", {"text": "tea"}),
        lambda: store.put(A, "tea", {"text": "tea"}, ttl=5),
        lambda: store.delete(A, "tea"),
        lambda: store.write([replace(store.read(B, "tea"), key="copy")]),
        lambda: store.remove([(B, "copy")]),
    ):
        change()
        tokens.append(store.token())
    assert len(set(tokens)) == len(tokens)


def test_info_tells_size_and_embedder(store: Any, place: Place) -> None:
    info = store.info()
    assert (info.name, info.memories, info.vectors) == (place.name, 5, 4)
    assert (info.dims, info.fields, info.search_off) == (DIMS, ("text",), None)


# --- matches -------------------------------------------------------------------------------------


def test_a_match_is_what_search_finds_with_the_field(store: Any) -> None:
    matches = store.match(query="green tea")
    items = store.search((), query="green tea")
    assert [(match.memory.key, match.score) for match in matches] == [
        (item.key, item.score) for item in items
    ]
    assert [match.path for match in matches[:1]] == ["text"]
    assert (matches[-1].score, matches[-1].path) == (None, None)


def test_matches_know_prefix_filter_and_slice(store: Any) -> None:
    assert [match.memory.key for match in store.match(B, query="coffee")] == ["tea"]
    found = store.match(query="tea", filter={"n": {"$gt": 2}}, limit=2, offset=1)
    assert len(found) == 2
    assert all(match.memory.value["n"] > 2 for match in found)


def test_a_match_names_the_field_that_fitted_best(place: Place) -> None:
    store = place.open(index=words_index(Words(), ["title", "tags[*]"]))
    store.put(A, "k", {"title": "morning walk", "tags": ["dog", "green tea"]})
    assert store.match(query="morning")[0].path == "title"
    assert store.match(query="tea")[0].path == "tags[*]"


def test_a_vector_finds_its_nearest(store: Any) -> None:
    found = store.match(vector=words_vector("coffee"), limit=1)
    assert (found[0].memory.key, found[0].score) == ("coffee", pytest.approx(1.0))


@pytest.mark.parametrize(
    "options", [{}, {"query": ""}, {"query": "tea", "vector": [1.0] * DIMS}], ids=str
)
def test_a_match_needs_a_query_or_a_vector(store: Any, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidOperation):
        store.match(**options)


def test_a_match_refreshes_nothing(store: Any) -> None:
    store.put(A, "tea", {"text": "tea"}, ttl=5)
    before = store.read(A, "tea")
    store.match(query="tea")
    assert store.read(A, "tea") == before


def test_without_an_index_a_match_says_why_it_is_off(place: Place) -> None:
    store = place.open()
    store.put(A, "k", {"text": "tea"})
    with pytest.raises(SearchUnavailable, match="off"):
        store.match(query="tea")
    with pytest.raises(SearchUnavailable, match="off"):
        store.embed_query("tea")


# --- vectors -------------------------------------------------------------------------------------


def test_vectors_are_a_row_for_each_text(store: Any) -> None:
    table = store.vectors()
    assert table.matrix.shape == (4, DIMS)
    assert set(table.references) == {(A, "tea"), (B, "tea"), (A, "coffee"), (BELOW, "milk")}
    row = table.references.index((B, "tea"))
    assert table.matrix[row].tolist() == pytest.approx(words_vector("black tea"), abs=1e-5)
    assert set(table.paths) == {"text"}


def test_vectors_can_be_asked_for_by_prefix_or_by_name(store: Any) -> None:
    assert set(store.vectors(A).references) == {(A, "tea"), (A, "coffee"), (BELOW, "milk")}
    table = store.vectors(references=[(B, "tea"), (A, "note"), (A, "none")])
    assert table.references == ((B, "tea"),)
    assert store.vectors(("x",)).matrix.shape == (0, DIMS)


def test_vectors_tell_their_progress(store: Any) -> None:
    told: list[tuple[int, int]] = []
    store.vectors(progress=lambda done, all_: told.append((done, all_)))
    assert told[-1] == (4, 4)


def test_a_value_can_be_embedded_without_being_stored(store: Any) -> None:
    ((path, vector),) = store.embed_value({"text": "white tea"})
    assert (path, vector) == ("text", words_vector("white tea"))
    assert store.count() == 5


# --- writes that keep times ----------------------------------------------------------------------


def memory(key: str, **changes: Any) -> Memory:
    base = Memory(A, key, {"text": f"words of {key}"}, LONG_AGO, LONG_AGO + timedelta(days=1))
    return replace(base, **changes)


def test_a_written_memory_keeps_its_times_and_is_found(store: Any) -> None:
    wanted = memory("k", expires_at=LONG_AGO + timedelta(days=9999), ttl_minutes=30.0)
    store.write([wanted])
    found = store.read(A, "k")
    assert replace(found, vectors=0, revision="") == wanted
    assert store.search(A, query="words of k")[0].key == "k"
    assert keys(store.page(A).memories)[-1] == "k"


def test_what_was_read_can_be_written_back_after_a_delete(store: Any) -> None:
    before = store.read(A, "tea")
    store.delete(A, "tea")
    store.write([before])
    assert store.read(A, "tea") == before


@pytest.mark.parametrize("index", [(), ("note",)], ids=["not searchable", "another field"])
def test_a_memory_keeps_what_of_it_is_embedded(store: Any, index: tuple[str, ...]) -> None:
    value = {"text": "words of k", "note": "a plum"}
    store.put(A, "k", value, index=list(index) or False)
    before = store.read(A, "k")
    assert before.index == index
    store.write([before, replace(before, key="copy"), replace(before, key="all", index=None)])
    assert store.read(A, "k") == before
    assert store.read(A, "copy") == replace(before, key="copy")
    assert before in store.page(A).memories
    assert before in [match.memory for match in store.match(A, query="a plum", limit=20)]
    found = {match.memory.key: match.path for match in store.match(A, query="a plum", limit=20)}
    path = index[0] if index else None
    assert [found[key] for key in ("k", "copy", "all")] == [path, path, "text"]


def test_an_index_given_for_a_write_counts_for_all_of_it(store: Any) -> None:
    store.write([memory("k", index=()), memory("n")], index=["$"])
    assert {store.read(A, key).index for key in ("k", "n")} == {("$",)}


def test_a_memory_can_be_moved(store: Any) -> None:
    before = store.read(A, "tea")
    store.write([replace(before, namespace=("c", "d"))])
    store.remove([before.reference])
    moved = store.read(("c", "d"), "tea")
    assert (moved.created_at, moved.updated_at) == (before.created_at, before.updated_at)
    assert ("c", "d") in store.list_namespaces()


@pytest.mark.parametrize(
    "bad",
    [memory("bad", namespace=("a.b",)), memory("bad", value={"at": LONG_AGO})],
    ids=["namespace", "value"],
)
def test_a_bad_memory_keeps_all_of_them_out(store: Any, bad: Memory) -> None:
    with pytest.raises((InvalidNamespaceError, ValueError, TypeError)):
        store.write([memory("good"), bad])
    assert store.read(A, "good") is None


def test_remove_tells_how_many_there_were(store: Any) -> None:
    assert store.remove([(A, "tea"), (A, "none"), (A, "tea"), (B, "tea")]) == 2
    assert store.remove([(A, "tea")]) == 0
    assert store.search((), query="tea", filter={"text": "green tea"}) == []
    assert store.remove([]) == 0


@pytest.mark.backends("ephemeral", "folder")
def test_a_closed_store_says_so(place: Place) -> None:
    store: ChromaStore = place.open()
    store.batch([PutOp(A, "k", {})])
    store.close()
    store.close()
    for call in (
        lambda: store.get(A, "k"),
        lambda: store.put(A, "k", {}),
        lambda: store.page(),
        lambda: list(store.scan()),
        lambda: store.count(),
        lambda: store.sweep_ttl(),
    ):
        with pytest.raises(StoreClosed, match="open it again"):
            call()
