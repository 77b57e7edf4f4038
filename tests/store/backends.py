"""The stores the contract runs over, and the two ways to call each of them.

A `Place` is where one store is kept. Opening it twice gives the same memories, except in
LangGraph's InMemoryStore, which is here as the reference.
"""

import asyncio
import functools
import itertools
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal

import chromadb
from langgraph.store.base import BaseStore, IndexConfig, Op, PutOp, Result, TTLConfig
from langgraph.store.memory import InMemoryStore

from store import ChromaStore
from tests.store.words import DIMS

CHROMA = ("ephemeral", "warm", "folder", "reopened", "http")
REFERENCE = ("memory",)
MODES = ("sync", "async")

Mode = Literal["sync", "async"]
Index = IndexConfig | None | Literal["auto"]

_serial = itertools.count()


class Place:
    """Where one store is kept; everything opened here is closed by `close`."""

    def __init__(self, backend: str, location: Any, mode: Mode) -> None:
        self.backend = backend
        self.mode = mode
        self.name = f"store{next(_serial)}"
        self._location = location
        self._opened: list[Any] = []

    def open(self, *, index: Index = None, ttl: TTLConfig | None = None) -> Any:
        """Open the store, to be called the way of this place's mode."""
        self.close()
        store = self._open(index, ttl)
        self._opened.append(store)
        return Awaited(store) if self.mode == "async" else store

    def close(self) -> None:
        """Close what is open here; what was stored stays."""
        while self._opened:
            store = self._opened.pop()
            if hasattr(store, "close"):
                store.close()

    def stored(self, kind: Literal["items", "vectors", "namespaces"]) -> int:
        """How many records Chroma itself holds for this store; closes what is open here."""
        self.close()
        client = self._client()
        try:
            return client.get_collection(f"{self.name}_{kind}", embedding_function=None).count()
        finally:
            if client is not self._location:
                client.close()

    def _client(self) -> Any:
        match self._location:
            case Path():
                return chromadb.PersistentClient(self._location)
            case client:
                return client

    def _open(self, index: Index, ttl: TTLConfig | None) -> BaseStore:
        def chroma() -> ChromaStore:
            return ChromaStore.open(self._location, index=index, ttl=ttl, name=self.name)

        if self.backend == "memory":
            return InMemoryStore(index=index if isinstance(index, dict) else None)
        if self.backend == "reopened":
            return Reopening(chroma)
        store = chroma()
        if self.backend == "warm":
            store.count()  # reads the directory of all memories, which later answers come from
        return store


@functools.cache
def ephemeral_client() -> Any:
    """Chroma in this process's memory; all such clients share one."""
    return chromadb.EphemeralClient()


def location(backend: str, folder: Path) -> Any:
    """What `ChromaStore.open` gets for a backend in this process; each folder is a new one."""
    match backend:
        case "ephemeral" | "warm":
            return ephemeral_client()
        case "folder" | "reopened":
            return folder / f"folder{next(_serial)}"
        case _:
            return None


class Awaited:
    """The asynchronous half of a store behind plain calls, each in an event loop of its own."""

    def __init__(self, store: BaseStore) -> None:
        self.inner = store

    def __getattr__(self, name: str) -> Any:
        half = getattr(self.inner, f"a{name}", None)
        if half is None:
            return getattr(self.inner, name)
        return lambda *args, **options: asyncio.run(half(*args, **options))


class Reopening(BaseStore):
    """A store that is closed and opened again before every read that follows a write."""

    supports_ttl = True

    def __init__(self, open_store: Callable[[], ChromaStore]) -> None:
        self._open_store = open_store
        self._store = open_store()
        self._written = False
        self._lock = threading.RLock()
        self.ttl_config = self._store.ttl_config

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        with self._lock:
            ops = self._prepare(ops)
            return self._store.batch(ops)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        ops = self._prepare(ops)
        return await self._store.abatch(ops)

    def close(self) -> None:
        self._store.close()

    def __getattr__(self, name: str) -> Any:
        self._renew()
        return getattr(self._store, name)

    def _prepare(self, ops: Iterable[Op]) -> list[Op]:
        ops = list(ops)
        if not all(isinstance(op, PutOp) for op in ops):
            self._renew()
        self._written = self._written or any(isinstance(op, PutOp) for op in ops)
        return ops

    def _renew(self) -> None:
        if self._written:
            self._store.close()
            self._store = self._open_store()
            self._written = False


def words_index(embed: Any, fields: list[str] | None = None, dims: int = DIMS) -> IndexConfig:
    """An index configuration over the given fields, by default all of a value."""
    config: IndexConfig = {"embed": embed, "dims": dims}
    return config if fields is None else {**config, "fields": fields}
