"""Laying one map over another, so that what a person has learnt of places stays true."""

import numpy as np

from dashboard.projection_neighbours import Floats

MOST_SHIFT = 0.02
"""How far old places may move when a map is arranged anew: the median, as a share of its width."""


def align(positions: Floats, old: Floats) -> Floats:
    """Turn, mirror, scale and shift `positions` to lie as close as they can to `old`.

    Rows that are NaN in either do not count; with fewer than three others nothing is changed.
    """
    both = np.isfinite(positions).all(axis=1) & np.isfinite(old).all(axis=1)
    if both.sum() < 3:
        return positions
    here, there = positions[both].astype(np.float64), old[both].astype(np.float64)
    middle, goal = here.mean(axis=0), there.mean(axis=0)
    left, stretch, right = np.linalg.svd((here - middle).T @ (there - goal))
    size = float(((here - middle) ** 2).sum())
    scale = float(stretch.sum()) / size if size else 1.0
    return np.asarray((positions - middle) @ (left @ right) * scale + goal, dtype=np.float32)


def eased(positions: Floats, start: Floats, old: Floats, *, most: float = MOST_SHIFT) -> Floats:
    """Go from `start` towards `positions` only so far that old rows move by `most` at the median.

    Rows of `start` lie where they are in `old`, or have no place there.
    """
    moved = shift(positions, old)
    if moved <= most:
        return positions
    return np.asarray(start + (positions - start) * (most / moved), dtype=np.float32)


def shift(positions: Floats, old: Floats) -> float:
    """Give the median way that rows in both moved, as a share of the old map's width."""
    both = np.isfinite(positions).all(axis=1) & np.isfinite(old).all(axis=1)
    if not both.any():
        return 0.0
    width = float(np.max(np.ptp(old[both], axis=0))) or 1.0
    return float(np.median(np.linalg.norm(positions[both] - old[both], axis=1))) / width
