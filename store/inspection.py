"""Inspection: what people's tools ask of a store beyond LangGraph's interface."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
from langgraph.store.base import InvalidNamespaceError

from store import namespaces, operations, values
from store.catalog import Catalog
from store.errors import InvalidOperation
from store.filters import check_filter
from store.finder import Finder, Scope
from store.gateway import Gateway
from store.indexing import Indexing
from store.memory import (
    Entry,
    Match,
    Memory,
    Namespace,
    Order,
    Page,
    Reference,
    StoreInfo,
    VectorTable,
)
from store.namespaces import item_id
from store.operations import Batch, Put
from store.ranking import Array
from store.records import owner_of, texts_to_embed, to_microseconds
from store.writer import Writer, check_size


class Inspection:
    """The part of `ChromaStore` that browses, counts, matches, imports and removes."""

    __slots__ = ()

    _gateway: Gateway
    _indexing: Indexing
    _location: str
    _lock: threading.RLock
    _catalog: Catalog
    _finder: Finder
    _writer: Writer

    def info(self) -> StoreInfo:
        """Say where the store is, how much it holds, and whether search by meaning works."""
        with self._lock:
            self._check_open()
            directory = self._catalog.directory()
            indexing = self._indexing
            return StoreInfo(
                location=self._location,
                name=self._gateway.name,
                memories=len(directory.entries),
                vectors=directory.vectors,
                embedder=self._gateway.index_record.get("embedder") or indexing.fingerprint or None,
                dims=indexing.dims,
                fields=indexing.fields,
                search_off=indexing.off,
            )

    def token(self) -> str:
        """Give a text that changes whenever anything stored changes; use it as a cache's key."""
        with self._lock:
            self._check_open()
            return self._catalog.token()

    def count(self, prefix: Namespace = ()) -> int:
        """Give how many memories are at or below a prefix."""
        checked = self._checked(prefix)
        with self._lock:
            self._check_open()
            return self._catalog.directory().count(checked)

    def namespace_counts(self, prefix: Namespace = ()) -> dict[Namespace, int]:
        """Give how many memories each namespace at or below a prefix holds itself."""
        checked = self._checked(prefix)
        with self._lock:
            self._check_open()
            return self._catalog.directory().counts(checked)

    def read(self, namespace: Namespace, key: str) -> Memory | None:
        """Give one memory, expired or not, without touching its expiry; None if there is none."""
        return self.read_many([(namespace, key)])[0]

    def read_many(self, references: Sequence[Reference]) -> list[Memory | None]:
        """Give memories in the order asked for, None where there is none."""
        ids = [self._identity(namespace, key) for namespace, key in references]
        self._check_open()
        found = self._gateway.read(list(dict.fromkeys(ids)))
        return [found[one].memory() if one in found else None for one in ids]

    def page(
        self,
        prefix: Namespace = (),
        *,
        own: bool = False,
        filter: Mapping[str, Any] | None = None,
        order: Order = "updated_at",
        descending: bool = True,
        limit: int = 50,
        offset: int = 0,
    ) -> Page:
        """Give one page at or below a prefix (exactly in it with `own`), and the true total.

        The order is total: ties go by namespace and key. With a filter every value is read.
        """
        scope = Scope(self._checked(prefix), own, check_filter(filter))
        operations.check_count("limit", limit)
        operations.check_count("offset", offset)
        with self._lock:
            self._check_open()
            found, total = self._finder.counted(
                scope, limit, offset, order=order, descending=descending
            )
        return Page(tuple(one.record.memory() for one in found), total)

    def entries(self, prefix: Namespace = (), *, own: bool = False) -> list[Entry]:
        """Give what is known of every memory at or below a prefix without reading any value.

        Newest change first, ties by namespace and key; costs no read once the store is warm.
        """
        checked = self._checked(prefix)
        with self._lock:
            self._check_open()
            directory = self._catalog.directory()
            return [directory.entries[one] for one in directory.ordered(checked, own=own)]

    def scan(self, prefix: Namespace = (), *, own: bool = False) -> Iterator[Memory]:
        """Give every memory at or below a prefix once, page by page, in no promised order."""
        checked = self._checked(prefix)
        with self._lock:
            self._check_open()
            ids = list(self._catalog.directory().below(checked, own=own))
        for start in range(0, len(ids), 1_000):
            self._check_open()
            for record in self._gateway.read(ids[start : start + 1_000]).values():
                yield record.memory()

    def match(
        self,
        prefix: Namespace = (),
        *,
        query: str | None = None,
        vector: Sequence[float] | None = None,
        filter: Mapping[str, Any] | None = None,
        limit: int = 10,
        offset: int = 0,
    ) -> list[Match]:
        """Give what `search(query=...)` gives, with the field that matched; TTLs stay as they are.

        `vector` in place of `query` finds what is nearest to a given embedding.

        Raises:
            SearchUnavailable: Search by meaning is off for this store.
            InvalidOperation: Neither or both of `query` and `vector` are given.
        """
        if (query is None or query == "") == (vector is None):
            raise InvalidOperation("Give a query with some text, or a vector, and not both.")
        scope = Scope(self._checked(prefix), filter=check_filter(filter))
        operations.check_count("limit", limit)
        operations.check_count("offset", offset)
        wanted = self.embed_query(query) if query else cast(Sequence[float], vector)
        check_size([wanted], self._indexing.dims)
        with self._lock:
            self._check_open()
            found = self._finder.ranked(scope, np.asarray(wanted, np.float32), limit, offset)
        return [Match(one.record.memory(), one.score, one.path) for one in found]

    def embed_query(self, text: str) -> list[float]:
        """Embed a query as `search` does.

        Raises:
            SearchUnavailable: Search by meaning is off for this store.
        """
        self._check_open()
        vector: list[float] = self._indexing.require().embed_query(text)
        return vector

    def embed_value(
        self, value: Mapping[str, Any], *, index: Sequence[str] | None = None
    ) -> list[tuple[str, list[float]]]:
        """Give (path, vector) for each vector that a put of this value would store.

        Raises:
            SearchUnavailable: Search by meaning is off for this store.
        """
        self._check_open()
        encoded = values.encode(value)
        put = Put((), "", values.decode(encoded), encoded, operations.check_index(index), None)
        texts = texts_to_embed(put, self._indexing.fields)
        vectors = self._indexing.require().embed_documents([text for _, text in texts])
        check_size(vectors, self._indexing.dims)
        return [(path, vector) for (path, _), vector in zip(texts, vectors, strict=True)]

    def vectors(
        self,
        prefix: Namespace = (),
        *,
        references: Sequence[Reference] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> VectorTable:
        """Give the stored embeddings at or below a prefix, or of the given memories.

        `progress` is called with (vectors read, vectors in all).
        """
        with self._lock:
            self._check_open()
            directory = self._catalog.directory()
            wanted: Iterable[str] = directory.ordered(self._checked(prefix))
            if references is not None:
                wanted = (item_id(*one) for one in references)
            entries = {one: directory.entries[one] for one in wanted if one in directory.entries}
        found = self._finder.vectors_of(entries, progress)
        rows = [one for one in found.values() if entries[owner_of(one.id)].revision == one.revision]
        rows.sort(key=lambda one: one.id)
        places = [entries[owner_of(one.id)] for one in rows]
        matrix: Array = np.zeros((0, self._indexing.dims or 0), np.float32)
        return VectorTable(
            references=tuple((entry.namespace, entry.key) for entry in places),
            paths=tuple(one.path for one in rows),
            revisions=tuple(one.revision for one in rows),
            matrix=np.stack([one.values for one in rows]) if rows else matrix,
        )

    def write(self, memories: Iterable[Memory], *, index: Sequence[str] | None = None) -> None:
        """Write memories with the times they carry: for import, undo and moving.

        Everything is checked before the first write. Each memory's own `index` says what of it
        is embedded; another `index` given here, as in `put`, counts for all of them.
        """
        puts: dict[Reference, Put] = {}
        for memory in memories:
            paths = memory.index if index is None else index
            put = _put_of(memory, operations.check_index(paths))
            puts[put.namespace, put.key] = put
        self._execute(Batch(size=0, puts=puts))

    def remove(self, references: Iterable[Reference]) -> int:
        """Delete memories; give how many of them existed."""
        every = (self._identity(namespace, key) for namespace, key in references)
        ids = list(dict.fromkeys(every))
        removed = 0
        for start in range(0, len(ids), 100):
            with self._lock:
                self._check_open()
                removed += self._writer.delete(ids[start : start + 100])
        return removed

    def _checked(self, prefix: Namespace) -> Namespace:
        """Check a prefix to look below; what no write could make is taken where rows have it."""
        try:
            return namespaces.check_labels(prefix)
        except InvalidNamespaceError:
            given = tuple(prefix)
            with self._lock:
                self._check_open()
                spaces = self._catalog.directory().spaces
            if any(namespaces.starts_with(one, given) for one in spaces):
                return given
            raise

    def _identity(self, namespace: Namespace, key: str) -> str:
        key = operations.check_key(key)
        try:
            return item_id(namespaces.check_labels(namespace), key)
        except InvalidNamespaceError:
            with self._lock:
                self._check_open()
                found = self._catalog.directory().find(tuple(namespace), key)
            if found is None:
                raise
            return found

    def _check_open(self) -> None:
        raise NotImplementedError

    def _execute(self, batch: Batch) -> list[Any]:
        raise NotImplementedError


def _put_of(memory: Memory, index: tuple[str, ...] | None) -> Put:
    encoded = values.encode(memory.value)
    expires, ttl = memory.expires_at, operations.check_ttl(memory.ttl_minutes)
    if ttl is None and expires is not None:
        ttl = (expires - memory.updated_at).total_seconds() / 60
    return Put(
        namespace=namespaces.check_writable(memory.namespace),
        key=operations.check_key(memory.key),
        value=values.decode(encoded),
        encoded=encoded,
        index=index,
        ttl=ttl,
        created=to_microseconds(memory.created_at),
        updated=to_microseconds(memory.updated_at),
        expires=None if expires is None else to_microseconds(expires),
    )
