"""Another embedder for a store: its vectors are made beside the old ones, then take their place."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from langgraph.store.base import IndexConfig

from store import places
from store.calls import chunks
from store.chroma import ChromaStore
from store.gateway import Gateway
from store.indexing import Indexing, plan_indexing
from store.maintenance import repair
from store.records import Record, read_item, record_texts, revision_of, vector_ids, write_next
from store.vectorizing import vectors_of

Progress = Callable[[int, int], None]

_AT_ONCE = 200
_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """What came of it: `embedded` counts memories embedded now, not those of a run before.

    `stopped` says that it was asked to stop; the old vectors count still, and the same call again
    continues.
    """

    memories: int
    embedded: int
    embedder: str
    dims: int | None
    fields: tuple[str, ...]
    stopped: bool = False


def reindex(
    location: str | os.PathLike[str],
    *,
    index: IndexConfig,
    name: str = "memories",
    progress: Progress | None = None,
    should_stop: Callable[[], bool] = bool,
) -> ReindexReport:
    """Make all vectors of a store anew with another embedder, or of other fields.

    Search keeps working with the old vectors until the new ones are complete; then they count in
    one step. Without `fields` in `index` the store keeps its own. A memory that was put with an
    `index` of its own keeps that. On a server, other processes have to open the store again
    afterwards; what they write meanwhile is embedded too.

    Raises:
        StoreNotFound: There is no such store.
        StoreLocked: The folder is in use; stop its user, or serve it and name the server.
        EmbeddingError: The embedder failed; the same call again continues.
    """
    with ChromaStore.open(location, index=None, name=name, create=False) as store:
        work = _Reindexing(store._gateway, index)
        report = work.run(progress, should_stop)
    if places.is_server(os.fspath(location)) and not report.stopped:
        # What another process wrote right before the switch has the old vectors.
        with ChromaStore.open(location, index=work.index, name=name, create=False) as store:
            repair(store)
    return report


class _Reindexing:
    def __init__(self, gateway: Gateway, index: IndexConfig) -> None:
        recorded = gateway.index_record
        wanted: Any = {"fields": recorded.get("fields"), **index}
        self._gateway = gateway
        self._indexing: Indexing = plan_indexing(wanted, {})
        self._next = self._begin()
        self._done = dict(self._next.revisions())
        self._embedded = 0

    @property
    def index(self) -> IndexConfig:
        """What the store is opened with from now on."""
        return {
            "embed": self._indexing.require(),
            "dims": self._indexing.dims,  # type: ignore[typeddict-item]  # None: not known yet
            "fields": list(self._indexing.fields),
        }

    def _begin(self) -> Gateway:
        """Continue what was begun with this embedder and these fields, and with nothing else."""
        begun = self._gateway.beside()
        record, wanted = begun.index_record, self._indexing.record({})
        if record and any(record.get(key) != wanted[key] for key in ("fingerprint", "fields")):
            begun.drop_vectors()
            begun = self._gateway.beside()
        begun.record_index({**wanted, "dims": wanted["dims"] or record.get("dims")})
        return begun

    def run(self, progress: Progress | None, should_stop: Callable[[], bool]) -> ReindexReport:
        for _ in range(_ROUNDS):
            before = self._embedded
            for done, total in self._pass():
                if progress is not None:
                    progress(done, total)
                if should_stop():
                    return self._report(total, stopped=True)
            if self._embedded == before:
                break  # Nobody wrote during this round.
        memories = self._note_and_tidy()
        self._gateway.switch_to(self._next)
        return self._report(memories)

    def _pass(self) -> Iterator[tuple[int, int]]:
        """Embed what is not embedded yet; give how far it came after each part."""
        ids = self._gateway.ids()
        for number, part in enumerate(chunks(ids, _AT_ONCE)):
            records = self._gateway.read(part)
            self._embed(
                {one: record for one, record in records.items() if self._lacks(one, record)}
            )
            yield number * _AT_ONCE + len(part), len(ids)

    def _lacks(self, identity: str, record: Record) -> bool:
        revision, count = self._wanted(record)
        return any(self._done.get(one) != revision for one in vector_ids(identity, count))

    def _wanted(self, record: Record) -> tuple[str, int]:
        texts = record_texts(record, self._indexing.fields)
        return revision_of(texts, self._indexing.fingerprint), len(texts)

    def _embed(self, records: Mapping[str, Record]) -> None:
        if not records:
            return
        vectors, self._indexing = vectors_of(records, self._indexing)
        self._next.record_index(self._indexing.record({}))
        self._next.put_vectors(vectors)
        self._done |= {one.id: one.revision for one in vectors}
        self._embedded += len(records)

    def _note_and_tidy(self) -> int:
        """Note with each memory what its vectors are from the switch on; drop those of nobody."""
        nobodys, count, notes = set(self._done), 0, dict[str, dict[str, Any]]()
        for identity, metadata in self._gateway.raw_items():
            if "v" not in metadata:
                continue
            record = read_item(metadata, self._gateway.epoch)
            revision, vectors = self._wanted(record)
            nobodys.difference_update(vector_ids(identity, vectors))
            notes[identity] = write_next(metadata, self._next.epoch, revision, vectors)
            count += 1
        self._gateway.put_notes(notes)
        self._next.delete_vectors(sorted(nobodys))
        return count

    def _report(self, memories: int, *, stopped: bool = False) -> ReindexReport:
        embedder = self._indexing.require()
        return ReindexReport(
            memories,
            self._embedded,
            embedder.name,
            self._indexing.dims,
            self._indexing.fields,
            stopped,
        )
