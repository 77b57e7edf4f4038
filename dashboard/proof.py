"""Proof after a change: the store is asked again by key, by listing and by meaning."""

from dataclasses import dataclass
from itertools import islice

from dashboard.curation import Create, Delete, DeleteNamespace, Edit, Expire, Move, MoveMany, Plan
from dashboard.editing import same
from dashboard.memories import embedded_text
from dashboard.wording import memories_text
from store import ChromaStore, Memory, Reference, SearchUnavailable

_NEAREST = 50
_SAMPLE = 10


@dataclass(frozen=True, slots=True)
class Check:
    """One question asked after a change; `passed` is None when it could not be asked."""

    name: str
    passed: bool | None
    detail: str


def prove(plan: Plan, store: ChromaStore) -> tuple[Check, ...]:
    """Ask the store whether what the plan wanted is now so; never raises for a failed check."""
    match plan:
        case Delete():
            return _gone(plan.memories, store)
        case DeleteNamespace():
            return (_emptied(plan, store),)
        case Create():
            return _there((plan.namespace, plan.key), plan.value, store)
        case Move():
            there = _there((plan.namespace, plan.key), plan.before.value, store)
            return (*there, _old_place(plan.before.reference, store))
        case MoveMany():
            return _moved(plan, store)
        case Edit():
            return _there(plan.before.reference, plan.value, store)
        case Expire():
            return (_expiry(plan, store),)


def listed(store: ChromaStore, reference: Reference) -> bool:
    """Tell whether listing its namespace shows a memory: bisects the pages ordered by key."""
    namespace, key = reference
    low, high = 0, store.page(namespace, own=True, order="key", descending=False, limit=1).total
    while low < high:
        middle = (low + high) // 2
        page = store.page(
            namespace, own=True, order="key", descending=False, limit=1, offset=middle
        )
        if not page.memories:
            return False
        if page.memories[0].key == key:
            return True
        if page.memories[0].key < key:
            low = middle + 1
        else:
            high = middle
    return False


def _there(reference: Reference, value: dict[str, object], store: ChromaStore) -> tuple[Check, ...]:
    memory = store.read(*reference)
    equal = memory is not None and same(memory.value, value)
    checks = [
        Check("By key", equal, "reads back equal" if equal else "reads back differently"),
        _listing(reference, store, wanted=True),
    ]
    if memory is not None:
        checks.append(_rank(memory, store))
    return tuple(checks)


def _listing(reference: Reference, store: ChromaStore, *, wanted: bool) -> Check:
    found = listed(store, reference)
    return Check("By listing", found == wanted, "listed" if found else "not listed")


def _rank(memory: Memory, store: ChromaStore) -> Check:
    text = _own_text(memory, store)
    if not memory.vectors or not text:
        return Check("By meaning", None, "not searchable: nothing of it is embedded")
    try:
        matches = store.match(query=text, limit=_NEAREST)
    except SearchUnavailable as error:
        return Check("By meaning", None, str(error))
    ranks = [match.memory.reference for match in matches]
    total = store.count()
    if memory.reference not in ranks:
        return Check("By meaning", False, f"not among the {_NEAREST} nearest to its own text")
    rank = ranks.index(memory.reference) + 1
    return Check("By meaning", True, f"rank {rank} of {total:,} for its own text")


def _own_text(memory: Memory, store: ChromaStore) -> str:
    fields = store.info().fields if memory.index is None else memory.index
    return embedded_text(memory.value, fields)


def _gone(memories: tuple[Memory, ...], store: ChromaStore) -> tuple[Check, ...]:
    references = [memory.reference for memory in memories]
    left = sum(found is not None for found in store.read_many(references))
    shown = sum(listed(store, reference) for reference in islice(references, _NEAREST))
    return (
        Check("By key", not left, f"{memories_text(left)} still there" if left else "gone"),
        Check("By listing", not shown, f"{shown} still listed" if shown else "gone"),
        _unfound(memories[:_SAMPLE], store),
    )


def _unfound(memories: tuple[Memory, ...], store: ChromaStore) -> Check:
    try:
        for memory in memories:
            text = _own_text(memory, store)
            found = store.match(query=text, limit=_SAMPLE) if text else []
            if any(match.memory.reference == memory.reference for match in found):
                return Check("By meaning", False, "its own text still finds it")
    except SearchUnavailable as error:
        return Check("By meaning", None, str(error))
    return Check("By meaning", True, "gone")


def _emptied(plan: DeleteNamespace, store: ChromaStore) -> Check:
    counts = store.namespace_counts(plan.namespace)
    left = counts.get(plan.namespace, 0) if plan.own else sum(counts.values())
    return Check("By listing", not left, f"{memories_text(left)} left" if left else "nothing left")


def _old_place(reference: Reference, store: ChromaStore) -> Check:
    found = store.read(*reference) is not None or listed(store, reference)
    return Check("Old place", not found, "still there" if found else "empty")


def _moved(plan: MoveMany, store: ChromaStore) -> tuple[Check, ...]:
    there = store.read_many([(move.namespace, move.key) for move in plan.moves])
    pairs = zip(plan.moves, there, strict=True)
    equal = sum(found is not None and same(found.value, move.before.value) for move, found in pairs)
    old = store.read_many([move.before.reference for move in plan.moves])
    left = sum(memory is not None for memory in old)
    return (
        Check("By key", equal == len(there), f"{equal:,} read back equal"),
        Check("Old places", not left, f"{memories_text(left)} still there" if left else "empty"),
    )


def _expiry(plan: Expire, store: ChromaStore) -> Check:
    memory = store.read(*plan.before.reference)
    same = memory is not None and memory.expires_at == plan.expires_at
    return Check("By key", same, "reads back equal" if same else "reads back differently")
