"""Stand-ins: a ChromaStore under the constructors and database handles of LangGraph's own stores.

Other people's tests build their stores in their own ways and sometimes reach for the database
below. What they call of the store contract goes to ChromaStore unchanged; only building a store
and those reaches are translated here.
"""

import asyncio
import itertools
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar, Self

import chromadb
from langgraph.store.base import BaseStore, Op, Result
from langgraph.store.postgres import PostgresStore
from langgraph.store.sqlite import SqliteStore

from store import ChromaStore, Memory

opened = itertools.count()
"""Moves on whenever a store opens, so that a test that never had one can be told apart."""

_folders: dict[str, Path] = {}


def open_store(conn_string: str, *, folder: bool, index: Any, ttl: Any) -> ChromaStore:
    """Open the store that a connection string names: in memory, or in a folder of its own.

    The same string opens the same memories again.
    """
    next(opened)
    name = f"s{abs(hash(conn_string))}"
    if not folder:
        return ChromaStore(chromadb.EphemeralClient(), index=index, ttl=ttl, name=name)
    if conn_string not in _folders:
        _folders[conn_string] = Path(tempfile.mkdtemp(prefix="memlens-peer-"))
    return ChromaStore.open(_folders[conn_string], index=index, ttl=ttl, name=name)


def remove_folders() -> None:
    """Delete what the stores in folders left behind."""
    for folder in _folders.values():
        shutil.rmtree(folder, ignore_errors=True)


class InMemoryStandIn(ChromaStore):
    """Built as LangGraph's InMemoryStore is: each one starts empty."""

    def __init__(self, *, index: Any = None) -> None:
        number = next(opened)
        super().__init__(chromadb.EphemeralClient(), index=index, name=f"memory{number}")
        self.index_config = index


class DatabaseStandIn(BaseStore):
    """Built as SqliteStore and PostgresStore are, from a connection string."""

    supports_ttl = True
    MIGRATIONS: ClassVar[Any] = ()
    in_folder = staticmethod(lambda conn_string, options: False)

    def __init__(self, store: ChromaStore, index: Any) -> None:
        self.store = store
        self.index_config = index
        self.embeddings = index and index["embed"]

    @property
    def ttl_config(self) -> Any:
        return self.store.ttl_config

    @classmethod
    @contextmanager
    def from_conn_string(
        cls, conn_string: str, *, index: Any = None, ttl: Any = None, **options: Any
    ) -> Iterator[Self]:
        if conn_string == ":memory:":
            conn_string = f"memory{next(opened)}"
        if index and "text_fields" in index:  # what SqliteStore calls `fields`
            index["fields"] = index["text_fields"]
        folder = cls.in_folder(conn_string, options)
        with open_store(conn_string, folder=folder, index=index, ttl=ttl) as store:
            yield cls(store, index)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return self.store.batch(ops)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await self.store.abatch(ops)

    def setup(self) -> None:
        """Nothing: a ChromaStore has no migrations to run."""

    def sweep_ttl(self) -> Any:
        return self.store.sweep_ttl()

    def start_ttl_sweeper(self, sweep_interval_minutes: int | None = None) -> Any:
        return self.store.start_ttl_sweeper(sweep_interval_minutes)

    def stop_ttl_sweeper(self, timeout: float | None = None) -> Any:
        return self.store.stop_ttl_sweeper(timeout)

    @contextmanager
    def _cursor(self) -> Iterator["Cursor"]:
        yield Cursor(self.store)


class AsyncDatabaseStandIn(DatabaseStandIn):
    """The same with the housekeeping awaited, as the async stores have it."""

    @classmethod
    @asynccontextmanager
    async def from_conn_string(cls, conn_string: str, **options: Any) -> AsyncIterator[Self]:
        with super().from_conn_string(conn_string, **options) as store:
            yield store

    async def setup(self) -> None:
        """Nothing: a ChromaStore has no migrations to run."""

    async def sweep_ttl(self) -> int:
        return await asyncio.to_thread(self.store.sweep_ttl)

    async def start_ttl_sweeper(self, sweep_interval_minutes: int | None = None) -> Any:
        return self.store.start_ttl_sweeper(sweep_interval_minutes)

    async def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        return await asyncio.to_thread(self.store.stop_ttl_sweeper, timeout)

    @asynccontextmanager
    async def _cursor(self) -> AsyncIterator["AsyncCursor"]:
        yield AsyncCursor(self.store)


class SqliteStandIn(DatabaseStandIn):
    MIGRATIONS = SqliteStore.MIGRATIONS
    in_folder = staticmethod(lambda conn_string, options: not conn_string.startswith("memory"))


class AsyncSqliteStandIn(AsyncDatabaseStandIn):
    MIGRATIONS = SqliteStore.MIGRATIONS
    in_folder = SqliteStandIn.in_folder


class PostgresStandIn(DatabaseStandIn):
    MIGRATIONS = PostgresStore.MIGRATIONS


class AsyncPostgresStandIn(AsyncDatabaseStandIn):
    MIGRATIONS = PostgresStore.MIGRATIONS


class Cursor:
    """Understands the few statements by which tests change or look at a row behind the store."""

    def __init__(self, store: ChromaStore) -> None:
        self._store = store
        self._row: dict[str, Any] = {}

    def execute(self, statement: str, parameters: tuple[Any, ...] = ()) -> None:
        if statement.startswith("DROP TABLE IF EXISTS store_migrations"):
            return
        *numbers, prefix, key = parameters
        memory = self._store.read(tuple(prefix.split(".")), key)
        if statement.startswith("SELECT COUNT(*)"):
            self._row = {"n": int(memory is not None)}
            return
        assert memory is not None, f"no row for {parameters}"
        if statement.startswith("SELECT expires_at"):
            self._row = {"expires_at": memory.expires_at}
        else:
            self._store.write([self._changed(memory, statement, numbers)])

    @staticmethod
    def _changed(memory: Memory, statement: str, numbers: list[float]) -> Memory:
        now = datetime.now(UTC)
        if statement.startswith("UPDATE store SET expires_at = NOW() - INTERVAL '1 minute'"):
            return replace(memory, expires_at=now - timedelta(minutes=1))
        if statement.startswith("UPDATE store SET updated_at = NOW() - (%s * INTERVAL '1 second')"):
            return replace(memory, updated_at=now - timedelta(seconds=numbers[0]))
        raise NotImplementedError(statement)

    def fetchone(self) -> dict[str, Any]:
        return self._row


class AsyncCursor(Cursor):
    async def execute(self, statement: str, parameters: tuple[Any, ...] = ()) -> None:
        await asyncio.to_thread(super().execute, statement, parameters)

    async def fetchone(self) -> dict[str, Any]:
        return self._row


class Connection:
    """A database server that takes every statement and does nothing."""

    __class_getitem__ = classmethod(lambda cls, row: cls)

    @classmethod
    def connect(cls, *args: object, **options: object) -> "Connection":
        return cls()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None: ...

    def execute(self, *statement: object) -> None: ...


class AsyncConnection:
    """The same, awaited."""

    __class_getitem__ = classmethod(lambda cls, row: cls)

    @classmethod
    async def connect(cls, *args: object, **options: object) -> "AsyncConnection":
        return cls()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None: ...

    async def execute(self, *statement: object) -> None: ...
