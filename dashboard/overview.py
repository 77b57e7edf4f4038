"""What the Overview says of a store: how it grew, how fresh it is, where most of it lies."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from dashboard.namespace_tree import Branch, Tree
from store import ChromaStore

_POINTS = 24
_DAY, _WEEK, _MONTH = timedelta(days=1), timedelta(days=7), timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Freshness:
    """How many memories were written within the last day, week and month."""

    day: int
    week: int
    month: int


@dataclass(frozen=True, slots=True)
class Growth:
    """Points of the curve "memories there were at that time", oldest first."""

    moments: tuple[datetime, ...]
    counts: tuple[int, ...]


def growth(store: ChromaStore, total: int) -> Growth:
    """Return how the memories that exist now came in, at evenly spaced counts.

    Reads one memory a point, however large the store is; every point is exact.
    """
    ranks = sorted({int(rank) for rank in np.linspace(1, total, _POINTS)}) if total else []
    moments, counts = [], []
    for rank in ranks:
        page = store.page(order="created_at", descending=False, limit=1, offset=rank - 1)
        if page.memories:
            moments.append(page.memories[0].created_at)
            counts.append(rank)
    return Growth(tuple(moments), tuple(counts))


def freshness(store: ChromaStore, total: int, now: datetime | None = None) -> Freshness:
    """Return how much was written lately; bisects the listing, so it reads few memories."""
    until = now or datetime.now(UTC)
    seen: dict[int, datetime | None] = {}

    def written(offset: int) -> datetime | None:
        if offset not in seen:
            page = store.page(order="updated_at", limit=1, offset=offset)
            seen[offset] = page.memories[0].updated_at if page.memories else None
        return seen[offset]

    day, week, month = (_newer(written, total, until - span) for span in (_DAY, _WEEK, _MONTH))
    return Freshness(day, week, month)


def _newer(written: Callable[[int], datetime | None], total: int, since: datetime) -> int:
    low, high = 0, total
    while low < high:
        middle = (low + high) // 2
        moment = written(middle)
        if moment is not None and moment >= since:
            low = middle + 1
        else:
            high = middle
    return low


def largest(tree: Tree, limit: int = 8) -> list[Branch]:
    """Return the namespaces that tell most about where memories are, the largest first.

    The largest that can be split into its children is split, as long as all still fit; a single
    one that holds everything is split in any case, and its largest children are shown.
    """
    shown = _by_size(tree.children(()))
    while (position := _splittable(tree, shown, limit)) is not None:
        shown[position : position + 1] = tree.children(shown[position].namespace)
        shown = _by_size(shown)
    if len(shown) == 1 and shown[0].children and not shown[0].own:
        shown = _by_size(tree.children(shown[0].namespace))
    return shown[:limit]


def _by_size(branches: list[Branch]) -> list[Branch]:
    return sorted(branches, key=lambda branch: (-branch.total, branch.namespace))


def _splittable(tree: Tree, shown: list[Branch], limit: int) -> int | None:
    for position, branch in enumerate(shown):
        if branch.children and not branch.own and len(shown) + branch.children - 1 <= limit:
            return position
    return None
