"""Ranking: exact cosine scores and one total order, in plain numpy."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from store.memory import Entry, Namespace

_DIGITS = 6
"""Scores are compared to this many digits, so that rounding noise never decides an order."""

_FIRST = 1_000

Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory's best score over its vectors, and the field it came from."""

    identity: str
    score: float
    path: str


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of vectors: row i belongs to memory `owners[i]` and field `paths[i]`."""

    owners: Sequence[str]
    paths: Sequence[str]
    scores: Array


def normalise(vector: Iterable[float] | Array) -> Array:
    """Scale to length one; a zero vector stays zero."""
    array: Array = np.asarray(vector, dtype=np.float32)
    length = float(np.linalg.norm(array))
    return array if length == 0 else (array / length).astype(np.float32)


def best_hits(scored: Scored, entries: Mapping[str, Entry]) -> Iterator[Hit]:
    """Give one hit a memory, best first, ties by namespace and key; only what is asked for."""
    scores = np.round(np.nan_to_num(scored.scores), _DIGITS)
    seen: set[str] = set()
    for score, rows in groupby(_best_first(scores), scores.__getitem__):
        level: dict[str, str] = {}
        for row in rows:
            owner = scored.owners[row]
            if owner not in seen:
                level.setdefault(owner, scored.paths[row])
        seen.update(level)
        for owner in sorted(level, key=lambda one: _place(entries[one])):
            yield Hit(owner, round(float(score), _DIGITS), level[owner])


def _best_first(scores: Array) -> Iterator[int]:
    """Give the rows by falling score; the first ones without sorting all."""
    if len(scores) > 2 * _FIRST:
        edge = np.partition(scores, -_FIRST)[-_FIRST]
        above, below = np.flatnonzero(scores >= edge), np.flatnonzero(scores < edge)
    else:
        above, below = np.arange(len(scores)), np.arange(0)
    for rows in (above, below):
        yield from rows[np.argsort(-scores[rows], kind="stable")].tolist()


def _place(entry: Entry) -> tuple[Namespace, str]:
    return entry.namespace, entry.key
