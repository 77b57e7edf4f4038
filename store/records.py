"""Records: how one memory and its vectors are written in Chroma's metadata, and read back."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from langgraph.store.base import Item, SearchItem, get_text_at_path

from store import namespaces, values
from store.memory import Entry, Memory
from store.operations import Put

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

Metadata = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """A stored memory: its entry, and its value as JSON text."""

    entry: Entry
    encoded: str

    def value(self) -> dict[str, Any]:
        """Give the value, a fresh dict each time."""
        return values.decode(self.encoded)

    def memory(self) -> Memory:
        """Give what people's tools see."""
        entry = self.entry
        return Memory(
            namespace=entry.namespace,
            key=entry.key,
            value=self.value(),
            created_at=to_datetime(entry.created),
            updated_at=to_datetime(entry.updated),
            expires_at=None if entry.expires is None else to_datetime(entry.expires),
            ttl_minutes=entry.ttl,
            vectors=entry.vectors,
            revision=entry.revision,
        )

    def item(self) -> Item:
        """Give what an agent's `get` returns."""
        entry = self.entry
        return Item(
            namespace=entry.namespace,
            key=entry.key,
            value=self.value(),
            created_at=to_datetime(entry.created),
            updated_at=to_datetime(entry.updated),
        )

    def search_item(self, score: float | None) -> SearchItem:
        """Give what an agent's `search` returns."""
        entry = self.entry
        return SearchItem(
            namespace=entry.namespace,
            key=entry.key,
            value=self.value(),
            created_at=to_datetime(entry.created),
            updated_at=to_datetime(entry.updated),
            score=score,
        )


def to_datetime(microseconds: int) -> datetime:
    """Turn stored microseconds into a timezone-aware UTC time, exactly."""
    return _EPOCH + timedelta(microseconds=microseconds)


def to_microseconds(moment: datetime) -> int:
    """Turn a time into stored microseconds, exactly; a naive time counts as UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // _MICROSECOND


def write_item(record: Record, *, expired_before: bool) -> dict[str, Any]:
    """Give the metadata of an item.

    Upserting merges metadata: an expiry from before is taken back by None, and only then, because
    a None doubles the cost of a write. The first line of `v` is the head, the second the value:
    JSON never holds a bare newline, and a directory is read without parsing any value.
    """
    entry = record.entry
    head = json.dumps(
        [entry.namespace, entry.key, entry.created, entry.revision, entry.vectors, entry.ttl],
        ensure_ascii=False,
        separators=(",", ":"),
    )
    metadata: dict[str, Any] = namespaces.prefix_tokens(entry.namespace)
    metadata["u"] = float(entry.updated)
    metadata["v"] = f"{head}\n{record.encoded}"
    if entry.expires is not None:
        metadata["x"] = float(entry.expires)
    elif expired_before:
        metadata["x"] = None
    return metadata


def read_item(metadata: Metadata) -> Record:
    """Read an item back from its metadata."""
    head, _, encoded = str(metadata["v"]).partition("\n")
    labels, key, created, revision, vectors, ttl = json.loads(head)
    # Without a lifetime an expiry is what a write that ran at the same time left behind.
    expires = None if ttl is None else metadata.get("x")
    entry = Entry(
        namespace=tuple(labels),
        key=key,
        created=created,
        updated=int(metadata["u"]),
        ttl=ttl,
        expires=None if expires is None else int(expires),
        revision=revision,
        vectors=vectors,
    )
    return Record(entry, encoded)


def texts_to_embed(put: Put, fields: Sequence[str]) -> list[tuple[str, str]]:
    """Give (path, text) for every vector the memory gets; empty texts give none."""
    paths = fields if put.index is None else put.index
    return [(path, text) for path in paths for text in get_text_at_path(put.value, path) if text]


def revision_of(texts: Sequence[tuple[str, str]], fingerprint: str) -> str:
    """Name what a memory's vectors are made of: its texts, their paths and the model.

    Equal revisions mean equal vectors, so a vector left behind by an interrupted write is
    either still right or has another revision and is ignored.
    """
    flat = [fingerprint, *(part for pair in texts for part in pair)]
    return namespaces.digest(flat)[:12] if texts else ""


def vector_ids(identity: str, count: int, *, start: int = 0) -> list[str]:
    """Give the ids of a memory's vectors, slot by slot."""
    return [f"{identity}:{slot}" for slot in range(start, count)]


def owner_of(vector_id: str) -> str:
    """Give the item id that a vector id belongs to."""
    return vector_id.partition(":")[0]
