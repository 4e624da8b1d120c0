"""Equations between coordinates: a dashed link between coupled joints, or a note with lines to all that it names."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from cardan.model.names import markers
from cardan.model.place import GROUND
from cardan.model.quantities.lets import reached
from cardan.model.records.walk import scalars
from cardan.view.drawing.joint_view import JointView
from cardan.view.drawing.labels import Field, Request
from cardan.view.drawing.pen import Pen
from cardan.view.drawing.records import Stroke, Words
from cardan.view.drawing.sizes import UNIT
from cardan.view.scene.still import StillPosition
from cardan.view.symbols.elements import symbol_of

_LONGEST = 44  # characters of an equation that is written out; of a longer one the name stands alone
_BULGE = 0.16  # height of the arc of a link over its length
_LEAST = 2.6 * UNIT  # height of the arc of a short link [px]

Views = Mapping[str, JointView]


def draw_relations(pen: Pen, position: StillPosition, views: Views) -> list[Request]:
    """Draw the links of couplers, behind all else, and return their words."""
    out = []
    for name, record in position.model.constraints.items():
        if symbol_of(record).equation == "arcs":
            pen.owner = f"relation {name}"
            out += _coupled(pen, views, name, record)
    return out


def _coupled(pen: Pen, views: Views, name: str, record: Any) -> list[Request]:
    """Arcs from joint to joint, in the order of the terms."""
    joints = dict.fromkeys(_owner(term, views) for term in record.terms)
    points = [pen.at(views[joint].c) for joint in joints if joint]
    middles = [_arc(pen, a, b) for a, b in pairwise(points) if np.linalg.norm(b - a) > 2 * UNIT]
    text, anchors = _text(name, record.words), np.array(middles or points[:1])
    clearance = 4.0 if middles else 2.4 * UNIT
    return [Request(text, anchors, clearance, "relation", "relation", f"relation {name}")]


def _arc(pen: Pen, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """An arc between two points, above or to the left of them; returns its middle."""
    d = b - a
    length = float(np.linalg.norm(d))
    n = np.array([-d[1], d[0]]) / length
    if n[1] > 1e-9 or (abs(n[1]) <= 1e-9 and n[0] > 0):
        n = -n
    height = max(_BULGE * length, min(_LEAST, length / 2))
    part = np.linspace(0, 1, 25)[:, None]
    points = a + part * d + 4 * height * part * (1 - part) * n
    pen.flat(points, "relation")
    return np.asarray(points[12])


def draw_notes(pen: Pen, position: StillPosition, views: Views, worded: bool) -> None:
    """Write the equations of the user's own, with lines to the joints and points that they name."""
    if not worded:
        return
    for name, record in position.model.constraints.items():
        if symbol_of(record).equation == "note":
            pen.owner = f"relation {name}"
            _note(pen, _text(name, record.words), _named_points(pen, position, views, record))


def _note(pen: Pen, text: str, points: np.ndarray) -> None:
    """A text near the middle of some points, with a line to each; none where it names nothing that is drawn."""
    if not len(points):
        return
    request = Request(text, points.mean(axis=0)[None], 3 * UNIT, "relation", "relation", pen.owner)
    x, y = Field(pen.sheet).best(request)[0]
    word = Words.around(text, float(x), float(y), "relation", "relation", pen.owner)
    pen.sheet.words.append(word)
    a = word.area
    for point in points:
        end = np.array([np.clip(point[0], a.x, a.x + a.width), np.clip(point[1], a.y, a.y + a.height)])
        d = point - end
        length = float(np.linalg.norm(d))
        if length > 2 * UNIT:
            pen.sheet.strokes.append(
                Stroke(np.array([end, point - 1.3 * UNIT * d / length]), "relation", owner=pen.owner)
            )


def _named_points(pen: Pen, position: StillPosition, views: Views, record: Any) -> np.ndarray:
    """Pixels (n, 2) of the joints and places that the numbers of a constraint name, and of the joints that drive it."""
    places = [place for place in markers(position.model) if place != GROUND]
    names = reached((name for _, scalar in scalars(record) for name in scalar.names), position.model.let)
    found: dict[str, np.ndarray] = {}
    for name in (*sorted(names), *record.drives):
        joint = _owner(name, views)
        if joint:
            found[joint] = pen.at(views[joint].c)
        elif place := max((one for one in places if name.startswith(f"{one}.")), key=len, default=""):
            found[place] = pen.at(position.origin(position.place(place))[0])
    return np.array([*found.values()]).reshape(-1, 2)


def _owner(name: str, views: Views) -> str:
    """The joint whose coordinate or velocity a name is; empty if it is none."""
    joint = name.partition(".")[0]
    return joint if joint in views else ""


def _text(name: str, words: str) -> str:
    return f"{name}: {words} = 0" if len(words) <= _LONGEST else name
