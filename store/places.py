"""Places: folders and servers that hold stores, opened without creating what is not there."""

import json
import os
import socket
from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit

import chromadb
from chromadb.api import ClientAPI
from chromadb.config import Settings
from chromadb.errors import ChromaError
from filelock import FileLock, Timeout

from store.errors import (
    NotAStore,
    StoreDamaged,
    StoreLocked,
    StoreNotFound,
    StoreUnreachable,
    WriteFailed,
)

DATABASE = "chroma.sqlite3"
_LOCK = ".memlens.lock"
_HOLDER = ".memlens.holder"


class FolderLock:
    """Keeps a folder to one opener: two embedded clients on one folder lose vectors for good.

    The operating system frees the lock of a process that died, so a stale one never blocks.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = FileLock(folder / _LOCK)
        self._holder = folder / _HOLDER

    def __enter__(self) -> "FolderLock":
        try:
            self._lock.acquire(timeout=0)
        except Timeout as exc:
            raise StoreLocked(
                f"{self._folder} is open in {self._describe_holder()}; close it there, or let "
                f"both use a server: run 'memlens serve {self._folder}' and connect to it."
            ) from exc
        except OSError as exc:
            raise WriteFailed(
                f"{self._folder} cannot be locked ({exc.strerror or exc}); "
                "a store's folder must be writable."
            ) from exc
        holder = {"pid": os.getpid(), "host": socket.gethostname()}
        try:
            self._holder.write_text(json.dumps(holder))
        except OSError as exc:
            self._lock.release()
            raise WriteFailed(f"{self._folder} cannot be written ({exc.strerror}).") from exc
        return self

    def _describe_holder(self) -> str:
        try:
            holder = json.loads(self._holder.read_text())
            if holder["pid"] == os.getpid() and holder["host"] == socket.gethostname():
                return "this process already"
            return f"process {holder['pid']} on {holder['host']}"
        except (OSError, ValueError, KeyError, TypeError):
            return "another process"

    def release(self) -> None:
        """Free the folder; releasing twice does not matter."""
        if self._lock.is_locked:
            self._holder.unlink(missing_ok=True)
            self._lock.release()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def check_folder(folder: Path, *, create: bool) -> None:
    """Raise unless the folder is a Chroma folder, or may become one; nothing is changed."""
    if not folder.exists():
        if not create:
            raise StoreNotFound(f"There is no folder {folder}; check the path.")
        return
    if not folder.is_dir():
        raise NotAStore(f"{folder} is a file; a store is a folder that Chroma wrote.")
    database = folder / DATABASE
    if not database.exists():
        strangers = sorted(one.name for one in folder.iterdir() if one.name not in (_LOCK, _HOLDER))
        if strangers:
            raise NotAStore(
                f"{folder} is not a Chroma folder: it holds {strangers[0]!r} and no {DATABASE}; "
                "name a store's folder, or an empty one for a new store."
            )
        if not create:
            raise StoreNotFound(f"{folder} is empty; there is no store in it.")
        return
    _check_header(database)


def _check_header(database: Path) -> None:
    try:
        with database.open("rb") as stream:
            header = stream.read(16)
    except OSError as exc:
        raise StoreDamaged(f"{database} cannot be read ({exc.strerror}).") from exc
    if header != b"SQLite format 3\x00":
        raise NotAStore(f"{database} is not a database that Chroma wrote; check the path.")


def open_folder(folder: Path) -> ClientAPI:
    """Open an embedded client on a checked and locked folder."""
    settings = Settings(anonymized_telemetry=False)
    try:
        return chromadb.PersistentClient(path=str(folder), settings=settings)
    except (ChromaError, ValueError, OSError) as exc:
        raise StoreDamaged(f"Chroma cannot open {folder}: {exc}") from exc


def is_server(location: str) -> bool:
    """Tell whether a location names a server rather than a folder."""
    return location.startswith(("http://", "https://"))


def open_server(url: str) -> ClientAPI:
    """Connect to a Chroma server, or raise StoreUnreachable saying what did not answer."""
    parts = urlsplit(url)
    try:
        port = parts.port or (443 if parts.scheme == "https" else 8000)
    except ValueError as exc:
        raise NotAStore(f"{url!r} has no valid port; write it as http://host:port.") from exc
    if not parts.hostname or parts.path not in ("", "/"):
        raise NotAStore(f"{url!r} is not a server's address; write it as http://host:port.")
    settings = Settings(anonymized_telemetry=False)
    try:
        return chromadb.HttpClient(
            host=parts.hostname, port=port, ssl=parts.scheme == "https", settings=settings
        )
    except (ChromaError, ValueError, KeyError, OSError) as exc:
        raise StoreUnreachable(
            f"No Chroma server answers at {url}; start one with 'chroma run' or check the address."
        ) from exc
