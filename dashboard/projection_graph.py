"""UMAP's weighted graph of neighbours, in numpy: what umap-learn computes, without compiling it.

The same numbers as `umap.umap_.fuzzy_simplicial_set` and the graph of `UMAP.transform`, whose
compilation takes longer than a map of ten thousand memories.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse

from dashboard.projection_neighbours import Floats, Indices

_TOLERANCE = 1e-5
_LEAST_SCALE = 1e-3
_ROUNDS = 64


@dataclass(frozen=True, slots=True)
class Edges:
    """Weighted edges from points (`heads`) to points (`tails`)."""

    heads: Indices
    tails: Indices
    weights: Floats

    def strong(self, epochs: int) -> "Edges":
        """Leave out edges too weak to be followed once in so many epochs."""
        kept = self.weights >= np.max(self.weights, initial=0) / epochs
        return Edges(self.heads[kept], self.tails[kept], self.weights[kept])


def mutual_graph(indices: Indices, distances: Floats) -> Edges:
    """Give the symmetric graph of points, from each one's neighbours (itself left out)."""
    count, width = distances.shape
    nearest = np.where(distances > 0, distances, np.inf).min(axis=1, initial=np.inf)
    nearest = np.where(np.isfinite(nearest), nearest, 0).astype(np.float32)
    means = distances.sum(axis=1) / (width + 1)
    scales = _scales(distances, nearest, means, np.log2(width + 1))
    weights = _strengths(distances, nearest, scales)
    heads = np.repeat(np.arange(count, dtype=np.int32), width)
    one_way = scipy.sparse.csr_array((weights.ravel(), (heads, indices.ravel())), (count, count))
    other_way = one_way.T.tocsr()
    both = (one_way + other_way - one_way * other_way).tocoo()
    both.eliminate_zeros()
    return Edges(both.row.astype(np.int32), both.col.astype(np.int32), both.data)


def one_way_graph(indices: Indices, distances: Floats) -> Edges:
    """Give the graph from new points to their neighbours among old ones."""
    count, width = distances.shape
    nothing = np.zeros(count, dtype=np.float32)
    scales = _scales(distances[:, 1:], nothing, distances.mean(axis=1), np.log2(max(2, width)))
    weights = _strengths(distances, nothing, scales)
    heads = np.repeat(np.arange(count, dtype=np.int32), width)
    return Edges(heads, indices.ravel().astype(np.int32), weights.ravel())


def _strengths(distances: Floats, nearest: Floats, scales: Floats) -> Floats:
    beyond = np.maximum(distances - nearest[:, None], 0)
    return np.asarray(np.exp(-beyond / np.maximum(scales, 1e-30)[:, None]), dtype=np.float32)


def _scales(distances: Floats, nearest: Floats, means: Floats, target: Any) -> Floats:
    """Find for each row the scale at which its neighbours' strengths add up to `target`."""
    beyond = np.maximum(distances - nearest[:, None], 0).astype(np.float64)
    low = np.zeros(len(beyond))
    high = np.full(len(beyond), np.inf)
    scale = np.ones(len(beyond))
    open_: npt.NDArray[np.intp] = np.arange(len(beyond))
    for _ in range(_ROUNDS):
        total = np.exp(-beyond[open_] / scale[open_, None]).sum(axis=1)
        going = np.abs(total - target) >= _TOLERANCE
        open_, total = open_[going], total[going]
        if not len(open_):
            break
        much = total > target
        high[open_[much]] = scale[open_[much]]
        low[open_[~much]] = scale[open_[~much]]
        unbounded = np.isinf(high[open_])
        middle = (low[open_] + high[open_]) / 2
        scale[open_] = np.where(unbounded, scale[open_] * 2, middle)
    least = np.where(nearest > 0, means, means.mean() if len(means) else 0.0)
    return np.maximum(scale, _LEAST_SCALE * least).astype(np.float32)
