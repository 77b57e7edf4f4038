"""Handles on the database below a store, for the tests that ask for one."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from store import ChromaStore, Memory


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
