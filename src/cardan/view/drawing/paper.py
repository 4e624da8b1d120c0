"""A drawing as PNG or PDF, by matplotlib, on white."""

import io
from typing import Any

import numpy as np

from cardan.safety.text import for_plot
from cardan.view.drawing.records import STYLES, Sheet
from cardan.view.drawing.sizes import LETTERS, MARGIN
from cardan.view.drawing.svg import ITALIC, LIGHT

_DPI = 72.0  # one pixel of the drawing is one point of the picture
SHARPNESS = 2.5
"""Pixels of a PNG per pixel of the drawing."""


def as_image(sheet: Sheet, kind: str) -> bytes:
    """The content of a PNG or PDF file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    area = sheet.bounds()
    width, height = area.width + 2 * MARGIN, area.height + 2 * MARGIN
    figure = Figure(figsize=(width / _DPI, height / _DPI), dpi=_DPI, facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(area.x - MARGIN, area.x + area.width + MARGIN)
    axes.set_ylim(area.y + area.height + MARGIN, area.y - MARGIN)
    for order, stroke in enumerate(sheet.strokes):
        _stroke(axes, stroke, order)
    for one in sheet.words:
        a = one.area
        slant = "italic" if one.role in ITALIC else "normal"
        axes.text(
            a.x + a.width / 2,
            a.y + a.height / 2,
            for_plot(one.text),
            color=_paint(one.colour),
            fontsize=LETTERS,
            fontstyle=slant,
            family="DejaVu Sans",
            ha="center",
            va="center_baseline",
            zorder=len(sheet.strokes) + 1,
        )
    stream = io.BytesIO()
    figure.savefig(stream, format=kind, dpi=SHARPNESS * _DPI, facecolor="white", metadata=_METADATA[kind])
    return stream.getvalue()


_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": "Cardan"},
    "pdf": {"Creator": "Cardan", "CreationDate": None},
}
"""The same file on every run."""


def _paint(colour: str) -> str:
    return LIGHT.get(colour, colour)


def _stroke(axes: Any, stroke: Any, order: int) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    style = STYLES[stroke.style]
    points = np.vstack([stroke.points, stroke.points[:1]]) if stroke.closed else stroke.points
    codes = [Path.MOVETO, *[Path.LINETO] * (len(points) - 1)]
    if stroke.closed:
        codes[-1] = Path.CLOSEPOLY
    fill = (stroke.colour or "soft") if style.fill == "body" else style.fill
    patch = PathPatch(
        Path(points, codes),
        facecolor=to_rgba(_paint(fill), style.tint) if fill else "none",
        edgecolor=_paint(stroke.colour or style.stroke) if style.stroke else "none",
        linewidth=style.width,
        linestyle=(0, tuple(part / style.width for part in style.dash)) if style.dash else "solid",
        capstyle="round",
        joinstyle="round",
        zorder=order,
    )
    axes.add_patch(patch)
