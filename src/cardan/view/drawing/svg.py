"""A drawing as SVG, in the colours of a light or a dark page."""

from __future__ import annotations

from cardan.safety.text import for_markup
from cardan.view.drawing.records import LETTERS, STYLES, Sheet, Stroke, Words

__all__ = ["LIGHT", "MARGIN", "as_svg"]

MARGIN = 12.0
"""Round the drawing [px]."""

LIGHT = {
    "ink": "#1c1e21",
    "paper": "#ffffff",
    "soft": "#6b7480",
    "light": "#eef2f7",
    "motor": "#6a4fc0",
    "force": "#c03a1c",
    "measure": "#1f6f8b",
    "red": "#c0392b",
    "green": "#2e8b57",
    "blue": "#2f6fb5",
}
DARK = {
    "ink": "#e6e8ea",
    "paper": "#16181c",
    "soft": "#98a2ae",
    "light": "#252b33",
    "motor": "#b3a2f5",
    "force": "#f0876a",
    "measure": "#6fc3dd",
    "red": "#ef7d70",
    "green": "#63c58d",
    "blue": "#78b4f0",
}


def _css() -> str:
    light, dark = ("; ".join(f"--{name}: {value}" for name, value in colours.items()) for colours in (LIGHT, DARK))
    return (
        f".schematic {{ {light}; max-width: 100%; height: auto; }}\n"
        f'.schematic text {{ font: {LETTERS:g}px "DejaVu Sans", Arial, sans-serif; text-anchor: middle; }}\n'
        f"@media (prefers-color-scheme: dark) {{ .schematic {{ {dark}; }} }}\n"
        ".schematic path { stroke-linejoin: round; stroke-linecap: round; }\n"
        ".schematic .body, .schematic .coordinate, .schematic .dimension { font-style: italic; }\n"
    )


def as_svg(sheet: Sheet) -> str:
    """The drawing as SVG.

    Parameters
    ----------
    sheet : Sheet
        What it shows.
    """
    area = sheet.bounds()
    x, y = area.x - MARGIN, area.y - MARGIN
    width, height = area.width + 2 * MARGIN, area.height + 2 * MARGIN
    box = f'viewBox="{x:.1f} {y:.1f} {width:.1f} {height:.1f}" width="{width:.0f}" height="{height:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="schematic" role="img" {box}>',
        f"<title>{for_markup(sheet.title or 'mechanism')}</title>",
        f"<style>{_css()}</style>",
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="var(--paper)"/>',
        *map(_stroke, sheet.strokes),
        *map(_words, sheet.words),
    ]
    return "\n".join(parts) + "\n</svg>\n"


def _paint(colour: str) -> str:
    return f"var(--{colour})" if colour in LIGHT else colour


def _stroke(stroke: Stroke) -> str:
    style = STYLES[stroke.style]
    way = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in stroke.points) + ("Z" if stroke.closed else "")
    own = stroke.colour or style.stroke
    fill = (stroke.colour or "soft") if style.fill == "body" else style.fill
    paint = f'fill="{_paint(fill)}"' if fill else 'fill="none"'
    if fill and style.tint < 1:
        paint += f' fill-opacity="{style.tint:g}"'
    if style.stroke:
        paint += f' stroke="{_paint(own)}" stroke-width="{style.width:g}"'
    if style.dash:
        paint += f' stroke-dasharray="{" ".join(f"{part:g}" for part in style.dash)}"'
    return f'<path d="{way}" {paint}/>'


def _words(one: Words) -> str:
    a = one.area
    place = f'x="{a.x + a.width / 2:.1f}" y="{a.y + a.height / 2 + 0.35 * LETTERS:.1f}"'
    return f'<text class="{one.role}" {place} fill="{_paint(one.colour)}">{for_markup(one.text)}</text>'
