"""Stand-ins: a ChromaStore under the constructors and database handles of LangGraph's own stores.

Other people's tests build their stores in their own ways and sometimes reach for the database
below. What they call of the store contract goes to ChromaStore unchanged; only building a store
and those reaches are translated here.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, ClassVar, Self

import chromadb
from handles import AsyncCursor, Cursor
from langgraph.store.base import BaseStore, Op, Result
from langgraph.store.postgres import PostgresStore
from langgraph.store.sqlite import SqliteStore
from openings import Place, open_store, opened

from store import ChromaStore


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
    place: ClassVar[Callable[[str, dict[str, Any]], Place]]

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
        place = cls.place(conn_string, options)
        with open_store(conn_string, place, index=index, ttl=ttl) as store:
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
    def _cursor(self) -> Iterator[Cursor]:
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
    async def _cursor(self) -> AsyncIterator[AsyncCursor]:
        yield AsyncCursor(self.store)


def sqlite_place(conn_string: str, options: dict[str, Any]) -> Place:
    """Where a database was in memory or in a file, so is the store."""
    return "memory" if conn_string.startswith("memory") else "folder"


def postgres_place(conn_string: str, options: dict[str, Any]) -> Place:
    """The three kinds of connections become the three places a store can be kept in."""
    if options.get("pool_config"):
        return "server"
    return "folder" if options.get("pipeline") else "memory"


class SqliteStandIn(DatabaseStandIn):
    MIGRATIONS = SqliteStore.MIGRATIONS
    place = staticmethod(sqlite_place)


class AsyncSqliteStandIn(AsyncDatabaseStandIn):
    MIGRATIONS = SqliteStore.MIGRATIONS
    place = staticmethod(sqlite_place)


class PostgresStandIn(DatabaseStandIn):
    MIGRATIONS = PostgresStore.MIGRATIONS
    place = staticmethod(postgres_place)


class AsyncPostgresStandIn(AsyncDatabaseStandIn):
    MIGRATIONS = PostgresStore.MIGRATIONS
    place = staticmethod(postgres_place)
