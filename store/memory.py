"""What a store holds, as plain values: memories, pages, matches, vectors."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Namespace = tuple[str, ...]
"""Labels from the root down, for example ``("users", "42", "preferences")``."""

Reference = tuple[Namespace, str]
"""Where one memory is: its namespace and its key."""

Order = Literal["updated_at", "created_at", "expires_at", "namespace", "key"]
"""What a page can be ordered by without reading any value."""


@dataclass(frozen=True, slots=True)
class Memory:
    """One stored memory.

    `created_at`, `updated_at` and `expires_at` are timezone-aware UTC; `expires_at` and
    `ttl_minutes` are None for a memory that never expires. `vectors` counts the embeddings
    kept for it: 0 means that search by meaning cannot find it. `index` is None when the store's
    own fields are embedded, else the paths that its put named, none for `index=False`.
    """

    namespace: Namespace
    key: str
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None
    ttl_minutes: float | None = None
    vectors: int = 0
    revision: str = ""
    index: tuple[str, ...] | None = None

    @property
    def reference(self) -> Reference:
        """Where it is kept: (namespace, key)."""
        return self.namespace, self.key


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of a memory without reading its value.

    `created`, `updated` and `expires` are microseconds since 1970 UTC; `vectors` counts its
    embeddings and `revision` names what they were made of.
    """

    namespace: Namespace
    key: str
    created: int
    updated: int
    ttl: float | None
    expires: int | None
    revision: str
    vectors: int

    @property
    def reference(self) -> Reference:
        """Where it is kept: (namespace, key)."""
        return self.namespace, self.key

    def expired(self, now: int) -> bool:
        """Tell whether its time is over."""
        return self.expires is not None and self.expires <= now


@dataclass(frozen=True, slots=True)
class Page:
    """One page of memories, and how many there are in all."""

    memories: tuple[Memory, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Match:
    """A memory found by a query; `score` is cosine similarity in [-1, 1].

    A memory without vectors has `score` None; `path` names the field that matched best.
    """

    memory: Memory
    score: float | None
    path: str | None


@dataclass(frozen=True, slots=True)
class VectorTable:
    """Stored embeddings: row i of `matrix` (n, dims; float32) is `paths[i]` of `references[i]`."""

    references: tuple[Reference, ...]
    paths: tuple[str, ...]
    revisions: tuple[str, ...]
    matrix: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """What a store is: where, how much, and whether search by meaning works.

    `search_off` is None when it works, else one sentence that says why not and what to do.
    """

    location: str
    name: str
    memories: int
    vectors: int
    embedder: str | None
    dims: int | None
    fields: tuple[str, ...]
    search_off: str | None
    extra: Mapping[str, Any] | None = None
