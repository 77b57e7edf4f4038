"""The only place that calls Chroma: three collections, read and written in lawful chunks.

Chroma keeps embeddings for every record. Items carry a one-dimensional constant, so their index
costs next to nothing and their data survive any loss of the vectors' index.
"""

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from chromadb.api import ClientAPI
from chromadb.api.models.Collection import Collection
from chromadb.errors import NotFoundError

from store import namespaces, places
from store.calls import chunks, plain_errors
from store.epochs import SCHEMA, VECTORS_INDEX, Epochs, kind
from store.errors import (
    NotAStore,
    StoreDamaged,
    StoreNotFound,
    WriteFailed,
)
from store.memory import Namespace
from store.records import Near, Record, Vector, read_item, write_item

READ_CHUNK = 2_000
WRITE_CHUNK = 200
"""An upsert holds the interpreter's lock: 200 vectors stop all other threads for a quarter of a
second. Fewer would cost more: each call reads again what was logged since an index was saved last.
"""
MARK_IDS = [f"~{slot:x}" for slot in range(16)]
_POINT = [0.0]
ITEMS_INDEX: dict[str, Any] = {
    "hnsw": {"space": "l2", "ef_construction": 8, "max_neighbors": 4, "ef_search": 8}
}

Array = npt.NDArray[np.float32]
_Items = tuple[list[str], Sequence[Mapping[str, Any]]]


class Gateway(Epochs):
    """The collections of one store, and every call made to them.

    `failures` lists the writes that failed: what they left behind has to be looked at. `fresh`
    says that the store was created by opening it.
    """

    def __init__(self, client: ClientAPI, name: str, *, create: bool = True) -> None:
        self.name = name
        self.fresh = False
        self.failures: list[str] = []
        self.suspect = False
        self.attach(client, create=create)

    def attach(self, client: ClientAPI, *, create: bool = False) -> None:
        """Use this client from now on."""
        self.client = client
        with plain_errors(f"opening the store {self.name!r}"):
            self._items = self._collection("items", ITEMS_INDEX, create=create)
            self.epoch = int(str((self._items.metadata or {}).get("memlens_epoch", 0)))
            self._vectors = self._collection(kind(self.epoch), VECTORS_INDEX, create=create)
            self._names = self._collection("namespaces", ITEMS_INDEX, create=create)
            self._write_chunk = min(WRITE_CHUNK, client.get_max_batch_size())
        self._check_schema()

    @contextmanager
    def _writing(self, action: str) -> Iterator[None]:
        try:
            with plain_errors(action):
                yield
        except BaseException as exc:
            self.failures.append(action)
            self.suspect = True
            if isinstance(exc, WriteFailed) and (why := places.unwritable(self.client)):
                raise WriteFailed(
                    f"{why}: {action} failed, and what was stored before is safe; change that, "
                    "then try again."
                ) from exc
            raise

    def _collection(self, kind: str, index: dict[str, Any], *, create: bool) -> Collection:
        # Never get_or_create: it silently keeps another configuration. No embedding function:
        # Chroma's default one downloads a model, and a stored one would be run as written.
        name = f"{self.name}_{kind}"
        try:
            return self.client.get_collection(name, embedding_function=None)
        except NotFoundError as exc:
            if not create and kind == "items":
                raise StoreNotFound(f"There is no store named {self.name!r}.") from exc
        self.fresh = self.fresh or kind == "items"
        return self.client.create_collection(
            name,
            embedding_function=None,
            configuration=cast(Any, index),
            metadata={"memlens_schema": SCHEMA},
            get_or_create=False,
        )

    def _check_schema(self) -> None:
        found = (self._items.metadata or {}).get("memlens_schema")
        if found != SCHEMA:
            raise NotAStore(
                f"The collection {self._items.name!r} has layout {found!r} and this version reads "
                f"layout {SCHEMA}; open it with the version that wrote it, or choose another name."
            )

    # --- items -------------------------------------------------------------------------------

    def read(self, ids: Sequence[str]) -> dict[str, Record]:
        """Give the records there are among `ids`."""
        found: dict[str, Record] = {}
        for part in chunks(ids, READ_CHUNK):
            found.update(self._records(self._get_items(ids=list(part))))
        return found

    def read_with_marks(self, ids: Sequence[str]) -> tuple[dict[str, Record], dict[str, str]]:
        """Give the records among `ids` and every writer's mark, from one call where it fits."""
        first, rest = ids[: READ_CHUNK - len(MARK_IDS)], ids[READ_CHUNK - len(MARK_IDS) :]
        answer = self._get_items(ids=[*first, *MARK_IDS])
        found = dict(self._records(answer))
        found.update(self.read(rest))
        return found, _marks(answer)

    def marks(self) -> dict[str, str]:
        """Give every writer's mark: they change with each write, from any process."""
        return _marks(self._get_items(ids=MARK_IDS))

    def below(self, prefix: Namespace, limit: int) -> dict[str, Record]:
        """Give at most `limit` records at or below a prefix, in no order."""
        where = {f"p{len(prefix)}": namespaces.prefix_token(prefix)}
        return dict(self._records(self._get_items(where=where, limit=limit)))

    def holds_any(self, namespace: Namespace) -> bool:
        """Tell whether a namespace itself, not a descendant, holds a memory."""
        own = namespaces.digest(namespace)
        where: Any = {f"p{len(namespace)}": namespaces.prefix_token(namespace)}
        with plain_errors("looking whether a namespace is empty"):
            first = self._items.get(where=where, limit=20, include=[])["ids"]
            if len(first) == 20 and not any(one.startswith(own) for one in first):
                first = self._items.get(where=where, include=[])["ids"]
        return any(one.startswith(own) for one in first)

    def ids(self) -> list[str]:
        """Give the id of every memory."""
        with plain_errors("listing the memories"):
            return [one for one in self._items.get(include=[])["ids"] if not one.startswith("~")]

    def scan(self) -> Iterator[dict[str, Record]]:
        """Give every record once, page by page."""
        for part in chunks(self.ids(), READ_CHUNK):
            yield dict(self._records(self._get_items(ids=list(part))))

    def raw_items(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Give every row as it is stored, also those that are no memory of ours."""
        for part in chunks(self.ids(), READ_CHUNK):
            yield from zip(*self._get_items(ids=list(part)), strict=True)

    def whole_items(self, ids: Sequence[str]) -> list[tuple[str, Any, str | None]]:
        """Give the id, metadata and document of rows, whatever they are."""
        with plain_errors("reading rows"):
            answer = self._items.get(ids=list(ids), include=["metadatas", "documents"])
        documents, metadatas = answer["documents"] or [], answer["metadatas"] or []
        return list(zip(answer["ids"], metadatas, documents, strict=True))

    def _get_items(self, **query: Any) -> _Items:
        with plain_errors("reading memories"):
            answer = self._items.get(**query, include=["metadatas"])
        return answer["ids"], answer["metadatas"] or []

    def _records(self, answer: _Items) -> Iterator[tuple[str, Record]]:
        for identity, metadata in zip(*answer, strict=True):
            if identity.startswith("~") or "v" not in metadata:  # a mark, or a stranger's
                continue
            try:
                record = read_item(metadata, self.epoch)
            except (KeyError, ValueError, TypeError) as exc:
                raise StoreDamaged(
                    f"The record {identity!r} of the store {self.name!r} is not written as this "
                    "version writes memories; 'memlens check' lists what is wrong."
                ) from exc
            yield identity, record

    def put_items(
        self,
        records: Mapping[str, Record],
        mark: tuple[str, str] | None,
        *,
        expiring: Container[str] = (),
    ) -> None:
        """Write records, and the writer's mark with the last of them in the same atomic call.

        `expiring` names those among them that had an expiry until now.
        """
        ids = list(records)
        metadatas: list[Mapping[str, Any]] = [
            write_item(record, expired_before=one in expiring) for one, record in records.items()
        ]
        if mark is not None:
            ids.append(mark[0])
            metadatas.append({"v": mark[1]})
        for start in range(0, len(ids), self._write_chunk):
            part = ids[start : start + self._write_chunk]
            with self._writing("writing memories"):
                self._items.upsert(
                    ids=part,
                    embeddings=cast(Any, [_POINT] * len(part)),
                    metadatas=cast(Any, metadatas[start : start + self._write_chunk]),
                )

    def put_mark(self, mark: tuple[str, str]) -> None:
        """Write a mark alone."""
        self.put_items({}, mark)

    def put_notes(self, notes: Mapping[str, Mapping[str, Any]]) -> None:
        """Add notes to items; what else is stored of them stays."""
        for part in chunks(list(notes.items()), self._write_chunk):
            with self._writing("noting the new vectors"):
                self._items.update(
                    ids=[one for one, _ in part], metadatas=[dict(note) for _, note in part]
                )

    def put_expiries(self, expiries: Mapping[str, int]) -> None:
        """Change only when memories expire."""
        for part in chunks(list(expiries), self._write_chunk):
            with self._writing("refreshing when memories expire"):
                self._items.update(
                    ids=list(part), metadatas=[{"x": float(expiries[one])} for one in part]
                )

    def delete_items(self, ids: Sequence[str]) -> None:
        """Remove items; those that are not there do not matter."""
        self._delete(self._items, ids, "deleting memories")

    # --- vectors -----------------------------------------------------------------------------

    def put_vectors(
        self,
        vectors: Sequence[Vector],
    ) -> None:
        """Write vectors under their ids."""
        for part in chunks(vectors, self._write_chunk):
            with self._writing("writing vectors"):
                self._vectors.upsert(
                    ids=[one.id for one in part],
                    embeddings=cast(Any, np.stack([one.values for one in part])),
                    metadatas=[{"r": one.revision, "f": one.path} for one in part],
                )

    def delete_vectors(self, ids: Sequence[str]) -> None:
        """Remove vectors; those that are not there do not matter."""
        self._delete(self._vectors, ids, "deleting vectors")

    def read_vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Give the vectors there are among `ids`."""
        found: dict[str, Vector] = {}
        for part in chunks(ids, READ_CHUNK):
            with plain_errors("reading vectors"):
                answer = self._vectors.get(ids=list(part), include=["embeddings", "metadatas"])
            found.update(_vectors(answer["ids"], answer["metadatas"], answer["embeddings"]))
        return found

    def revisions(self) -> Iterator[tuple[str, str]]:
        """Give every vector's id and revision, without reading the vectors."""
        return ((one, revision) for one, revision, _ in self.labels())

    def labels(self) -> Iterator[tuple[str, str, str]]:
        """Give every vector's id, revision and path, also where the index cannot be read."""
        with plain_errors("listing vectors"):
            ids = self._vectors.get(include=[])["ids"]
        for part in chunks(ids, READ_CHUNK):
            with plain_errors("listing vectors"):
                answer = self._vectors.get(ids=list(part), include=["metadatas"])
            for one, metadata in zip(answer["ids"], answer["metadatas"] or (), strict=True):
                yield one, str(metadata.get("r", "")), str(metadata.get("f", ""))

    def some_vectors(self, limit: int) -> list[Vector]:
        """Give a few vectors, any."""
        with plain_errors("reading vectors"):
            answer = self._vectors.get(limit=limit, include=["embeddings", "metadatas"])
        found = _vectors(answer["ids"], answer["metadatas"], answer["embeddings"])
        return list(found.values())

    def nearest(self, vector: Array, limit: int) -> list[Near]:
        """Give about the `limit` nearest vectors, as the index finds them, nearest first."""
        with plain_errors("searching"):
            answer = self._vectors.query(
                query_embeddings=cast(Any, vector[None, :]),
                n_results=limit,
                include=["distances", "metadatas"],
            )
        rows = zip(
            answer["ids"][0],
            (answer["metadatas"] or [[]])[0],
            (answer["distances"] or [[]])[0],
            strict=True,
        )
        return [Near(one, str(meta["r"]), str(meta["f"]), 1 - gap) for one, meta, gap in rows]

    def vector_count(self) -> int:
        """Give the number of stored vectors."""
        with plain_errors("counting vectors"):
            return self._vectors.count()

    def _delete(self, collection: Collection, ids: Sequence[str], action: str) -> None:
        for part in chunks(ids, self._write_chunk):
            with self._writing(action):
                collection.delete(ids=list(part))

    # --- the registry of namespaces ----------------------------------------------------------

    def names(self) -> set[Namespace]:
        """Give every registered namespace."""
        with plain_errors("listing namespaces"):
            ids = self._names.get(include=[])["ids"]
            found: set[Namespace] = set()
            for part in chunks(ids, READ_CHUNK):
                metadatas = self._names.get(ids=list(part), include=["metadatas"])["metadatas"]
                found.update(tuple(json.loads(str(one["v"]))) for one in metadatas or [])
        return found

    def add_names(self, wanted: Iterable[Namespace]) -> None:
        """Register namespaces."""
        for part in chunks(list(wanted), self._write_chunk):
            with self._writing("registering namespaces"):
                self._names.upsert(
                    ids=[namespaces.digest(one) for one in part],
                    embeddings=cast(Any, [_POINT] * len(part)),
                    metadatas=[{"v": json.dumps(one, ensure_ascii=False)} for one in part],
                )

    def drop_names(self, unwanted: Iterable[Namespace]) -> None:
        """Take namespaces out of the registry."""
        self._delete(
            self._names, [namespaces.digest(one) for one in unwanted], "unregistering namespaces"
        )

    # --- what the store says of itself -------------------------------------------------------

    @property
    def index_record(self) -> dict[str, Any]:
        """What is recorded about the embeddings: embedder, fingerprint, dims, fields."""
        return json.loads(str((self._vectors.metadata or {}).get("memlens_index", "{}"))) or {}

    def record_index(self, record: Mapping[str, Any]) -> None:
        """Record what the embeddings are made with."""
        if dict(record) == self.index_record:
            return
        with self._writing("recording the embedder"):
            self._vectors.modify(
                metadata={"memlens_schema": SCHEMA, "memlens_index": json.dumps(record)}
            )


def index_of(collection: str) -> Any:
    """Give how a collection of a store is indexed, by its name."""
    return VECTORS_INDEX if collection.rpartition("_")[2].startswith("vectors") else ITEMS_INDEX


def _marks(answer: _Items) -> dict[str, str]:
    return {
        identity: str(metadata["v"])
        for identity, metadata in zip(*answer, strict=True)
        if identity.startswith("~")
    }


def _vectors(ids: Sequence[str], metadatas: Any, embeddings: Any) -> dict[str, Vector]:
    rows = np.asarray(embeddings, dtype=np.float32) if len(ids) else ()
    return {
        identity: Vector(identity, str(meta["r"]), str(meta["f"]), row)
        for identity, meta, row in zip(ids, metadatas or (), rows, strict=True)
    }
