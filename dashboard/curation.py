"""Changes to memories in two steps: a frozen plan to show, then `apply`, which does it.

A plan remembers what the person saw. `apply` refuses a memory that has changed since, and says
what it is now, instead of overwriting somebody's work. One that is already gone is no error.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from dashboard.editing import same
from store import ChromaStore, Memory, Namespace, Reference

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
    """Write a memory where there is none."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    ttl_minutes: float | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """Keep a memory under another namespace or key; its times and expiry go with it."""

    before: Memory
    namespace: Namespace
    key: str


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
    """Delete what a namespace holds: itself only, or with everything below."""

    namespace: Namespace
    own: bool
    counts: tuple[tuple[Namespace, int], ...]

    @property
    def total(self) -> int:
        """How many memories go."""
        return sum(count for _, count in self.counts)


def plan_expiry(memory: Memory, minutes: float | None, now: datetime | None = None) -> Expire:
    """Return the plan that lets a memory expire so many minutes from now; None is never."""
    if minutes is None:
        return Expire(memory, None, None)
    return Expire(memory, (now or datetime.now(UTC)) + timedelta(minutes=minutes), minutes)


Plan = Edit | Create | Move | Expire | Delete | DeleteNamespace


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
    counts = store.namespace_counts(namespace)
    chosen = [(found, n) for found, n in sorted(counts.items()) if not own or found == namespace]
    return DeleteNamespace(namespace, own, tuple(chosen))


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
            return _move(plan, store)
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
    if plan.ttl_minutes is None:
        store.put(plan.namespace, plan.key, plan.value)
    else:
        store.put(plan.namespace, plan.key, plan.value, ttl=plan.ttl_minutes)
    return Outcome(1)


def _move(plan: Move, store: ChromaStore) -> Outcome:
    before = plan.before
    now = store.read(*before.reference)
    if now is None or changed(before, now):
        return Outcome(0, conflicts=(Conflict(before.reference, before, now),))
    taken = store.read(plan.namespace, plan.key)
    if taken is not None:
        return Outcome(0, conflicts=(Conflict(taken.reference, None, taken),))
    # The copy comes first: a failure in between leaves two memories rather than none.
    store.write([replace(now, namespace=plan.namespace, key=plan.key)])
    store.remove([before.reference])
    return Outcome(1)


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
    done = 0
    for chunk in _chunks(_references(plan, store)):
        done += store.remove(chunk)
        if progress is not None:
            progress(min(done, plan.total), plan.total)
    return Outcome(done)


def _references(plan: DeleteNamespace, store: ChromaStore) -> list[Reference]:
    # Collected before the first removal: a scan over what is being removed could skip some.
    return [memory.reference for memory in store.scan(plan.namespace, own=plan.own)]


def _chunks(references: list[Reference]) -> Iterator[list[Reference]]:
    for start in range(0, len(references), _CHUNK):
        yield references[start : start + _CHUNK]
