"""Epochs: vectors made anew get a collection of their own, and one step lets it count."""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Self

from chromadb.api import ClientAPI
from chromadb.api.models.Collection import Collection

from store.calls import chunks
from store.ranking import Array
from store.records import Vector

SCHEMA = 1
_AT_ONCE = 200
VECTORS_INDEX: dict[str, Any] = {
    "hnsw": {"space": "cosine", "ef_construction": 200, "max_neighbors": 24, "ef_search": 200}
}


class Epochs:
    """The part of a gateway that replaces all vectors of a store.

    `epoch` counts how often that was done; the items' collection says which one counts.
    """

    client: ClientAPI
    name: str
    epoch: int
    _items: Collection
    _vectors: Collection

    def beside(self) -> Self:
        """Give the same store with the collection of vectors that would come next."""
        other = copy.copy(self)
        other.epoch = self.epoch + 1
        with self._writing("making room for new vectors"):
            other._vectors = self._collection(kind(other.epoch), VECTORS_INDEX, create=True)
        return other

    def drop_vectors(self) -> None:
        """Delete this collection of vectors as a whole."""
        self.drop_collection(self._vectors.name)

    def switch_to(self, other: Self) -> None:
        """Let the vectors of `other` count from now on, in one step, and delete those until now."""
        with self._writing("switching to the new vectors"):
            self._items.modify(metadata={"memlens_schema": SCHEMA, "memlens_epoch": other.epoch})
        old = self._vectors.name
        self.epoch, self._vectors = other.epoch, other._vectors
        self.drop_collection(old)

    def discard(
        self, name: str, rescued: Mapping[str, Array], progress: Callable[[int, int], None]
    ) -> None:
        """Delete a collection of vectors whose index cannot be read.

        If it is the current one, it begins anew with the vectors rescued from it; `progress` is
        called with (vectors written, vectors rescued).
        """
        if name != self._vectors.name:
            self.drop_collection(name)
            return
        self.beside().drop_vectors()  # What was begun there would not fit any more.
        fresh = self.beside()
        fresh.record_index(self.index_record)
        labels = [one for one in self.labels() if one[0] in rescued]
        for number, part in enumerate(chunks(labels, _AT_ONCE)):
            fresh.put_vectors([Vector(one, r, path, rescued[one]) for one, r, path in part])
            progress(number * _AT_ONCE + len(part), len(labels))
        self.switch_to(fresh)

    def other_vectors(self) -> tuple[list[str], list[str]]:
        """Give the collections of vectors that do not count any more, and those begun."""
        first = f"{self.name}_vectors"
        with self._writing("looking for collections of vectors"):
            names = [one.name for one in self.client.list_collections()]
        epochs = {
            int(name.removeprefix(first).removeprefix(".") or 0): name
            for name in names
            if name == first or name.startswith(f"{first}.")
        }
        old = [name for epoch, name in epochs.items() if epoch < self.epoch]
        return old, [name for epoch, name in epochs.items() if epoch > self.epoch]

    def drop_collection(self, name: str) -> None:
        """Delete a collection."""
        with self._writing("deleting a collection of vectors"):
            self.client.delete_collection(name)

    def labels(self) -> Iterator[tuple[str, str, str]]:
        """Give every vector's id, revision and path."""
        raise NotImplementedError

    def put_vectors(self, vectors: Sequence[Vector]) -> None:
        """Write vectors."""
        raise NotImplementedError

    @property
    def index_record(self) -> dict[str, Any]:
        """What is recorded about the embeddings: embedder, fingerprint, dims, fields."""
        raise NotImplementedError

    def record_index(self, record: Any) -> None:
        """Record what the embeddings are made with."""
        raise NotImplementedError

    def _writing(self, action: str) -> AbstractContextManager[None]:
        raise NotImplementedError

    def _collection(self, kind: str, index: dict[str, Any], *, create: bool) -> Collection:
        raise NotImplementedError


def kind(epoch: int) -> str:
    """Give what the collection of an epoch's vectors is called, after the store's name."""
    # A store's name holds no period, so this is never another store's collection.
    return f"vectors.{epoch}" if epoch else "vectors"
