"""Records: how one memory and its vectors are written in Chroma's metadata, and read back."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
from langgraph.store.base import Item, SearchItem, get_text_at_path

from store import namespaces, values
from store.memory import Entry, Memory
from store.operations import Put

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

Metadata = Mapping[str, Any]
Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Vector:
    """One stored embedding."""

    id: str
    revision: str
    path: str
    values: Array


@dataclass(frozen=True, slots=True)
class Near:
    """A vector the index found, with its cosine similarity to the query (NaN for a zero vector)."""

    id: str
    revision: str
    path: str
    score: float


@dataclass(frozen=True, slots=True)
class Record:
    """A stored memory: its entry, its value as JSON text, and what was embedded of it.

    `index` is None for the store's own fields, else the paths that its put named.
    """

    entry: Entry
    encoded: str
    index: tuple[str, ...] | None = None

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
            index=self.index,
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
    parts = [entry.namespace, entry.key, entry.created, entry.revision, entry.vectors, entry.ttl]
    if record.index is not None:
        parts.append(record.index)
    head = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    metadata: dict[str, Any] = namespaces.prefix_tokens(entry.namespace)
    metadata["u"] = float(entry.updated)
    metadata["v"] = f"{head}\n{record.encoded}"
    if entry.expires is not None:
        metadata["x"] = float(entry.expires)
    elif expired_before:
        metadata["x"] = None
    return metadata


def write_next(metadata: Metadata, epoch: int, revision: str, vectors: int) -> dict[str, Any]:
    """Give what notes beforehand which vectors an item has from an epoch of the vectors on.

    It counts only as long as the item is the one given: a write in the meantime overrules it.
    """
    return {"e": f"{epoch} {namespaces.digest(str(metadata['v']))} {revision} {vectors}"}


def _vectors_of(metadata: Metadata, epoch: int, revision: str, vectors: int) -> tuple[str, int]:
    noted = str(metadata.get("e", "")).split(" ")
    if epoch and noted[0] == str(epoch) and noted[1] == namespaces.digest(str(metadata["v"])):
        return noted[2], int(noted[3])
    return revision, vectors


def read_item(metadata: Metadata, epoch: int = 0) -> Record:
    """Read an item back from its metadata, with the vectors it has in this epoch."""
    head, _, encoded = str(metadata["v"]).partition("\n")
    labels, key, created, revision, vectors, ttl, *index = json.loads(head)
    revision, vectors = _vectors_of(metadata, epoch, revision, vectors)
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
    return Record(entry, encoded, tuple(index[0]) if index else None)


def texts_to_embed(put: Put, fields: Sequence[str]) -> list[tuple[str, str]]:
    """Give (path, text) for every vector the memory gets; empty texts give none."""
    return _texts(put.value, fields if put.index is None else put.index)


def record_texts(record: Record, fields: Sequence[str]) -> list[tuple[str, str]]:
    """Give (path, text) for every vector a stored memory should have."""
    return _texts(record.value(), fields if record.index is None else record.index)


def _texts(value: Mapping[str, Any], paths: Sequence[str]) -> list[tuple[str, str]]:
    return [(path, text) for path in paths for text in get_text_at_path(value, path) if text]


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
