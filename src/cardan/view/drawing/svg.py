"""A drawing as SVG, in the colours of a light or a dark page."""

from cardan.rendering.styles.themes import themed
from cardan.safety.text import for_markup
from cardan.view.drawing.records import STYLES, Sheet, Stroke, Words
from cardan.view.drawing.sizes import LETTERS, MARGIN

LIGHT = {
    "ink": "#1c1e21",
    "paper": "#ffffff",
    "soft": "#6b7480",
    "light": "#eef2f7",
    "motor": "#6a4fc0",
    "force": "#c03a1c",
    "measure": "#1f6f8b",
    "relation": "#8a6100",
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
    "relation": "#dcb35e",
    "red": "#ef7d70",
    "green": "#63c58d",
    "blue": "#78b4f0",
}


ITALIC = ("body", "coordinate", "dimension")
"""Roles of words in slanted letters."""


def _css() -> str:
    """Colours of the page's theme; programs that edit drawings and know no variables keep the light ones."""
    rules = (
        f".schematic .{kind}-{name} {{ {attribute}: var(--{name}); }}"
        for name in DARK
        for kind, attribute in (("s", "stroke"), ("f", "fill"))
    )
    return f".schematic {{ max-width: 100%; height: auto; }}\n{themed('.schematic', LIGHT, DARK)}\n{' '.join(rules)}"


def as_svg(sheet: Sheet) -> str:
    """The drawing as SVG."""
    area = sheet.bounds()
    x, y = area.x - MARGIN, area.y - MARGIN
    width, height = area.width + 2 * MARGIN, area.height + 2 * MARGIN
    box = f'viewBox="{x:.1f} {y:.1f} {width:.1f} {height:.1f}" width="{width:.0f}" height="{height:.0f}"'
    letters = f'font-family="DejaVu Sans, Arial, sans-serif" font-size="{LETTERS:g}" text-anchor="middle"'
    lines = 'stroke-linejoin="round" stroke-linecap="round"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="schematic" role="img" {box} {letters} {lines}>',
        f"<title>{for_markup(sheet.title or 'mechanism')}</title>",
        f"<style>{_css()}</style>",
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {_paint("paper", "")}/>',
        *map(_stroke, sheet.strokes),
        *map(_words, sheet.words),
    ]
    return "\n".join(parts) + "\n</svg>\n"


def _paint(fill: str, stroke: str) -> str:
    """Filling and outline of a part: in light colours, and by classes for the theme of the page."""
    classes = " ".join(f"{kind}-{name}" for kind, name in (("f", fill), ("s", stroke)) if name in DARK)
    paints = f'fill="{LIGHT.get(fill, fill) or "none"}"' + (f' stroke="{LIGHT.get(stroke, stroke)}"' if stroke else "")
    return f'class="{classes}" {paints}' if classes else paints


def _stroke(stroke: Stroke) -> str:
    style = STYLES[stroke.style]
    way = "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in stroke.points) + ("Z" if stroke.closed else "")
    fill = (stroke.colour or "soft") if style.fill == "body" else style.fill
    paint = _paint(fill, (stroke.colour or style.stroke) if style.stroke else "")
    if fill and style.tint < 1:
        paint += f' fill-opacity="{style.tint:g}"'
    if style.stroke:
        paint += f' stroke-width="{style.width:g}"'
    if style.dash:
        paint += f' stroke-dasharray="{" ".join(f"{part:g}" for part in style.dash)}"'
    return f'<path d="{way}" {paint}/>'


def _number(value: float) -> str:
    return f"{round(float(value), 1) + 0.0:g}"


def _words(one: Words) -> str:
    a = one.area
    place = f'x="{_number(a.x + a.width / 2)}" y="{_number(a.y + a.height / 2 + 0.35 * LETTERS)}"'
    slant = ' font-style="italic"' if one.role in ITALIC else ""
    return f"<text {place}{slant} {_paint(one.colour, '')}>{for_markup(one.text)}</text>"
