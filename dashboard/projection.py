"""From stored vectors to a flat map: pure functions that always give a picture and a word on it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from dashboard import projection_umap
from dashboard.projection_islands import gathered, islands
from dashboard.projection_neighbours import (
    Floats,
    Indices,
    Progress,
    nearest,
    trustworthiness,
)
from dashboard.projection_rows import EXTENT, SIMPLE, Prepared, gather, prepare, spread

Method = Literal["empty", "simple", "pca", "preview", "umap", "warm"]

LANDMARKS = 10_000
EXACT_LIMIT = 20_000
"""Above this many vectors a preview is worth its cost."""
EPOCHS = 200
_CALM_STRENGTH = 0.25
_WARM_EPOCHS, _WARM_STRENGTH = 50, 0.03


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
    method = "umap" if method == "warm" else method
    # What is only shown for a moment is not worth measuring where that takes one.
    passing = method == "preview" or (method == "pca" and len(unit) > EXACT_LIMIT)
    trust = None if passing else trustworthiness(unit, flat)
    return Layout(spread(prepared, flat), method, notes, trust)


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
    if method == "preview" and len(unit) > LANDMARKS:
        return _preview(unit, start, settings, progress)
    neighbours = neighbours or nearest(
        unit, unit, settings.neighbours - 1, exclude_self=True, progress=progress
    )
    flat = start
    for epochs, strength in _rounds(method, len(unit)):
        flat = projection_umap.arrange(
            neighbours,
            flat,
            epochs=epochs,
            min_distance=settings.min_distance,
            seed=settings.seed,
            strength=strength,
            progress=progress,
        )
    if not np.isfinite(flat).all():
        raise ArithmeticError("it gave positions that are no numbers")
    return flat if method == "warm" else gathered(flat, islands(flat))


def _rounds(method: Method, rows: int) -> tuple[tuple[int, float], ...]:
    """Give epochs and strength of each round."""
    if method == "warm":
        return ((_WARM_EPOCHS, _WARM_STRENGTH),)
    if method == "preview" or rows > EXACT_LIMIT:
        return ((EPOCHS, 1.0),)
    # A second, calmer round costs less than more epochs at once and keeps neighbours better.
    return ((EPOCHS, 1.0), (EPOCHS, _CALM_STRENGTH))


def _preview(unit: Floats, start: Floats, settings: Settings, progress: Progress | None) -> Floats:
    """Arrange some rows by UMAP and put every other row among its nearest ones of those."""
    chosen = np.random.default_rng(settings.seed).permutation(len(unit))[:LANDMARKS]
    chosen.sort()
    marks = _by_umap(
        np.ascontiguousarray(unit[chosen]), start[chosen], "preview", settings, None, progress
    )
    indices, similarities = nearest(unit, unit[chosen], 5, progress=progress)
    weights = np.exp((similarities - similarities[:, :1]) * 20)
    weights /= weights.sum(axis=1, keepdims=True)
    flat = (weights[:, :, None] * marks[indices]).sum(axis=1)
    flat[chosen] = marks
    return flat.astype(np.float32)


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
