"""Writing: the one path by which memories and their vectors change."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import numpy as np

from store import records
from store.calls import chunks
from store.catalog import Catalog
from store.errors import EmbedderMismatch, EmbeddingError, StoreError
from store.expiry import Clock, expiry
from store.gateway import WRITE_CHUNK, Gateway
from store.indexing import Indexing
from store.memory import Entry, Reference
from store.namespaces import item_id
from store.operations import Put
from store.ranking import Array
from store.records import Record, Vector, vector_ids


@dataclass(frozen=True, slots=True)
class Prepared:
    """A put with its texts, and the vectors already known for them."""

    identity: str
    put: Put
    texts: tuple[tuple[str, str], ...]
    revision: str
    known: tuple[Array, ...] | None


class Writer:
    """Prepares puts without the store's lock, and applies them under it, chunk by chunk."""

    def __init__(
        self,
        gateway: Gateway,
        catalog: Catalog,
        clock: Clock,
        lock: AbstractContextManager[object],
    ) -> None:
        self._gateway = gateway
        self._catalog = catalog
        self._clock = clock
        self._lock = lock
        self.doubtful: set[str] = set()
        """Memories of writes that failed: nobody knows how far these came."""

    def prepare(self, puts: Iterable[Put], indexing: Indexing) -> list[Prepared]:
        """Find what each put embeds, and keep the vectors of texts that did not change."""
        drafts = []
        for put in puts:
            texts = self._texts(put, indexing)
            revision = records.revision_of(texts, indexing.fingerprint)
            identity = item_id(put.namespace, put.key)
            drafts.append(
                Prepared(identity, put, tuple(texts), revision, () if not texts else None)
            )
        waiting = [draft for draft in drafts if draft.texts]
        if not waiting:
            return drafts
        kept = self._kept_vectors(waiting)
        return [
            Prepared(draft.identity, draft.put, draft.texts, draft.revision, kept[draft.identity])
            if draft.identity in kept
            else draft
            for draft in drafts
        ]

    def _texts(self, put: Put, indexing: Indexing) -> list[tuple[str, str]]:
        if indexing.embedder is None and not indexing.fingerprint:
            return []
        return records.texts_to_embed(put, indexing.fields)

    def _kept_vectors(self, drafts: Sequence[Prepared]) -> dict[str, tuple[Array, ...]]:
        old = self._gateway.read([draft.identity for draft in drafts])
        same = {
            draft.identity: vector_ids(draft.identity, len(draft.texts))
            for draft in drafts
            if draft.identity in old and old[draft.identity].entry.revision == draft.revision
        }
        if not same:
            return {}
        vectors = self._gateway.read_vectors([vid for ids in same.values() for vid in ids])
        revisions = {draft.identity: draft.revision for draft in drafts}
        return {
            identity: tuple(vectors[vid].values for vid in ids)
            for identity, ids in same.items()
            if all(vid in vectors and vectors[vid].revision == revisions[identity] for vid in ids)
        }

    @staticmethod
    def texts_wanted(prepared: Iterable[Prepared]) -> list[str]:
        """Give each distinct text that needs a vector, once."""
        return list(
            dict.fromkeys(text for one in prepared if one.known is None for _, text in one.texts)
        )

    def apply(
        self,
        prepared: Sequence[Prepared],
        deletes: Iterable[Reference],
        embedded: Mapping[str, Sequence[float]],
    ) -> None:
        """Write everything: registry, then items, then vectors; then the deletes."""
        for part in chunks(prepared, WRITE_CHUNK - 1):
            with self._lock, self._doubting([one.identity for one in part]):
                self._put(part, embedded)
        for gone in chunks(list(deletes), WRITE_CHUNK - 1):
            with self._lock:
                self.delete([item_id(*reference) for reference in gone])

    @contextmanager
    def _doubting(self, ids: Iterable[str]) -> Iterator[None]:
        try:
            yield
        except StoreError:
            self.doubtful.update(ids)
            raise

    def _put(self, part: Sequence[Prepared], embedded: Mapping[str, Sequence[float]]) -> None:
        old = self._catalog.current([one.identity for one in part])
        now = self._clock.now()
        fresh = {one.identity: self._record(one, old.get(one.identity), now) for one in part}
        vectors = list(itertools.chain.from_iterable(_vectors(one, embedded) for one in part))
        surplus = [
            vid
            for one in part
            if one.identity in old
            for vid in vector_ids(
                one.identity, old[one.identity].entry.vectors, start=len(one.texts)
            )
        ]
        self._catalog.register({one.put.namespace for one in part})
        self._catalog.put(fresh, old)
        if vectors:
            self._gateway.put_vectors(vectors)
        if surplus:
            self._gateway.delete_vectors(surplus)

    def _record(self, one: Prepared, old: Record | None, now: int) -> Record:
        put = one.put
        updated = put.updated
        if updated is None:
            updated = now if old is None else max(now, old.entry.updated + 1)
        created = put.created
        if created is None:
            created = updated if old is None else old.entry.created
        entry = Entry(
            namespace=put.namespace,
            key=put.key,
            created=created,
            updated=updated,
            ttl=put.ttl,
            expires=put.expires if put.expires is not None else expiry(now, put.ttl),
            revision=one.revision,
            vectors=len(one.texts),
        )
        return Record(entry, put.encoded, put.index)

    def delete(self, ids: Sequence[str]) -> int:
        """Delete memories with all their vectors; give how many there were."""
        old = self._catalog.current(ids)
        if not old:
            return 0
        self._catalog.delete(old)
        stale = [
            vid for one, record in old.items() for vid in vector_ids(one, record.entry.vectors)
        ]
        if stale:
            self._gateway.delete_vectors(stale)
        return len(old)


def _vectors(one: Prepared, embedded: Mapping[str, Sequence[float]]) -> list[Vector]:
    ids = vector_ids(one.identity, len(one.texts))
    if one.known is not None:
        values: Sequence[Array] = one.known
    else:
        values = [np.asarray(embedded[text], dtype=np.float32) for _, text in one.texts]
    return [
        Vector(vid, one.revision, path, row)
        for vid, (path, _), row in zip(ids, one.texts, values, strict=True)
    ]


def check_size(vectors: Sequence[Sequence[float]], dims: int | None) -> int | None:
    """Give the size of the vectors; raise EmbeddingError if it is not the store's."""
    sizes = {len(vector) for vector in vectors}
    if len(sizes) > 1:
        raise EmbeddingError(f"The embedder returned vectors of different sizes: {sorted(sizes)}.")
    size = next(iter(sizes), dims)
    if dims is not None and size != dims:
        raise EmbeddingError(
            f"The embedder returned vectors of {size} numbers and this store keeps {dims}; "
            "give the embedder the store was made with, or rebuild its vectors."
        )
    return size


def refuse_unembeddable(prepared: Iterable[Prepared], indexing: Indexing) -> None:
    """Raise when a put needs vectors that this store cannot make now."""
    if indexing.embedder is not None:
        return
    for one in prepared:
        if one.known is None:
            raise EmbedderMismatch(
                f"The text of {one.put.key!r} in {one.put.namespace!r} changed and cannot be "
                f"embedded: {indexing.off} Its old text would stay findable; write it with "
                "index=False, or open the store with its own embedder."
            )
