"""Epochs: vectors made anew get a collection of their own, and one step lets it count."""

import copy
from contextlib import AbstractContextManager
from typing import Any, Self

from chromadb.api import ClientAPI
from chromadb.api.models.Collection import Collection

SCHEMA = 1
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
        self._drop(self._vectors.name)

    def switch_to(self, other: Self) -> None:
        """Let the vectors of `other` count from now on, in one step, and delete those until now."""
        with self._writing("switching to the new vectors"):
            self._items.modify(metadata={"memlens_schema": SCHEMA, "memlens_epoch": other.epoch})
        old = self._vectors.name
        self.epoch, self._vectors = other.epoch, other._vectors
        self._drop(old)

    def discard(self, name: str) -> None:
        """Delete a collection of vectors that cannot be read; begin anew if it is the current."""
        if name != self._vectors.name:
            self._drop(name)
            return
        self.beside().drop_vectors()  # What was begun there would not fit any more.
        fresh = self.beside()
        fresh.record_index(self.index_record)
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

    def _drop(self, name: str) -> None:
        with self._writing("deleting a collection of vectors"):
            self.client.delete_collection(name)

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
