"""Groups that stand apart on a map, named by the words their memories have more than others."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dashboard.projection_neighbours import Floats
from dashboard.wordsearch import common_words

MOST_NAMES = 14
_CELLS = 48
_WORD = re.compile(r"[^\W\d_]{3,}", re.UNICODE)
_COMMON_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Named:
    """A group on the map: its middle, how many rows it has, and words that tell it apart."""

    x: float
    y: float
    count: int
    name: str


def clusters(positions: Floats) -> npt.NDArray[np.int64]:
    """Give each row the number of the hill of density it stands on; -1 for rows without a place.

    Hills are numbered from the one with most rows.
    """
    labels = np.full(len(positions), -1, dtype=np.int64)
    placed = np.isfinite(positions).all(axis=1)
    if not placed.any():
        return labels
    here = positions[placed]
    low, size = here.min(axis=0), np.maximum(np.ptp(here, axis=0), 1e-6)
    cell = np.minimum(((here - low) / size * _CELLS).astype(np.int64), _CELLS - 1)
    flat = cell[:, 1] * _CELLS + cell[:, 0]
    heights = np.bincount(flat, minlength=_CELLS * _CELLS).reshape(_CELLS, _CELLS)
    peaks = _climb(_smooth(_smooth(heights.astype(np.float64))))[flat]
    names, numbers = np.unique(peaks, return_inverse=True)
    order = np.argsort(-np.bincount(numbers, minlength=len(names)), kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    labels[placed] = rank[numbers]
    return labels


def _smooth(heights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    padded = np.pad(heights, 1)
    rows = padded[:-2] + 2 * padded[1:-1] + padded[2:]
    return np.asarray((rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]) / 16)


def _climb(heights: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Give for each cell of the grid the cell at the top of its hill."""
    padded = np.pad(heights, 1, constant_values=-1)
    steps = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    around = np.stack(
        [padded[1 + dy : _CELLS + 1 + dy, 1 + dx : _CELLS + 1 + dx] for dy, dx in steps]
    )
    offsets = np.array([dy * _CELLS + dx for dy, dx in steps])
    cells = np.arange(_CELLS * _CELLS)
    upward = (
        cells + offsets[np.where(heights >= around.max(axis=0), 4, around.argmax(axis=0))].ravel()
    )
    for _ in range(8):  # each round doubles the way climbed
        upward = upward[upward]
    return np.asarray(upward, dtype=np.int64)


def name_groups(
    labels: Sequence[int] | npt.NDArray[np.int64],
    texts: Sequence[str],
    positions: Floats,
    *,
    most: int = MOST_NAMES,
) -> list[Named]:
    """Name the largest groups of texts by class-based TF-IDF; groups too small have no name."""
    numbers = np.asarray(labels)
    least = max(8, len(texts) // 120)
    words: dict[int, Counter[str]] = {}
    for number, text in zip(numbers.tolist(), texts, strict=True):
        if number >= 0:
            words.setdefault(number, Counter()).update(_words(text))
    everywhere: Counter[str] = Counter()
    for own in words.values():
        everywhere.update(own)
    common = {word for word, count in everywhere.items() if count > _COMMON_SHARE * len(texts)}
    named: list[Named] = []
    for number in sorted(words)[: 3 * most]:
        rows = np.flatnonzero(numbers == number)
        name = _best_words(words[number], everywhere, len(rows), len(texts), common)
        if name and len(rows) >= least and len(named) < most:
            x, y = np.median(positions[rows], axis=0)
            named.append(Named(float(x), float(y), len(rows), name))
    return named


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold())) - common_words()


def _best_words(
    own: Counter[str], everywhere: Counter[str], size: int, total: int, common: set[str]
) -> str:
    scores = {
        word: count / size * math.log(1 + total / everywhere[word])
        for word, count in own.items()
        if count >= max(3, 0.06 * size)
        and word not in common
        and count / size > 1.5 * everywhere[word] / total
    }
    best: list[str] = []
    for word in sorted(scores, key=lambda word: (-scores[word], word)):
        if not any(word[:4] == other[:4] for other in best):
            best.append(word)
        if len(best) == 2:
            break
    return " · ".join(best)
