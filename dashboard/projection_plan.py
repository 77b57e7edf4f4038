"""What of a map kept from before still holds, and how to bring it up to date."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from dashboard.projection import Layout
from dashboard.projection_neighbours import Floats

CHURN = 0.1
"""The share of memories placed one by one beyond which the whole map is arranged again."""

_LEAST = 4
"""Fewer rows than this have no places to speak of."""

Hashes = npt.NDArray[np.uint64]
Kind = Literal["same", "place", "warm", "fresh"]


@dataclass(frozen=True, slots=True)
class SavedMap:
    """A layout with the hashes of the memories (`ids`) and of the versions (`revisions`) in it.

    `churn` counts the rows that came, went or changed since all were last arranged together,
    `base` how many there were when they were last arranged without regard to older places.
    """

    ids: Hashes
    revisions: Hashes
    layout: Layout
    churn: int = 0
    base: int = 0


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
    """Plan the way from a saved map to rows with these ids and revisions.

    A row keeps its place while its revision stays, also under another id: what was moved to
    another namespace still says the same.
    """
    known = np.full((len(ids), 2), np.nan, dtype=np.float32)
    if saved is None or not len(saved.ids):
        return Plan("fresh", known)
    where = find(ids, saved.ids)
    held = where >= 0
    held[held] = saved.revisions[where[held]] == revisions[held]
    known[held] = saved.layout.positions[where[held]]
    moved, before = _moved(ids, revisions, saved, where)
    known[moved] = saved.layout.positions[before]
    held[moved] = True
    added = int((~held).sum())
    gone = len(saved.ids) - int((where >= 0).sum()) - len(moved)
    churn = saved.churn + added + max(0, gone)
    if not added:
        return Plan("same", known, churn)
    if len(ids) < _LEAST or added > len(ids) / 2 or len(ids) > 2 * (saved.base or len(saved.ids)):
        return Plan("fresh", known)
    return Plan("warm" if churn > CHURN * len(ids) else "place", known, churn)


def _moved(
    ids: Hashes, revisions: Hashes, saved: SavedMap, where: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Pair rows that came with rows of the saved map that went and had the same revision."""
    came = np.flatnonzero(where < 0)
    went = np.flatnonzero(find(saved.ids, ids) < 0)
    new, old = _numbered(revisions[came]), _numbered(saved.revisions[went])
    pairs = [(came[new[key]], went[old[key]]) for key in new.keys() & old.keys()]
    rows = np.array(sorted(pairs), dtype=np.intp).reshape(-1, 2)
    return rows[:, 0], rows[:, 1]


def _numbered(revisions: Hashes) -> dict[tuple[int, int], int]:
    """Give where each revision stands, the first, second … of equal ones told apart."""
    seen: Counter[int] = Counter()
    places = {}
    for place, revision in enumerate(revisions.tolist()):
        places[revision, seen[revision]] = place
        seen[revision] += 1
    return places


def find(ids: Hashes, among: Hashes) -> npt.NDArray[np.intp]:
    """Give where each id stands in `among`, -1 where it does not."""
    if not len(among):
        return np.full(len(ids), -1, dtype=np.intp)
    order = np.argsort(among, kind="stable")
    found = np.searchsorted(among, ids, sorter=order)
    found = order[np.minimum(found, len(among) - 1)]
    return np.where(among[found] == ids, found, -1)
