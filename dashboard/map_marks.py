"""What lies over the points of a map: a query with its hits, a pinned memory with its nearest."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.map_pin import Pinned
from dashboard.map_query import Asked
from dashboard.map_view import hover_text
from dashboard.projection_neighbours import Floats

QUERY_COLOUR = "#E8467C"
_COMMON: dict[str, Any] = {"showlegend": False, "name": ""}
_TOOLTIP = "%{text}<extra></extra>"


def query_marks(asked: Asked, positions: Floats) -> list[go.Scatter]:
    """Draw a query as a star, with rings around its best hits and lines to them."""
    ends = positions[list(asked.best)]
    hits = [f"score {asked.scores[row]:.2f}" for row in asked.best]
    return [
        _lines((asked.x, asked.y), ends, QUERY_COLOUR),
        go.Scatter(
            x=ends[:, 0],
            y=ends[:, 1],
            mode="markers",
            customdata=np.array(asked.best, dtype=np.int32),
            text=hits,
            hovertemplate=_TOOLTIP,
            marker=_ring(11, QUERY_COLOUR),
            **_COMMON,
        ),
        go.Scatter(
            x=[asked.x],
            y=[asked.y],
            mode="markers",
            marker={"symbol": "star", "size": 18, "color": QUERY_COLOUR},
            text=[hover_text(f"Query: {asked.text}")],
            hovertemplate=_TOOLTIP,
            **_COMMON,
        ),
    ]


def pin_marks(
    pinned: Pinned, positions: Floats, texts: Sequence[str], paints: Sequence[str], ink: str
) -> list[go.Scatter]:
    """Draw a pinned memory and its nearest ones in full colour, with lines and true similarity.

    `texts` and `paints` are the tooltips and colours of the pinned memory, then of the others.
    """
    rows = [pinned.row, *(row for row, _ in pinned.near)]
    places = positions[rows]
    scores = [f"{score:.2f}" for _, score in pinned.near]
    tips = [f"cosine {score}<br>{text}" for score, text in zip(scores, texts[1:], strict=True)]
    return [
        _lines((float(places[0, 0]), float(places[0, 1])), places[1:], ink),
        go.Scatter(
            x=places[:, 0],
            y=places[:, 1],
            mode="markers+text",
            customdata=np.array(rows, dtype=np.int32),
            text=["", *scores],
            textposition="top center",
            textfont={"color": ink, "size": 11},
            hovertext=[texts[0], *tips],
            hovertemplate="%{hovertext}<extra></extra>",
            marker={"size": [15, *[10] * (len(rows) - 1)], "color": list(paints), "opacity": 1},
            **_COMMON,
        ),
        go.Scatter(
            x=places[:1, 0],
            y=places[:1, 1],
            mode="markers",
            hoverinfo="skip",
            marker=_ring(24, ink),
            **_COMMON,
        ),
    ]


def _lines(start: tuple[float, float], ends: Floats, colour: str) -> go.Scatter:
    x = [value for end in ends[:, 0].tolist() for value in (start[0], end, None)]
    y = [value for end in ends[:, 1].tolist() for value in (start[1], end, None)]
    line = {"color": colour, "width": 1}
    return go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", opacity=0.6, **_COMMON)


def _ring(size: int, colour: str) -> dict[str, Any]:
    return {"size": size, "color": "rgba(0,0,0,0)", "line": {"color": colour, "width": 2}}
