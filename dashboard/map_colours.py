"""What the colours of a map say: a label of the namespace, a field, a time, a score."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from store import Namespace, Reference

MOST_GROUPS = 10
OTHER = "Other"
NONE = "(none)"
UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Groups:
    """Rows in named groups, largest first: row i is in `names[codes[i]]`, or UNKNOWN.

    When there are more than `MOST_GROUPS`, the smaller ones are together in a last one, `OTHER`,
    and `rest` is true.
    """

    title: str
    names: tuple[str, ...]
    counts: tuple[int, ...]
    codes: npt.NDArray[np.int8]
    rest: bool = False


@dataclass(frozen=True, slots=True)
class Scale:
    """One number a row on a scale, NaN where there is none; `low` and `high` say what ends mean."""

    title: str
    values: npt.NDArray[np.float32]
    low: str
    high: str


Colours = Groups | Scale


def group(title: str, names: Sequence[str | None]) -> Groups:
    """Put rows of the same name in a group; None is unknown."""
    counts = Counter(name for name in names if name is not None)
    ranked = sorted(counts, key=lambda name: (-counts[name], name))
    rest = len(ranked) > MOST_GROUPS
    shown = ranked[: MOST_GROUPS - 1] if rest else ranked
    code = {name: index for index, name in enumerate(shown)}
    codes = np.array(
        [UNKNOWN if name is None else code.get(name, len(shown)) for name in names], dtype=np.int8
    )
    sizes = [counts[name] for name in shown]
    if rest:
        return Groups(title, (*shown, OTHER), (*sizes, counts.total() - sum(sizes)), codes, True)
    return Groups(title, tuple(shown), tuple(sizes), codes)


def levels(references: Sequence[Reference]) -> int:
    """Give how many labels the deepest namespace has."""
    return max((len(namespace) for namespace, _ in references), default=0)


def by_level(references: Sequence[Reference], level: int) -> Groups:
    """Group memories by the label their namespace has at a level, 1 being the first."""
    return group(f"Label {level}", [_label(namespace, level) for namespace, _ in references])


def best_level(references: Sequence[Reference]) -> int:
    """Choose the level whose colours tell most: several labels, few of them without a colour."""
    spaces = Counter(namespace for namespace, _ in references)
    deepest = levels(references)
    return max(range(1, deepest + 1), key=lambda level: _worth(spaces, level), default=1)


def _worth(spaces: Mapping[Namespace, int], level: int) -> float:
    counts: Counter[str] = Counter()
    for namespace, count in spaces.items():
        counts[_label(namespace, level)] += count
    total = counts.total()
    coloured = [count / total for _, count in counts.most_common(MOST_GROUPS - 1)]
    return float(-sum(share * np.log(share) for share in coloured)) * sum(coloured) ** 2


def _label(namespace: Namespace, level: int) -> str:
    return namespace[level - 1] if level <= len(namespace) else NONE


def by_time(title: str, microseconds: Sequence[int]) -> Scale:
    """Colour by time, from the earliest to the latest."""
    moments = np.array(microseconds, dtype=np.float64) / 1e6
    # Ranks, not times: one burst of writing would otherwise take all the colours.
    ranks = np.searchsorted(np.sort(moments), moments) / max(1, len(moments) - 1)
    return Scale(title, ranks.astype(np.float32), _day(np.min(moments)), _day(np.max(moments)))


def _day(moment: np.float64) -> str:
    return datetime.fromtimestamp(float(moment), UTC).strftime("%d %b %Y")


def by_values(title: str, values: Sequence[Any], rows: Sequence[int], total: int) -> Colours:
    """Colour the given rows of so many by the values of a field: numbers on a scale, or groups."""
    numbers = [value for value in values if value is not None]
    if numbers and all(isinstance(v, (int, float)) and v == v and v is not True for v in numbers):
        found = np.full(total, np.nan, dtype=np.float32)
        found[list(rows)] = [np.nan if value is None else value for value in values]
        return Scale(title, found, f"{min(numbers):g}", f"{max(numbers):g}")
    names: list[str | None] = [None] * total
    for row, value in zip(rows, values, strict=True):
        names[row] = NONE if value is None else str(value)
    return group(title, names)


def by_score(scores: Mapping[int, float], total: int) -> Scale:
    """Colour the hits of a query by their score; other rows have none."""
    values = np.full(total, np.nan, dtype=np.float32)
    for row, score in scores.items():
        values[row] = score
    ends = [
        f"{end:.2f}" for end in (min(scores.values(), default=0), max(scores.values(), default=1))
    ]
    return Scale("Score", values, *ends)
