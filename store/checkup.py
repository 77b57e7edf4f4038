"""A look at everything a store holds: memories, vectors and registry, held against each other."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from langgraph.store.base import InvalidNamespaceError

from store import namespaces
from store.gateway import Gateway
from store.memory import Entry, Namespace, Reference
from store.records import read_item, vector_ids


@dataclass(slots=True)
class Checkup:
    """What was found. Memories by reference; vectors and rows without one by their id.

    `broken` has the ids of the memories whose vectors are missing or left from another text.
    """

    memories: int = 0
    vectors: int = 0
    broken: dict[str, Reference] = field(default_factory=dict)
    missing: list[Reference] = field(default_factory=list)
    stale: list[Reference] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)
    ambiguous: list[Reference] = field(default_factory=list)
    misplaced: list[Reference] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    unregistered: set[Namespace] = field(default_factory=set)
    empty: set[Namespace] = field(default_factory=set)
    leftovers: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)


def look_at(gateway: Gateway) -> Checkup:
    """Read all metadata of a store, no embedding, and compare."""
    found = Checkup()
    revisions = dict(gateway.revisions())
    found.vectors = len(revisions)
    spaces: set[Namespace] = set()
    for identity, entry in _entries(gateway, found):
        found.memories += 1
        spaces.add(entry.namespace)
        _look_at_labels(identity, entry, found)
        _look_at_vectors(identity, entry, revisions, found)
    found.orphans = list(revisions)
    registered = gateway.names()
    found.unregistered, found.empty = spaces - registered, registered - spaces
    found.leftovers, found.unfinished = gateway.other_vectors()
    return found


def _entries(gateway: Gateway, found: Checkup) -> Iterator[tuple[str, Entry]]:
    for identity, metadata in gateway.raw_items():
        try:
            entry = read_item(metadata, gateway.epoch).entry
        except (KeyError, ValueError, TypeError):
            found.unreadable.append(identity)
        else:
            yield identity, entry


def _look_at_labels(identity: str, entry: Entry, found: Checkup) -> None:
    try:
        namespaces.check_writable(entry.namespace)
    except InvalidNamespaceError:
        found.ambiguous.append(entry.reference)
    else:
        if namespaces.item_id(*entry.reference) != identity:
            found.misplaced.append(entry.reference)


def _look_at_vectors(
    identity: str, entry: Entry, revisions: dict[str, str], found: Checkup
) -> None:
    """Take this memory's vectors out of `revisions`: what is left in the end is nobody's."""
    has = [revisions.pop(one, None) for one in vector_ids(identity, entry.vectors)]
    if None in has:
        found.missing.append(entry.reference)
    elif any(revision != entry.revision for revision in has):
        found.stale.append(entry.reference)
    else:
        return
    found.broken[identity] = entry.reference
