"""What lies on something else in a drawing."""

from itertools import pairwise

import numpy as np

from cardan.view.drawing.records import STYLES


def overlaps_of_sheet(sheet):
    """What words lie on in a kinematic diagram: other words, or symbols; in words."""
    for k, one in enumerate(sheet.words):
        yield from (f"{one.owner} on {two.owner}" for two in sheet.words[k + 1 :] if one.area.meets(two.area))
        for stroke in sheet.strokes:
            if STYLES[stroke.style].is_solid and _touches(stroke, one.area):
                yield f"{one.owner} on {stroke.owner} ({stroke.style})"


def _touches(stroke, area):
    points = np.vstack([stroke.points, stroke.points[:1]]) if stroke.closed else stroke.points
    return any(cuts(a, b, area) for a, b in pairwise(points))


def overlaps_of_graph(drawing):
    """What lies on something else in a drawn bond graph: captions, boxes, signs, strokes and lines, in words."""
    closed = [(f"box {frame.title}", frame.area) for frame in drawing.frames if not frame.open]
    solid = [*closed, *((f"sign {sign.text}", sign.area) for sign in drawing.signs)]
    solid += [(f"{caption.role} {caption.text}", caption.area) for caption in drawing.captions]
    for k, (name, area) in enumerate(solid):
        yield from (f"{name} on {other}" for other, second in solid[k + 1 :] if area.meets(second))
    frames = [frame for frame in drawing.frames if frame.open]
    for k, frame in enumerate(frames):
        yield from (f"frame {frame.title} on {x.title}" for x in frames[k + 1 :] if frame.area.meets(x.area))
    lines = [(bond.name, a, b) for bond in drawing.bonds for a, b in pairwise(bond.points)]
    for name, a, b in lines:
        yield from (f"line {name} through {other}" for other, area in solid if cuts(a, b, area))
    marks = [(bond.name, *bond.stroke) for bond in drawing.bonds if bond.stroke]
    marks += [(bond.name, *bond.half_arrow) for bond in drawing.bonds]
    for k, (name, a, b) in enumerate(lines):
        for other, c, d in lines[k + 1 :]:
            if name != other and _cross(a, b, c, d):
                yield f"line {name} across line {other}"
        yield from (f"line {name} across a stroke of {x}" for x, c, d in marks if name != x and _cross(a, b, c, d))
    for k, (name, a, b) in enumerate(marks):
        yield from (
            f"stroke of {name} across one of {x}" for x, c, d in marks[k + 1 :] if x != name and _cross(a, b, c, d)
        )
        yield from (f"stroke of {name} on {other}" for other, area in solid if cuts(a, b, area))


def _cross(a, b, c, d):
    """Whether two lines cross, or one ends on the other."""

    def side(p, q, r):
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) * side(a, b, d) < -1e-6 and side(c, d, a) * side(c, d, b) < -1e-6


def cuts(a, b, area):
    """Whether a line passes through the inside of a rectangle."""
    low, high = 0.0, 1.0
    for p, q, start, size in ((a[0], b[0], area.x, area.width), (a[1], b[1], area.y, area.height)):
        first, last = start + 0.5, start + size - 0.5
        if abs(q - p) < 1e-9:
            if not first < p < last:
                return False
        else:
            s, t = sorted(((first - p) / (q - p), (last - p) / (q - p)))
            low, high = max(low, s), min(high, t)
    return low < high - 1e-9
