"""`memlens check`: what is said, and the exit code that goes with it."""

from pathlib import Path

import chromadb
import pytest
from langgraph.store.base import PutOp

from store import ChromaStore
from tests.dashboard.commands import INDEX, memlens


@pytest.fixture
def folder(new_folder: Path) -> Path:
    with ChromaStore.open(new_folder, index=INDEX) as store:
        store.put(("users", "mira"), "tea", {"text": "drinks green tea"})
    return new_folder


def lose_the_vector(folder: Path) -> None:
    client = chromadb.PersistentClient(folder)
    vectors = client.get_collection("memories_vectors", embedding_function=None)
    vectors.delete(ids=vectors.get(include=[])["ids"])
    client.close()  # type: ignore[attr-defined]


def test_a_store_in_order_ends_with_zero(folder: Path) -> None:
    result = memlens("check", folder)
    assert (result.exit_code, result.stdout) == (0, "1 memory, 1 vector: nothing is wrong.\n")


def test_problems_end_with_one_and_name_the_way_out(folder: Path) -> None:
    lose_the_vector(folder)
    result = memlens("check", folder)
    assert result.exit_code == 1
    assert "1 memory has no vectors" in result.stdout
    assert "users/mira tea" in result.stdout
    assert "--repair" in result.stdout


def test_a_repair_says_what_it_did_and_leaves_a_store_in_order(folder: Path) -> None:
    lose_the_vector(folder)
    result = memlens("check", folder, "--repair")
    assert (result.exit_code, result.stdout) == (0, "Embedded 1 memory again.\n")
    assert memlens("check", folder).exit_code == 0


def test_a_damaged_index_is_told_apart_from_lost_memories(folder: Path) -> None:
    with ChromaStore.open(folder, index=None) as store:
        for number in range(0, 1_100, 100):
            store.batch(PutOp(("plain",), f"k{number + more}", {"n": 1}) for more in range(100))
    for header in folder.glob("*-*/header.bin"):
        header.write_bytes(b"")
    result = memlens("check", folder)
    assert result.exit_code == 1
    assert result.stdout.startswith("1,101 memories, 0 vectors: there are problems.\n- 1 index ")
    assert "the memories are safe" in result.stdout
    result = memlens("check", folder, "--repair")
    assert (result.exit_code, "Moved aside" in result.stdout) == (0, True)


def test_a_missing_folder_is_refused(stores_folder: Path) -> None:
    result = memlens("check", stores_folder / "nowhere")
    assert (result.exit_code, "There is no folder" in result.stderr) == (1, True)
