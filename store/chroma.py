"""ChromaStore: LangGraph's long-term memory, kept in Chroma."""

import asyncio
import concurrent.futures
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

import numpy as np
from chromadb.api import ClientAPI
from langgraph.store.base import BaseStore, IndexConfig, Op, Result, TTLConfig

from store import namespaces, operations, places
from store.catalog import Catalog
from store.errors import StoreClosed, WriteFailed
from store.expiry import Clock, Sweeper, expiry
from store.finder import Finder, Found, Scope
from store.gateway import Gateway
from store.indexing import Auto, plan_indexing
from store.inspection import Inspection
from store.likeness import settle
from store.maintenance import RepairReport, complete, repair_pending
from store.memory import (
    Entry,
    Namespace,
)
from store.namespaces import item_id
from store.opening import Opened, open_gateway
from store.operations import Batch, Search
from store.records import Record
from store.writer import Prepared, Writer, check_size, refuse_unembeddable


@dataclass(frozen=True, slots=True)
class _Work:
    """A checked batch with what has to be embedded for it."""

    batch: Batch
    prepared: list[Prepared]
    texts: list[str]
    queries: list[str]


class ChromaStore(Inspection, BaseStore):
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
        recorded = gateway.index_record
        self._indexing = settle(
            plan_indexing(index, recorded, fresh=gateway.fresh), recorded, gateway
        )
        if self._indexing.embedder is not None:
            gateway.record_index(self._indexing.record(recorded))
        self.ttl_config = ttl
        self._location = location
        # A program may end, or drop a store, without closing it: that is no accident.
        self._release = weakref.finalize(self, release) if release else None
        self._lock = threading.RLock()
        self._clock = Clock()
        self._catalog = Catalog(gateway, exclusive=exclusive)
        self._finder = Finder(gateway, self._catalog)
        self._writer = Writer(gateway, self._catalog, self._clock, self._lock)
        self._sweeper = Sweeper(self.sweep_ttl)
        self._closed = False
        self._opened: Opened | None = None
        self.repaired: RepairReport | None = None

    @classmethod
    def open(
        cls,
        location: str | os.PathLike[str] | ClientAPI,
        *,
        index: IndexConfig | Auto | None = "auto",
        name: str = "memories",
        ttl: TTLConfig | None = None,
        create: bool = True,
        progress: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Open a store in a folder, on a server (``http://host:port``) or on a Chroma client.

        A folder belongs to this store until it is closed: other openers are refused, because two
        embedded clients on one folder lose vectors. With `index` "auto" an existing store uses
        the embedder it records (`local:` and `openai:` only; otherwise search by meaning is off and
        `info` says why), and a new one gets `local:minilm` over the whole value.

        A folder that was not closed properly is repaired first: `repaired` says what was done, and
        `progress` is called with (vectors or memories done, how many there are) meanwhile.

        Raises:
            StoreNotFound: With `create=False`, where there is no store; nothing is created.
            NotAStore: The folder holds something else than Chroma's files.
            StoreLocked: The folder is open in another process, or twice in this one.
            StoreDamaged: The memories in the folder cannot be read.
            StoreUnreachable: No server answers.
            EmbedderMismatch: `index` names another embedder than the stored vectors have.
        """
        opened = open_gateway(location, name, create=create, progress=progress)
        store = cls.__new__(cls)
        try:
            store._start(
                opened.gateway,
                index,
                ttl,
                location=opened.location,
                release=opened.release,
                exclusive=opened.lock is not None,
            )
            store._opened = opened
            store.repaired = repair_pending(store, opened, progress)
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
        return self._execute(operations.check_batch(ops))

    def _execute(self, batch: Batch) -> list[Result]:
        work = self._plan(batch)
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
        if self._gateway.suspect and (batch.puts or batch.deletes):
            self._refuse_while_full()
        prepared = self._writer.prepare(batch.puts.values(), self._indexing) if batch.puts else []
        refuse_unembeddable(prepared, self._indexing)
        queries = [op.query for op in batch.searches.values() if op.query]
        if queries and self._indexing.embedder is None and not self._indexing.list_instead:
            self._indexing.require()
        return _Work(
            batch, prepared, self._writer.texts_wanted(prepared), list(dict.fromkeys(queries))
        )

    def _refuse_while_full(self) -> None:
        why = places.unwritable(self._gateway.client)
        if why is not None:
            raise WriteFailed(f"{why}; nothing was written, make room and try again.")

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
                self._gateway.record_index(self._indexing.record(self._gateway.index_record))
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

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed("This store is closed; open it again before using it.")
        if self._gateway.suspect or self._writer.doubtful:
            self._recover()

    def _recover(self) -> None:
        """After a failed write: open a folder again, and complete what was left half done."""
        if places.unwritable(self._gateway.client):
            return
        with self._lock:
            opened = self._opened
            if not self._gateway.suspect:
                complete(self)
            elif opened is None or opened.reopen is None:
                self._gateway.suspect = False
                complete(self)
            else:
                self._catalog.forget()
                opened = replace(opened, faults=opened.reopen())
                self._gateway.suspect = False
                self.repaired = repair_pending(self, opened, None)
                self._writer.doubtful.clear()
                self._gateway.failures.clear()
