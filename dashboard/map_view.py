"""What of a map is drawn, and which rows lie inside what a person drew around them."""

import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dashboard.projection_neighbours import Floats

DRAWN_LIMIT = 12_000
"""More points than this are neither seen apart nor quickly sent to a browser."""
_CELLS = 200
_DENSITY_CELLS = 160
_BLUR = 3
"""Empty cells around the density, so that it fades out instead of being cut off."""
_HOVER_LENGTH = 140

Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Density:
    """How many rows there are in each cell of a grid, on a scale from 0 to 255 (square root)."""

    x: Floats
    y: Floats
    level: npt.NDArray[np.uint8]


def drawn_rows(positions: Floats, ids: npt.NDArray[np.uint64], *, limit: int = DRAWN_LIMIT) -> Rows:
    """Choose the rows to draw: all, or a sample that keeps sparse places and thins dense ones.

    The choice hangs on each row's id alone, so that a map keeps its points when rows come or go.
    """
    rows = np.flatnonzero(np.isfinite(positions).all(axis=1))
    if len(rows) <= limit:
        return rows
    cell_x, cell_y = _cells(positions[rows], _CELLS)
    counts = np.zeros((_CELLS, _CELLS), dtype=np.int64)
    np.add.at(counts, (cell_y, cell_x), 1)
    weights = counts[cell_y, cell_x] ** -0.5
    chance = (ids[rows].astype(np.float64) + 1) / 2.0**64
    urgency = -np.log(chance) / weights
    return np.sort(rows[np.argpartition(urgency, limit)[:limit]])


def density(positions: Floats) -> Density | None:
    """Count rows in a grid a little wider than the map; None for a map without rows."""
    placed = positions[np.isfinite(positions).all(axis=1)]
    if not len(placed):
        return None
    inner = _DENSITY_CELLS - 2 * _BLUR
    cell_x, cell_y = _cells(placed, inner)
    counts = np.zeros((_DENSITY_CELLS, _DENSITY_CELLS), dtype=np.float32)
    np.add.at(counts, (cell_y + _BLUR, cell_x + _BLUR), 1)
    low, size = _frame(placed)
    numbers = np.arange(_DENSITY_CELLS, dtype=np.float32) - np.float32(_BLUR - 0.5)
    middle = numbers[:, None] * (size / inner) + low
    level = np.sqrt(_blurred(_blurred(counts)))
    level = (255 * level / max(float(np.max(level)), 1e-9)).astype(np.uint8)
    return Density(middle[:, 0].astype(np.float32), middle[:, 1].astype(np.float32), level)


def _blurred(counts: Floats) -> Floats:
    for axis in (0, 1):
        counts = (
            np.roll(counts, 1, axis=axis) + 2 * counts + np.roll(counts, -1, axis=axis)
        ) / np.float32(4)
    return counts


def frame(positions: Floats) -> tuple[tuple[float, float], tuple[float, float]]:
    """Give the range of x and of y that shows every row with a margin."""
    placed = positions[np.isfinite(positions).all(axis=1)]
    if not len(placed):
        return (-1.0, 1.0), (-1.0, 1.0)
    low, size = _frame(placed)
    low, high = low - size * 0.03, low + size * 1.03
    return (float(low[0]), float(high[0])), (float(low[1]), float(high[1]))


def _frame(placed: Floats) -> tuple[Floats, Floats]:
    low = placed.min(axis=0)
    size = placed.max(axis=0) - low
    least = max(float(np.max(size)) * 0.25, 1e-3)
    wider = np.maximum(size, least)
    return np.asarray(low - (wider - size) / 2), np.asarray(wider)


def _cells(placed: Floats, cells: int) -> tuple[Rows, Rows]:
    low, size = _frame(placed)
    cell = np.clip(((placed - low) / size * cells).astype(np.intp), 0, cells - 1)
    return cell[:, 0], cell[:, 1]


def chosen_rows(selection: Mapping[str, Any], positions: Floats) -> Rows:
    """Give every row, drawn or not, that lies in a box or a lasso of a selection event."""
    inside = np.zeros(len(positions), dtype=bool)
    for box in selection.get("box") or ():
        inside |= in_box(positions, box["x"], box["y"])
    for lasso in selection.get("lasso") or ():
        inside |= in_polygon(positions, lasso["x"], lasso["y"])
    return np.flatnonzero(inside)


def visible_rows(
    selection: Mapping[str, Any],
    chosen: Rows,
    drawn: Rows,
    codes: npt.NDArray[np.int8],
    known: Collection[int] = (),
) -> Rows:
    """Leave out the chosen rows whose group the person has hidden with the legend.

    `known` are the groups the browser told of before. A selection itself does not say what is
    hidden, but names the drawn points that were chosen: a group that has drawn points among
    `chosen` and none of them named is hidden. While one is, rows of an unknown group are left
    out too.
    """
    named = point_rows(selection)
    within = np.intersect1d(chosen, drawn)
    hidden = set(known) | set(codes[within].tolist()) - set(codes[named].tolist())
    if not hidden:
        return chosen
    return np.asarray(chosen[~np.isin(codes[chosen], [*hidden, -1])])


def point_rows(selection: Mapping[str, Any]) -> list[int]:
    """Give the rows of the points a selection event names: one clicked, or those drawn around."""
    rows = (_row(point.get("customdata")) for point in selection.get("points") or ())
    return [row for row in rows if row is not None]


def clicked_row(selection: Mapping[str, Any], inside: Rows) -> int | None:
    """Give the row of a point that was clicked, None when the event is about something else.

    What was drawn around before, whose drawn rows are `inside`, comes with the event of a click.
    """
    rows = point_rows(selection)
    return rows[0] if len(rows) == 1 and rows != inside.tolist() else None


def _row(customdata: Any) -> int | None:
    while isinstance(customdata, Sequence) and not isinstance(customdata, str) and customdata:
        customdata = customdata[0]
    return int(customdata) if isinstance(customdata, (int, float)) else None


def in_box(positions: Floats, x: Sequence[float], y: Sequence[float]) -> npt.NDArray[np.bool_]:
    """Tell for each row whether it lies in the box between two corners."""
    across = (positions[:, 0] >= min(x)) & (positions[:, 0] <= max(x))
    upward = (positions[:, 1] >= min(y)) & (positions[:, 1] <= max(y))
    return np.asarray(across & upward)


def in_polygon(positions: Floats, x: Sequence[float], y: Sequence[float]) -> npt.NDArray[np.bool_]:
    """Tell for each row whether it lies in a polygon, by the even-odd rule."""
    inside = np.zeros(len(positions), dtype=bool)
    if len(x) < 3:
        return inside
    near = np.flatnonzero(in_box(positions, x, y))
    left, level = positions[near, 0].astype(np.float64), positions[near, 1].astype(np.float64)
    odd = np.zeros(len(near), dtype=bool)
    corners = list(zip(x, y, strict=True))
    for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1], strict=True):
        crosses = (y0 > level) != (y1 > level)
        slope = (x1 - x0) / (y1 - y0) if y1 != y0 else 0.0
        odd ^= crosses & (left < x0 + (level - y0) * slope)
    inside[near] = odd
    return inside


def hover_text(text: str, *, length: int = _HOVER_LENGTH, width: int = 45) -> str:
    """Make untrusted text safe and short for a Plotly tooltip: its tags are shown, not obeyed."""
    flat = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    flat = flat if len(flat) <= length else flat[: length - 1].rstrip() + "…"
    lines = textwrap.wrap(flat, width)
    return "<br>".join(
        line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for line in lines
    )
