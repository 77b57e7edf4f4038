"""Which memories a list shows and in which order, also by a field of their values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from store import ChromaStore, Memory, Namespace, Order, Page, Reference

_EVERYTHING = 10**9


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of memories: where, filtered how, ordered by what.

    `order` is one of the store's orders, or a field of the values as a dotted path. `filter` is
    JSON text, so that equal listings are equal keys of a cache.
    """

    scope: Namespace
    own: bool = False
    filter: str | None = None
    order: str = "updated_at"
    descending: bool = True

    @property
    def reads_values(self) -> bool:
        """Tell whether answering it means reading every value in the scope."""
        return self.filter is not None or self.order not in get_args(Order)


def page(store: ChromaStore, listing: Listing, *, limit: int, offset: int) -> Page:
    """Return one page of a listing that reads no more values than it shows."""
    order: Order = next((one for one in get_args(Order) if one == listing.order), "updated_at")
    return store.page(
        listing.scope,
        own=listing.own,
        order=order,
        descending=listing.descending,
        limit=limit,
        offset=offset,
    )


def matching(
    store: ChromaStore, listing: Listing, filter: Mapping[str, Any] | None
) -> tuple[Reference, ...]:
    """Return where the memories of a filtered or field-ordered listing are, in order.

    Reads every value in the scope once; ties keep the latest change first.
    """
    stored: Order | None = next((one for one in get_args(Order) if one == listing.order), None)
    found = store.page(
        listing.scope,
        own=listing.own,
        filter=dict(filter) if filter else None,
        order=stored or "updated_at",
        descending=listing.descending if stored else True,
        limit=_EVERYTHING,
    ).memories
    if stored is None:
        found = _by_field(found, listing.order, descending=listing.descending)
    return tuple(memory.reference for memory in found)


def references(
    store: ChromaStore, listing: Listing, filter: Mapping[str, Any] | None
) -> tuple[Reference, ...]:
    """Return where all memories of a listing are; without a filter no value is read."""
    if filter:
        return matching(store, listing, filter)
    return tuple(entry.reference for entry in store.entries(listing.scope, own=listing.own))


def page_of(
    store: ChromaStore, references: tuple[Reference, ...], *, limit: int, offset: int
) -> Page:
    """Return one page of a listing whose references are known."""
    part = references[offset : offset + limit]
    return Page(tuple(memory for memory in store.read_many(part) if memory), len(references))


def _by_field(memories: tuple[Memory, ...], path: str, *, descending: bool) -> tuple[Memory, ...]:
    """Order by a field: numbers, then texts, then the rest; without the field always last."""
    keyed = [(_rank(_at(memory.value, path)), memory) for memory in memories]
    having = [pair for pair in keyed if pair[0] is not None]
    having.sort(key=lambda pair: pair[0] or (), reverse=descending)
    return tuple(
        [memory for _, memory in having] + [memory for rank, memory in keyed if rank is None]
    )


def _at(value: Mapping[str, Any], path: str) -> Any:
    if path in value:
        return value[path]
    found: Any = value
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def _rank(item: Any) -> tuple[int, float, str] | None:
    if item is None:
        return None
    if isinstance(item, int | float):
        return (0, float(item), "")
    return (1, 0.0, item.casefold()) if isinstance(item, str) else (2, 0.0, str(item))
