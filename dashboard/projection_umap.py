"""UMAP on neighbours that are already known, arranged by umap-learn's own optimiser.

`umap.UMAP.fit` would compile its neighbour search (a minute) and can neither start from an
earlier map nor hold it still; the optimiser inside can.
"""

import importlib.util
import io
import re
import sys
import types
import warnings
from functools import cache
from typing import Any

import numpy as np

from dashboard.projection_graph import Edges, mutual_graph, one_way_graph
from dashboard.projection_neighbours import Floats, Indices, Progress

_NEGATIVES = 5
_SHOWN = re.compile(r"(\d+)/(\d+)")


class _Package(types.ModuleType):
    """A package whose own code runs when something of it is asked for, not when a part of it is."""

    def __getattr__(self, name: str) -> Any:
        spec = self.__spec__
        if name.startswith("__") or spec is None or spec.loader is None:
            raise AttributeError(name)
        self.__class__ = types.ModuleType  # type: ignore[assignment]  # it runs only once
        spec.loader.exec_module(self)
        return getattr(self, name)


@cache
def optimiser() -> Any:
    """Import umap-learn's optimiser, its compiled code kept on disk; costs two seconds.

    Importing the whole of umap-learn compiles functions nobody calls here, for twenty seconds,
    so its package is not run until somebody uses it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if "umap" not in sys.modules:
            spec = importlib.util.find_spec("umap")
            if spec is None:
                raise ImportError("umap-learn is not installed")
            package = _Package("umap")
            package.__spec__, package.__file__ = spec, spec.origin
            package.__path__ = list(spec.submodule_search_locations or ())
            sys.modules["umap"] = package
        import umap.layouts as layouts
    for function in (layouts.clip, layouts._nb_optimize_layout_euclidean_single_epoch):
        function.enable_caching()
    return layouts


def arrange(
    neighbours: tuple[Indices, Floats],
    start: Floats,
    *,
    epochs: int,
    min_distance: float,
    seed: int,
    strength: float = 1.0,
    progress: Progress | None = None,
) -> Floats:
    """Let UMAP arrange points from `start`, given each point's neighbours and similarities.

    The same input gives the same picture. `strength` scales how far points move at first.
    """
    indices, similarities = neighbours
    edges = mutual_graph(indices, np.maximum(1 - similarities, 0))
    moving = start.copy()
    return _optimise(moving, moving, edges, epochs, min_distance, seed, strength, progress)


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
    edges = one_way_graph(indices, np.maximum(1 - similarities, 0))
    strengths = edges.weights.reshape(indices.shape)
    shares = strengths / np.maximum(strengths.sum(axis=1, keepdims=True), 1e-12)
    start = np.asarray((shares[:, :, None] * fixed[indices]).sum(axis=1), dtype=np.float32)
    return _optimise(start, fixed.copy(), edges, epochs, min_distance, seed, 0.15, progress)


def _optimise(
    moving: Floats,
    others: Floats,
    edges: Edges,
    epochs: int,
    min_distance: float,
    seed: int,
    strength: float,
    progress: Progress | None,
) -> Floats:
    strong = edges.strong(epochs)
    a, b = _curve(min_distance)
    state = np.random.RandomState(seed).randint(-(2**31) + 1, 2**31 - 1, 3).astype(np.int64)
    moved: Floats = optimiser().optimize_layout_euclidean(
        moving,
        others,
        strong.heads,
        strong.tails,
        epochs,
        len(others),
        (np.max(strong.weights, initial=0) / strong.weights).astype(np.float64),
        a,
        b,
        state,
        initial_alpha=strength,
        negative_sample_rate=float(_NEGATIVES),
        move_other=moving is others,
        tqdm_kwds={"disable": progress is None, "file": _Ticker(progress), "mininterval": 0.2},
    )
    return moved


@cache
def _curve(min_distance: float) -> tuple[float, float]:
    """Fit UMAP's curve 1 / (1 + a·x^2b) to "close up to a distance, then falling off"."""
    from scipy.optimize import curve_fit

    x = np.linspace(0, 3, 300)
    y = np.where(x < min_distance, 1.0, np.exp(-(x - min_distance)))
    (a, b), _ = curve_fit(lambda x, a, b: 1 / (1 + a * x ** (2 * b)), x, y)
    return float(a), float(b)


class _Ticker(io.StringIO):
    """Reads the "12/200" of umap-learn's progress bar."""

    def __init__(self, progress: Progress | None) -> None:
        super().__init__()
        self._progress = progress

    def write(self, text: str) -> int:
        shown = _SHOWN.search(text)
        if shown and self._progress:
            self._progress("Arranging", int(shown[1]), int(shown[2]))
        return len(text)
