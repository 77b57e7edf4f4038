"""Places: folders and servers that hold stores, opened without creating what is not there."""

import errno
import shutil
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

import chromadb
from chromadb.api import ClientAPI
from chromadb.api.shared_system_client import SharedSystemClient
from chromadb.config import Settings
from chromadb.errors import ChromaError

from store.errors import (
    NotAStore,
    StoreDamaged,
    StoreNotFound,
    StoreUnreachable,
    WriteFailed,
)
from store.locking import OUR_FILES

DATABASE = "chroma.sqlite3"
_ROOM = 1 << 20


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
        strangers = sorted(one.name for one in folder.iterdir() if one.name not in OUR_FILES)
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
        # Chroma keeps what failed half-way under the folder's name, for the next to stumble over.
        SharedSystemClient._identifier_to_system.pop(str(folder), None)
        SharedSystemClient._identifier_to_refcount.pop(str(folder), None)
        if why := _why_unwritable(folder):
            raise WriteFailed(f"{why}; make room and try again.") from exc
        raise StoreDamaged(f"Chroma cannot open {folder}: {exc}") from exc


def unwritable(client: ClientAPI) -> str | None:
    """Say why the folder of an embedded client cannot be written; None if it can, or has none."""
    folder = folder_of(client)
    return None if folder is None else _why_unwritable(folder)


def folder_of(client: ClientAPI) -> Path | None:
    """Give the folder of an embedded client; None for a server's, and in memory."""
    settings = client.get_settings()
    folder = Path(settings.persist_directory)
    return folder if settings.is_persistent and folder.exists() else None


def _why_unwritable(folder: Path) -> str | None:
    free = shutil.disk_usage(folder).free
    full = f"The disk of {folder} is full ({free:,} bytes left)"
    try:
        # Really tried: a disk that failed while in use does not say that it is read-only.
        with tempfile.TemporaryFile(dir=folder):
            return full if free < _ROOM else None
    except OSError as exc:
        if exc.errno in (errno.ENOSPC, errno.EDQUOT):
            return full
        if exc.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            return f"{folder} is read-only"
        return f"{folder} cannot be written ({exc.strerror})"


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


def close_client(client: ClientAPI) -> None:
    """Close a client that `open_server` or `open_folder` gave, its connections included."""
    client.close()  # type: ignore[attr-defined]  # on the classes chromadb's functions give
    for part in (client, getattr(client, "_admin_client", None)):
        # chromadb forgets its HTTP sessions, one of the client and one of its admin client.
        session = getattr(getattr(part, "_server", None), "_session", None)
        if session is not None:
            session.close()
