"""Word indexes of the scopes looked at, kept up to date without making a page wait.

A small scope is indexed on the spot. A large one is indexed by a thread: until it is done a page
gets the progress, and after a change the index of before, marked as not current. After a change
only the changed memories are read again.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dashboard.wordsearch import WordIndex, build, renew
from store import ChromaStore, Entry, Memory, Namespace, Reference, StoreError

AT_ONCE = 3_000
KEPT = 4
FEW = 4  # up to this part of a scope (1/4) is read anew instead of everything
REST = 5  # pauses this many build times between two builds of a scope that keeps changing


Stamp = tuple[int, str]
"""When a memory was changed last, and what its vectors were made of: its words changed with it."""


@dataclass(frozen=True, slots=True)
class Words:
    """A scope's word index as far as there is one.

    `current` tells whether it knows all that is stored now; while it does not, `done` of `total`
    memories have been read for the next one.
    """

    index: WordIndex | None
    current: bool
    done: int = 0
    total: int = 0


@dataclass(slots=True)
class _Job:
    total: int
    done: int = 0
    failed: StoreError | None = None

    def progress(self, done: int, total: int) -> None:
        self.done, self.total = done, total


@dataclass(frozen=True, slots=True)
class _Kept:
    token: str
    index: WordIndex
    stamps: Mapping[Reference, Stamp]
    finished: float
    seconds: float


class WordIndexes:
    """The word indexes of one store; safe to use from several threads."""

    def __init__(self, store: ChromaStore, *, at_once: int = AT_ONCE) -> None:
        self._store = store
        self._at_once = at_once
        self._kept: OrderedDict[Namespace, _Kept] = OrderedDict()
        self._jobs: dict[Namespace, _Job] = {}
        self._lock = threading.Lock()

    def get(self, scope: Namespace) -> Words:
        """Return the scope's index, or how far it is; never waits for a large one.

        Raises the StoreError that the last attempt ended with.
        """
        token, total = self._store.token(), self._store.count(scope)
        with self._lock:
            kept = self._kept.get(scope)
            job = self._jobs.get(scope)
            if kept is not None:
                self._kept.move_to_end(scope)
                if kept.token == token:
                    return Words(kept.index, True, total, total)
            if job is not None and job.failed is not None:
                del self._jobs[scope]
                raise job.failed
            if total > self._at_once and job is None and not _resting(kept):
                job = self._start(scope, token, total)
        if total > self._at_once:
            done, total = (job.done, job.total) if job else (0, total)
            return Words(kept.index if kept else None, False, done, total)
        return Words(self._build(scope, token, None), True, total, total)

    def _start(self, scope: Namespace, token: str, total: int) -> _Job:
        job = self._jobs[scope] = _Job(total)
        thread = threading.Thread(
            target=self._run, args=(scope, token, job), name="memlens-words", daemon=True
        )
        thread.start()
        return job

    def _run(self, scope: Namespace, token: str, job: _Job) -> None:
        try:
            self._build(scope, token, job)
        except StoreError as error:
            job.failed = error
            return
        with self._lock:
            self._jobs.pop(scope, None)

    def _build(self, scope: Namespace, token: str, job: _Job | None) -> WordIndex:
        started = time.monotonic()
        # Stamps are taken before values are read: a change in between is read again next time.
        stamps = {entry.reference: _stamp(entry) for entry in self._store.entries(scope)}
        kept = self._kept.get(scope)
        changed = _changed(kept, stamps)
        if kept is None or len(changed) > len(stamps) // FEW:
            progress = job.progress if job else None
            index = build(self._store.scan(scope), total=len(stamps), progress=progress)
        else:
            index = renew(kept.index, stamps.keys(), self._read(changed))
        now = time.monotonic()
        with self._lock:
            self._kept[scope] = _Kept(token, index, stamps, now, now - started)
            self._kept.move_to_end(scope)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return index

    def _read(self, references: Sequence[Reference]) -> Iterator[Memory]:
        for start in range(0, len(references), 500):
            found = self._store.read_many(references[start : start + 500])
            yield from (memory for memory in found if memory is not None)


def _stamp(entry: Entry) -> Stamp:
    return entry.updated, entry.revision


def _changed(kept: _Kept | None, stamps: Mapping[Reference, Stamp]) -> list[Reference]:
    known: Mapping[Reference, Stamp] = kept.stamps if kept else {}
    return [reference for reference, stamp in stamps.items() if known.get(reference) != stamp]


def _resting(kept: _Kept | None) -> bool:
    return kept is not None and time.monotonic() - kept.finished < REST * kept.seconds
