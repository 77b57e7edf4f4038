"""One memory picked out on a map, with those nearest to it in truth and not by their place."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dashboard.projection_jobs import StoreMap
from store import Match, Reference


@dataclass(frozen=True, slots=True)
class Pinned:
    """The row of a memory on a map, and its nearest others: row and cosine, best first."""

    row: int
    near: tuple[tuple[int, float], ...] = ()


def pin(picture: StoreMap, reference: Reference, found: Sequence[Match]) -> Pinned | None:
    """Find a memory and its nearest ones on a map; None when it has no place there."""
    wanted = {reference, *(match.memory.reference for match in found)}
    row_of = {
        entry.reference: row
        for row, entry in enumerate(picture.entries)
        if entry.reference in wanted and np.isfinite(picture.layout.positions[row]).all()
    }
    if reference not in row_of:
        return None
    near = tuple(
        (row_of[match.memory.reference], float(match.score))
        for match in found
        if match.score is not None and match.memory.reference in row_of
    )
    return Pinned(row_of[reference], near)
