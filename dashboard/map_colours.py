"""What the colours of a map say: a label of the namespace, a field, an age, a score."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from store import Namespace, Reference

MOST_GROUPS = 10
OTHER = "Other"
NONE = "(none)"


@dataclass(frozen=True, slots=True)
class Groups:
    """Rows in named groups, largest first: row i is in `names[codes[i]]`.

    When there are more than `MOST_GROUPS`, the smaller ones are together in a last one, `OTHER`.
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


def group(title: str, names: Sequence[str]) -> Groups:
    """Put rows of the same name in a group."""
    counts = Counter(names)
    ranked = sorted(counts, key=lambda name: (-counts[name], name))
    rest = len(ranked) > MOST_GROUPS
    shown = ranked[: MOST_GROUPS - 1] if rest else ranked
    code = {name: index for index, name in enumerate(shown)}
    codes = np.array([code.get(name, len(shown)) for name in names], dtype=np.int8)
    if rest:
        left = len(names) - sum(counts[name] for name in shown)
        return Groups(title, (*shown, OTHER), (*(counts[n] for n in shown), left), codes, True)
    return Groups(title, tuple(shown), tuple(counts[name] for name in shown), codes)


def levels(references: Sequence[Reference]) -> int:
    """Give how many labels the deepest namespace has."""
    return max((len(namespace) for namespace, _ in references), default=0)


def by_level(references: Sequence[Reference], level: int) -> Groups:
    """Group memories by the label their namespace has at a level, 1 being the first."""
    labels = [_label(namespace, level) for namespace, _ in references]
    return group(f"Label {level}", labels)


def best_level(references: Sequence[Reference]) -> int:
    """Choose the level whose colours tell most: several labels, few of them without a colour."""
    deepest = levels(references)
    return max(range(1, deepest + 1), key=lambda level: _worth(references, level), default=1)


def _worth(references: Sequence[Reference], level: int) -> float:
    counts = Counter(_label(namespace, level) for namespace, _ in references)
    total = len(references)
    coloured = [count / total for _, count in counts.most_common(MOST_GROUPS - 1)]
    return float(-sum(share * np.log(share) for share in coloured)) * sum(coloured) ** 2


def _label(namespace: Namespace, level: int) -> str:
    return namespace[level - 1] if level <= len(namespace) else NONE
