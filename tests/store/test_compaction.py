"""Compacting a folder removes what was deleted from its files, and nothing else."""

import itertools
import multiprocessing
import shutil
import time
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
import pytest
from langgraph.store.base import PutOp

from store import (
    ChromaStore,
    StoreDamaged,
    StoreLocked,
    check_at,
    compact,
    epochs,
    gateway,
    reindex,
)
from store.compaction import WORK
from store.locking import ASIDE, FolderLock
from tests.store.disks import disk_at
from tests.store.killed import INDEX, embed

SECRET, REPLACED = "the code of the safe is nine-four-seven", "lives at number twelve of Elm Street"
_serial = itertools.count()


@pytest.fixture(autouse=True)
def saved_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chroma saves an index every hundred vectors instead of every thousand."""
    for index in (gateway.ITEMS_INDEX, epochs.VECTORS_INDEX):
        monkeypatch.setitem(index["hnsw"], "sync_threshold", 100)
        monkeypatch.setitem(index["hnsw"], "batch_size", 50)


def put(number: int, text: str | None = None) -> PutOp:
    return PutOp(("all", str(number % 7)), f"k{number}", {"text": text or f"memory {number}"})


@pytest.fixture
def folder(stores_folder: Path) -> Path:
    """A folder where some memories were deleted and one replaced, after the indexes were saved."""
    chosen = stores_folder / f"compaction{next(_serial)}"
    with ChromaStore.open(chosen, index=INDEX) as store:
        store.batch([put(1, SECRET), put(2, REPLACED)])
        for start in range(10, 410, 80):
            store.batch([put(number) for number in range(start, start + 80)])
        store.batch([put(2, "moved away"), PutOp(("all", "1"), "k1", None)])
        store.batch([PutOp(("all", str(n % 7)), f"k{n}", None) for n in range(10, 60)])
        store.batch([put(number) for number in range(500, 640)])
    return chosen


def saved_vector(text: str) -> bytes:
    (row,) = embed([text])
    vector = np.asarray(row, np.float32)
    return (vector / np.linalg.norm(vector)).astype(np.float32).tobytes()


def in_files(folder: Path, pattern: bytes) -> bool:
    return any(pattern in one.read_bytes() for one in folder.rglob("*") if one.is_file())


def memories(folder: Path) -> list[tuple[Any, ...]]:
    with ChromaStore.open(folder, index=INDEX) as store:
        for number in (2, 100, 600):
            text = "moved away" if number == 2 else f"memory {number}"
            assert store.match(query=text, limit=1)[0].memory.key == f"k{number}"
        return sorted(
            (one.namespace, one.key, one.value["text"], one.created_at, one.updated_at)
            for one in store.scan()
        )


def test_deleted_and_replaced_texts_and_vectors_are_gone_from_the_files(folder: Path) -> None:
    texts = [SECRET, REPLACED, *(f"memory {number}" for number in range(10, 60))]
    written = [f'"{text}"'.encode() for text in texts]
    written += [f'\\"{text}\\"'.encode() for text in texts]
    vectors = [saved_vector(text)[:32] for text in texts]
    assert any(in_files(folder, one) for one in written)
    assert any(in_files(folder, one) for one in vectors)
    report = compact(folder, texts=[SECRET, REPLACED])
    assert not any(in_files(folder, one) for one in [*written, *vectors])
    assert (report.left, report.texts_left) == (0, ())
    assert report.sought >= 20
    assert report.bytes_after < report.bytes_before


def test_every_memory_is_kept_as_it_is(folder: Path) -> None:
    before = memories(folder)
    report = compact(folder)
    assert memories(folder) == before
    assert report.memories == len(before)
    assert check_at(folder, index=INDEX).clean


def test_a_text_that_a_memory_still_holds_is_told(folder: Path) -> None:
    assert compact(folder, texts=["moved away", "never written"]).texts_left == ("moved away",)


def test_folders_of_deleted_collections_and_what_was_moved_aside_go(folder: Path) -> None:
    client = chromadb.PersistentClient(folder)
    client.delete_collection("memories_namespaces")
    client.close()  # type: ignore[attr-defined]
    (folder / ASIDE / "0-old").mkdir(parents=True)
    (folder / ASIDE / "0-old" / "data_level0.bin").write_bytes(b"x")
    reindex(folder, index=INDEX)
    compact(folder)
    left = {one.name for one in folder.iterdir()}
    assert not left & {ASIDE, WORK}
    assert len([one for one in left if one.count("-") == 4]) == 2


def test_collections_of_others_and_other_stores_are_left_whole(folder: Path) -> None:
    client = chromadb.PersistentClient(folder)
    foreign = client.create_collection("foreign", embedding_function=None)
    foreign.add(ids=["a", "b"], embeddings=[[1.0, 0.0], [0.0, 1.0]], documents=["one", "two"])
    client.close()  # type: ignore[attr-defined]
    with ChromaStore.open(folder, index=INDEX, name="second") as store:
        store.batch([put(number) for number in range(150)])
    assert compact(folder).foreign == ("foreign",)
    client = chromadb.PersistentClient(folder)
    foreign = client.get_collection("foreign", embedding_function=None)
    assert foreign.query(query_embeddings=[[0.1, 0.9]], n_results=1)["ids"] == [["b"]]
    assert foreign.get(where_document={"$contains": "two"})["ids"] == ["b"]
    client.close()  # type: ignore[attr-defined]
    with ChromaStore.open(folder, index=INDEX, name="second") as store:
        assert store.match(query="memory 77", limit=1)[0].memory.key == "k77"


def test_a_store_that_was_reindexed(folder: Path) -> None:
    reindex(folder, index={**INDEX, "fields": ["text", "text"]})
    reindex(folder, index=INDEX, should_stop=lambda: True)
    compact(folder)
    index = {**INDEX, "fields": ["text", "text"]}
    assert check_at(folder, index=index).clean  # type: ignore[arg-type]


def test_a_folder_in_use_is_refused_and_untouched(folder: Path) -> None:
    with ChromaStore.open(folder, index=INDEX), pytest.raises(StoreLocked):
        compact(folder)
    assert not (folder / WORK).exists()


def test_a_folder_that_was_not_closed_has_to_be_repaired_first(folder: Path) -> None:
    with FolderLock(folder) as lock:
        lock.begin()
    with pytest.raises(StoreDamaged, match="--repair' first"):
        compact(folder)


def test_again_changes_little(folder: Path) -> None:
    compact(folder)
    report = compact(folder)
    assert (report.sought, report.left) == (0, 0)


def test_progress_ends_with_all(folder: Path) -> None:
    told: list[tuple[int, int]] = []
    compact(folder, progress=lambda *pair: told.append(pair))
    assert told[-1][0] == told[-1][1] > 900


@pytest.mark.skipif(
    "forkserver" not in multiprocessing.get_all_start_methods(), reason="needs SIGKILL and fork"
)
def test_killed_at_any_moment_the_folder_is_whole(folder: Path) -> None:
    before = memories(folder)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["store.compaction"])
    for number in range(6):
        process = context.Process(target=compact, args=(folder,), daemon=True)
        process.start()
        deadline = time.monotonic() + 20
        while not (folder / WORK).exists() and process.is_alive() and time.monotonic() < deadline:
            time.sleep(0.005)
        process.join(0.25 * number)
        process.kill()
        process.join()
        assert memories(folder) == before
    compact(folder)
    assert memories(folder) == before


def test_without_room_nothing_is_changed(folder: Path, tmp_path: Path) -> None:
    size = sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())
    with disk_at(tmp_path / "small") as small:
        small.in_memory(f"size={size * 3 // 2}")
        shutil.copytree(folder, small.place, dirs_exist_ok=True)
        before = memories(small.place)
        with pytest.raises(OSError, match="nothing was changed"):
            compact(small.place)
        assert memories(small.place) == before
