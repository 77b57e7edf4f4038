"""Islands of a map: groups with a wide gap around them, drawn nearer to each other.

How far UMAP pushes a group away says little; left there, it leaves the map mostly empty.
"""

import numpy as np
import numpy.typing as npt
from scipy.ndimage import binary_dilation, label

from dashboard.projection_neighbours import Floats

_FINE = 64
_GAP, _LEAST_GAP, _MOST_GAP = 1.5, 0.03, 0.25
_LARGEST = 2048


def islands(flat: Floats) -> npt.NDArray[np.int64]:
    """Give each row the number of its island: the rows reached from it without a wide gap."""
    size = float(np.max(np.ptp(flat, axis=0))) or 1.0
    # Few points are sparse everywhere: only a wider gap means something among them.
    cells = int(np.clip(len(flat) ** 0.5 / 1.2, 8, 40))
    cell = np.clip(((flat - flat.min(axis=0)) / size * cells).astype(np.intp), 0, cells - 1)
    taken = np.zeros((cells, cells), dtype=bool)
    taken[cell[:, 0], cell[:, 1]] = True
    numbers, _ = label(taken, structure=np.ones((3, 3)))
    return np.asarray(numbers[cell[:, 0], cell[:, 1]] - 1, dtype=np.int64)


def gathered(flat: Floats, island: npt.NDArray[np.int64]) -> Floats:
    """Move each island, as a whole, straight towards the largest one until a gap is left."""
    sizes = np.bincount(island)
    if len(sizes) < 2:
        return flat
    order = np.argsort(-sizes, kind="stable")
    moved = flat.copy()
    main = flat[island == order[0]]
    home = np.median(main, axis=0)
    # The gap is wider than the usual way from point to point, or islands would seem one.
    gap = float(np.clip(_GAP / len(main) ** 0.5, _LEAST_GAP, _MOST_GAP))
    width = max(float(np.max(np.ptp(main, axis=0))), 1e-3)
    sea = _Sea(flat, cell=width / _FINE, gap=round(gap * _FINE))
    sea.settle(main)
    for number in order[1:]:
        own = island == number
        way = np.asarray(home - np.median(flat[own], axis=0))
        moved[own] += sea.approach(flat[own], way)
        sea.settle(moved[own])
    return moved


class _Sea:
    """A fine grid over the map that knows where there is land, with a gap around it."""

    def __init__(self, flat: Floats, *, cell: float, gap: int) -> None:
        self._cell = cell
        self._gap = gap
        self._low = flat.min(axis=0) - gap * cell
        shape = ((flat.max(axis=0) - self._low) / cell).astype(np.intp) + 2 * gap
        self._taken = np.zeros(np.minimum(shape, _LARGEST), dtype=bool)

    def _cells(self, points: Floats) -> npt.NDArray[np.intp]:
        cells = ((points - self._low) / self._cell).astype(np.intp)
        return np.clip(cells, 0, np.array(self._taken.shape) - 1)

    def settle(self, points: Floats) -> None:
        """Let these points be land."""
        here = np.zeros_like(self._taken)
        here[tuple(self._cells(points).T)] = True
        self._taken |= binary_dilation(here, np.ones((3, 3)), iterations=self._gap)

    def approach(self, points: Floats, way: Floats) -> Floats:
        """Give how far points can go along a way before they come to land."""
        steps = max(1, int(np.linalg.norm(way) / self._cell))
        shape = points[np.unique(self._cells(points), axis=0, return_index=True)[1]]
        gone = np.zeros(2, dtype=np.float32)
        for step in range(1, steps + 1):
            ahead = np.asarray(way * (step / steps), dtype=np.float32)
            if self._taken[tuple(self._cells(shape + ahead).T)].any():
                break
            gone = ahead
        return gone
