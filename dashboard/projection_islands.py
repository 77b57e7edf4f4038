"""Islands of a map: groups with a wide gap around them, drawn nearer to each other.

How far UMAP pushes a group away says little; left there, it leaves the map mostly empty.
"""

import numpy as np
import numpy.typing as npt
from scipy.ndimage import label

from dashboard.projection_neighbours import Floats

Place = npt.NDArray[np.floating]
_CELLS = 20
_GAP = 0.25
_TURNS = 24


def islands(flat: Floats) -> npt.NDArray[np.int64]:
    """Give each row the number of its island: the rows reached from it without a wide gap."""
    size = float(np.max(np.ptp(flat, axis=0))) or 1.0
    cell = np.clip(((flat - flat.min(axis=0)) / size * _CELLS).astype(np.intp), 0, _CELLS - 1)
    taken = np.zeros((_CELLS, _CELLS), dtype=bool)
    taken[cell[:, 0], cell[:, 1]] = True
    numbers, _ = label(taken, structure=np.ones((3, 3)))
    return np.asarray(numbers[cell[:, 0], cell[:, 1]] - 1, dtype=np.int64)


def gathered(flat: Floats, island: npt.NDArray[np.int64]) -> Floats:
    """Move islands, each as a whole, next to the largest one: in the direction they lay in."""
    sizes = np.bincount(island)
    if len(sizes) < 2:
        return flat
    order = np.argsort(-sizes, kind="stable")
    moved = flat.copy()
    first = flat[island == order[0]]
    home = np.median(first, axis=0)
    placed: list[tuple[Place, float]] = [(home, _radius(first, home))]
    gap = _GAP * placed[0][1]
    for number in order[1:]:
        own = island == number
        middle = np.median(flat[own], axis=0)
        radius = _radius(flat[own], middle)
        spot = _free_spot(middle - home, home, radius + gap, placed)
        moved[own] += (spot - middle).astype(np.float32)
        placed.append((spot, radius))
    return moved


def _radius(points: Floats, middle: Place) -> float:
    return float(np.max(np.linalg.norm(points - middle, axis=1))) + 1e-3


def _free_spot(
    direction: Floats, home: Floats, room: float, placed: list[tuple[Place, float]]
) -> Place:
    """Find the place nearest to home that is free, turning away from `direction` when it helps."""
    middles = np.array([middle for middle, _ in placed])
    radii = np.array([radius for _, radius in placed])
    straight = np.arctan2(direction[1], direction[0])
    best: tuple[float, Place] | None = None
    for turn in sorted(range(-_TURNS // 2, _TURNS // 2), key=abs):
        angle = straight + turn * 2 * np.pi / _TURNS
        way = np.array([np.cos(angle), np.sin(angle)])
        reach = _reach(way, home, room, middles, radii)
        # A turn costs as much as a longer way would.
        cost = reach * (1 + abs(turn) / _TURNS)
        if best is None or cost < best[0] - 1e-9:
            best = cost, home + way * reach
    return best[1] if best else home


def _reach(way: Place, home: Place, room: float, middles: Place, radii: Place) -> float:
    """Give how far along a way a disc of that size must go to touch no other."""
    reach = 0.0
    for _ in range(len(radii) + 1):
        spot = home + way * reach
        overlap = np.linalg.norm(middles - spot, axis=1) < radii + room - 1e-6
        if not overlap.any():
            return reach
        ahead = (middles[overlap] - home) @ way
        aside = np.linalg.norm(middles[overlap] - home - ahead[:, None] * way, axis=1)
        reach = float(
            np.max(ahead + np.sqrt(np.maximum((radii[overlap] + room) ** 2 - aside**2, 0)))
        )
    return reach
