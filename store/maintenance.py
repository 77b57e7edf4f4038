"""Looking after a store: say what is wrong with it, and put right what can be."""

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from store.calls import chunks
from store.checkup import Checkup, look_at
from store.errors import EmbeddingError, StoreError
from store.gateway import Gateway
from store.indexing import Indexing
from store.memory import Reference
from store.opening import Opened
from store.records import Record, owner_of, record_texts, revision_of, vector_ids
from store.strays import can_set_aside, set_aside
from store.vectorizing import vectors_of

if TYPE_CHECKING:
    from store.chroma import ChromaStore

ProblemKind = Literal[
    "missing vectors",
    "stale vectors",
    "orphan vectors",
    "wrong size",
    "unreadable index",
    "unreadable rows",
    "ambiguous labels",
    "misplaced memories",
    "registry",
    "leftovers",
    "unfinished reindexing",
]
Progress = Callable[[int, int], None]

_AT_ONCE = 100
_ROUNDS = 5

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a store: how often, which memories, and whether `repair` helps.

    `details` names what is no memory: ids of vectors or rows, namespaces, collections, reasons.
    """

    kind: ProblemKind
    count: int
    repairable: bool
    references: tuple[Reference, ...] = ()
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a store holds, and everything that is wrong with it."""

    memories: int
    vectors: int
    problems: tuple[Problem, ...] = ()

    @property
    def clean(self) -> bool:
        """Tell whether nothing is wrong."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class RepairReport:
    """What was put right, and what is left.

    `embedded` counts memories whose vectors were made again, `removed` vectors of nobody,
    `namespaces` corrections of the registry; `moved` says which indexes were moved aside and why.
    `strays` counts rows that are no memories, which are in the file `kept_in` now.
    """

    moved: tuple[str, ...] = ()
    embedded: int = 0
    removed: int = 0
    namespaces: int = 0
    strays: int = 0
    kept_in: str | None = None
    left: tuple[Problem, ...] = ()

    @property
    def changed(self) -> bool:
        """Tell whether anything had to be put right."""
        return bool(self.moved or self.embedded or self.removed or self.namespaces or self.strays)


def check(store: "ChromaStore") -> CheckReport:
    """Hold memories, vectors and registry of an open store against each other; change nothing.

    Reads all metadata, and no embedding but one: about 7 s for 72,000 memories.
    """
    return report(store._gateway, store._indexing)


def repair(store: "ChromaStore", progress: Progress | None = None) -> RepairReport:
    """Put right what `check` finds in an open store, as far as that can be done without loss.

    Vectors that are missing or stale are made again from their memories, which takes the store's
    embedder; vectors of nobody go, and so do entries of the registry without a memory. Rows of a
    folder that are no memories are kept in the file `set-aside.jsonl` in it, and taken out.
    `progress` is called with (memories embedded again, memories to embed).

    Raises:
        EmbeddingError: The embedder failed; what was repaired until then stays repaired.
    """
    progress = progress or (lambda done, total: None)
    return _Repair(store).run(progress, strays=True)


def repair_pending(
    store: "ChromaStore", opened: Opened, progress: Progress | None
) -> RepairReport | None:
    """Repair a store of a folder that was not closed properly; None if it was."""
    name, lock = store._gateway.name, opened.lock
    if lock is None or name not in lock.unrepaired:
        return None
    moved = tuple(f"{one}: {fault}" for one, fault in sorted(opened.faults.items()))
    try:
        # Only who asks for a repair takes rows out: a newer version may have written them.
        done = _Repair(store).run(progress or (lambda done, total: None), strays=False)
        done = replace(done, moved=moved)
    except EmbeddingError as exc:
        _logger.warning(
            "Repairing %s after a crash or a failed write did not succeed: %s", name, exc
        )
        return RepairReport(moved=moved, left=check(store).problems)
    if any(problem.kind in ("missing vectors", "stale vectors") for problem in done.left):
        _logger.warning("After a crash or a failed write %s has memories without vectors", name)
        return done
    lock.note_unrepaired(lock.unrepaired - {name})
    if done.changed:
        _logger.warning("%s is repaired after a crash or a failed write: %s", name, done)
    return done


def complete(store: "ChromaStore") -> None:
    """Give memories whose write failed half-way their vectors, as soon as that can be done."""
    doubtful = set(store._writer.doubtful)
    try:
        _Repair(store).complete(doubtful)
    except StoreError:
        return  # Still out of order: what is asked of the store next says so.
    store._writer.doubtful -= doubtful


class _Repair:
    def __init__(self, store: "ChromaStore") -> None:
        self._gateway: Gateway = store._gateway
        self._catalog = store._catalog
        self._indexing: Indexing = store._indexing
        self._lock = store._lock
        self._alone: bool = store._catalog._exclusive

    def run(self, progress: Progress, *, strays: bool) -> RepairReport:
        found = look_at(self._gateway)
        if _report(found, self._gateway, self._indexing).clean:
            return RepairReport()
        kept_in = set_aside(self._gateway, found.unreadable) if strays else None
        embedded = self._embed_broken(found, progress)
        self._gateway.delete_vectors(found.orphans)
        for name in found.leftovers:
            self._gateway.drop_collection(name)
        self._gateway.add_names(found.unregistered)
        # Another process may be about to write the first memory of a namespace it registered.
        gone = found.empty if self._alone else set()
        self._gateway.drop_names(gone)
        self._catalog.forget()
        return RepairReport(
            embedded=embedded,
            removed=len(found.orphans),
            namespaces=len(found.unregistered) + len(gone),
            strays=len(found.unreadable) if kept_in else 0,
            kept_in=str(kept_in) if kept_in else None,
            left=report(self._gateway, self._indexing).problems,
        )

    def complete(self, ids: Iterable[str]) -> None:
        """Embed those of a few memories whose vectors do not fit them."""
        entries = {one: record.entry for one, record in self._gateway.read(list(ids)).items()}
        slots = {one: vector_ids(one, entry.vectors) for one, entry in entries.items()}
        vectors = self._gateway.read_vectors([vid for one in slots.values() for vid in one])
        broken = [
            one
            for one, wanted in slots.items()
            if any(
                vid not in vectors or vectors[vid].revision != entries[one].revision
                for vid in wanted
            )
        ]
        if broken and self._indexing.embedder is not None:
            self._embed(broken)

    def _embed_broken(self, found: Checkup, progress: Progress) -> int:
        if self._indexing.embedder is None:
            return 0
        waiting, total = list(found.broken), len(found.broken)
        for _ in range(_ROUNDS):
            again: list[str] = []
            for number, part in enumerate(chunks(waiting, _AT_ONCE)):
                again += self._embed(part)
                progress(min(total, number * _AT_ONCE + len(part)), total)
            waiting = again  # Changed by another process meanwhile.
        return total - len(waiting)

    def _embed(self, ids: Sequence[str]) -> list[str]:
        """Make the vectors of memories again; give those that changed meanwhile."""
        before = self._gateway.read(ids)
        fresh = {one: self._fresh(record) for one, record in before.items()}
        vectors, _ = vectors_of(before, self._indexing)
        with self._lock:
            now = self._gateway.read(list(before))
            same = {one for one in now if now[one].encoded == before[one].encoded}
            headed = {one: fresh[one] for one in same if fresh[one].entry != before[one].entry}
            self._gateway.put_vectors([one for one in vectors if owner_of(one.id) in same])
            if headed:
                self._catalog.put(headed, before)
            after = self._gateway.read(list(same))
        return [
            one
            for one in now
            if one not in same or (one in after and after[one].encoded != before[one].encoded)
        ]

    def _fresh(self, record: Record) -> Record:
        """Give the record with the vectors it should have now; its value and times stay."""
        texts = record_texts(record, self._indexing.fields)
        revision = revision_of(texts, self._indexing.fingerprint)
        return replace(record, entry=replace(record.entry, revision=revision, vectors=len(texts)))


def report(gateway: Gateway, indexing: Indexing) -> CheckReport:
    """Look at everything and say what is wrong."""
    return _report(look_at(gateway), gateway, indexing)


def _report(found: Checkup, gateway: Gateway, indexing: Indexing) -> CheckReport:
    able = indexing.embedder is not None
    problems = [
        Problem("missing vectors", len(found.missing), able, tuple(found.missing)),
        Problem("stale vectors", len(found.stale), able, tuple(found.stale)),
        Problem("orphan vectors", len(found.orphans), True, details=tuple(found.orphans)),
        _wrong_size(gateway, indexing),
        Problem(
            "unreadable rows",
            len(found.unreadable),
            can_set_aside(gateway),
            details=tuple(found.unreadable),
        ),
        Problem("ambiguous labels", len(found.ambiguous), False, tuple(found.ambiguous)),
        Problem("misplaced memories", len(found.misplaced), False, tuple(found.misplaced)),
        _registry(found),
        Problem("leftovers", len(found.leftovers), True, details=tuple(found.leftovers)),
        Problem("unfinished reindexing", len(found.unfinished), False, (), tuple(found.unfinished)),
    ]
    real = tuple(problem for problem in problems if problem.count)
    return CheckReport(found.memories, found.vectors, real)


def _wrong_size(gateway: Gateway, indexing: Indexing) -> Problem:
    sizes = {len(one.values) for one in gateway.some_vectors(1)} - {indexing.dims}
    details = tuple(f"{size} numbers, {indexing.dims} recorded" for size in sizes)
    return Problem("wrong size", len(sizes) if indexing.dims else 0, False, details=details)


def _registry(found: Checkup) -> Problem:
    drift: Iterable[tuple[str, ...]] = sorted(found.unregistered | found.empty)
    details = tuple("/".join(one) for one in drift)
    return Problem("registry", len(details), True, details=details)
