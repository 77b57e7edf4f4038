"""What the Overview says of a store: how it grew, how fresh it is, where most of it lies."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from dashboard.namespace_tree import Branch, Tree
from store import Entry

_STEPS = 60
_DAY = 86_400_000_000
"""Entries tell times in microseconds."""


@dataclass(frozen=True, slots=True)
class Growth:
    """How many of today's memories there were at evenly spaced times, oldest first."""

    moments: tuple[datetime, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """What can be said of all memories together without reading any value."""

    growth: Growth
    day: int
    week: int
    month: int
    findable: int
    expiring: int
    expired: int


def outline(entries: Sequence[Entry], now: datetime | None = None) -> Outline:
    """Return how a store grew, what changed lately, what search finds, and what expires.

    `day`, `week` and `month` count what was written within the last 1, 7 and 30 days, `expiring`
    what expires within the next 7.
    """
    at = int((now or datetime.now(UTC)).timestamp() * 1_000_000)
    updated = np.array([entry.updated for entry in entries], dtype=np.int64)
    expiry = np.array(
        [entry.expires for entry in entries if entry.expires is not None], dtype=np.int64
    )
    day, week, month = (int((updated >= at - days * _DAY).sum()) for days in (1, 7, 30))
    return Outline(
        growth=growth([entry.created for entry in entries]),
        day=day,
        week=week,
        month=month,
        findable=sum(entry.vectors > 0 for entry in entries),
        expiring=int(((expiry > at) & (expiry <= at + 7 * _DAY)).sum()),
        expired=int((expiry <= at).sum()),
    )


def growth(created: Sequence[int]) -> Growth:
    """Return the curve of creation times given in microseconds since 1970."""
    if not created:
        return Growth((), ())
    times = np.sort(np.array(created, dtype=np.int64))
    steps = np.unique(np.linspace(times[0], times[-1], _STEPS).astype(np.int64))
    steps[-1] = times[-1]
    counts = np.searchsorted(times, steps, side="right")
    start = datetime(1970, 1, 1, tzinfo=UTC)
    moments = tuple(start + timedelta(microseconds=int(step)) for step in steps)
    return Growth(moments, tuple(int(count) for count in counts))


def largest(tree: Tree, limit: int = 8) -> list[Branch]:
    """Return the namespaces that tell most about where memories are, the largest first.

    The largest that can be split into its children is split, as long as all still fit; a single
    one that holds everything is split in any case, and its largest children are shown.
    """
    shown = _by_size(tree.children(()))
    while (position := _splittable(shown, limit)) is not None:
        shown[position : position + 1] = tree.children(shown[position].namespace)
        shown = _by_size(shown)
    if len(shown) == 1 and shown[0].children and not shown[0].own:
        shown = _by_size(tree.children(shown[0].namespace))
    return shown[:limit]


def _by_size(branches: list[Branch]) -> list[Branch]:
    return sorted(branches, key=lambda branch: (-branch.total, branch.namespace))


def _splittable(shown: list[Branch], limit: int) -> int | None:
    for position, branch in enumerate(shown):
        if branch.children and not branch.own and len(shown) + branch.children - 1 <= limit:
            return position
    return None
