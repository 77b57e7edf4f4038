"""Another embedder, or other fields: made beside the old vectors, counting all at once."""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from langgraph.store.base import IndexConfig, PutOp

from store import (
    ChromaServer,
    ChromaStore,
    EmbedderMismatch,
    EmbeddingError,
    StoreNotFound,
    check_at,
    reindex,
)
from tests.store.words import Broken, Words, words_vector

TEXTS = {f"k{number}": f"note {number} about topic{number}" for number in range(450)}
_serial = itertools.count()


def old() -> IndexConfig:
    return {"embed": Words(), "dims": 256, "fields": ["text"]}


class Backwards(Words):
    """Another model: of another size, and every text means something else."""

    def __init__(self) -> None:
        super().__init__(lambda text: words_vector(text[::-1], 64))


def new(embed: Words | None = None, **more: object) -> IndexConfig:
    return {"embed": embed or Backwards(), "dims": 64, **more}  # type: ignore[typeddict-item]


@pytest.fixture
def folder(stores_folder: Path) -> Path:
    chosen = stores_folder / f"reindexing{next(_serial)}"
    with ChromaStore.open(chosen, index=old()) as store:
        store.batch(
            PutOp(("notes",), key, {"text": text, "title": f"title of {key}"})
            for key, text in TEXTS.items()
        )
        store.put(("notes",), "quiet", {"text": "not to be found"}, index=False)
        store.put(("notes",), "titled", {"text": "x", "title": "chosen title"}, index=["title"])
    return chosen


def assert_found(store: ChromaStore) -> None:
    for key in ("k0", "k225", "k449"):
        assert store.match(query=TEXTS[key], limit=1)[0].memory.key == key
    assert store.match(query="chosen title", limit=1)[0].memory.key == "titled"
    quiet = store.read(("notes",), "quiet")
    assert quiet is not None
    assert quiet.vectors == 0


def stop_after(calls: int) -> Callable[[], bool]:
    counter = itertools.count(1)
    return lambda: next(counter) > calls


def test_another_embedder_of_another_size(folder: Path) -> None:
    with pytest.raises(EmbedderMismatch, match=r"256 dimensions.*64 dimensions.*memlens reindex"):
        ChromaStore.open(folder, index=new(fields=["text"]))
    report = reindex(folder, index=new())
    assert (report.memories, report.embedded, report.dims) == (452, 451, 64)
    assert report.fields == ("text",)
    with ChromaStore.open(folder, index=new(fields=["text"])) as store:
        assert_found(store)
        assert store.vectors().matrix.shape == (451, 64)
        store.put(("notes",), "later", {"text": "written afterwards"})
        assert store.match(query="written afterwards", limit=1)[0].memory.key == "later"
        assert store.read(("notes",), "k0").created_at is not None  # type: ignore[union-attr]
    assert check_at(folder, index=new(fields=["text"])).clean


def test_nothing_of_a_memory_changes_but_its_vectors(folder: Path) -> None:
    def memories() -> list[tuple[object, ...]]:
        with ChromaStore.open(folder, index=None) as store:
            return sorted((m.key, m.value, m.created_at, m.updated_at) for m in store.scan())

    before = memories()
    reindex(folder, index=new())
    assert memories() == before


def test_other_fields_with_the_same_embedder(folder: Path) -> None:
    reindex(folder, index={**old(), "fields": ["title"]})
    with ChromaStore.open(folder, index={**old(), "fields": ["title"]}) as store:
        found = store.match(query="title of k225", limit=5)
    assert "k225" in {match.memory.key for match in found}
    assert {match.path for match in found} == {"title"}
    assert check_at(folder, index={**old(), "fields": ["title"]}).clean


def test_one_that_was_stopped_leaves_the_old_vectors_and_continues(folder: Path) -> None:
    report = reindex(folder, index=new(), should_stop=stop_after(1))
    assert report.stopped
    with ChromaStore.open(folder, index=old()) as store:
        assert_found(store)
        store.put(("notes",), "k0", {"text": TEXTS["k0"], "title": "changed meanwhile"})
        store.delete(("notes",), "k1")
    again = reindex(folder, index=new())
    assert (again.stopped, again.embedded) == (False, 451 - report.embedded)
    with ChromaStore.open(folder, index=new(fields=["text"])) as store:
        assert_found(store)
        assert store.count() == 451
    assert check_at(folder, index=new(fields=["text"])).clean


def test_one_that_was_begun_with_another_embedder_begins_anew(folder: Path) -> None:
    reindex(folder, index=new(), should_stop=stop_after(1))
    report = reindex(folder, index={**old(), "fields": ["title", "text"]})
    assert report.embedded == 451
    assert check_at(folder, index={**old(), "fields": ["title", "text"]}).clean


def test_the_embedder_failing_half_way_leaves_the_old_vectors(folder: Path) -> None:
    failing = Broken()
    failing.embed = Backwards().embed
    failing.answer = lambda vectors: vectors[1:] if len(failing.documents) > 1 else vectors
    with pytest.raises(EmbeddingError):
        reindex(folder, index=new(failing))
    with ChromaStore.open(folder, index=old()) as store:
        assert_found(store)
    failing.answer = None
    assert reindex(folder, index=new(failing)).embedded < 451


def test_again_and_again(folder: Path) -> None:
    for index in (new(), old(), new(), old()):
        reindex(folder, index={**index, "fields": ["text"]})
    with ChromaStore.open(folder, index=old()) as store:
        assert_found(store)
    assert check_at(folder, index=old()).clean


def test_on_a_server_others_are_told_to_open_it_again(folder: Path) -> None:
    with (
        ChromaServer(folder) as server,
        ChromaStore.open(server.address, index=old()) as agent,
    ):
        agent.search(("notes",), query="note")
        reindex(server.address, index=new())
        with pytest.raises(StoreNotFound, match="open the store again"):
            agent.put(("notes",), "late", {"text": "too late"})
        with ChromaStore.open(server.address, index=new(fields=["text"])) as store:
            assert_found(store)


def test_progress_ends_with_all(folder: Path) -> None:
    told: list[tuple[int, int]] = []
    reindex(folder, index=new(), progress=lambda *pair: told.append(pair))
    assert told[0] == (200, 452)
    assert told[-1] == (452, 452)
