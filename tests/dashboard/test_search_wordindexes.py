"""Word indexes keep up with the store, and a large scope never makes a page wait."""

import time
from collections.abc import Callable, Iterator, Sequence

import chromadb
import pytest

from dashboard.wordindexes import WordIndexes, Words
from store import ChromaStore, Memory, Reference, StoreClosed
from tests.store.words import Words as Embedder


@pytest.fixture
def store() -> Iterator[ChromaStore]:
    client = chromadb.EphemeralClient()
    for collection in client.list_collections():
        client.delete_collection(collection.name)
    with ChromaStore.open(client, index={"embed": Embedder(), "fields": ["text"]}) as opened:
        for key in "abcdef":
            opened.put(("pets", key), key, {"text": f"tea {key}"})
        yield opened


def found(words: Words, query: str = "tea") -> list[str]:
    return [match.reference[1] for match in words.index.find(query)] if words.index else []


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "the word index was not ready in time"
        time.sleep(0.01)


def test_a_small_scope_is_ready_at_once_and_always_current(store: ChromaStore) -> None:
    indexes = WordIndexes(store)
    assert found(indexes.get(())) == list("abcdef")
    store.put(("pets", "g"), "g", {"text": "tea"})
    store.delete(("pets", "a"), "a")
    words = indexes.get(())
    assert (words.current, found(words)) == (True, list("gbcdef"))


def test_each_scope_has_its_own_index(store: ChromaStore) -> None:
    indexes = WordIndexes(store)
    assert found(indexes.get(("pets", "b"))) == ["b"]
    assert found(indexes.get(("nobody",))) == []


def test_a_large_scope_is_read_by_a_thread(store: ChromaStore) -> None:
    indexes = WordIndexes(store, at_once=3)
    first = indexes.get(())
    assert (first.index, first.current, first.total) == (None, False, 6)
    until(lambda: indexes.get(()).current)
    assert found(indexes.get(())) == list("abcdef")


def test_after_a_change_the_old_index_serves_until_the_new_one_is_ready(
    store: ChromaStore,
) -> None:
    indexes = WordIndexes(store, at_once=3)
    until(lambda: indexes.get(()).current)
    store.put(("pets", "g"), "g", {"text": "tea"})
    meanwhile = indexes.get(())
    assert (meanwhile.current, len(found(meanwhile))) == (False, 6)
    until(lambda: indexes.get(()).current)
    assert len(found(indexes.get(()))) == 7


def test_after_a_change_only_what_changed_is_read_again(store: ChromaStore) -> None:
    indexes = WordIndexes(store)
    indexes.get(())
    asked: list[int] = []
    original = store.read_many

    def counted(references: Sequence[Reference]) -> list[Memory | None]:
        asked.append(len(references))
        return original(references)

    store.put(("pets", "b"), "b", {"text": "coffee"})
    store.delete(("pets", "a"), "a")
    store.read_many = counted  # type: ignore[method-assign]
    words = indexes.get(())
    assert asked == [1]
    assert found(words) == list("cdef")
    assert found(words, "coffee") == ["b"]


def test_a_failed_reading_is_told_and_tried_again(store: ChromaStore) -> None:
    indexes = WordIndexes(store, at_once=3)

    def failing(*_: object, **__: object) -> Iterator[None]:
        raise StoreClosed("closed while reading")

    original, store.scan = store.scan, failing  # type: ignore[method-assign, assignment]
    with pytest.raises(StoreClosed, match="closed while reading"):
        until(lambda: indexes.get(()).current)
    store.scan = original  # type: ignore[method-assign]
    until(lambda: indexes.get(()).current)
    assert len(found(indexes.get(()))) == 6
