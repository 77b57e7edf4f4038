"""Rows before and after a projection: the different directions among them, and their copies."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dashboard.projection_neighbours import Floats, unit_rows

EXTENT = 10.0
"""The width a map has when UMAP starts to arrange it."""
SIMPLE = 15
"""Up to this many different vectors UMAP has nothing to work with."""
_GOLDEN_ANGLE = np.pi * (3 - 5**0.5)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rows made fit for a projection: `unit` holds each different direction once.

    `member` says which of them row i has: -1 for a row left out, -2 for a row of zeros.
    """

    unit: Floats
    member: npt.NDArray[np.int64]
    notes: tuple[str, ...]


def prepare(matrix: Floats) -> Prepared:
    """Set aside rows that have no direction, and find the different directions among the rest."""
    matrix = np.asarray(matrix, dtype=np.float32)
    member = np.full(len(matrix), -1, dtype=np.int64)
    finite = np.isfinite(matrix).all(axis=1)
    zero = finite & ~matrix.any(axis=1)
    member[zero] = -2
    usable = np.flatnonzero(finite & ~zero)
    unit = unit_rows(matrix[usable])
    first, inverse = _different(unit)
    member[usable] = inverse
    return Prepared(unit[first], member, _remarks(len(matrix), finite, zero, len(first)))


def _different(unit: Floats) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Give the first row of each different direction in row order, and each row's direction."""
    if not unit.size:
        return np.zeros(0, dtype=np.int64), np.zeros(len(unit), dtype=np.int64)
    rounded = np.ascontiguousarray(np.round(unit, 6) + 0.0)
    keys = rounded.view(np.dtype((np.void, rounded.itemsize * rounded.shape[1]))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[inverse]


def _remarks(
    total: int, finite: npt.NDArray[np.bool_], zero: npt.NDArray[np.bool_], different: int
) -> tuple[str, ...]:
    notes = []
    broken, blank = total - int(finite.sum()), int(zero.sum())
    copies = total - broken - blank - different
    if broken:
        notes.append(
            f"{_some(broken)} left out: the stored vector holds a value that is no number."
        )
    if blank:
        notes.append(
            f"{_some(blank)} drawn apart at the lower left: the stored vector is all zeros."
        )
    if copies and different == 1:
        notes.append(f"All {copies + 1:,} have the same vector: they are drawn as one disc.")
    elif copies:
        notes.append(f"{_share(copies)} the vector of another: those are drawn side by side.")
    if different == 1 and not copies:
        notes.append("A single memory has nothing to lie near to.")
    if 1 < different <= SIMPLE:
        notes.append("With so few different memories their places say little.")
    return tuple(notes)


def _some(count: int) -> str:
    return "1 memory is" if count == 1 else f"{count:,} memories are"


def _share(count: int) -> str:
    return "1 memory shares" if count == 1 else f"{count:,} memories share"


def gather(prepared: Prepared, positions: Floats) -> Floats:
    """Take one position for each different direction: the first row's that has it."""
    rows = np.flatnonzero(prepared.member >= 0)[::-1]
    flat = np.zeros((len(prepared.unit), 2), dtype=np.float32)
    flat[prepared.member[rows]] = positions[rows]
    return flat


def spread(prepared: Prepared, flat: Floats) -> Floats:
    """Give every row its position: copies in a disc around the first, zeros at the lower left."""
    positions = np.full((len(prepared.member), 2), np.nan, dtype=np.float32)
    placed = prepared.member >= 0
    positions[placed] = flat[prepared.member[placed]]
    size = float(np.max(np.ptp(flat, axis=0))) if len(flat) else 0.0
    size = size or EXTENT
    step = size / max(25.0, 15 * len(positions) ** 0.5)
    positions[placed] += _discs(prepared.member[placed], step, size / 8)
    zero = prepared.member == -2
    if zero.any():
        corner = flat.min(axis=0) - size / 6 if len(flat) else np.zeros(2)
        positions[zero] = corner + _discs(np.zeros(int(zero.sum()), np.int64), step, size / 12)
    return positions


def _discs(groups: npt.NDArray[np.int64], step: float, limit: float) -> Floats:
    """Shift the rows of each group off its first row, along a spiral at most `limit` wide."""
    if not len(groups):
        return np.zeros((0, 2), dtype=np.float32)
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    sizes = sizes[sizes > 0]
    begins = np.repeat(np.cumsum(sizes) - sizes, sizes)
    turn = np.empty(len(groups))
    turn[order] = np.arange(len(groups)) - begins
    size = np.empty(len(groups))
    size[order] = np.repeat(sizes, sizes)
    radius = np.sqrt(turn) * np.minimum(step, limit / np.sqrt(size))
    angle = turn * _GOLDEN_ANGLE
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).astype(np.float32)
