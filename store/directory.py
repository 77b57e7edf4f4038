"""The directory: every memory's place and times, in memory, so that lists need no scan."""

from bisect import bisect_left, insort_left
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping
from functools import partial
from uuid import uuid4

from store.memory import Entry, Namespace, Order
from store.namespaces import starts_with
from store.records import Record

CROWD = 48
"""So many identical vectors can cut their surroundings off from Chroma's index."""

_VALUES_CHARACTERS = 64_000_000
_KEPT_ORDERS = 8
_Wanted = tuple[Namespace, bool, Order, bool]
_NEVER = 1 << 62


class Directory:
    """Entries by record id and by namespace, and as many values as fit; for one store or scope."""

    def __init__(self, records: Mapping[str, Record] | None = None) -> None:
        self.entries: dict[str, Entry] = {}
        self._values: dict[str, str] = {}
        self._indexes: dict[str, tuple[str, ...]] = {}
        self._room = _VALUES_CHARACTERS
        self.spaces: dict[Namespace, set[str]] = {}
        self.born = uuid4().hex
        self.version = 0
        self.vectors = 0
        self.crowded = 0
        """How many memories share their embedded text with more than `CROWD` others."""
        self._twins: Counter[str] = Counter()
        self._vectors_of: Counter[Namespace] = Counter()
        self._vectors_below: dict[Namespace, int] = {}
        self._orders: OrderedDict[_Wanted, list[str]] = OrderedDict()
        for identity, record in (records or {}).items():
            self.put(identity, record)

    def put(self, identity: str, record: Record) -> None:
        """Add or replace a memory."""
        self.move(identity, record.entry)
        self._keep(identity, record.encoded)
        if record.index is not None:
            self._indexes[identity] = record.index
        elif self._indexes:
            self._indexes.pop(identity, None)

    def move(self, identity: str, entry: Entry) -> None:
        """Add or replace an entry; what is known of its value stays."""
        old = self.entries.get(identity)
        if old is not None:
            self._take_out(identity, old)
            self._count(old, -1)
        self._count(entry, 1)
        self.entries[identity] = entry
        self.spaces.setdefault(entry.namespace, set()).add(identity)
        self._put_in(identity, entry)

    def _keep(self, identity: str, encoded: str) -> None:
        self._room += len(self._values.pop(identity, ""))
        if len(encoded) <= self._room:
            self._values[identity] = encoded
            self._room -= len(encoded)

    def value(self, identity: str) -> str | None:
        """Give a value as JSON text if it is at hand."""
        return self._values.get(identity)

    def record(self, identity: str) -> Record | None:
        """Give a whole record if its value is at hand."""
        encoded = self._values.get(identity)
        if encoded is None:
            return None
        return Record(self.entries[identity], encoded, self._indexes.get(identity))

    def drop(self, identity: str) -> None:
        """Forget an entry; one that is not there does not matter."""
        entry = self.entries.get(identity)
        if entry is None:
            return
        self._take_out(identity, entry)
        del self.entries[identity]
        self._count(entry, -1)
        self._room += len(self._values.pop(identity, ""))
        self._indexes.pop(identity, None)
        own = self.spaces[entry.namespace]
        own.discard(identity)
        if not own:
            del self.spaces[entry.namespace]

    def _count(self, entry: Entry, step: int) -> None:
        if not entry.vectors:
            return
        self.vectors += step * entry.vectors
        self._vectors_of[entry.namespace] += step * entry.vectors
        if not self._vectors_of[entry.namespace]:
            del self._vectors_of[entry.namespace]
        self._vectors_below.clear()
        before = self._twins[entry.revision]
        after = self._twins[entry.revision] = before + step
        if not after:
            del self._twins[entry.revision]
        self.crowded += (after if after > CROWD else 0) - (before if before > CROWD else 0)

    def _take_out(self, identity: str, entry: Entry) -> None:
        for wanted, ids in self._touched(entry):
            place = bisect_left(ids, _sort_key(entry, wanted), key=partial(self._key, wanted))
            if place < len(ids) and ids[place] == identity:
                del ids[place]

    def _put_in(self, identity: str, entry: Entry) -> None:
        for wanted, ids in self._touched(entry):
            insort_left(ids, identity, key=partial(self._key, wanted))

    def _touched(self, entry: Entry) -> Iterator[tuple[_Wanted, list[str]]]:
        """Give the kept orders an entry belongs to; those that cannot be adjusted are forgotten."""
        self.version += 1
        for wanted in list(self._orders):
            prefix, own, order, _ = wanted
            if not (entry.namespace == prefix if own else starts_with(entry.namespace, prefix)):
                continue
            if order in ("namespace", "key"):
                del self._orders[wanted]
            else:
                yield wanted, self._orders[wanted]

    def _key(self, wanted: _Wanted, identity: str) -> tuple[object, ...]:
        return _sort_key(self.entries[identity], wanted)

    def below(self, prefix: Namespace, *, own: bool = False) -> Iterator[str]:
        """Give the ids at or below a prefix (exactly in it with `own`), in no order."""
        if own:
            yield from self.spaces.get(prefix, ())
        elif not prefix:
            yield from self.entries
        else:
            for namespace, ids in self.spaces.items():
                if starts_with(namespace, prefix):
                    yield from ids

    def find(self, namespace: Namespace, key: str) -> str | None:
        """Give the id of a memory by its place, also where that is not what the id says."""
        ids = self.spaces.get(namespace, ())
        return next((one for one in ids if self.entries[one].key == key), None)

    def vectors_below(self, prefix: Namespace, *, own: bool = False) -> int:
        """Give how many vectors there are at or below a prefix (exactly in it with `own`)."""
        if own or not prefix:
            return self._vectors_of[prefix] if own else self.vectors
        known = self._vectors_below.get(prefix)
        if known is None:
            known = self._vectors_below[prefix] = sum(
                count for ns, count in self._vectors_of.items() if starts_with(ns, prefix)
            )
        return known

    def counts(self, prefix: Namespace = ()) -> dict[Namespace, int]:
        """Give how many memories each namespace at or below a prefix holds itself."""
        return {ns: len(ids) for ns, ids in self.spaces.items() if starts_with(ns, prefix)}

    def count(self, prefix: Namespace = ()) -> int:
        """Give how many memories there are at or below a prefix."""
        return sum(self.counts(prefix).values()) if prefix else len(self.entries)

    def ordered(
        self,
        prefix: Namespace,
        *,
        own: bool = False,
        order: Order = "updated_at",
        descending: bool = True,
    ) -> list[str]:
        """Give the ids in one total order: ties by namespace and key. Copy the list to keep it."""
        wanted: _Wanted = (prefix, own, order, descending)
        known = self._orders.get(wanted)
        if known is not None:
            self._orders.move_to_end(wanted)
            return known
        entries = self.entries
        ids = sorted(
            self.below(prefix, own=own), key=lambda one: (entries[one].namespace, entries[one].key)
        )
        if order == "key":
            ids.sort(key=lambda one: entries[one].key, reverse=descending)
        elif order == "namespace":
            ids.sort(key=lambda one: entries[one].namespace, reverse=descending)
        else:
            ids.sort(key=lambda one: _moment(entries[one], order), reverse=descending)
        self._orders[wanted] = ids
        if len(self._orders) > _KEPT_ORDERS:
            self._orders.popitem(last=False)
        return ids


def _moment(entry: Entry, order: Order) -> int:
    if order == "created_at":
        return entry.created
    if order == "expires_at":
        return _NEVER if entry.expires is None else entry.expires
    return entry.updated


def _sort_key(entry: Entry, wanted: _Wanted) -> tuple[object, ...]:
    """Give the key by which `ordered` has sorted an order by a moment."""
    _, _, order, descending = wanted
    moment = _moment(entry, order)
    return (-moment if descending else moment, entry.namespace, entry.key)
