"""Compaction: a closed folder written anew with what is there, so that what was deleted is gone.

Chroma keeps deleted text in its log and in free pages of its database, deleted vectors in the
files of its indexes, and the files of deleted collections. The new files are made in a folder
inside, checked, and take the place of the old ones by renaming the database: it alone says which
index files count, so that at every moment either all of the old or all of the new is there.
"""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chromadb.api import ClientAPI
from chromadb.errors import ChromaError

from store import database, health, places, traces
from store.database import StoredCollection
from store.epochs import kind
from store.errors import StoreDamaged, WriteFailed
from store.gateway import READ_CHUNK, WRITE_CHUNK, index_of
from store.locking import ASIDE, FolderLock

Progress = Callable[[int, int], None]

WORK = ".memlens.compacting"
_FRESH = ".fresh"
_ROOM = 1.1


@dataclass(frozen=True, slots=True)
class CompactReport:
    """What compacting a folder came to.

    `sought` counts texts and vectors of deleted or replaced memories that were found in the old
    files, and looked for in the new ones; `left` counts those found there. `foreign` names
    collections of others, which were left as they are.
    """

    memories: int
    bytes_before: int
    bytes_after: int
    sought: int
    left: int
    foreign: tuple[str, ...] = ()
    texts_left: tuple[str, ...] = ()


def compact(
    folder: str | os.PathLike[str],
    *,
    texts: Iterable[str] = (),
    progress: Progress | None = None,
) -> CompactReport:
    """Write a folder anew without what was deleted, and prove it by searching the files.

    `texts` are searched for as well. Needs about as much free space as the folder takes.
    Interrupted at any moment, the folder is as it was or as it will be. `progress` is called with
    (records written, records in all).

    Raises:
        StoreLocked: The folder is in use.
        StoreDamaged: The folder has to be repaired first.
        WriteFailed: There is not enough room; nothing was changed.
    """
    place = Path(os.path.realpath(Path(os.fspath(folder)).expanduser()))
    places.check_folder(place, create=False)
    with FolderLock(place) as lock:
        if lock.unclean or lock.unrepaired:
            raise StoreDamaged(
                f"{place} was not closed properly; run 'memlens check {place} --repair' first."
            )
        shutil.rmtree(place / WORK, ignore_errors=True)
        return _Compaction(place, lock, list(texts), progress).run()


class _Compaction:
    def __init__(
        self, folder: Path, lock: FolderLock, texts: list[str], progress: Progress | None
    ) -> None:
        self._folder = folder
        self._lock = lock
        self._work = folder / WORK
        self._texts = texts
        self._progress = progress
        every = database.collections(folder)
        self._ours = [one for one in every if one.ours]
        self._foreign = tuple(sorted(one.name for one in every if not one.ours))

    def run(self) -> CompactReport:
        before = _size(self._folder)
        database.check(self._folder)
        sought = traces.found_in(self._folder, traces.left_behind(self._folder))
        try:
            self._copy()
            self._rewrite()
            database.vacuum(self._work)
            self._verify()
            self._switch()
        except (OSError, ChromaError, sqlite3.Error) as exc:
            raise WriteFailed(
                f"{self._folder} could not be compacted ({exc}); nothing was changed."
            ) from exc
        finally:
            shutil.rmtree(self._work, ignore_errors=True)
        names = [
            one.name.removesuffix("_items") for one in self._ours if one.name.endswith("_items")
        ]
        return CompactReport(
            memories=sum(database.memories(self._folder, name) for name in names),
            bytes_before=before,
            bytes_after=_size(self._folder),
            sought=len(sought),
            left=len(traces.found_in(self._folder, sought)),
            foreign=self._foreign,
            texts_left=tuple(self._texts_left()),
        )

    def _texts_left(self) -> Iterator[str]:
        for text in self._texts:
            if traces.found_in(self._folder, traces.text_traces([text])):
                yield text

    def _copy(self) -> None:
        """Copy the database, whose journal is settled, and the indexes that are read from."""
        needed = _size(self._folder) * _ROOM
        free = shutil.disk_usage(self._folder).free
        if free < needed:
            raise OSError(f"it takes about {needed:,.0f} bytes and {free:,} are free")
        self._work.mkdir()
        shutil.copy2(self._folder / places.DATABASE, self._work)
        for one in self._ours:
            if (self._folder / one.segment).exists():
                shutil.copytree(self._folder / one.segment, self._work / one.segment)

    def _rewrite(self) -> None:
        client = places.open_folder(self._work)
        done = 0
        try:
            current = _without_leftovers(client, self._ours)
            total = sum(
                client.get_collection(name, embedding_function=None).count() for name in current
            )
            for name in current:
                for count in _write_anew(client, name):
                    done += count
                    if self._progress is not None:
                        self._progress(done, total)
        finally:
            places.close_client(client)

    def _verify(self) -> None:
        """Every record must be as it was, and every index readable, before anything is replaced."""
        faults = health.examine(self._work, self._lock).faults
        names = {one.name for one in database.collections(self._work) if one.ours}
        same = all(
            database.contents(self._work, name) == database.contents(self._folder, name)
            for name in names
        )
        if faults or not same:
            raise OSError(f"the new files differ from the old: {faults or 'records are missing'}")

    def _switch(self) -> None:
        """Put the new files beside the old ones; renaming the database makes them count."""
        for one in database.collections(self._work):
            if one.ours and (self._work / one.segment).exists():
                (self._work / one.segment).rename(self._folder / one.segment)
        _sync(self._work / places.DATABASE)
        (self._work / places.DATABASE).replace(self._folder / places.DATABASE)
        _sync(self._folder)
        for orphan in database.orphan_folders(self._folder):
            shutil.rmtree(orphan)
        shutil.rmtree(self._folder / ASIDE, ignore_errors=True)


def _without_leftovers(client: ClientAPI, ours: Iterable[StoredCollection]) -> list[str]:
    """Delete collections of vectors that do not count; give the names of what remains."""
    names = {one.name for one in ours}
    for items in [name for name in names if name.endswith("_items")]:
        store = items.removesuffix("_items")
        metadata = client.get_collection(items, embedding_function=None).metadata or {}
        counts = f"{store}_{kind(int(str(metadata.get('memlens_epoch', 0))))}"
        for name in [one for one in names if one.startswith(f"{store}_vectors")]:
            if name != counts:
                client.delete_collection(name)
                names.remove(name)
    return sorted(names)


def _write_anew(client: ClientAPI, name: str) -> Iterator[int]:
    """Write a collection into a new one that takes its name; give how many records at a time."""
    old = client.get_collection(name, embedding_function=None)
    vectors = health.holds_vectors(name)
    new = client.create_collection(
        f"{name}{_FRESH}",
        embedding_function=None,
        configuration=index_of(name),
        metadata=old.metadata,
    )
    ids = old.get(include=[])["ids"]
    for start in range(0, len(ids), READ_CHUNK):
        include: Any = ["metadatas", "embeddings"] if vectors else ["metadatas"]
        page: Any = old.get(ids=ids[start : start + READ_CHUNK], include=include)
        for place in range(0, len(page["ids"]), WRITE_CHUNK):
            part = slice(place, place + WRITE_CHUNK)
            some: Any = page["embeddings"][part] if vectors else [[0.0]] * len(page["ids"][part])
            new.add(ids=page["ids"][part], embeddings=some, metadatas=page["metadatas"][part])
            yield len(page["ids"][part])
    client.delete_collection(name)
    new.modify(name=name)


def _size(folder: Path) -> int:
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())


def _sync(path: Path) -> None:
    with suppress(OSError):  # Not every system lets a folder be synced.
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
