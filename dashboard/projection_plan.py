"""What of a map kept from before still holds, and how to bring it up to date."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from dashboard.projection import Layout
from dashboard.projection_neighbours import Floats
from dashboard.projection_rows import SIMPLE

CHURN = 0.1
"""The share of memories placed one by one beyond which the whole map is arranged again."""

Hashes = npt.NDArray[np.uint64]
Kind = Literal["same", "place", "warm", "fresh"]


@dataclass(frozen=True, slots=True)
class SavedMap:
    """A layout with the hashes of the memories (`ids`) and of the versions (`revisions`) in it.

    `churn` counts the rows that came, went or changed since all were last arranged together.
    """

    ids: Hashes
    revisions: Hashes
    layout: Layout
    churn: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """How to get from the map kept to one of the rows there are now.

    `known` (n, 2) holds the old position of each row, NaN where there is none; `churn` counts
    the rows placed since the map was last arranged as a whole, those of this plan included.
    """

    kind: Kind
    known: Floats
    churn: int = 0


def compare(ids: Hashes, revisions: Hashes, saved: SavedMap | None) -> Plan:
    """Plan the way from a saved map to rows with these ids and revisions."""
    known = np.full((len(ids), 2), np.nan, dtype=np.float32)
    if saved is None or not len(saved.ids):
        return Plan("fresh", known)
    where = find(ids, saved.ids)
    held = where >= 0
    held[held] = saved.revisions[where[held]] == revisions[held]
    known[held] = saved.layout.positions[where[held]]
    added = int((~held).sum())
    churn = saved.churn + added + max(0, len(saved.ids) - int((where >= 0).sum()))
    if not added:
        return Plan("same", known, churn)
    if len(ids) <= 2 * SIMPLE or saved.layout.method == "simple" or added > len(ids) / 2:
        return Plan("fresh", known)
    return Plan("warm" if churn > CHURN * len(ids) else "place", known, churn)


def find(ids: Hashes, among: Hashes) -> npt.NDArray[np.intp]:
    """Give where each id stands in `among`, -1 where it does not."""
    if not len(among):
        return np.full(len(ids), -1, dtype=np.intp)
    order = np.argsort(among, kind="stable")
    found = np.searchsorted(among, ids, sorter=order)
    found = order[np.minimum(found, len(among) - 1)]
    return np.where(among[found] == ids, found, -1)
