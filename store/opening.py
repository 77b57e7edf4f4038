"""Opening: from a location to a gateway, with what has to be freed when the store is closed."""

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from chromadb.api import ClientAPI

from store import health, places, salvage
from store.calls import plain_errors
from store.errors import InvalidOperation, StoreNotFound, WriteFailed
from store.gateway import MARK_IDS, Gateway
from store.locking import FolderLock

Progress = Callable[[int, int], None]

_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_-]{0,99}")


@dataclass(frozen=True, slots=True)
class Opened:
    """A gateway, where it leads, how to let it go, and the lock if it is a folder's.

    Whoever holds the lock is alone there. `faults` says which indexes were moved aside, and why;
    `reopen` looks after the folder again and replaces the client; it gives what it moved aside.
    """

    gateway: Gateway
    location: str
    release: Callable[[], None]
    lock: FolderLock | None = None
    reopen: Callable[[], Mapping[str, str]] | None = None
    faults: Mapping[str, str] = field(default_factory=dict)


def check_name(name: str) -> str:
    """Return the store's name, or raise if Chroma could not use it."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InvalidOperation(
            f"A store's name is 1 to 100 letters, digits, '_' or '-', starting with a letter or "
            f"digit, got {name!r}."
        )
    return name


def open_gateway(
    location: str | os.PathLike[str] | ClientAPI,
    name: str,
    *,
    create: bool,
    progress: Progress | None = None,
) -> Opened:
    """Open a folder, a server or a client; see `ChromaStore.open` for what is raised."""
    check_name(name)
    if isinstance(location, ClientAPI):
        gateway = _gateway(location, name, "this client", create=create)
        return Opened(gateway, "client", _nothing)
    if isinstance(location, str) and places.is_server(location):
        client = places.open_server(location)
        try:
            gateway = _gateway(client, name, location, create=create)
        except BaseException:
            places.close_client(client)
            raise
        return Opened(gateway, location, lambda: places.close_client(client))
    return _open_folder(Path(os.fspath(location)), name, create, progress)


def _open_folder(path: Path, name: str, create: bool, progress: Progress | None) -> Opened:
    folder = Path(os.path.realpath(path.expanduser()))
    places.check_folder(folder, create=create)
    if not folder.exists():
        folder.mkdir(parents=True)
    lock = FolderLock(folder).__enter__()
    try:
        client, faults = _connect(folder, lock, progress)
    except BaseException:
        lock.release()
        raise
    try:
        gateway = _gateway(client, name, str(folder), create=create)
    except BaseException:
        places.close_client(client)
        lock.end(unclean=lock.unclean)
        lock.release()
        raise

    def release() -> None:
        if not lock.held:
            return
        try:
            places.close_client(gateway.client)
            # Where that cannot be written any more, "unclean" stands there since the beginning.
            with suppress(WriteFailed):
                lock.end(unclean=bool(gateway.failures))
        finally:
            lock.release()

    def reopen() -> Mapping[str, str]:
        places.close_client(gateway.client)
        lock.end(unclean=True)
        client, faults = _connect(folder, lock, None)
        gateway.attach(client)
        return faults

    return Opened(gateway, str(folder), release, lock, reopen, faults)


def _connect(
    folder: Path, lock: FolderLock, progress: Progress | None
) -> tuple[ClientAPI, Mapping[str, str]]:
    """Look after a locked folder, then open it; give what was wrong with which collection."""
    faults = health.look_after(folder, lock)
    shells = filter(health.holds_vectors, faults)
    rescued = {one: salvage.rescue(folder, one, health.aside(folder, one)) for one in shells}
    lock.begin()
    client = places.open_folder(folder)
    try:
        for shell, vectors in rescued.items():
            Gateway(client, shell.rpartition("_")[0], create=False).discard(
                shell, vectors, progress or (lambda done, total: None)
            )
    except BaseException:
        places.close_client(client)
        raise
    return client, faults


def _gateway(client: ClientAPI, name: str, place: str, *, create: bool) -> Gateway:
    try:
        return Gateway(client, name, create=create)
    except StoreNotFound as exc:
        stores, collections = store_names(client), other_collections(client)
        found = stores or {
            one: count for one, count in collections.items() if not one.startswith(name)
        }
        kind = "stores" if stores else "other collections"
        listing = ", ".join(f"{one} ({count:,})" for one, count in sorted(found.items()))
        raise StoreNotFound(
            f"There is no store named {name!r} in {place}; "
            + (f"it holds these {kind}: {listing}." if listing else "it holds no collections.")
        ) from exc


def store_names(client: ClientAPI) -> dict[str, int]:
    """Give the names of the stores a client holds, with how many memories each has."""
    with plain_errors("looking for stores"):
        found = {}
        for collection in client.list_collections():
            name = collection.name
            if name.endswith("_items") and (collection.metadata or {}).get("memlens_schema"):
                marks = len(collection.get(ids=MARK_IDS, include=[])["ids"])
                found[name.removesuffix("_items")] = collection.count() - marks
        return found


def other_collections(client: ClientAPI) -> dict[str, int]:
    """Give every collection of a client with how many records it has."""
    with plain_errors("looking for collections"):
        return {one.name: one.count() for one in client.list_collections()}


def _nothing() -> None:
    """Leave a client to whoever made it."""
