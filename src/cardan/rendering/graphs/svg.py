"""A drawn bond graph as SVG: half-arrows, causal strokes, double lines for vector bonds, words under the pointer."""

from cardan.rendering.graphs.arrange import Point
from cardan.rendering.graphs.geometry import SIZE, Caption, DrawnBond, DrawnFrame, DrawnGraph, Sign
from cardan.rendering.styles.themes import themed
from cardan.safety.text import for_markup

THICKEST = 12.0  # line of the largest power [px]

LIGHT = {
    "ink": "#1c1e21",
    "paper": "#ffffff",
    "soft": "#5b6470",
    "box": "#eef2f7",
    "edge": "#b6c0cc",
    "blue": "#1f5f99",
    "red": "#a8401c",
}
DARK = {
    "ink": "#e6e8ea",
    "paper": "#16181c",
    "soft": "#a2acb8",
    "box": "#22272e",
    "edge": "#4a5562",
    "blue": "#7db7ea",
    "red": "#f09a76",
}

_RULES = """
.bond-graph { max-width: 100%; height: auto; font-family: "DejaVu Sans", Arial, sans-serif; }
.bond-graph .paper { fill: var(--paper); }
.bond-graph text { fill: var(--ink); font-size: 11px; }
.bond-graph .effort, .bond-graph .flow { font-style: italic; }
.bond-graph .flow, .bond-graph .port text { fill: var(--soft); }
.bond-graph .element text, .bond-graph .unknown text, .bond-graph .junction text { font-size: 12px; }
.bond-graph .unknown text { fill: var(--red); }
.bond-graph .junction rect { fill: var(--paper); stroke: var(--edge); }
.bond-graph .frame rect { fill: var(--box); stroke: var(--edge); }
.bond-graph .open rect { fill: none; stroke-dasharray: 5 3; }
.bond-graph .title { font-size: 13px; font-weight: bold; }
.bond-graph path { fill: none; stroke: var(--ink); stroke-width: 1.3; }
.bond-graph .vector { stroke-width: 4; }
.bond-graph .between { stroke: var(--paper); stroke-width: 1.6; }
.bond-graph .stroke { stroke-width: 2; }
.bond-graph .power { opacity: 0.45; stroke-linecap: butt; }
.bond-graph .forth { stroke: var(--blue); }
.bond-graph .back { stroke: var(--red); }
.bond-graph .hit { stroke: transparent; stroke-width: 14; pointer-events: stroke; }
"""
STYLE = themed(".bond-graph", LIGHT, DARK) + _RULES


def as_svg(drawing: DrawnGraph, title: str = "") -> str:
    """A drawing as SVG; where the powers of bonds are known, lines are as wide as these are large."""
    largest = max((abs(bond.power) for bond in drawing.bonds if bond.power is not None), default=0.0)
    wide = {bond.name: THICKEST * (bond.power or 0.0) / largest for bond in drawing.bonds} if largest else {}
    box = f'viewBox="0 0 {drawing.width:.0f} {drawing.height:.0f}" width="{drawing.width:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="bond-graph" role="img" {box} height="{drawing.height:.0f}">'
    parts = [
        head,
        f"<title>{for_markup(title or 'bond graph')}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{drawing.width:.0f}" height="{drawing.height:.0f}"/>',
        *map(_frame, drawing.frames),
        *(_bond(bond, wide.get(bond.name, 0.0)) for bond in drawing.bonds),
        *map(_sign, drawing.signs),
        *map(_caption, drawing.captions),
    ]
    return "\n".join(parts) + "\n</svg>\n"


def _frame(frame: DrawnFrame) -> str:
    a = frame.area
    rect = f'<rect x="{a.x:.1f}" y="{a.y:.1f}" width="{a.width:.1f}" height="{a.height:.1f}" rx="6"/>'
    title = for_markup(frame.title)
    if frame.open:
        texts = f'<text class="title" x="{a.x + 10:.1f}" y="{a.y + 16:.1f}">{title}</text>'
    else:
        x, y = a.x + a.width / 2, a.y + a.height / 2 + 5
        texts = f'<text class="title" x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{title}</text>'
    return f'<g class="frame{" open" if frame.open else ""}">{_words(frame.words)}{rect}{texts}</g>'


def _bond(bond: DrawnBond, wide: float) -> str:
    way = _way(bond.points)
    lines = [f'<path class="hit" d="{way}"/>']
    if wide:
        sense = "forth" if wide > 0 else "back"
        lines.append(f'<path class="power {sense}" style="stroke-width:{abs(wide):.2f}" d="{way}"/>')
    if bond.size > 1:
        lines += [f'<path class="vector" d="{way}"/>', f'<path class="between" d="{way}"/>']
    else:
        lines.append(f'<path d="{way}"/>')
    lines.append(f'<path d="{_way(bond.half_arrow)}"/>')
    if bond.stroke:
        lines.append(f'<path class="stroke" d="{_way(bond.stroke)}"/>')
    return f'<g class="bond">{_words(bond.words)}{"".join(lines)}</g>'


def _sign(sign: Sign) -> str:
    a = sign.area
    rect = ""
    if sign.role == "junction":
        rect = f'<rect x="{a.x:.1f}" y="{a.y:.1f}" width="{a.width:.1f}" height="{a.height:.1f}" rx="6"/>'
    place = f'x="{a.x + a.width / 2:.1f}" y="{a.y + a.height / 2 + 4:.1f}" text-anchor="middle"'
    return f'<g class="{sign.role}">{_words(sign.words)}{rect}<text {place}>{for_markup(sign.text)}</text></g>'


def _caption(caption: Caption) -> str:
    a = caption.area
    return f'<text class="{caption.role}" x="{a.x:.1f}" y="{a.y + SIZE:.1f}">{for_markup(caption.text)}</text>'


def _way(points: tuple[Point, ...]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _words(text: str) -> str:
    return f"<title>{'&#10;'.join(for_markup(line) for line in text.splitlines())}</title>"
