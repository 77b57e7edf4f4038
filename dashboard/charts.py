"""Plotly figures made of plain values; the same ones in the dashboard and in a notebook."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.map_colours import Colours, Groups
from dashboard.map_view import Density, Rows, frame, hover_text
from dashboard.projection_neighbours import Floats

PALETTE = (
    "#4E79D6",
    "#F28E2B",
    "#3BA272",
    "#E15759",
    "#9C6ADE",
    "#17A2B8",
    "#D9A300",
    "#C2578B",
    "#8C6D46",
    "#6BA32D",
)
GREY = "#9AA0A6"
_DENSITY = (
    (0, "rgba(140,145,155,0)"),
    (0.05, "rgba(140,145,155,0.10)"),
    (1, "rgba(140,145,155,0.5)"),
)
_SCALE = "Viridis"
_HEIGHT = 620


def map_figure(
    positions: Floats,
    rows: Rows,
    texts: Sequence[str],
    colours: Colours,
    *,
    density: Density | None = None,
    height: int = _HEIGHT,
    revision: str = "",
) -> go.Figure:
    """Draw the given rows of a map; `texts` are their tooltips, as plain text.

    A point's `customdata` is its row. `revision` names the picture: zoom and selection are kept
    for as long as it stays the same.
    """
    figure = go.Figure()
    if density is not None:
        figure.add_trace(_density_layer(density))
    figure.add_trace(_points(positions, rows, texts, colours))
    if isinstance(colours, Groups):
        figure.add_traces(_legend(colours))
    across, upward = frame(positions)
    hidden: dict[str, Any] = {"visible": False, "showgrid": False, "zeroline": False}
    figure.update_layout(
        height=height,
        margin={"l": 0, "r": 0, "t": 8, "b": 0},
        dragmode="pan",
        clickmode="event+select",
        modebar={"bgcolor": "rgba(0,0,0,0)"},
        hovermode="closest",
        uirevision=revision,
        selectionrevision=revision,
        xaxis={**hidden, "range": across},
        yaxis={**hidden, "range": upward},
        legend={"itemclick": False, "itemdoubleclick": False, "title": {"text": ""}, "y": 0.94},
        plot_bgcolor="rgba(0,0,0,0)",
        paper_bgcolor="rgba(0,0,0,0)",
    )
    return figure


def _points(positions: Floats, rows: Rows, texts: Sequence[str], colours: Colours) -> go.Scattergl:
    shown = positions[rows]
    return go.Scattergl(
        x=shown[:, 0],
        y=shown[:, 1],
        mode="markers",
        customdata=rows.astype(np.int32),
        text=[hover_text(text, length=_hover_length(len(rows))) for text in texts],
        hovertemplate="%{text}<extra></extra>",
        marker={"size": _size(len(rows)), "opacity": 0.8, **_marker_colours(colours, rows)},
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 0.15}},
        showlegend=False,
        name="",
    )


def _hover_length(count: int) -> int:
    """Keep all tooltips together below what makes a page slow to arrive."""
    return 140 if count <= 4000 else 44


def _size(count: int) -> float:
    return next((size for most, size in ((60, 13), (600, 9), (4000, 6)) if count <= most), 4)


def _marker_colours(colours: Colours, rows: Rows) -> dict[str, Any]:
    if isinstance(colours, Groups):
        steps = [
            (place / len(colours.names), colour)
            for index, colour in enumerate(_palette(colours))
            for place in (index, index + 1)
        ]
        bounds = {"cmin": -0.5, "cmax": len(colours.names) - 0.5}
        return {"color": colours.codes[rows], "colorscale": steps or None, **bounds}
    return {
        "color": colours.values[rows],
        "colorscale": _SCALE,
        "colorbar": {
            "title": {"text": colours.title},
            "thickness": 12,
            "len": 0.6,
            "tickmode": "array",
            "tickvals": [float(np.nanmin(colours.values)), float(np.nanmax(colours.values))],
            "ticktext": [colours.low, colours.high],
        },
    }


def _palette(groups: Groups) -> list[str]:
    colours = list(PALETTE[: len(groups.names)])
    if groups.rest:
        colours[-1] = GREY
    return colours


def _legend(groups: Groups) -> list[go.Scatter]:
    return [
        go.Scatter(
            x=[None],
            y=[None],
            mode="markers",
            marker={"color": colour, "size": 10},
            name=f"{hover_text(name, length=28, width=28)} ({count:,})",
            hoverinfo="skip",
        )
        for name, count, colour in zip(groups.names, groups.counts, _palette(groups), strict=True)
    ]


def _density_layer(density: Density) -> go.Heatmap:
    return go.Heatmap(
        x=density.x,
        y=density.y,
        z=density.level,
        colorscale=_DENSITY,
        zsmooth="best",
        showscale=False,
        hoverinfo="skip",
        name="",
    )
