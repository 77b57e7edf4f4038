"""Changes to memories in two steps: a frozen plan to show, then `apply`, which does it.

A plan remembers what the person saw. `apply` refuses a memory that has changed since, and says
what it is now, instead of overwriting somebody's work. One that is already gone is no error.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import Any

from dashboard.editing import same
from store import ChromaStore, Entry, Memory, Namespace, Reference

Progress = Callable[[int, int], None]
_CHUNK = 200

LIFETIMES: dict[str, float | None] = {
    "Never": None,
    "In an hour": 60,
    "In a day": 60 * 24,
    "In a week": 60 * 24 * 7,
    "In 30 days": 60 * 24 * 30,
    "In a year": 60 * 24 * 365,
}
"""Choices of when a memory expires, in minutes from now."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Give a memory another value; its creation time and expiry stay."""

    before: Memory
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Create:
    """Write a memory where there is none; a copy keeps the index paths of its original.

    With an `expires_at` it ends then, else `ttl_minutes` after now, or never.
    """

    namespace: Namespace
    key: str
    value: dict[str, Any]
    ttl_minutes: float | None = None
    expires_at: datetime | None = None
    index: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """Keep a memory under another namespace or key; its times and expiry go with it."""

    before: Memory
    namespace: Namespace
    key: str


@dataclass(frozen=True, slots=True)
class MoveMany:
    """Move several memories, each as `Move` does; those that cannot move stay."""

    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Expire:
    """Let a memory expire at another time, or never."""

    before: Memory
    expires_at: datetime | None
    ttl_minutes: float | None


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete the memories as they were seen."""

    memories: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class DeleteNamespace:
    """Delete what a namespace was seen to hold: itself only (`own`), or with everything below."""

    namespace: Namespace
    own: bool
    seen: tuple[Entry, ...]

    @property
    def counts(self) -> tuple[tuple[Namespace, int], ...]:
        """How many memories go from which namespace."""
        return tuple(sorted(Counter(entry.namespace for entry in self.seen).items()))

    @property
    def total(self) -> int:
        """How many memories go."""
        return len(self.seen)

    def only_own(self) -> "DeleteNamespace":
        """Return the plan that leaves the namespaces below alone."""
        seen = tuple(entry for entry in self.seen if entry.namespace == self.namespace)
        return replace(self, own=True, seen=seen)


def plan_expiry(memory: Memory, minutes: float | None, now: datetime | None = None) -> Expire:
    """Return the plan that lets a memory expire so many minutes from now; None is never."""
    if minutes is None:
        return Expire(memory, None, None)
    return Expire(memory, (now or datetime.now(UTC)) + timedelta(minutes=minutes), minutes)


def plan_expiry_at(memory: Memory, moment: datetime, now: datetime | None = None) -> Expire:
    """Return the plan that lets a memory expire at a moment; ValueError if that is past."""
    minutes = minutes_until(moment, now)
    return Expire(memory, moment.astimezone(UTC), minutes)


def minutes_until(moment: datetime, now: datetime | None = None) -> float:
    """Return how far ahead a moment is; ValueError with a sentence if it is past."""
    minutes = (moment - (now or datetime.now(UTC))).total_seconds() / 60
    if minutes <= 0:
        raise ValueError(
            f"{moment:%Y-%m-%d %H:%M} is past: choose a later time, or delete the memory."
        )
    return minutes


def plan_moves(memories: Iterable[Memory], target: Namespace, *, below: Namespace = ()) -> MoveMany:
    """Return the plan that moves memories to a namespace, each with its key.

    Labels beyond `below`, which all of them have, go along: with `below` a namespace is renamed.
    With () all memories come together in `target`. ValueError when two would take one place, or
    when nothing would move.
    """
    moves: dict[Reference, Move] = {}
    for memory in memories:
        kept = memory.namespace[len(below) :] if below else ()
        place = (*target, *kept)
        if (taken := moves.get((place, memory.key))) is not None:
            raise ValueError(
                f"Two of these memories have the key {taken.key} and would take one place: move "
                "them one by one, or keep their namespaces apart."
            )
        if place != memory.namespace:
            moves[place, memory.key] = Move(memory, place, memory.key)
    if not moves:
        raise ValueError("They are there already: name another namespace.")
    return MoveMany(tuple(moves.values()))


def common_namespace(memories: Iterable[Memory]) -> Namespace:
    """Return the longest namespace that all memories are at or below."""
    found = [memory.namespace for memory in memories]
    first, last = min(found, default=()), max(found, default=())
    shared = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return tuple(label for label, _ in shared)


Plan = Edit | Create | Move | MoveMany | Expire | Delete | DeleteNamespace


@dataclass(frozen=True, slots=True)
class Conflict:
    """What was expected at a place and what is there now; either may be None."""

    reference: Reference
    expected: Memory | None
    found: Memory | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What `apply` did: how many changed, how many were already gone, what was refused."""

    done: int
    gone: int = 0
    conflicts: tuple[Conflict, ...] = ()


def plan_namespace_deletion(
    store: ChromaStore, namespace: Namespace, *, own: bool
) -> DeleteNamespace:
    """Return what deleting a namespace means now."""
    return DeleteNamespace(namespace, own, tuple(store.entries(namespace, own=own)))


def apply(plan: Plan, store: ChromaStore, *, progress: Progress | None = None) -> Outcome:
    """Do what the plan says, as far as nobody changed the same memories since."""
    match plan:
        case Delete():
            return _delete(plan, store)
        case DeleteNamespace():
            return _delete_namespace(plan, store, progress)
        case Create():
            return _create(plan, store)
        case Move():
            return _move_many((plan,), store)
        case MoveMany():
            return _move_many(plan.moves, store)
        case Edit() | Expire():
            return _change(plan, store)


def changed(before: Memory, now: Memory) -> bool:
    """Tell whether a memory was written since it was seen; a refreshed expiry does not count."""
    times = (before.created_at, before.updated_at) == (now.created_at, now.updated_at)
    return not (times and same(before.value, now.value) and before.index == now.index)


def _change(plan: Edit | Expire, store: ChromaStore) -> Outcome:
    before = plan.before
    now = store.read(*before.reference)
    if now is None or changed(before, now):
        return Outcome(0, conflicts=(Conflict(before.reference, before, now),))
    if isinstance(plan, Edit):
        after = replace(now, value=plan.value, updated_at=datetime.now(UTC))
    else:
        after = replace(now, expires_at=plan.expires_at, ttl_minutes=plan.ttl_minutes)
    store.write([after])
    return Outcome(1)


def _create(plan: Create, store: ChromaStore) -> Outcome:
    found = store.read(plan.namespace, plan.key)
    if found is not None:
        return Outcome(0, conflicts=(Conflict(found.reference, None, found),))
    if plan.expires_at is not None:
        minutes, now = minutes_until(plan.expires_at), datetime.now(UTC)
        minutes = minutes if plan.ttl_minutes is None else plan.ttl_minutes
        ending = (plan.expires_at.astimezone(UTC), minutes)
        created = Memory(plan.namespace, plan.key, plan.value, now, now, *ending, index=plan.index)
        store.write([created])
        return Outcome(1)
    index = None if plan.index is None else list(plan.index)
    ttl: dict[str, Any] = {} if plan.ttl_minutes is None else {"ttl": plan.ttl_minutes}
    store.put(plan.namespace, plan.key, plan.value, index, **ttl)
    return Outcome(1)


def _move_many(moves: tuple[Move, ...], store: ChromaStore) -> Outcome:
    moved = 0
    conflicts: list[Conflict] = []
    for start in range(0, len(moves), _CHUNK):
        chunk = moves[start : start + _CHUNK]
        going, refused = _movable(chunk, store)
        conflicts += refused
        # The copies come first: a failure in between leaves memories twice rather than not at all.
        store.write(after for _, after in going)
        store.remove(before for before, _ in going)
        moved += len(going)
    return Outcome(moved, conflicts=tuple(conflicts))


def _movable(
    moves: tuple[Move, ...], store: ChromaStore
) -> tuple[list[tuple[Reference, Memory]], list[Conflict]]:
    going: list[tuple[Reference, Memory]] = []
    refused: list[Conflict] = []
    now = store.read_many([move.before.reference for move in moves])
    there = store.read_many([(move.namespace, move.key) for move in moves])
    for move, found, taken in zip(moves, now, there, strict=True):
        if found is None or changed(move.before, found):
            refused.append(Conflict(move.before.reference, move.before, found))
        elif taken is not None:
            refused.append(Conflict(taken.reference, None, taken))
        else:
            going.append((found.reference, replace(found, namespace=move.namespace, key=move.key)))
    return going, refused


def _delete(plan: Delete, store: ChromaStore) -> Outcome:
    going: list[Reference] = []
    conflicts: list[Conflict] = []
    gone = 0
    current = store.read_many([memory.reference for memory in plan.memories])
    for before, now in zip(plan.memories, current, strict=True):
        if now is None:
            gone += 1
        elif changed(before, now):
            conflicts.append(Conflict(before.reference, before, now))
        else:
            going.append(before.reference)
    removed = sum(store.remove(chunk) for chunk in _chunks(going))
    return Outcome(removed, gone + len(going) - removed, tuple(conflicts))


def _delete_namespace(
    plan: DeleteNamespace, store: ChromaStore, progress: Progress | None
) -> Outcome:
    there = {entry.reference: entry for entry in store.entries(plan.namespace, own=plan.own)}
    seen = {entry.reference: _written(entry) for entry in plan.seen}
    going = [
        one for one, moments in seen.items() if one in there and moments == _written(there[one])
    ]
    written_since = [one for one, entry in there.items() if seen.get(one) != _written(entry)]
    done = tried = 0
    for chunk in _chunks(going):
        done += store.remove(chunk)
        tried += len(chunk)
        if progress is not None:
            progress(tried, len(going))
    kept = zip(written_since, store.read_many(written_since), strict=True)
    conflicts = tuple(Conflict(one, None, memory) for one, memory in kept)
    return Outcome(done, sum(one not in there for one in seen) + tried - done, conflicts)


def _written(entry: Entry) -> tuple[int, int]:
    return entry.created, entry.updated


def _chunks(references: list[Reference]) -> Iterator[list[Reference]]:
    for start in range(0, len(references), _CHUNK):
        yield references[start : start + _CHUNK]
