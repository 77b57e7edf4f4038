"""Cases from people who run stores: what went wrong for them must go right here.

Each test names the public report it restates.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import chromadb
import pytest
from langgraph.store.base import PutOp

from store import ChromaStore, EmbedderMismatch, StoreLocked, StoreNotFound
from tests.store.backends import CHROMA, Place, words_index
from tests.store.words import Broken, Words, words_vector

pytestmark = pytest.mark.backends(*CHROMA)

NS = ("a",)


def below(store: Any, prefix: tuple[str, ...]) -> list[Any]:
    return [memory.reference for memory in store.scan(prefix)]


def test_a_whole_namespace_can_be_deleted(store: Any) -> None:
    """langgraph#3917: a store offered no way to remove a namespace."""
    chosen = ("proj-a", "notes")
    store.batch([PutOp(chosen, f"k{n}", {"n": n}) for n in range(3)])
    store.put((*chosen, "old"), "k", {})
    store.put(("proj-ab", "notes"), "k", {})
    assert store.namespace_counts(chosen) == {chosen: 3, (*chosen, "old"): 1}
    assert store.remove(below(store, chosen)) == 4
    assert store.list_namespaces() == [("proj-ab", "notes")]


def test_more_items_than_a_default_limit_are_reached_by_paging(store: Any) -> None:
    """agent-memory-server#362, mem0#5050: a long namespace was shown and cleared in part."""
    store.batch([PutOp(NS, f"k{n}", {"n": n}) for n in range(137)])
    pages = [store.search(NS, limit=20, offset=at) for at in range(0, 160, 20)]
    assert len({item.key for page in pages for item in page}) == 137
    assert store.page(NS, limit=20).total == store.count(NS) == 137
    assert store.remove(below(store, NS)) == 137
    assert store.count() == 0


def test_more_namespaces_than_a_default_limit_are_reached_by_paging(store: Any) -> None:
    """The same with 137 namespaces of one item each."""
    store.batch([PutOp(("users", f"u{n}"), "k", {}) for n in range(137)])
    pages = [store.list_namespaces(limit=50, offset=at) for at in range(0, 200, 50)]
    assert len({namespace for page in pages for namespace in page}) == 137
    assert len(store.namespace_counts()) == 137


SIBLINGS = [
    ("tenant", "acme"),
    ("tenant", "acme-corp"),
    ("tenant", "acmes"),
    ("tenant", "Acme"),
    ("users", "john_doe"),
    ("users", "john-doe"),
    ("users", "100%"),
    ("users", "100x"),
]


@pytest.mark.parametrize("chosen", SIBLINGS, ids="/".join)
def test_a_tenant_never_sees_its_neighbours(place: Place, chosen: tuple[str, ...]) -> None:
    """langgraph#8300, langgraphjs#2721, deepagents#5711: a prefix matched more than its labels."""
    store = place.open(index=words_index(Words(), ["text"]))
    store.batch([PutOp((*ns, "notes"), "k", {"text": "tea"}) for ns in SIBLINGS])
    own = [((*chosen, "notes"), "k")]
    assert [(item.namespace, item.key) for item in store.search(chosen)] == own
    assert [(item.namespace, item.key) for item in store.search(chosen, query="tea")] == own
    assert store.list_namespaces(prefix=chosen) == [own[0][0]]
    assert store.count(chosen) == 1
    assert below(store, chosen) == own
    store.remove(below(store, chosen))
    assert store.count() == len(SIBLINGS) - 1


TEA, PEANUTS = "drinks green tea every morning", "allergic to peanuts"


def test_a_corrected_memory_is_found_by_its_new_words_only(indexed: Any) -> None:
    """langgraph#8214, geaflow#844: the old words still found the new value."""
    indexed.put(NS, "k", {"text": TEA})
    indexed.put(NS, "other", {"text": "likes tea"})
    indexed.put(NS, "k", {"text": PEANUTS})
    by_new, by_old = indexed.search(NS, query=PEANUTS), indexed.search(NS, query=TEA)
    assert (by_new[0].key, by_new[0].score) == ("k", pytest.approx(1.0))
    assert (by_old[0].key, by_old[1].score) == ("other", pytest.approx(0.0))


def test_a_correction_kept_out_of_the_index_is_not_found_by_old_words(indexed: Any) -> None:
    indexed.put(NS, "k", {"text": TEA})
    indexed.put(NS, "k", {"text": PEANUTS}, index=False)
    assert indexed.search(NS, query=TEA)[0].score is None


def test_a_correction_that_cannot_be_embedded_leaves_all_as_it_was(place: Place) -> None:
    embedder = Broken()
    store = place.open(index=words_index(embedder, ["text"]))
    store.put(NS, "k", {"text": TEA})
    embedder.answer = lambda vectors: []
    with pytest.raises((ValueError, RuntimeError)):
        store.put(NS, "k", {"text": PEANUTS})
    found = store.search(NS, query=TEA)[0]
    assert (found.value, found.score) == ({"text": TEA}, pytest.approx(1.0))


def test_values_that_chroma_cannot_hold_are_kept_edited_and_filtered(store: Any) -> None:
    """chroma#1552, #1975, #3644: lists, nulls and nested objects were refused or lost."""
    value = {"tags": [], "n": {"x": 1}, "ok": False, "z": None, "l": [1, "a"], "f": 0.0}
    value["big"] = 9007199254740993
    store.put(NS, "k", value)
    for key in value:
        assert store.search(NS, filter={key: value[key]}), key
    store.put(NS, "k", {**value, "l": [2]})
    assert store.get(NS, "k").value == {**value, "l": [2]}
    assert not store.search(NS, filter={"big": 9007199254740992})


# --- an agent and a dashboard on one store -------------------------------------------------------


@pytest.fixture
def two(backend: str, place_at: Callable[..., Place]) -> Iterator[tuple[Any, Any]]:
    """Two stores at one place, as an agent and a dashboard have them."""
    first, second = place_at(backend), place_at(backend)
    second.name = first.name
    yield tuple(place.open(index=words_index(Words(), ["text"])) for place in (first, second))  # type: ignore[misc]
    first.close()
    second.close()


@pytest.mark.backends("ephemeral", "http")
def test_a_deleted_memory_does_not_come_back_in_search(two: tuple[Any, Any]) -> None:
    """mem0#3610, open-webui#24431: search went on finding what delete had removed."""
    agent, dashboard = two
    agent.batch([PutOp(NS, key, {"text": f"tea {key}"}) for key in ("a", "b")])
    assert len(agent.search((), query="tea")) == 2
    dashboard.delete(NS, "a")
    assert agent.get(NS, "a") is None
    for found in (agent.search(()), agent.search((), query="tea"), agent.search((), filter={})):
        assert [item.key for item in found] == ["b"]
    dashboard.delete(NS, "b")
    assert agent.list_namespaces() == []


@pytest.mark.backends("ephemeral", "http")
def test_what_one_process_writes_the_other_gets_and_queries(two: tuple[Any, Any]) -> None:
    """chroma#2007, #3792: get saw another process's writes and query did not."""
    first, second = two
    first.put(NS, "a", {"text": "tea"})
    assert [item.key for item in second.search((), query="tea")] == ["a"]
    first.delete(NS, "a")
    first.put(NS, "z", {"text": "coffee"})
    assert (second.get(NS, "a"), second.get(NS, "z").value) == (None, {"text": "coffee"})
    assert [item.key for item in second.search((), query="coffee")] == ["z"]
    second.put(NS, "z", {"text": "water"})
    assert first.search((), query="water")[0].score == pytest.approx(1.0)


@pytest.mark.backends("ephemeral", "http")
def test_a_change_by_another_process_changes_the_token(two: tuple[Any, Any]) -> None:
    first, second = two
    tokens = [second.token()]
    for change in (
        lambda: first.put(NS, "k", {"text": "tea"}),
        lambda: first.put(NS, "k", {"text": "tea", "n": 1}),
        lambda: first.delete(NS, "k"),
    ):
        change()
        tokens.append(second.token())
    assert len(set(tokens)) == 4
    assert second.token() == tokens[-1]


@pytest.mark.backends("folder")
def test_a_folder_that_is_open_elsewhere_is_refused_by_name(place: Place, tmp_path: Path) -> None:
    """chroma#3769: two processes on one folder disagreed and lost vectors."""
    with closing(ChromaStore.open(tmp_path / "chroma", index=None)):
        for again in (tmp_path / "chroma", tmp_path / "x" / ".." / "chroma"):
            with pytest.raises(StoreLocked, match="chroma"):
                ChromaStore.open(again, index=None)
    ChromaStore.open(tmp_path / "chroma", index=None).close()


def test_another_embedding_size_is_told_in_one_message(place: Place) -> None:
    """chroma#1905, mem0#712: another model failed with a low-level dimension error."""
    store = place.open(index=words_index(Words(lambda text: words_vector(text, 384)), dims=384))
    store.put(NS, "k", {"text": "tea"})
    smaller = words_index(Words(lambda text: words_vector(text, 256)), dims=256)
    with pytest.raises(EmbedderMismatch, match=r"(?s)384.*256"):
        place.open(index=smaller)
    browsing = place.open(index="auto")
    assert "384" in browsing.info().search_off
    browsing.put(NS, "note", {"text": "coffee"}, index=False)
    browsing.delete(NS, "k")
    assert [memory.key for memory in browsing.scan()] == ["note"]


@pytest.mark.backends("folder")
def test_an_empty_place_is_told_apart_and_nothing_is_created(place: Place, tmp_path: Path) -> None:
    """memoria#76, chromadb_GUI_tool#3: the page was empty while there were records elsewhere."""
    with pytest.raises(StoreNotFound):
        ChromaStore.open(tmp_path / "nowhere", index=None, create=False)
    assert not (tmp_path / "nowhere").exists()
    with closing(ChromaStore.open(tmp_path / "here", index=None, name="work")) as store:
        store.batch([PutOp(NS, f"k{n}", {}) for n in range(24)])
    with pytest.raises(StoreNotFound, match=r"work.*24"):
        ChromaStore.open(tmp_path / "here", index=None, create=False)
    client: Any = chromadb.PersistentClient(tmp_path / "here")
    assert {collection.name for collection in client.list_collections()} == {
        "work_items",
        "work_vectors",
        "work_namespaces",
    }
    client.close()


# --- many ----------------------------------------------------------------------------------------


def test_a_filter_behind_many_is_answered_in_full(indexed: Any) -> None:
    """chroma#5367: a query with a filter gave fewer than there were."""
    indexed.batch([PutOp(NS, f"k{n}", {"text": "tea", "rare": n % 60 == 0}) for n in range(300)])
    found = indexed.search(NS, query="coffee", filter={"rare": True}, limit=300)
    assert len(found) == 5
    assert len(indexed.search(NS, query="tea", limit=250)) == 250


@pytest.mark.heavy
def test_tens_of_thousands_go_through_one_batch(backend: str, place_at: Any) -> None:
    """chroma#4802, #1861, #2181: large reads and deletes failed with "too many SQL variables"."""
    number = 33_000  # Chroma itself ends at 32,766
    store = place_at(backend).open()
    keys = [f"k{n:05}" for n in range(number)]
    store.batch(PutOp(NS, key, {"n": n}) for n, key in enumerate(keys))
    assert len(store.search((), limit=number)) == store.count() == number
    assert len({memory.key for memory in store.scan()}) == number
    assert store.batch(PutOp(NS, key, None) for key in keys) == [None] * number
    assert store.count() == 0
