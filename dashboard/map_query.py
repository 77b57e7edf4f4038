"""A query on the map: its hits, and the place it would have among all memories."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dashboard.projection_jobs import StoreMap
from dashboard.projection_neighbours import Floats
from store import ChromaStore, Namespace

MOST_HITS = 200
LINES = 10
_SHARPNESS = 25.0


@dataclass(frozen=True, slots=True)
class Asked:
    """A query among the rows of a map: its hits with their scores, best first, and its place.

    The place is the middle of the best hits, weighted by score: nothing was fitted for it.
    """

    text: str
    scores: Mapping[int, float]
    x: float
    y: float

    @property
    def best(self) -> tuple[int, ...]:
        """The rows lines are drawn to."""
        return tuple(self.scores)[:LINES]


def ask(picture: StoreMap, store: ChromaStore, scope: Namespace, text: str) -> Asked | None:
    """Search and find the hits on the map; None when none of them is drawn on it."""
    row_of = {entry.reference: row for row, entry in enumerate(picture.entries)}
    matches = store.match(scope, query=text, limit=MOST_HITS)
    found = {
        row_of[match.memory.reference]: match.score
        for match in matches
        if match.score is not None and match.memory.reference in row_of
    }
    return place(text, found, picture.layout.positions)


def place(text: str, scores: Mapping[int, float], positions: Floats) -> Asked | None:
    """Place a query by the scores of its hits."""
    kept = {row: score for row, score in scores.items() if np.isfinite(positions[row]).all()}
    best = list(kept)[:LINES]
    if not best:
        return None
    values = np.array([kept[row] for row in best])
    weights = np.exp((values - values.max()) * _SHARPNESS)
    x, y = (positions[best] * weights[:, None]).sum(axis=0) / weights.sum()
    return Asked(text, kept, float(x), float(y))
