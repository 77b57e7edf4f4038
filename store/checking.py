"""Checking and repairing a store by where it is, also when it cannot be opened as it is."""

import os
from dataclasses import replace
from pathlib import Path

from langgraph.store.base import IndexConfig

from store import database, health, places
from store.chroma import ChromaStore
from store.gateway import Gateway
from store.indexing import Auto, plan_indexing
from store.locking import FolderLock
from store.maintenance import CheckReport, Problem, Progress, RepairReport, repair, report
from store.opening import open_gateway

Location = str | os.PathLike[str]


def check_at(
    location: Location, *, name: str = "memories", index: IndexConfig | Auto | None = "auto"
) -> CheckReport:
    """Check the store in a folder or on a server, and change nothing.

    A folder is read in a process of its own first: a damaged index would crash this one.

    Raises:
        StoreLocked: The folder is in use; check the server that has it instead.
        StoreDamaged: Chroma's database itself is damaged; that cannot be repaired.
        StoreNotFound: There is no such store.
    """
    if places.is_server(os.fspath(location)):
        opened = open_gateway(location, name, create=False)
        try:
            return _report(opened.gateway, index)
        finally:
            opened.release()
    folder = _folder(location)
    with FolderLock(folder) as lock:
        faults = health.examine(folder, lock).faults
        own = [f"{one}: {fault}" for one, fault in faults.items() if one.rpartition("_")[0] == name]
        if own:
            problem = Problem("unreadable index", len(own), True, details=tuple(sorted(own)))
            return CheckReport(database.memories(folder, name), 0, (problem,))
        return _check_readable(folder, lock, name, index)


def _check_readable(
    folder: Path, lock: FolderLock, name: str, index: IndexConfig | Auto | None
) -> CheckReport:
    before = lock.unclean
    lock.begin()
    try:
        client = places.open_folder(folder)
        try:
            return _report(Gateway(client, name, create=False), index)
        finally:
            places.close_client(client)
    finally:
        lock.end(unclean=before)


def repair_at(
    location: Location,
    *,
    name: str = "memories",
    index: IndexConfig | Auto | None = "auto",
    progress: Progress | None = None,
) -> RepairReport:
    """Repair the store in a folder or on a server; see `repair` for what is put right.

    In a folder, indexes that cannot be read are moved aside first and made anew; rows that are no
    memories are kept in a file beside them.
    """
    if not places.is_server(os.fspath(location)):
        folder = _folder(location)
        with FolderLock(folder) as lock:
            lock.end(unclean=True)  # Opening it reads everything then.
    with ChromaStore.open(
        location, name=name, index=index, create=False, progress=progress
    ) as store:
        done = store.repaired
        if done is None:
            return repair(store, progress)
        if not any(one.kind == "unreadable rows" for one in done.left):
            return done
        last = repair(store, progress)
        return replace(done, strays=last.strays, kept_in=last.kept_in, left=last.left)


def _folder(location: Location) -> Path:
    folder = Path(os.path.realpath(Path(os.fspath(location)).expanduser()))
    places.check_folder(folder, create=False)
    return folder


def _report(gateway: Gateway, index: IndexConfig | Auto | None) -> CheckReport:
    return report(gateway, plan_indexing(index, gateway.index_record))
