"""Checking a store finds what is wrong, and repairing puts right what can be."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chromadb
import pytest
from langgraph.store.base import IndexConfig, InvalidNamespaceError

from store import (
    ChromaServer,
    ChromaStore,
    ProblemKind,
    StoreDamaged,
    StoreLocked,
    check,
    check_at,
    compact,
    repair,
    repair_at,
)
from store.locking import FolderLock
from store.namespaces import digest
from store.strays import SET_ASIDE
from tests.store.words import Words

TEXTS = {"tea": "drinks green tea", "nuts": "cannot eat peanuts", "seat": "likes the aisle seat"}
NAMESPACE = ("users", "mira")


def index() -> IndexConfig:
    return {"embed": Words(), "dims": 256, "fields": ["text"]}


@pytest.fixture
def folder(stores_folder: Path, request: pytest.FixtureRequest) -> Path:
    chosen = stores_folder / re.sub(r"\W+", "-", f"maintenance {request.node.name}")
    with ChromaStore.open(chosen, index=index()) as store:
        for key, text in TEXTS.items():
            store.put(NAMESPACE, key, {"text": text})
        store.put(NAMESPACE, "quiet", {"text": "not for searching"}, index=False)
        store.put(NAMESPACE, "titled", {"text": "x", "title": "a title"}, index=["title"])
    return chosen


def behind_its_back(folder: Path, kind: str, change: Callable[[Any], object]) -> None:
    """Change a collection with Chroma alone."""
    client = chromadb.PersistentClient(folder)
    change(client.get_collection(f"memories_{kind}", embedding_function=None))
    client.close()  # type: ignore[attr-defined]


def kinds(folder: Path) -> list[ProblemKind]:
    return [problem.kind for problem in check_at(folder, index=index()).problems]


def first_id(collection: Any) -> str:
    return str(min(collection.get(include=[])["ids"]))


def lose_a_vector(vectors: Any) -> None:
    vectors.delete(ids=[first_id(vectors)])


def age_a_vector(vectors: Any) -> None:
    vectors.update(ids=[first_id(vectors)], metadatas=[{"r": "of-before"}])


def add_an_orphan(vectors: Any) -> None:
    vectors.add(ids=["nobody:0"], embeddings=[[0.5] * 256], metadatas=[{"r": "x", "f": "text"}])


def unregister_all(names: Any) -> None:
    names.delete(ids=names.get(include=[])["ids"])


def register_another(names: Any) -> None:
    name = digest(("users", "nobody"))
    names.add(ids=[name], embeddings=[[0.0]], metadatas=[{"v": '["users","nobody"]'}])


REPAIRABLE = [
    ("vectors", lose_a_vector, "missing vectors"),
    ("vectors", age_a_vector, "stale vectors"),
    ("vectors", add_an_orphan, "orphan vectors"),
    ("namespaces", unregister_all, "registry"),
    ("namespaces", register_another, "registry"),
]


def test_a_store_in_order_has_no_problems(folder: Path) -> None:
    report = check_at(folder, index=index())
    assert (report.clean, report.memories, report.vectors) == (True, 5, 4)


@pytest.mark.parametrize(("kind", "change", "problem"), REPAIRABLE)
def test_drift_is_found_and_repaired(
    folder: Path, kind: str, change: Callable[[Any], object], problem: ProblemKind
) -> None:
    behind_its_back(folder, kind, change)
    assert kinds(folder) == [problem]
    assert repair_at(folder, index=index()).left == ()
    assert kinds(folder) == []
    with ChromaStore.open(folder, index=index()) as store:
        assert {memory.key for memory in store.scan()} == {*TEXTS, "quiet", "titled"}
        for key, text in {**TEXTS, "titled": "a title"}.items():
            assert store.match(query=text)[0].memory.key == key
        assert store.list_namespaces() == [NAMESPACE]


def test_vectors_made_again_are_of_the_fields_that_were_chosen(folder: Path) -> None:
    def lose_all(vectors: Any) -> None:
        vectors.delete(ids=vectors.get(include=[])["ids"])

    behind_its_back(folder, "vectors", lose_all)
    assert repair_at(folder, index=index()).embedded == 4
    with ChromaStore.open(folder, index=index()) as store:
        found = {match.memory.key: match.path for match in store.match(query="a title x")}
    assert found == {"titled": "title", **dict.fromkeys(TEXTS, "text"), "quiet": None}


def test_rows_that_no_write_of_ours_could_make_are_listed(folder: Path) -> None:
    head = '[["user@host.example","m"],"old",1,"",0,null]\n{"text":"kept"}'

    def add(items: Any) -> None:
        items.add(ids=["odd"], embeddings=[[0.0]], metadatas=[{"v": head, "u": 1.0}])
        items.add(ids=["foreign"], embeddings=[[0.0]], metadatas=[{"colour": "red"}])

    behind_its_back(folder, "items", add)
    problems = {one.kind: one for one in check_at(folder, index=index()).problems}
    assert problems["ambiguous labels"].references == ((("user@host.example", "m"), "old"),)
    assert problems["unreadable rows"].details == ("foreign",)


def test_a_row_with_an_ambiguous_label_can_be_opened_and_deleted(folder: Path) -> None:
    namespace = ("user@host.example", "m")
    head = json.dumps([namespace, "old", 1, "", 0, None])

    def add(items: Any) -> None:
        items.add(
            ids=["odd"], embeddings=[[0.0]], metadatas=[{"v": f'{head}\n{{"n":1}}', "u": 1.0}]
        )

    behind_its_back(folder, "items", add)
    with ChromaStore.open(folder, index=index()) as store:
        assert namespace in store.namespace_counts()
        (listed,) = store.page(namespace[:1]).memories
        assert store.read(*listed.reference) == listed
        assert [one.key for one in store.scan(namespace)] == ["old"]
        with pytest.raises(InvalidNamespaceError):
            store.read(namespace, "another")
        with pytest.raises(InvalidNamespaceError):
            store.page(("no.such",))
        assert store.remove([listed.reference]) == 1
        assert namespace not in store.namespace_counts()
        assert check(store).clean


def add_broken_rows(items: Any) -> None:
    rows = {"cut": {"v": '[["a"],"b', "u": 1.0}, "foreign": {"colour": "red"}}
    items.add(
        ids=list(rows),
        embeddings=[[0.0]] * 2,
        metadatas=list(rows.values()),
        documents=["what it said", "nothing of ours"],
    )


def test_rows_that_are_no_memories_are_kept_in_a_file_and_taken_out(folder: Path) -> None:
    behind_its_back(folder, "items", add_broken_rows)
    with ChromaStore.open(folder, index=index()) as store, pytest.raises(StoreDamaged):
        store.search(())
    (problem,) = check_at(folder, index=index()).problems
    assert (problem.kind, problem.repairable) == ("unreadable rows", True)
    done = repair_at(folder, index=index())
    assert (done.strays, done.kept_in, done.left) == (2, str(folder / SET_ASIDE), ())
    kept = [json.loads(line) for line in (folder / SET_ASIDE).read_text().splitlines()]
    assert sorted((one["id"], one["document"]) for one in kept) == [
        ("cut", "what it said"),
        ("foreign", "nothing of ours"),
    ]
    assert {"v": '[["a"],"b', "u": 1.0} in [one["metadata"] for one in kept]
    with ChromaStore.open(folder, index=index()) as store:
        assert {item.key for item in store.search(())} == {*TEXTS, "quiet", "titled"}
    compact(folder)
    assert len((folder / SET_ASIDE).read_text().splitlines()) == 2


def test_opening_after_a_crash_takes_no_rows_out(folder: Path) -> None:
    behind_its_back(folder, "items", add_broken_rows)
    with FolderLock(folder) as lock:
        lock.begin()
    with ChromaStore.open(folder, index=index()) as store:
        assert store.repaired is not None
        assert [one.kind for one in store.repaired.left] == ["unreadable rows"]
        assert not (folder / SET_ASIDE).exists()


def test_rows_of_a_store_on_a_server_stay_where_they_are(folder: Path) -> None:
    behind_its_back(folder, "items", add_broken_rows)
    with ChromaServer(folder) as server:
        (left,) = repair_at(server.address, index=index()).left
        assert (left.kind, left.count, left.repairable) == ("unreadable rows", 2, False)


def test_a_check_changes_nothing(folder: Path) -> None:
    behind_its_back(folder, "vectors", lose_a_vector)
    assert kinds(folder) == kinds(folder) == ["missing vectors"]


def test_without_its_embedder_missing_vectors_cannot_be_repaired(folder: Path) -> None:
    behind_its_back(folder, "vectors", lose_a_vector)
    (left,) = repair_at(folder).left
    assert (left.kind, left.repairable) == ("missing vectors", False)


def test_an_open_store_can_be_checked_and_repaired(folder: Path) -> None:
    with ChromaStore.open(folder, index=index()) as store:
        store._gateway.delete_vectors([next(iter(store._gateway.revisions()))[0]])
        assert [one.kind for one in check(store).problems] == ["missing vectors"]
        assert repair(store).embedded == 1
        assert check(store).clean


def test_a_store_on_a_server_is_checked_and_repaired_while_others_use_it(folder: Path) -> None:
    behind_its_back(folder, "vectors", lose_a_vector)
    with ChromaServer(folder) as server, ChromaStore.open(server.address, index=index()) as agent:
        assert not check_at(server.address, index=index()).clean
        assert repair_at(server.address, index=index()).embedded == 1
        assert [agent.match(query=text)[0].memory.key for text in TEXTS.values()] == list(TEXTS)


def test_a_folder_in_use_is_not_checked(folder: Path) -> None:
    with ChromaStore.open(folder, index=index()), pytest.raises(StoreLocked):
        check_at(folder)
