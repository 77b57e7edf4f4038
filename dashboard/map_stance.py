"""How a person has set a map up: the part looked at, the tool in hand, what is hidden or marked."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dashboard.map_view import Rows

TOOLS = ("pan", "select", "lasso", "zoom")
Shape = tuple[tuple[float, float], ...]
Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Stance:
    """What a new drawing of a map takes over from the one before.

    `x` and `y` are the part looked at, None for all of it; `hidden` are the groups switched off
    in the legend; `shapes` are the corners of what was drawn around; `marked` are the rows that
    stand out, None when all look alike.
    """

    x: Range | None = None
    y: Range | None = None
    tool: str = "pan"
    hidden: frozenset[str] = frozenset()
    shapes: tuple[Shape, ...] = ()
    marked: tuple[int, ...] | None = None


def stance_of(told: Any) -> Stance:
    """Read what the browser tells about a map; whatever makes no sense is left out."""
    told = told if isinstance(told, Mapping) else {}
    x, y = _range(told.get("x")), _range(told.get("y"))
    hidden = told.get("hidden")
    return Stance(
        x if y else None,
        y if x else None,
        told["tool"] if told.get("tool") in TOOLS else "pan",
        frozenset(str(name) for name in hidden) if isinstance(hidden, list) else frozenset(),
    )


def _range(ends: Any) -> Range | None:
    if not isinstance(ends, (list, tuple)) or len(ends) != 2:
        return None
    if not all(isinstance(end, (int, float)) and math.isfinite(end) for end in ends):
        return None
    return float(ends[0]), float(ends[1])


def shapes_of(selection: Mapping[str, Any]) -> tuple[Shape, ...]:
    """Give the corners of each box and lasso of a selection event."""
    shapes: list[Shape] = []
    for box in selection.get("box") or ():
        (left, right), (low, high) = box["x"], box["y"]
        shapes.append(((left, low), (right, low), (right, high), (left, high)))
    for lasso in selection.get("lasso") or ():
        shapes.append(tuple(zip(lasso["x"], lasso["y"], strict=True)))
    return tuple(shapes)


def same_shapes(some: Sequence[Shape], others: Sequence[Shape]) -> bool:
    """Tell whether two lists of shapes look the same; the browser rounds what it draws again."""
    return len(some) == len(others) and all(
        len(one) == len(other) and np.allclose(one, other, atol=1e-3)
        for one, other in zip(some, others, strict=True)
    )


def selections(shapes: Sequence[Shape]) -> list[dict[str, Any]]:
    """Give the layout's selections that draw these shapes again."""
    return [
        {
            "type": "path",
            "path": "M" + "L".join(f"{x:.6g},{y:.6g}" for x, y in shape) + "Z",
            "xref": "x",
            "yref": "y",
            "line": {"width": 1},
        }
        for shape in shapes
        if len(shape) > 2
    ]


def selected_points(part: Rows, marked: tuple[int, ...] | None) -> dict[str, Any]:
    """Give the option of a trace that lets the marked ones of its rows stand out."""
    if marked is None:
        return {}
    return {"selectedpoints": np.flatnonzero(np.isin(part, marked)).tolist()}
