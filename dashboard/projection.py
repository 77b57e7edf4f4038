"""From stored vectors to a flat map: pure functions that always give a picture and a word on it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from dashboard.projection_neighbours import (
    Floats,
    Indices,
    Progress,
    nearest,
    trustworthiness,
    unit_rows,
)

Method = Literal["empty", "simple", "pca", "preview", "umap"]

EXTENT = 10.0
"""The width a map has when UMAP starts to arrange it."""
SIMPLE = 15
"""Up to this many different vectors UMAP has nothing to work with."""
LANDMARKS = 10_000
EXACT_LIMIT = 20_000
"""Above this many vectors a preview is worth its cost."""
EPOCHS = 200

_GOLDEN_ANGLE = np.pi * (3 - 5**0.5)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a person can set about a map."""

    neighbours: int = 15
    min_distance: float = 0.1
    seed: int = 7


@dataclass(frozen=True, slots=True)
class Layout:
    """Where each row lies: row i of `positions` (n, 2; float32), NaN for a row left out.

    `notes` are whole sentences to show beside the picture; `trust` is the trustworthiness of
    the picture, or None when there are too few rows to measure it.
    """

    positions: Floats
    method: Method
    notes: tuple[str, ...] = ()
    trust: float | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rows made fit for a projection: `unit` holds each different direction once.

    `member` says which of them row i has: -1 for a row left out, -2 for a row of zeros.
    """

    unit: Floats
    member: npt.NDArray[np.int64]
    notes: tuple[str, ...]


def stages(rows: int) -> tuple[Method, ...]:
    """Say which pictures of so many different vectors are worth making, quickest first."""
    if rows <= SIMPLE:
        return ("simple",)
    return ("pca", "umap") if rows <= EXACT_LIMIT else ("pca", "preview", "umap")


def project(
    matrix: Floats,
    *,
    settings: Settings | None = None,
    method: Method | None = None,
    start: Floats | None = None,
    progress: Progress | None = None,
) -> Layout:
    """Lay the rows of `matrix` out on a plane; the same rows give the same picture.

    Without `method` the best one for so many rows is taken. `start` gives positions to begin
    from, one a row. Whatever goes wrong inside, there is a picture: PCA, and a note that says so.
    """
    prepared = prepare(matrix)
    return lay_out(prepared, settings=settings, method=method, start=start, progress=progress)


def lay_out(
    prepared: Prepared,
    *,
    settings: Settings | None = None,
    method: Method | None = None,
    start: Floats | None = None,
    neighbours: tuple[Indices, Floats] | None = None,
    progress: Progress | None = None,
) -> Layout:
    """Like `project`, for rows already prepared, and neighbours if they are already known."""
    settings = settings or Settings()
    unit = prepared.unit
    method = method or stages(len(unit))[-1]
    notes = prepared.notes
    if len(unit) <= SIMPLE:
        flat, method = simple(unit), "simple" if len(prepared.member) else "empty"
    elif method in ("pca", "simple"):
        flat, method = pca(unit), "pca"
    else:
        begin = gather(prepared, start) if start is not None else pca(unit)
        try:
            flat = _by_umap(unit, begin, method, settings, neighbours, progress)
        except (ValueError, ArithmeticError, MemoryError, ImportError) as error:
            flat, method = pca(unit), "pca"
            notes = (*notes, f"UMAP could not arrange these vectors ({error}); this is PCA.")
    trust = trustworthiness(unit, flat) if method != "preview" else None
    return Layout(spread(prepared, flat), method, notes, trust)


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
        notes.append(
            f"{_some(copies)} a copy of another in meaning: copies are drawn side by side."
        )
    if 1 < different <= SIMPLE:
        notes.append("With so few different memories their places say little.")
    return tuple(notes)


def _some(count: int) -> str:
    return "1 memory is" if count == 1 else f"{count:,} memories are"


def _share(count: int) -> str:
    return "1 memory shares" if count == 1 else f"{count:,} memories share"


def simple(unit: Floats) -> Floats:
    """Lay out at most `SIMPLE` rows: none, the origin, two ends of a line, or PCA."""
    if len(unit) <= 1:
        return np.zeros((len(unit), 2), dtype=np.float32)
    if len(unit) == 2:
        return np.array([[-1, 0], [1, 0]], dtype=np.float32) * np.float32(EXTENT / 2)
    return pca(unit)


def pca(unit: Floats, *, seed: int = 0) -> Floats:
    """Project rows on their two widest directions, centred, `EXTENT` wide."""
    centred = unit - unit.mean(axis=0, dtype=np.float64).astype(np.float32)
    width = min(8, *centred.shape)
    basis = np.random.default_rng(seed).normal(size=(centred.shape[1], width)).astype(np.float32)
    for _ in range(8):
        basis, _ = np.linalg.qr(centred.T @ (centred @ basis))
    flat = centred @ basis
    _, _, axes = np.linalg.svd(flat, full_matrices=False)
    flat = (flat @ axes[:2].T).astype(np.float32)
    flat = np.pad(flat, ((0, 0), (0, 2 - flat.shape[1])))
    # An axis has no sign of its own; the farthest point decides, so that reruns agree.
    farthest = flat[np.abs(flat).argmax(axis=0), [0, 1]]
    return scaled(flat * np.where(farthest < 0, -1, 1).astype(np.float32))


def scaled(flat: Floats) -> Floats:
    """Centre positions and make the wider side `EXTENT` long."""
    low, high = flat.min(axis=0), flat.max(axis=0)
    size = float(np.max(high - low))
    return np.asarray((flat - (low + high) / 2) * (EXTENT / size if size else 1), dtype=np.float32)


def _by_umap(
    unit: Floats,
    start: Floats,
    method: Method,
    settings: Settings,
    neighbours: tuple[Indices, Floats] | None,
    progress: Progress | None,
) -> Floats:
    from dashboard import projection_umap

    if method == "preview" and len(unit) > LANDMARKS:
        return _preview(unit, start, settings, progress)
    neighbours = neighbours or nearest(
        unit, unit, settings.neighbours - 1, exclude_self=True, progress=progress
    )
    flat = projection_umap.arrange(
        neighbours,
        start,
        epochs=EPOCHS,
        min_distance=settings.min_distance,
        seed=settings.seed,
        progress=progress,
    )
    if not np.isfinite(flat).all():
        raise ArithmeticError("it gave positions that are no numbers")
    return flat


def _preview(unit: Floats, start: Floats, settings: Settings, progress: Progress | None) -> Floats:
    """Arrange some rows by UMAP and put every other row among its nearest ones of those."""
    chosen = np.random.default_rng(settings.seed).permutation(len(unit))[:LANDMARKS]
    chosen.sort()
    marks = _by_umap(
        np.ascontiguousarray(unit[chosen]), start[chosen], "umap", settings, None, progress
    )
    indices, similarities = nearest(unit, unit[chosen], 5, progress=progress)
    weights = np.exp((similarities - similarities[:, :1]) * 20)
    weights /= weights.sum(axis=1, keepdims=True)
    flat = (weights[:, :, None] * marks[indices]).sum(axis=1)
    flat[chosen] = marks
    return flat.astype(np.float32)


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
    step = size / max(20.0, 6 * len(positions) ** 0.5)
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


def place_new(
    matrix: Floats,
    known: Floats,
    *,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Layout:
    """Place the rows of `matrix` that are NaN in `known` (n, 2) among the others, which stay put.

    A row equal to a known one lies beside it; rows without a direction are left out or drawn
    apart as in `project`.
    """
    from dashboard import projection_umap

    settings = settings or Settings()
    prepared = prepare(matrix)
    stays = np.isfinite(known).all(axis=1)
    rows = np.flatnonzero(stays & (prepared.member >= 0))[::-1]
    flat = np.zeros((len(prepared.unit), 2), dtype=np.float32)
    flat[prepared.member[rows]] = known[rows]
    fixed = np.zeros(len(prepared.unit), dtype=bool)
    fixed[prepared.member[rows]] = True
    if fixed.any() and not fixed.all():
        neighbours = nearest(
            prepared.unit[~fixed], prepared.unit[fixed], settings.neighbours, progress=progress
        )
        flat[~fixed] = projection_umap.place(
            neighbours,
            flat[fixed],
            min_distance=settings.min_distance,
            seed=settings.seed,
            progress=progress,
        )
    positions = np.where(stays[:, None], known, spread(prepared, flat))
    return Layout(positions, "umap", prepared.notes)


def keep_rows(layout: Layout, rows: Sequence[int] | npt.NDArray[np.intp]) -> Layout:
    """Keep only the given rows of a layout."""
    return replace(layout, positions=layout.positions[np.asarray(rows, dtype=np.intp)])
