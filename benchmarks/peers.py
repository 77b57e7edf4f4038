"""The stores and raw calls that the store's benchmark measures side by side."""

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import chromadb
from chromadb.config import Settings
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from benchmarks.workload import DIMS, Workload
from store import ChromaStore


def index_for(work: Workload) -> Any:
    """Give the index configuration that every store gets."""
    return {"embed": work.embed, "dims": DIMS, "fields": ["text"]}


class RawChroma:
    """One collection, as somebody would write it by hand: vectors, value and prefixes together."""

    def __init__(self, folder: Path, work: Workload) -> None:
        settings = Settings(anonymized_telemetry=False)
        self._client = chromadb.PersistentClient(str(folder), settings=settings)
        self._work = work
        self._turn = itertools.count()
        self.collection = self._client.create_collection(
            "raw",
            embedding_function=None,
            configuration={
                "hnsw": {
                    "space": "cosine",
                    "ef_construction": 200,
                    "max_neighbors": 24,
                    "ef_search": 200,
                }
            },
        )

    def load(self, rows: range) -> None:
        """Upsert rows in one call."""
        puts = [self._work.put(row) for row in rows]
        self.collection.upsert(
            ids=[put.key for put in puts],
            embeddings=self._work.vectors[[row % self._work.size for row in rows]],
            metadatas=[self._metadata(put.namespace, put.value) for put in puts],
        )

    def _metadata(self, namespace: tuple[str, ...], value: Any) -> dict[str, Any]:
        prefixes = {f"p{d}": ".".join(namespace[:d]) for d in range(1, len(namespace) + 1)}
        return {**prefixes, "v": repr(value)}

    def query(self, where: dict[str, str] | None = None) -> None:
        """Search by meaning."""
        question = self._work.questions[next(self._turn) % len(self._work.questions)]
        self.collection.query(query_embeddings=question[None, :], n_results=10, where=where)

    def get(self, key: str) -> None:
        """Get one record."""
        self.collection.get(ids=[key], include=["metadatas"])

    def list_below(self, where: dict[str, str] | None) -> None:
        """Get all records below a prefix, as Chroma cannot sort."""
        self.collection.get(where=where, include=["metadatas"])

    def close(self) -> None:
        """Let the folder go."""
        self._client.close()


@contextmanager
def sqlite_store(folder: Path, work: Workload) -> Iterator[BaseStore | None]:
    """Give LangGraph's SqliteStore with sqlite-vec, or None where this Python cannot load it."""
    try:
        from langgraph.store.sqlite import SqliteStore
    except ImportError:
        yield None
        return
    connection = sqlite3.connect(folder / "peer.sqlite", check_same_thread=False)
    connection.isolation_level = None
    if not hasattr(connection, "enable_load_extension"):
        yield None
        return
    store = SqliteStore(connection, index=index_for(work))
    store.setup()
    yield store
    connection.close()


Opener = Callable[[Path, Workload], Any]


@contextmanager
def memory_store(folder: Path, work: Workload) -> Iterator[BaseStore]:
    """Give LangGraph's InMemoryStore."""
    yield InMemoryStore(index=index_for(work))


@contextmanager
def our_store(folder: Path, work: Workload) -> Iterator[ChromaStore]:
    """Give a ChromaStore in a folder of its own."""
    with ChromaStore.open(folder / "ours", index=index_for(work)) as store:
        yield store
