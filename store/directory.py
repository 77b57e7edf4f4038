"""The directory: every memory's place and times, in memory, so that lists need no scan."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator

from store.memory import Entry, Namespace, Order
from store.namespaces import starts_with

_KEPT_ORDERS = 16
_NEVER = 1 << 62


class Directory:
    """Entries by record id and by namespace; what is asked for often is kept until a change."""

    def __init__(self, entries: Iterable[tuple[str, Entry]] = ()) -> None:
        self.entries: dict[str, Entry] = {}
        self.spaces: dict[Namespace, set[str]] = {}
        self.version = 0
        self.vectors = 0
        self._orders: OrderedDict[tuple[object, ...], list[str]] = OrderedDict()
        for identity, entry in entries:
            self.put(identity, entry)

    def put(self, identity: str, entry: Entry) -> None:
        """Add or replace an entry."""
        old = self.entries.get(identity)
        self.vectors += entry.vectors - (old.vectors if old else 0)
        self.entries[identity] = entry
        self.spaces.setdefault(entry.namespace, set()).add(identity)
        self._changed()

    def drop(self, identity: str) -> None:
        """Forget an entry; one that is not there does not matter."""
        entry = self.entries.pop(identity, None)
        if entry is None:
            return
        self.vectors -= entry.vectors
        own = self.spaces[entry.namespace]
        own.discard(identity)
        if not own:
            del self.spaces[entry.namespace]
        self._changed()

    def _changed(self) -> None:
        self.version += 1
        self._orders.clear()

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
        """Give the ids in one total order: ties by namespace and key. Do not change the list."""
        wanted = prefix, own, order, descending
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
