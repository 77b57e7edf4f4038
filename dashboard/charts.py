"""Plotly figures made of plain values; the same ones in the dashboard and in a notebook."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboard.map_colours import Colours, Groups, Scale
from dashboard.map_marks import pin_marks, query_marks
from dashboard.map_names import Named
from dashboard.map_pin import Pinned
from dashboard.map_query import Asked
from dashboard.map_stance import Stance, selected_points, selections
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
INK, INK_DARK = "#1B2329", "#F2F4F7"
_DENSITY = (
    (0, "rgba(140,145,155,0)"),
    (0.12, "rgba(140,145,155,0.05)"),
    (1, "rgba(140,145,155,0.45)"),
)
# Every step can be seen on white and on near-black.
_STEPS = ("#7C86A0", "#5F7FD9", "#2F9FC7", "#2BB08A", "#86BF3A", "#F0B000")
_SCALE = [[step / (len(_STEPS) - 1), colour] for step, colour in enumerate(_STEPS)]
_HEIGHT = 650
_UNTOUCHED = Stance()


def map_figure(
    positions: Floats,
    rows: Rows,
    texts: Sequence[str],
    colours: Colours,
    *,
    density: Density | None = None,
    names: Sequence[Named] = (),
    asked: Asked | None = None,
    pinned: Pinned | None = None,
    near: Sequence[str] = (),
    stance: Stance = _UNTOUCHED,
    height: int = _HEIGHT,
    revision: str = "",
    dark: bool = False,
) -> go.Figure:
    """Draw the given rows of a map; `texts` are their tooltips, as plain text.

    A point's `customdata` is its row. `near` are the tooltips of a pinned memory and its nearest.
    `revision` names the picture: positions of another one mean other places.
    """
    figure = go.Figure()
    if density is not None:
        figure.add_trace(_density_layer(density))
    shown = _Shown(positions, rows, texts, stance, faint=pinned is not None)
    figure.add_traces(
        shown.groups(colours) if isinstance(colours, Groups) else shown.scale(colours)
    )
    if asked is not None:
        figure.add_traces(query_marks(asked, positions))
    if pinned is not None:
        figure.add_traces(_pin(pinned, positions, near, colours, dark))
    across, upward = frame(positions)
    hidden: dict[str, Any] = {"visible": False, "showgrid": False, "zeroline": False}
    figure.update_layout(
        height=height,
        margin={"l": 0, "r": 0, "t": 46, "b": 0},
        dragmode=stance.tool,
        clickmode="event+select",
        modebar=_modebar(dark),
        hovermode="closest",
        uirevision=revision,
        selectionrevision=revision,
        xaxis={**hidden, "range": stance.x or across},
        yaxis={**hidden, "range": stance.y or upward},
        selections=selections(stance.shapes),
        legend={"title": {"text": ""}, "y": 1, "itemsizing": "constant"},
        annotations=[_name(named, dark) for named in names],
        plot_bgcolor="rgba(0,0,0,0)",
        paper_bgcolor="rgba(0,0,0,0)",
    )
    return figure


class _Shown:
    """The points of a map, made into traces: one a group, so that the legend hides and shows."""

    def __init__(
        self,
        positions: Floats,
        rows: Rows,
        tooltips: Sequence[str],
        stance: Stance,
        *,
        faint: bool,
    ) -> None:
        self._positions = positions
        self._rows = rows
        self._tooltips = tooltips
        self._size = _size(len(rows))
        self._hidden = stance.hidden
        self._marked = stance.marked
        self._opacity = 0.2 if faint else 0.8

    def groups(self, groups: Groups) -> list[go.Scattergl]:
        codes = groups.codes[self._rows]
        palette = _palette(groups)
        # The largest group and the rest are drawn first, so that they cover nothing.
        order = sorted(range(len(groups.names)), key=lambda code: (palette[code] != GREY, code))
        labels = group_labels(groups)
        return [
            self._trace(
                np.flatnonzero(codes == code),
                {"color": palette[code]},
                name=f"{labels[code]} ({groups.counts[code]:,})",
                legendrank=code,
                # By this the browser tells which groups are hidden: counts change, labels do not.
                meta=labels[code],
                visible="legendonly" if labels[code] in self._hidden else True,
            )
            for code in order
        ]

    def scale(self, scale: Scale) -> list[go.Scattergl]:
        values = scale.values[self._rows]
        known = np.isfinite(values)
        ends = values[known] if known.any() else np.array([0, 1], dtype=np.float32)
        low, high = float(np.min(ends)), float(np.max(ends))
        bar = {
            # The label of the upper end lies close beneath the title: an empty line between them.
            "title": {"text": f"{hover_text(scale.title, length=26, width=26)}<br>\u00a0"},
            "thickness": 12,
            "len": 0.6,
            "tickmode": "array",
            "tickvals": [low, high],
            "ticktext": [scale.low, scale.high],
        }
        marker = {"color": values[known], "colorscale": _SCALE, "colorbar": bar}
        limits = {"cmin": low, "cmax": high}
        return [
            self._trace(np.flatnonzero(~known), {"color": GREY}, share=0.45, showlegend=False),
            self._trace(np.flatnonzero(known), {**marker, **limits}, showlegend=False),
        ]

    def _trace(
        self, part: Rows, marker: dict[str, Any], *, share: float = 1.0, **options: Any
    ) -> go.Scattergl:
        rows = self._rows[part]
        places = self._positions[rows]
        return go.Scattergl(
            x=places[:, 0],
            y=places[:, 1],
            mode="markers",
            customdata=rows.astype(np.int32),
            text=[self._tooltips[index] for index in part],
            hovertemplate="%{text}<extra></extra>",
            marker={"size": self._size, "opacity": self._opacity * share, **marker},
            selected={"marker": {"opacity": 1}},
            unselected={"marker": {"opacity": 0.12}},
            **selected_points(rows, self._marked),
            **options,
        )


def group_labels(groups: Groups) -> list[str]:
    """Give the names of groups as the legend shows them: cut short, with tags shown as text."""
    return [hover_text(name, length=26, width=26) for name in groups.names]


def point_colours(colours: Colours, rows: Rows) -> list[str]:
    """Give each of the rows its colour as text."""
    if isinstance(colours, Groups):
        palette = [*_palette(colours), GREY]
        return [palette[code] for code in colours.codes[rows].tolist()]
    values = colours.values[rows]
    known = np.isfinite(values)
    ends = values[known] if known.any() else np.array([0, 1], dtype=np.float32)
    share = (values - np.min(ends)) / (float(np.ptp(ends)) or 1.0)
    steps = np.where(known, np.clip(share * (len(_STEPS) - 1), 0, len(_STEPS) - 1), -1)
    return [GREY if step < 0 else _STEPS[round(step)] for step in steps.tolist()]


def tooltips(texts: Sequence[str]) -> list[str]:
    """Make the texts of points safe and short enough to be sent all together."""
    length = 140 if len(texts) <= 4000 else 44
    return [hover_text(text, length=length) for text in texts]


def _size(count: int) -> float:
    return next((size for most, size in ((60, 13), (600, 9), (4000, 6)) if count <= most), 4)


def _palette(groups: Groups) -> list[str]:
    colours = list(PALETTE[: len(groups.names)])
    if groups.rest:
        colours[-1] = GREY
    return colours


def _pin(
    pinned: Pinned, positions: Floats, near: Sequence[str], colours: Colours, dark: bool
) -> list[go.Scatter]:
    rows = np.array([pinned.row, *(row for row, _ in pinned.near)])
    paints = point_colours(colours, rows)
    return pin_marks(pinned, positions, tooltips(near), paints, INK_DARK if dark else INK)


def _modebar(dark: bool) -> dict[str, str]:
    # Plotly takes the ground for black when it is transparent, and draws white on white.
    ink = "242,244,247" if dark else "27,35,41"
    return {
        "bgcolor": "rgba(0,0,0,0)",
        "color": f"rgba({ink},0.55)",
        "activecolor": f"rgba({ink},0.95)",
    }


def _name(named: Named, dark: bool) -> dict[str, Any]:
    ink, ground = (INK_DARK, "rgba(18,24,28,0.72)") if dark else (INK, "rgba(255,255,255,0.76)")
    return {
        "x": named.x,
        "y": named.y,
        "text": f"<b>{hover_text(named.name, length=32, width=32)}</b>",
        "showarrow": False,
        "font": {"size": 12, "color": ink},
        "bgcolor": ground,
        "borderpad": 2,
        "captureevents": False,
    }


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
