"""UMAP on neighbours that are already known, with umap-learn's own graph and optimiser.

`umap.UMAP.fit` would compile its neighbour search (a minute) and cannot start from, or hold
still, an earlier map; the functions it is made of can.
"""

import io
import re
import warnings
from functools import cache
from typing import Any

import numpy as np

from dashboard.projection_neighbours import Floats, Indices, Progress

_ALPHA = 1.0
_NEGATIVES = 5.0
_SHOWN = re.compile(r"(\d+)/(\d+)")


@cache
def kernels() -> Any:
    """Import umap-learn's modules, with the compiled code of its functions kept on disk.

    Costs seconds, and half a minute on a machine that never ran it: worker processes only.
    """
    with warnings.catch_warnings():
        # It warns of what it would do with TensorFlow.
        warnings.simplefilter("ignore")
        import umap.layouts
        import umap.umap_

    for dispatcher in (
        umap.umap_.smooth_knn_dist,
        umap.umap_.compute_membership_strengths,
        umap.layouts.clip,
        umap.layouts._nb_optimize_layout_euclidean_single_epoch,
    ):
        dispatcher.enable_caching()
    return umap


def arrange(
    neighbours: tuple[Indices, Floats],
    start: Floats,
    *,
    epochs: int,
    min_distance: float,
    seed: int,
    strength: float = _ALPHA,
    progress: Progress | None = None,
) -> Floats:
    """Let UMAP arrange points from `start`, given each point's neighbours and similarities.

    The same input gives the same picture. `strength` scales how far points move at first.
    """
    total = len(start)
    graph = _graph(neighbours).tocoo()
    graph.sum_duplicates()
    return _optimise(
        start.copy(),
        None,
        (graph.row, graph.col, graph.data),
        vertices=total,
        epochs=epochs,
        min_distance=min_distance,
        seed=seed,
        strength=strength,
        progress=progress,
    )


def place(
    neighbours: tuple[Indices, Floats],
    fixed: Floats,
    *,
    min_distance: float,
    seed: int,
    epochs: int = 100,
    progress: Progress | None = None,
) -> Floats:
    """Place new points among `fixed` ones, which do not move, by their neighbours among those."""
    indices, similarities = neighbours
    distances = np.ascontiguousarray(1 - similarities, dtype=np.float32)
    umap_ = kernels().umap_
    sigmas, rhos = umap_.smooth_knn_dist(
        distances, float(max(2, indices.shape[1])), local_connectivity=0.0
    )
    rows, columns, weights, _ = umap_.compute_membership_strengths(
        indices, distances, sigmas, rhos, False, True
    )
    shares = weights.reshape(indices.shape)
    shares = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-12)
    start = (shares[:, :, None] * fixed[indices]).sum(axis=1).astype(np.float32)
    return _optimise(
        start,
        fixed.copy(),
        (rows, columns, weights),
        vertices=len(fixed),
        epochs=epochs,
        min_distance=min_distance,
        seed=seed,
        strength=_ALPHA / 4,
        progress=progress,
    )


def _graph(neighbours: tuple[Indices, Floats]) -> Any:
    indices, similarities = neighbours
    own = np.arange(len(indices), dtype=np.int32)[:, None]
    distances = np.maximum(1 - similarities, 0)
    umap_ = kernels().umap_
    graph, _, _ = umap_.fuzzy_simplicial_set(
        own,  # only its height is looked at once the neighbours are known
        indices.shape[1] + 1,
        np.random.RandomState(0),
        "cosine",
        knn_indices=np.hstack([own, indices]),
        knn_dists=np.ascontiguousarray(
            np.hstack([np.zeros_like(distances[:, :1]), distances]), dtype=np.float32
        ),
    )
    return graph


def _optimise(
    moving: Floats,
    fixed: Floats | None,
    edges: tuple[Any, Any, Any],
    *,
    vertices: int,
    epochs: int,
    min_distance: float,
    seed: int,
    strength: float,
    progress: Progress | None,
) -> Floats:
    umap = kernels()
    heads, tails, weights = edges
    kept = weights >= weights.max() / epochs
    a, b = umap.umap_.find_ab_params(1.0, min_distance)
    state = np.random.RandomState(seed).randint(-(2**31) + 1, 2**31 - 1, 3).astype(np.int64)
    moved: Floats = umap.layouts.optimize_layout_euclidean(
        moving,
        moving if fixed is None else fixed,
        heads[kept],
        tails[kept],
        epochs,
        vertices,
        umap.umap_.make_epochs_per_sample(weights[kept], epochs),
        a,
        b,
        state,
        initial_alpha=strength,
        negative_sample_rate=_NEGATIVES,
        move_other=fixed is None,
        tqdm_kwds={"disable": progress is None, "file": _Ticker(progress), "mininterval": 0.2},
    )
    return moved


class _Ticker(io.StringIO):
    """Reads the "12/200" of umap-learn's progress bar; an exception raised here stops the fit."""

    def __init__(self, progress: Progress | None) -> None:
        super().__init__()
        self._progress = progress

    def write(self, text: str) -> int:
        shown = _SHOWN.search(text)
        if shown and self._progress:
            self._progress("Arranging", int(shown[1]), int(shown[2]))
        return len(text)
