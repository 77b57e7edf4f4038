"""ChromaStore: LangGraph's long-term memory, kept in Chroma."""

import asyncio
import concurrent.futures
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self, cast

import numpy as np
from chromadb.api import ClientAPI
from langgraph.store.base import BaseStore, IndexConfig, Op, PutOp, Result, TTLConfig

from store import namespaces, operations, values
from store.catalog import Catalog
from store.errors import InvalidOperation, StoreClosed
from store.expiry import Clock, Sweeper, expiry
from store.filters import check_filter
from store.finder import Finder, Found, Scope
from store.gateway import Gateway
from store.indexing import Auto, plan_indexing
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
from store.opening import open_gateway
from store.operations import Batch, Put, Search
from store.ranking import Array
from store.records import Record, owner_of, to_microseconds
from store.writer import Prepared, Writer, check_size, refuse_unembeddable


@dataclass(frozen=True, slots=True)
class _Work:
    """A checked batch with what has to be embedded for it."""

    batch: Batch
    prepared: list[Prepared]
    texts: list[str]
    queries: list[str]


class ChromaStore(BaseStore):
    """A full LangGraph store on Chroma, and what people's tools need to look inside.

    Agents use it as any `BaseStore`, sync and async, from any thread or event loop. Pass a Chroma
    client, or use `open` with a folder or a server's address.

    Args:
        client: A Chroma client: embedded, ephemeral, HTTP or cloud.
        index: LangGraph's `IndexConfig`; None for a store without search by meaning.
        name: Several stores can live beside each other in one Chroma, told apart by name.
        ttl: LangGraph's `TTLConfig`: default lifetime, refresh on read, hiding expired memories.

    Raises:
        EmbedderMismatch: The stored vectors were made by another embedder than `index` names.
    """

    supports_ttl = True

    def __init__(
        self,
        client: ClientAPI,
        *,
        index: IndexConfig | Auto | None = None,
        name: str = "memories",
        ttl: TTLConfig | None = None,
    ) -> None:
        self._start(Gateway(client, name), index, ttl)

    def _start(
        self,
        gateway: Gateway,
        index: IndexConfig | Auto | None,
        ttl: TTLConfig | None,
        *,
        location: str = "client",
        release: Callable[[], None] | None = None,
        exclusive: bool = False,
    ) -> None:
        self._gateway = gateway
        self._indexing = plan_indexing(index, gateway.index_record)
        if self._indexing.embedder is not None:
            gateway.record_index(self._indexing.record())
        self.ttl_config = ttl
        self._location = location
        self._release = release
        self._lock = threading.RLock()
        self._clock = Clock()
        self._catalog = Catalog(gateway, exclusive=exclusive)
        self._finder = Finder(gateway, self._catalog)
        self._writer = Writer(gateway, self._catalog, self._clock, self._lock)
        self._sweeper = Sweeper(self.sweep_ttl)
        self._closed = False

    @classmethod
    def open(
        cls,
        location: str | os.PathLike[str] | ClientAPI,
        *,
        index: IndexConfig | Auto | None = "auto",
        name: str = "memories",
        ttl: TTLConfig | None = None,
        create: bool = True,
    ) -> Self:
        """Open a store in a folder, on a server (``http://host:port``) or on a Chroma client.

        A folder belongs to this store until it is closed: other openers are refused, because two
        embedded clients on one folder lose vectors. With `index` "auto" an existing store uses
        the embedder it records (`local:` and `openai:` only; otherwise search by meaning is off and
        `info` says why), and a new one gets `local:minilm` over the whole value.

        Raises:
            StoreNotFound: With `create=False`, where there is no store; nothing is created.
            NotAStore: The folder holds something else than Chroma's files.
            StoreLocked: The folder is open in another process, or twice in this one.
            StoreUnreachable: No server answers.
            EmbedderMismatch: `index` names another embedder than the stored vectors have.
        """
        opened = open_gateway(location, name, create=create)
        store = cls.__new__(cls)
        try:
            store._start(
                opened.gateway,
                index,
                ttl,
                location=opened.location,
                release=opened.release,
                exclusive=opened.exclusive,
            )
        except BaseException:
            opened.release()
            raise
        return store

    def close(self) -> None:
        """Stop the sweeper and free the folder; closing twice does not matter."""
        if self._closed:
            return
        self._sweeper.stop(timeout=5)
        with self._lock:
            self._closed = True
            if self._release is not None:
                self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # --- LangGraph's interface ---------------------------------------------------------------

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations as one batch; results come in the order of the operations.

        Every operation is checked before anything is read or written, reads see the state before
        the batch, and of several puts of one key the last counts.
        """
        work = self._plan(operations.check_batch(ops))
        embedder = self._indexing.embedder
        documents: Sequence[Sequence[float]] = ()
        queries: Mapping[str, Sequence[float]] = {}
        if embedder is not None:
            documents = embedder.embed_documents(work.texts) if work.texts else ()
            queries = {query: embedder.embed_query(query) for query in work.queries}
        return self._run(work, documents, queries)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Like `batch`: the embedder is awaited, Chroma is called in a thread."""
        work = await asyncio.to_thread(self._plan, operations.check_batch(ops))
        embedder = self._indexing.embedder
        documents: Sequence[Sequence[float]] = ()
        queries: Mapping[str, Sequence[float]] = {}
        if embedder is not None:
            documents = await embedder.aembed_documents(work.texts) if work.texts else ()
            found = await asyncio.gather(*map(embedder.aembed_query, work.queries))
            queries = dict(zip(work.queries, found, strict=True))
        return await asyncio.to_thread(self._run, work, documents, queries)

    def _plan(self, batch: Batch) -> _Work:
        self._check_open()
        prepared = self._writer.prepare(batch.puts.values(), self._indexing) if batch.puts else []
        refuse_unembeddable(prepared, self._indexing)
        queries = [op.query for op in batch.searches.values() if op.query]
        if queries and self._indexing.embedder is None and not self._indexing.list_instead:
            self._indexing.require()
        return _Work(
            batch, prepared, self._writer.texts_wanted(prepared), list(dict.fromkeys(queries))
        )

    def _run(
        self,
        work: _Work,
        documents: Sequence[Sequence[float]],
        queries: Mapping[str, Sequence[float]],
    ) -> list[Result]:
        dims = check_size([*documents, *queries.values()], self._indexing.dims)
        batch = work.batch
        results: list[Result] = [None] * batch.size
        if batch.gets or batch.searches or batch.listings:
            with self._lock:
                self._check_open()
                self._read(batch, queries, results)
        if batch.puts or batch.deletes:
            self._check_open()
            if dims is not None and dims != self._indexing.dims:
                self._indexing = self._indexing.with_dims(dims)
                self._gateway.record_index(self._indexing.record())
            embedded = dict(zip(work.texts, documents, strict=True))
            self._writer.apply(work.prepared, batch.deletes, embedded)
        return results

    def _read(
        self, batch: Batch, queries: Mapping[str, Sequence[float]], results: list[Result]
    ) -> None:
        now = self._clock.now()
        hidden = now if (self.ttl_config or {}).get("omit_expired") else None
        returned: dict[str, Record] = {}
        if batch.gets:
            ids = {place: item_id(op.namespace, op.key) for place, op in batch.gets.items()}
            found = self._gateway.read(list(dict.fromkeys(ids.values())))
            for place, identity in ids.items():
                record = found.get(identity)
                if record is None or (hidden is not None and record.entry.expired(hidden)):
                    continue
                results[place] = record.item()
                if batch.gets[place].refresh:
                    returned[identity] = record
        for place, op in batch.searches.items():
            hits = self._search(op, queries, hidden)
            results[place] = [hit.record.search_item(hit.score) for hit in hits]
            if op.refresh:
                returned.update((hit.identity, hit.record) for hit in hits)
        for place, listing in batch.listings.items():
            results[place] = namespaces.select(
                self._namespaces(hidden),
                listing.conditions,
                max_depth=listing.max_depth,
                limit=listing.limit,
                offset=listing.offset,
            )
        self._refresh(returned, now)

    def _search(
        self, op: Search, queries: Mapping[str, Sequence[float]], hidden: int | None
    ) -> list[Found]:
        scope = Scope(op.prefix, filter=op.filter, hidden_before=hidden)
        if op.query and op.query in queries:
            vector = np.asarray(queries[op.query], dtype=np.float32)
            return self._finder.ranked(scope, vector, op.limit, op.offset)
        return self._finder.listing(scope, op.limit, op.offset) if op.limit else []

    def _namespaces(self, hidden: int | None) -> Iterable[Namespace]:
        if hidden is None:
            return self._catalog.names()
        entries = self._catalog.directory().entries.values()
        return {entry.namespace for entry in entries if not entry.expired(hidden)}

    def _refresh(self, returned: Mapping[str, Record], now: int) -> None:
        """Move the expiry of what was read; a memory that has expired is not revived."""
        fresh: dict[str, Entry] = {
            identity: replace(record.entry, expires=expiry(now, record.entry.ttl))
            for identity, record in returned.items()
            if record.entry.ttl is not None and not record.entry.expired(now)
        }
        if fresh:
            self._catalog.refresh(fresh)

    # --- expiry ------------------------------------------------------------------------------

    def sweep_ttl(self) -> int:
        """Delete every memory whose time is over; give how many."""
        with self._lock:
            self._check_open()
            now = self._clock.now()
            entries = self._catalog.directory().entries
            over = [one for one, entry in entries.items() if entry.expired(now)]
            return sum(
                self._writer.delete(over[start : start + 100]) for start in range(0, len(over), 100)
            )

    def start_ttl_sweeper(
        self, sweep_interval_minutes: float | None = None
    ) -> concurrent.futures.Future[None]:
        """Sweep every so many minutes (else `ttl["sweep_interval_minutes"]`, else 5) in a thread.

        Without a TTL configuration nothing starts and the future is done. Cancelling the future
        stops the sweeper.
        """
        self._check_open()
        if not self.ttl_config:
            idle: concurrent.futures.Future[None] = concurrent.futures.Future()
            idle.set_result(None)
            return idle
        minutes = sweep_interval_minutes or self.ttl_config.get("sweep_interval_minutes") or 5
        return self._sweeper.start(float(minutes))

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Stop the sweeper; tell whether it stopped within `timeout` seconds (None waits)."""
        return self._sweeper.stop(timeout)

    # --- what people's tools need ------------------------------------------------------------

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
        checked = namespaces.check_labels(prefix)
        with self._lock:
            self._check_open()
            return self._catalog.directory().count(checked)

    def namespace_counts(self, prefix: Namespace = ()) -> dict[Namespace, int]:
        """Give how many memories each namespace at or below a prefix holds itself."""
        checked = namespaces.check_labels(prefix)
        with self._lock:
            self._check_open()
            return self._catalog.directory().counts(checked)

    def read(self, namespace: Namespace, key: str) -> Memory | None:
        """Give one memory, expired or not, without touching its expiry; None if there is none."""
        return self.read_many([(namespace, key)])[0]

    def read_many(self, references: Sequence[Reference]) -> list[Memory | None]:
        """Give memories in the order asked for, None where there is none."""
        ids = [
            item_id(namespaces.check_labels(namespace), operations.check_key(key))
            for namespace, key in references
        ]
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
        scope = Scope(namespaces.check_labels(prefix), own, check_filter(filter))
        operations.check_count("limit", limit)
        operations.check_count("offset", offset)
        with self._lock:
            self._check_open()
            found, total = self._finder.counted(
                scope, limit, offset, order=order, descending=descending
            )
        return Page(tuple(one.record.memory() for one in found), total)

    def scan(self, prefix: Namespace = (), *, own: bool = False) -> Iterator[Memory]:
        """Give every memory at or below a prefix once, page by page, in no promised order."""
        checked = namespaces.check_labels(prefix)
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
        scope = Scope(namespaces.check_labels(prefix), filter=check_filter(filter))
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
            wanted: Iterable[str] = directory.ordered(namespaces.check_labels(prefix))
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

        Everything is checked before the first write; `index` as in `put`.
        """
        puts: dict[Reference, Put] = {}
        for memory in memories:
            put = _put_of(memory, operations.check_index(index))
            puts[put.namespace, put.key] = put
        batch = Batch(size=0, puts=puts)
        work = self._plan(batch)
        documents: Sequence[Sequence[float]] = ()
        if work.texts:
            documents = self._indexing.require().embed_documents(work.texts)
        self._run(work, documents, {})

    def remove(self, references: Iterable[Reference]) -> int:
        """Delete memories; give how many of them existed."""
        checked = operations.check_batch(
            PutOp(namespace, key, None) for namespace, key in references
        )
        ids = [item_id(*reference) for reference in checked.deletes]
        removed = 0
        for start in range(0, len(ids), 100):
            with self._lock:
                self._check_open()
                removed += self._writer.delete(ids[start : start + 100])
        return removed

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed("This store is closed; open it again before using it.")


def _put_of(memory: Memory, index: tuple[str, ...] | None) -> Put:
    encoded = values.encode(memory.value)
    expires = memory.expires_at
    return Put(
        namespace=namespaces.check_writable(memory.namespace),
        key=operations.check_key(memory.key),
        value=values.decode(encoded),
        encoded=encoded,
        index=index,
        ttl=operations.check_ttl(memory.ttl_minutes),
        created=to_microseconds(memory.created_at),
        updated=to_microseconds(memory.updated_at),
        expires=None if expires is None else to_microseconds(expires),
    )
