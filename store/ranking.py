"""Ranking: exact cosine scores and one total order, in plain numpy."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from store.gateway import Vector
from store.memory import Entry, Namespace
from store.records import owner_of

_DIGITS = 6
"""Scores are compared to this many digits, so that rounding noise never decides an order."""

Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory's best score over its vectors, and the field it came from."""

    identity: str
    score: float
    path: str


def normalise(vector: Iterable[float] | Array) -> Array:
    """Scale to length one; a zero vector stays zero."""
    array: Array = np.asarray(vector, dtype=np.float32)
    length = float(np.linalg.norm(array))
    return array if length == 0 else (array / length).astype(np.float32)


def cosines(query: Array, matrix: Array) -> Array:
    """Give the cosine similarity of each row with the query; 0.0 where either is zero."""
    lengths = np.linalg.norm(matrix, axis=1)
    lengths[lengths == 0] = 1
    scores = (matrix @ normalise(query)) / lengths
    clipped: Array = np.clip(scores, -1.0, 1.0).astype(np.float32)
    return clipped


def best_hits(
    query: Array, vectors: Mapping[str, Vector], entries: Mapping[str, Entry]
) -> list[Hit]:
    """Score vectors and give one hit a memory, best first, ties by namespace and key.

    Vectors of memories not in `entries`, or left behind by an earlier revision, do not count.
    """
    valid = [
        one
        for one in vectors.values()
        if (entry := entries.get(owner_of(one.id))) is not None and entry.revision == one.revision
    ]
    if not valid:
        return []
    scores = cosines(query, np.stack([one.values for one in valid]))
    best: dict[str, Hit] = {}
    for one, raw in zip(valid, scores.tolist(), strict=True):
        score, owner = round(raw, _DIGITS), owner_of(one.id)
        if owner not in best or score > best[owner].score:
            best[owner] = Hit(owner, score, one.path)
    return sorted(best.values(), key=lambda hit: (-hit.score, _place(entries[hit.identity])))


def _place(entry: Entry) -> tuple[Namespace, str]:
    return entry.namespace, entry.key
