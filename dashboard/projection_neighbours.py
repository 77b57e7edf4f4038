"""Exact nearest neighbours by cosine similarity, in blocks, and how well a picture keeps them."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int32]
Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""

_BLOCK_BYTES = 96 * 2**20
_GROUP = 32
TRUST_NEIGHBOURS = 15


def unit_rows(matrix: Floats) -> Floats:
    """Scale every row to length 1; a row of zeros stays as it is."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def nearest(
    rows: Floats,
    among: Floats,
    count: int,
    *,
    exclude_self: bool = False,
    progress: Progress | None = None,
) -> tuple[Indices, Floats]:
    """Find the `count` rows of `among` most similar to each of `rows`, most similar first.

    Both hold unit rows. `exclude_self` says that they are the same matrix and that a row is not
    its own neighbour. Exact; equal similarities come in row order.
    """
    count = min(count, len(among) - int(exclude_self))
    indices = np.zeros((len(rows), count), dtype=np.int32)
    similarities = np.zeros((len(rows), count), dtype=np.float32)
    block = max(16, min(1024, _BLOCK_BYTES // (4 * max(1, len(among)))))
    buffer = np.empty((block, len(among)), dtype=np.float32)
    for start in range(0, len(rows), block):
        stop = min(start + block, len(rows))
        scores = np.matmul(rows[start:stop], among.T, out=buffer[: stop - start])
        if exclude_self:
            scores[np.arange(stop - start), np.arange(start, stop)] = -np.inf
        indices[start:stop], similarities[start:stop] = largest(scores, count)
        if progress:
            progress("Finding neighbours", stop, len(rows))
    return indices, similarities


def largest(scores: Floats, count: int) -> tuple[Indices, Floats]:
    """Give the columns and values of the `count` largest scores of each row, largest first."""
    height, width = scores.shape
    stride = width // _GROUP
    if stride <= 2 * count:
        columns = np.broadcast_to(np.arange(width, dtype=np.int32), scores.shape)
        return _top(scores, columns, count)
    # The largest scores lie in the groups with the largest maxima: one pass for the maxima and a
    # selection among few candidates costs a twentieth of a partition of the whole row.
    maxima = scores[:, : stride * _GROUP].reshape(height, _GROUP, stride).max(axis=1)
    groups = np.argpartition(maxima, stride - count, axis=1)[:, stride - count :]
    offsets = np.arange(_GROUP, dtype=np.int32) * stride
    columns = (groups[:, :, None] + offsets).reshape(height, -1).astype(np.int32)
    rest = np.broadcast_to(
        np.arange(stride * _GROUP, width, dtype=np.int32), (height, width - stride * _GROUP)
    )
    columns = np.concatenate([columns, rest], axis=1)
    return _top(np.take_along_axis(scores, columns, axis=1), columns, count)


def _top(values: Floats, columns: Indices, count: int) -> tuple[Indices, Floats]:
    if count == 0:
        empty = np.zeros((len(values), 0))
        return empty.astype(np.int32), empty.astype(np.float32)
    if values.shape[1] > count:
        kept = np.argpartition(-values, count - 1, axis=1)[:, :count]
        values = np.take_along_axis(values, kept, axis=1)
        columns = np.take_along_axis(columns, kept, axis=1)
    order = np.lexsort((columns, -values), axis=1)
    return np.take_along_axis(columns, order, axis=1), np.take_along_axis(values, order, axis=1)


def trustworthiness(
    unit: Floats,
    positions: Floats,
    *,
    count: int = TRUST_NEIGHBOURS,
    sample: int = 1000,
    seed: int = 0,
) -> float | None:
    """Measure how far neighbours on the map are neighbours in truth: 1 is perfect, .5 is chance.

    Venna and Kaski's trustworthiness, estimated from `sample` rows against all rows; None when
    there are too few rows for it to mean anything.
    """
    total = len(unit)
    if total < 3 * count:
        return None
    rows = np.random.default_rng(seed).permutation(total)[:sample]
    penalty = sum(_penalty(unit, positions, part, count) for part in np.array_split(rows, 20))
    worst = len(rows) * count * (2 * total - 3 * count - 1) / 2
    return float(1 - penalty / worst)


def _penalty(unit: Floats, positions: Floats, rows: npt.NDArray[np.intp], count: int) -> float:
    own = np.arange(len(rows))
    scores = unit[rows] @ unit.T
    scores[own, rows] = -np.inf
    closeness = -_squared_distances(positions[rows], positions)
    closeness[own, rows] = -np.inf
    shown, _ = largest(closeness, count)
    similarities = np.take_along_axis(scores, shown, axis=1)
    ranks = np.stack(
        [(scores > similarities[:, [k]]).sum(axis=1) + 1 for k in range(shown.shape[1])]
    )
    return float(np.maximum(ranks - count, 0).sum())


def _squared_distances(rows: Floats, among: Floats) -> Floats:
    x = rows[:, [0]] - among[:, 0]
    y = rows[:, [1]] - among[:, 1]
    return np.asarray(x * x + y * y, dtype=np.float32)
