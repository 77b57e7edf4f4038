"""Search through Chroma's own index: what scopes too large to be scored one by one get."""

from collections.abc import Iterator

import chromadb
import numpy as np
import pytest
from langgraph.store.base import PutOp

from store import ChromaStore, finder

SIZE, DIMS = 3_000, 32
ROWS = np.random.default_rng(5).normal(size=(SIZE, DIMS)).astype(np.float32)
ROWS /= np.linalg.norm(ROWS, axis=1, keepdims=True)


def embed(texts: list[str]) -> list[list[float]]:
    return [ROWS[int(text)].tolist() for text in texts]


@pytest.fixture(scope="module")
def indexed() -> Iterator[ChromaStore]:
    """A store whose scopes all count as large: the index answers wherever it can."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finder, "EXACT", 100)
        with ChromaStore.open(
            chromadb.EphemeralClient(),
            name="indexpath",
            index={"embed": embed, "dims": DIMS, "fields": ["text"]},
        ) as store:
            store.batch(
                PutOp(("n", f"tenth{row % 10}"), f"k{row}", {"text": str(row), "odd": row % 2 == 1})
                for row in range(SIZE)
            )
            yield store


@pytest.fixture(scope="module")
def crowded() -> Iterator[tuple[ChromaStore, np.ndarray]]:
    """A store of which half the vectors are one of three, each of many texts that differ."""
    rows = ROWS.copy()
    repeated = np.random.default_rng(6).random(SIZE) < 0.5
    rows[repeated] = rows[np.random.default_rng(7).integers(0, 3, int(repeated.sum()))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finder, "EXACT", 100)
        with ChromaStore.open(
            chromadb.EphemeralClient(),
            name="crowded",
            index={
                "embed": lambda texts: [rows[int(text)].tolist() for text in texts],
                "dims": DIMS,
                "fields": ["text"],
            },
        ) as store:
            store.batch(PutOp(("n",), f"k{row}", {"text": str(row)}) for row in range(SIZE))
            yield store, rows


def test_texts_that_differ_and_share_a_vector_hide_no_others(
    crowded: tuple[ChromaStore, np.ndarray],
) -> None:
    store, rows = crowded
    found = 0
    for question in range(0, SIZE, 100):
        edge = np.sort(rows @ rows[question])[-10]
        hits = store.search((), query=str(question), limit=10)
        found += sum(float(hit.score or -2) >= edge - 1e-5 for hit in hits)
    assert found >= 0.99 * 300


def test_vectors_that_are_no_copies_are_not_crowded(indexed: ChromaStore) -> None:
    assert not indexed._finder._crowding.found(indexed._catalog.directory())


def best(question: int, rows: list[int], count: int) -> set[str]:
    order = np.argsort(-(ROWS[rows] @ ROWS[question]), kind="stable")[:count]
    return {f"k{rows[place]}" for place in order}


@pytest.mark.parametrize(
    ("prefix", "rows"),
    [((), range(SIZE)), (("n", "tenth3"), range(3, SIZE, 10))],
    ids=["everything", "a tenth"],
)
def test_the_index_finds_at_least_99_of_100_of_the_best(
    indexed: ChromaStore, prefix: tuple[str, ...], rows: range
) -> None:
    found = 0
    for question in range(0, 1000, 50):
        hits = {hit.key for hit in indexed.search(prefix, query=str(question), limit=10)}
        found += len(hits & best(question, list(rows), 10))
    assert found >= 0.99 * 200


def test_a_filter_applies_before_the_ranking(indexed: ChromaStore) -> None:
    hits = indexed.search((), query="8", filter={"odd": True}, limit=20)
    assert {hit.key for hit in hits} == best(8, list(range(1, SIZE, 2)), 20)


def test_pages_continue_one_order(indexed: ChromaStore) -> None:
    whole = [hit.key for hit in indexed.search((), query="8", limit=30)]
    pages = [indexed.search((), query="8", limit=10, offset=start) for start in (0, 10, 20)]
    assert [hit.key for page in pages for hit in page] == whole


def test_a_deleted_memory_is_not_found(indexed: ChromaStore) -> None:
    assert indexed.search((), query="77", limit=1)[0].key == "k77"
    indexed.delete(("n", "tenth7"), "k77")
    assert "k77" not in [hit.key for hit in indexed.search((), query="77", limit=10)]
