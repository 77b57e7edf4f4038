"""After a crash: what was damaged is noticed at open, and every memory is there and found."""

import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from langgraph.store.base import IndexConfig, PutOp

from store import ChromaStore, StoreDamaged, check
from store.locking import ASIDE, FolderLock
from tests.store.words import Broken, Words, cosine, words_vector

TEXTS = {f"k{number}": f"memory number {number} tells of topic{number}" for number in range(1_300)}


def index() -> IndexConfig:
    return {"embed": Words(), "dims": 256, "fields": ["text"]}


@pytest.fixture(scope="module")
def saved(stores_folder: Path) -> Path:
    """A folder large enough that Chroma saved both indexes; tests work on copies."""
    folder = stores_folder / "recovery-saved"
    with ChromaStore.open(folder, index=index()) as store:
        keys = list(TEXTS)
        for start in range(0, len(keys), 100):
            store.batch([put(key) for key in keys[start : start + 100]])
    return folder


def put(key: str) -> PutOp:
    return PutOp(("all", key[-1]), key, {"text": TEXTS[key]})


@pytest.fixture
def folder(saved: Path, request: pytest.FixtureRequest) -> Path:
    copy = saved.parent / re.sub(r"\W+", "-", request.node.name)
    shutil.copytree(saved, copy)
    return copy


def crash(folder: Path) -> None:
    """Leave the folder as a process does that was killed."""
    with FolderLock(folder) as lock:
        lock.begin()


def index_folder(folder: Path, name: str) -> Path:
    with sqlite3.connect(folder / "chroma.sqlite3") as database:
        (segment,) = database.execute(
            "SELECT s.id FROM segments s JOIN collections c ON c.id = s.collection "
            "WHERE s.scope = 'VECTOR' AND c.name = ?",
            (name,),
        ).fetchone()
    database.close()
    return folder / str(segment)


def halve(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def zero(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def assert_whole(store: ChromaStore) -> None:
    """Every memory has its value, is found by its own text, and there is nothing else."""
    found = {memory.key: memory.value["text"] for memory in store.scan()}
    assert found == TEXTS
    for key in ("k0", "k640", "k1299"):
        assert store.match(query=TEXTS[key], limit=1)[0].memory.key == key
    assert check(store).problems == ()


def remove(path: Path) -> None:
    path.unlink()


# Each kind of damage, on the file where Chroma bears it worst.
DAMAGES = [
    ("vectors", "header.bin", halve),  # crashes the reader
    ("vectors", "data_level0.bin", halve),
    ("vectors", "link_lists.bin", zero),  # crashes the reader
    ("vectors", "index_metadata.pickle", halve),
    ("vectors", "index_metadata.pickle", remove),
    ("items", "header.bin", empty),
    ("items", "data_level0.bin", empty),  # crashes the reader
    ("items", "length.bin", remove),
    ("items", "index_metadata.pickle", empty),
]


@pytest.mark.parametrize(
    ("kind", "file", "damage"), DAMAGES, ids=[f"{k}-{f}-{d.__name__}" for k, f, d in DAMAGES]
)
def test_a_damaged_index_is_moved_aside_and_made_anew(
    folder: Path, kind: str, file: str, damage: Callable[[Path], None]
) -> None:
    damage(index_folder(folder, f"memories_{kind}") / file)
    crash(folder)
    with ChromaStore.open(folder, index=index()) as store:
        assert store.repaired is not None
        assert_whole(store)
        store.put(("new",), "n", {"text": "written afterwards"})
    with ChromaStore.open(folder, index=index()) as store:
        assert store.repaired is None
        assert store.match(query="written afterwards", limit=1)[0].memory.key == "n"


def test_an_index_cut_short_is_noticed_after_a_clean_end_too(folder: Path) -> None:
    halve(index_folder(folder, "memories_vectors") / "header.bin")
    with ChromaStore.open(folder, index=index()) as store:
        assert_whole(store)


def test_what_was_moved_aside_is_kept(folder: Path) -> None:
    halve(index_folder(folder, "memories_items") / "header.bin")
    crash(folder)
    ChromaStore.open(folder, index=index()).close()
    assert len(list((folder / ASIDE).iterdir())) == 1


def test_progress_is_told_while_vectors_are_made_anew(folder: Path) -> None:
    remove(index_folder(folder, "memories_vectors") / "header.bin")
    crash(folder)
    told: list[tuple[int, int]] = []
    with ChromaStore.open(folder, index=index(), progress=lambda *pair: told.append(pair)) as store:
        assert store.repaired is not None
        embedded = store.repaired.embedded
    assert len(TEXTS) > embedded > 900
    assert told[-1] == (embedded, embedded)


def test_after_an_interrupted_save_no_vector_has_to_be_made_anew(folder: Path) -> None:
    """Not even the embedder is there: what was saved before and what was logged since is whole."""
    names = index_folder(folder, "memories_vectors") / "index_metadata.pickle"
    os.utime(names, ns=(0, 0))
    crash(folder)
    with ChromaStore.open(folder) as store:
        assert store.repaired is not None
        assert (len(store.repaired.moved), store.repaired.embedded) == (1, 0)
        table = store.vectors()
        for reference, row in zip(table.references, table.matrix, strict=True):
            assert cosine(list(row), words_vector(TEXTS[reference[1]])) > 0.999
        assert len(table.references) == len(TEXTS)
    with ChromaStore.open(folder, index=index()) as store:
        assert_whole(store)


def test_without_the_embedder_memories_wait_for_it(folder: Path) -> None:
    remove(index_folder(folder, "memories_vectors") / "header.bin")
    crash(folder)
    with ChromaStore.open(folder) as store:
        assert store.count() == len(TEXTS)
        assert [one.kind for one in check(store).problems] == ["missing vectors"]
    with ChromaStore.open(folder, index=index()) as store:
        assert_whole(store)


def test_the_embedder_failing_leaves_the_rest_usable_and_the_next_open_repairs(
    folder: Path,
) -> None:
    remove(index_folder(folder, "memories_vectors") / "header.bin")
    crash(folder)
    failing = Broken()
    failing.answer = lambda vectors: vectors[1:] if len(failing.documents) > 3 else vectors
    with ChromaStore.open(
        folder, index={"embed": failing, "dims": 256, "fields": ["text"]}
    ) as store:
        assert store.get(("all", "0"), "k0") is not None
        assert store.repaired is not None
        assert [one.kind for one in store.repaired.left] == ["missing vectors"]
    with ChromaStore.open(folder, index=index()) as store:
        assert_whole(store)


def test_a_crash_without_damage_costs_nothing(folder: Path) -> None:
    crash(folder)
    with ChromaStore.open(folder, index=index()) as store:
        assert store.repaired is not None
        assert not store.repaired.changed
        assert_whole(store)


def test_a_damaged_database_is_refused_and_left_alone(folder: Path) -> None:
    database = folder / "chroma.sqlite3"
    raw = bytearray(database.read_bytes())
    raw[4096 * 3 : 4096 * 40] = os.urandom(4096 * 37)
    database.write_bytes(raw)
    crash(folder)
    with pytest.raises(StoreDamaged, match="restore the folder from a backup"):
        ChromaStore.open(folder, index=index())
    assert database.read_bytes() == raw
