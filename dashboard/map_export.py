"""A map to take away: places as CSV, points as SVG."""

import csv
import io
import json

import numpy as np

from dashboard.charts import GREY, point_colours
from dashboard.map_colours import Colours
from dashboard.map_view import Rows, frame
from dashboard.projection_jobs import StoreMap
from dashboard.projection_neighbours import Floats

_WIDTH, _HEIGHT = 1200, 800


def as_csv(picture: StoreMap) -> str:
    """Give a line for each memory on the map: its place, namespace (as JSON) and key.

    Places of memories that are left out are empty.
    """
    out = io.StringIO()
    lines = csv.writer(out)
    lines.writerow(["x", "y", "namespace", "key"])
    for entry, (x, y) in zip(picture.entries, picture.layout.positions.tolist(), strict=True):
        place = [f"{x:.5f}", f"{y:.5f}"] if x == x else ["", ""]
        lines.writerow([*place, json.dumps(entry.namespace, ensure_ascii=False), _plain(entry.key)])
    return out.getvalue()


def _plain(text: str) -> str:
    # A spreadsheet would take such a text for a formula and run it.
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def as_svg(positions: Floats, rows: Rows, colours: Colours) -> str:
    """Draw the points of a map as SVG; no text of a memory is in it."""
    (left, right), (low, high) = frame(positions)
    x = (positions[rows, 0] - left) / (right - left) * _WIDTH
    y = (high - positions[rows, 1]) / (high - low) * _HEIGHT
    radius = 5 if len(rows) <= 600 else 2
    paints = np.array(point_colours(colours, rows), dtype=object)
    groups = []
    for paint in sorted(set(paints.tolist()), key=lambda paint: (paint != GREY, paint)):
        here = np.flatnonzero(paints == paint)
        dots = "".join(f'<use href="#p" x="{x[i]:.1f}" y="{y[i]:.1f}"/>' for i in here)
        groups.append(f'<g fill="{paint}">{dots}</g>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}">'
        f'<defs><circle id="p" r="{radius}" fill-opacity="0.8"/></defs>{"".join(groups)}</svg>'
    )
