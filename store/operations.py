"""A batch of operations, checked as a whole before anything is read or written."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langgraph.store.base import (
    GetOp,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
)

from store import filters, namespaces, values
from store.errors import InvalidOperation
from store.memory import Namespace, Reference

LONGEST_TTL = 1_000_000_000
"""Minutes, some 1,900 years: what lies further is past the last date Python can write."""


@dataclass(frozen=True, slots=True)
class Put:
    """A checked write: `index` is None (the store's fields), or the paths to embed."""

    namespace: Namespace
    key: str
    value: Mapping[str, Any]
    encoded: str
    index: tuple[str, ...] | None
    ttl: float | None
    created: int | None = None
    updated: int | None = None
    expires: int | None = None


@dataclass(frozen=True, slots=True)
class Get:
    """A checked read of one memory."""

    namespace: Namespace
    key: str
    refresh: bool


@dataclass(frozen=True, slots=True)
class Search:
    """A checked search; an empty query is a plain listing."""

    prefix: Namespace
    query: str | None
    filter: dict[str, Any] | None
    limit: int
    offset: int
    refresh: bool


@dataclass(frozen=True, slots=True)
class ListNamespaces:
    """A checked listing of namespaces."""

    conditions: tuple[MatchCondition, ...]
    max_depth: int | None
    limit: int | None
    offset: int


@dataclass(slots=True)
class Batch:
    """The checked operations, by their place in the batch; one put per memory, the last."""

    size: int = 0
    gets: dict[int, Get] = field(default_factory=dict)
    searches: dict[int, Search] = field(default_factory=dict)
    listings: dict[int, ListNamespaces] = field(default_factory=dict)
    puts: dict[Reference, Put] = field(default_factory=dict)
    deletes: dict[Reference, None] = field(default_factory=dict)


def check_batch(ops: Iterable[Op]) -> Batch:
    """Check every operation; raise before anything is applied if one is not valid."""
    batch = Batch()
    for place, op in enumerate(ops):
        batch.size = place + 1
        match op:
            case GetOp():
                batch.gets[place] = _check_get(op)
            case SearchOp():
                batch.searches[place] = _check_search(op)
            case ListNamespacesOp():
                batch.listings[place] = _check_listing(op)
            case PutOp():
                _add_put(batch, op)
            case _:
                raise InvalidOperation(
                    f"Unknown operation type {type(op).__name__}; "
                    "use GetOp, SearchOp, PutOp or ListNamespacesOp."
                )
    return batch


def _add_put(batch: Batch, op: PutOp) -> None:
    key = check_key(op.key)
    if op.value is None:
        reference = namespaces.check_labels(op.namespace), key
        batch.puts.pop(reference, None)
        batch.deletes[reference] = None
        return
    namespace = namespaces.check_writable(op.namespace)
    reference = namespace, key
    batch.deletes.pop(reference, None)
    encoded = values.encode(op.value)
    ttl = check_ttl(op.ttl)
    batch.puts[reference] = Put(
        namespace, key, values.decode(encoded), encoded, check_index(op.index), ttl
    )


def check_key(key: object) -> str:
    """Return the key as text; a key that is not text becomes ``str(key)``."""
    text = key if isinstance(key, str) else str(key)
    try:
        text.encode()
    except UnicodeEncodeError as exc:
        raise InvalidOperation(
            f"The key {text!r} holds half of a surrogate pair, which is not valid Unicode."
        ) from exc
    return text


def check_index(index: object) -> tuple[str, ...] | None:
    """Return None for the store's own fields, else the paths to embed (none for False or [])."""
    if index is None:
        return None
    if index is False:
        return ()
    if (
        isinstance(index, Sequence)
        and not isinstance(index, str)
        and all(isinstance(path, str) for path in index)
    ):
        return tuple(index)
    raise InvalidOperation(
        f"index must be None, False or a list of field paths such as ['text'], got {index!r}."
    )


def check_ttl(ttl: object) -> float | None:
    """Return the minutes a memory lives, None for ever; zero and less is gone at the next sweep."""
    if ttl is None:
        return None
    if isinstance(ttl, bool) or not isinstance(ttl, int | float) or not math.isfinite(ttl):
        raise InvalidOperation(f"ttl must be a number of minutes or None, got {ttl!r}.")
    if abs(ttl) > LONGEST_TTL:
        raise InvalidOperation(
            f"ttl is at most {LONGEST_TTL:,} minutes, got {ttl!r}; use None for a memory that "
            "never expires."
        )
    return float(ttl)


def _check_get(op: GetOp) -> Get:
    return Get(namespaces.check_labels(op.namespace), check_key(op.key), bool(op.refresh_ttl))


def _check_search(op: SearchOp) -> Search:
    if op.query is not None and not isinstance(op.query, str):
        raise InvalidOperation(f"query must be text or None, got {type(op.query).__name__}.")
    return Search(
        namespaces.check_labels(op.namespace_prefix),
        op.query or None,
        filters.check_filter(op.filter),
        check_count("limit", op.limit),
        check_count("offset", op.offset),
        bool(op.refresh_ttl),
    )


def check_count(name: str, number: object) -> int:
    """Return a limit or an offset, or raise if it is not a whole number of zero or more."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise InvalidOperation(f"{name} must be a whole number of 0 or more, got {number!r}.")
    return number


def _check_listing(op: ListNamespacesOp) -> ListNamespaces:
    if op.max_depth is not None and check_count("max_depth", op.max_depth) == 0:
        raise InvalidOperation("max_depth must be 1 or more, or None for no cut, got 0.")
    conditions = []
    for condition in op.match_conditions or ():
        if condition.match_type not in ("prefix", "suffix"):
            raise InvalidOperation(
                f"match_type must be 'prefix' or 'suffix', got {condition.match_type!r}."
            )
        path = namespaces.check_labels(condition.path)
        conditions.append(MatchCondition(condition.match_type, path))
    limit = None if op.limit is None else check_count("limit", op.limit)
    return ListNamespaces(tuple(conditions), op.max_depth, limit, check_count("offset", op.offset))
