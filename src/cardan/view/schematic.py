"""`schematic`: a mechanism as a line drawing in SVG, in the position in which it starts or in another one.

Bodies are lines between their joints, markers and centres of mass; a turning joint is a circle, a sliding one a box,
the ground is hatched, constraints and forces between markers are dashed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from cardan.analysis.assembly import place_positions
from cardan.model.model import Model, check_model
from cardan.model.place import GROUND, InlinePlace, split
from cardan.model.plane import NORMALS
from cardan.safety.text import for_markup

__all__ = ["schematic"]

_SIZE, _MARGIN = 360.0, 46.0  # of the drawing [px]
_COLOURS = ("#1f5f99", "#b3541e", "#2e7d4f", "#7a3f8f", "#8a6d1b", "#a02c4a", "#3d6b73", "#5a5a5a")

Point = tuple[float, float]
End = str | InlinePlace


def schematic(model: Model, initial: Mapping[str, Any] | None = None) -> str:
    """An SVG drawing of a model.

    Parameters
    ----------
    model : Model
        The mechanism.
    initial : mapping, optional
        Coordinates of another position, by name, as `assemble` takes them.

    Raises
    ------
    ModelError
        It is not a model.
    AssemblyError
        Its loops do not close.

    Example
    -------
    >>> import cardan
    >>> schematic(cardan.load("compound_pendulum")).startswith("<svg")
    True
    """
    check_model(model)
    positions = place_positions(model, initial)
    flat = _drawn({name: _projected(model, p) for name, p in positions.items()}, _anchors(model, positions))
    parts = [*_slides(model, flat), *_bodies(model, flat), *_pairs(model, flat), *_joints(model, flat)]
    width = max(x for x, _ in flat.values()) + _MARGIN
    for x, words in re.findall(r'<text x="([\d.]+)"[^>]*>([^<]*)<', "".join(parts)):
        width = max(width, float(x) + 7.5 * len(words))
    height = max(y for _, y in flat.values()) + _MARGIN
    box = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    style = 'font-family="DejaVu Sans, Arial, sans-serif" font-size="12"'
    inner = "\n".join(parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} {style}>\n{inner}\n</svg>\n'


def _projected(model: Model, p: np.ndarray) -> np.ndarray:
    """The plane of a planar model; else x to the lower left, y to the right, z up."""
    if model.planar:
        return p[[axis for axis in range(3) if not NORMALS[model.planar][axis]]]
    return np.array([p[1] - 0.5 * p[0], p[2] - 0.35 * p[0]])


def _anchors(model: Model, positions: Mapping[End, np.ndarray]) -> dict[str, list[End]]:
    """Places on each body that the drawing shows: joints first, then markers, then the centre of mass."""
    out: dict[str, list[End]] = {name: [] for name in (GROUND, *model.bodies)}
    for joint in model.joints.values():
        for place in (joint.child, joint.parent):
            out[split(place)[0]].append(place)
    for body, places in out.items():
        named = (end for end in positions if isinstance(end, str))
        places += [name for name in named if name.startswith(f"{body}.") and not name.endswith(".com")]
        has_mass = body in model.bodies and (model.bodies[body].is_solid or model.bodies[body].mass.value != 0)
        places += [f"{body}.com"] if has_mass else []
        out[body] = list(dict.fromkeys(places))
    return out


def _drawn(flat: Mapping[End, np.ndarray], anchors: Mapping[str, list[End]]) -> dict[End, Point]:
    """Places in pixels, y down."""
    used = {GROUND, *(place for places in anchors.values() for place in places)}
    points = np.array([flat[name] for name in used])
    low, high = points.min(axis=0), points.max(axis=0)
    scale = (_SIZE - 2 * _MARGIN) / max(*(high - low), 1e-3)
    return {
        name: (_MARGIN + scale * (flat[name][0] - low[0]), _MARGIN + scale * (high[1] - flat[name][1]))
        for name in sorted(used, key=str)
    }


def _bodies(model: Model, flat: Mapping[End, Point]) -> list[str]:
    out = []
    for k, body in enumerate(model.bodies):
        colour = "#aaa" if body in _grounded(model) else _COLOURS[k % len(_COLOURS)]
        places = [place for place in flat if split(place)[0] == body]
        first = next((j.child for j in model.joints.values() if split(j.child)[0] == body), "")
        start = flat.get(first)
        for place in places:
            if start is not None and flat[place] != start:
                out.append(_line(start, flat[place], f'stroke="{colour}" stroke-width="4" stroke-linecap="round"'))
        if f"{body}.com" in flat:
            x, y = flat[f"{body}.com"]
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}" stroke="white"/>')
            if body not in model.joints and start is not None and abs(x - start[0]) + abs(y - start[1]) > 12:
                out.append(_label(x + 9, y + 14, body, colour))
    return out


def _pairs(model: Model, flat: Mapping[End, Point]) -> list[str]:
    """Constraints and forces between two markers."""
    out = []
    for section in (model.constraints, model.forces):
        for name, record in section.items():
            ends: list[End] = [getattr(record, side, "") for side in ("parent", "child")]
            if all(end in flat for end in ends):
                a, b = (flat[end] for end in ends)
                out.append(_line(a, b, 'stroke="#444" stroke-width="2" stroke-dasharray="6 4"'))
                out.append(_label((a[0] + b[0]) / 2 + 6, (a[1] + b[1]) / 2 - 6, name, "#444"))
    return out


def _grounded(model: Model) -> set[str]:
    """Bodies that are fixed to the ground."""
    fixed = (joint for joint in model.joints.values() if not joint.nv)
    return {split(joint.child)[0] for joint in fixed if split(joint.parent)[0] == GROUND}


def _slides(model: Model, flat: Mapping[End, Point]) -> list[str]:
    """The way along which a joint slides, from where it is zero."""
    style = 'stroke="#888" stroke-dasharray="9 3 2 3"'
    pairs = [(joint.parent, joint.child) for joint in model.joints.values() if joint.symbol == "box"]
    return [_line(flat[a], flat[b], style) for a, b in pairs if a in flat and b in flat and flat[a] != flat[b]]


def _joints(model: Model, flat: Mapping[End, Point]) -> list[str]:
    out = []
    labels: dict[Point, list[str]] = {}
    still = {GROUND, *_grounded(model)}
    for name, joint in model.joints.items():
        place = joint.child if joint.child in flat else joint.parent
        if place not in flat or not joint.nv:
            continue
        x, y = flat[place]
        if split(joint.parent)[0] in still:
            out.append(_ground(*flat[joint.parent if joint.parent in flat else GROUND]))
        if joint.symbol == "box":
            out.append(f'<rect x="{x - 11:.1f}" y="{y - 7:.1f}" width="22" height="14" {_OUTLINE}/>')
        else:
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" {_OUTLINE}/>')
        labels.setdefault((round(x), round(y)), []).append(name)
    return [*out, *(_label(x + 10, y - 10, ", ".join(names), "#222") for (x, y), names in labels.items())]


_OUTLINE = 'fill="white" stroke="#222" stroke-width="2"'


def _ground(x: float, y: float) -> str:
    """A hatched line under a point."""
    strokes = "".join(f"M{x + dx:.1f} {y + 10:.1f}l-6 7" for dx in range(-12, 19, 6))
    return f'<path d="M{x - 16:.1f} {y + 10:.1f}h32{strokes}" stroke="#666" fill="none"/>'


def _line(a: Point, b: Point, style: str) -> str:
    return f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" {style}/>'


def _label(x: float, y: float, text: str, colour: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}">{for_markup(text)}</text>'
