"""Friction: a rough line where two sides slide, shoes round what turns, with the letter μ where it follows the load."""

from collections.abc import Mapping, Sequence

import numpy as np

from cardan.model.joints.friction import Friction
from cardan.view.drawing.ground import away_from
from cardan.view.drawing.joint_view import JointView, rail_side
from cardan.view.drawing.labels import Request
from cardan.view.drawing.pen import Pen
from cardan.view.drawing.sizes import BLOCK, TOOTH, UNIT
from cardan.view.scene.still import StillPosition
from cardan.view.symbols.elements import line_axis
from cardan.view.symbols.joints import JOINTS

_SHOE = np.radians(40)
"""Half the angle of a shoe."""


def draw_friction(pen: Pen, views: Sequence[JointView]) -> list[Request]:
    """Draw the friction of all joints that have some, and return its words."""
    out: list[Request] = []
    for view in views:
        if view.record.friction is not None:
            pen.owner = f"friction {view.name}"
            radius = JOINTS[view.record.type].radius
            if view.slides or radius is None:
                _between(pen, view)
            else:
                _shoes(pen, view, radius)
            out += _word(view.name, view.record.friction, pen.at(view.c), (radius or 1.0) + 1.4)
    return out


def draw_path_friction(pen: Pen, position: StillPosition, curves: Mapping[str, Sequence[np.ndarray]]) -> list[Request]:
    """Draw the friction of points on lines, curves and surfaces, and return its words."""
    out: list[Request] = []
    for name, record in position.model.constraints.items():
        if record.friction is None or record.ends is None:
            continue
        point = position.origin(position.place(record.ends[1]))[0]
        if name not in curves:
            along = line_axis(position, record)
        elif curves[name]:
            along = _tangent(curves[name][0], point)
        else:
            continue
        d = pen.direction(along)
        here, seen = pen.at(point), float(np.linalg.norm(d))
        pen.owner = f"friction {name}"
        if seen > 0.2:
            n = np.array([-d[1], d[0]]) / seen
            n = n if n[1] > 0 else -n  # below the point
            _teeth(pen, here + 0.95 * UNIT * n, BLOCK / 2 * d, n)
        out += _word(name, record.friction, here, 2.4)
    return out


def _word(name: str, friction: Friction, point: np.ndarray, clearance: float) -> list[Request]:
    """The letter of friction that follows its load; of a given effort the symbol says all."""
    wanted = [Request("μ", point[None], clearance * UNIT, "friction", "ink", f"friction {name}")]
    return wanted if friction.follows_load else []


def _tangent(points: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Direction (3,) of a curve (n, 3) at its point that is nearest to a `point` (3,)."""
    k = int(np.argmin(np.linalg.norm(points - point, axis=1)))
    return np.asarray(points[min(k + 1, len(points) - 1)] - points[max(k - 1, 0)])


def _between(pen: Pen, view: JointView) -> None:
    """Along the axis: on the rail beside the block, on the face of a shape, or on the rod in the block.

    Between the faces of a joint that slides in a plane, or that is seen along its axis: across the axis.
    """
    symbol = JOINTS[view.record.type]
    d = pen.direction(view.R[:, 2]) if view.slides else pen.direction(view.R[:, 0])
    seen = float(np.linalg.norm(d))
    if not view.slides or seen < 0.2:
        d = d if seen >= 0.2 else pen.direction(view.R[:, 1])
        _teeth(pen, pen.at(view.c), BLOCK / 3 * d, np.array([-d[1], d[0]]) / max(float(np.linalg.norm(d)), 1e-9))
        return
    way, offset = rail_side(pen, view, 1.6 * UNIT)
    if not (symbol.on_rail and view.on_ground):
        touches = len(view.outline) > 0 and symbol.on_rail
        offset = float(np.max((view.outline - pen.at(view.c)) @ way)) if touches else 0.0
    _teeth(pen, pen.at(view.c) + way * offset, BLOCK / 2 * d, -way)


def _teeth(pen: Pen, middle: np.ndarray, half: np.ndarray, way: np.ndarray) -> None:
    """A rough line through `middle`, from −`half` to +`half` (2,), with its teeth on the side `way` (2,) [px]."""
    count = 6
    steps = np.linspace(-1, 1, 2 * count + 1)
    heights = TOOTH * (np.arange(2 * count + 1) % 2)
    pen.flat(middle + steps[:, None] * half + heights[:, None] * way, "rough")


def _shoes(pen: Pen, view: JointView, radius: float) -> None:
    """Two shoes on opposite sides of what turns, where no link leaves it; their rough sides face it."""
    count = 3
    turn = np.linspace(-_SHOE, _SHOE, 2 * count + 1)
    rough = radius + (0.15 + TOOTH / UNIT * (np.arange(2 * count + 1) % 2))
    smooth = radius + 0.15 + 2 * TOOTH / UNIT
    start = _free_angle(pen, view)
    for middle in (start, start + np.pi):
        angles = middle + np.concatenate([turn, turn[::-1]])
        reach = pen.unit * np.concatenate([rough, np.full(len(turn), smooth)])
        across = np.outer(reach * np.cos(angles), view.R[:, 0]) + np.outer(reach * np.sin(angles), view.R[:, 1])
        pen.line(view.c + across, "rough", True)


def _free_angle(pen: Pen, view: JointView) -> float:
    """Angle about the axis, from x, whose direction and its opposite are farthest from links and pedestal, of eight."""
    taken = [link / np.linalg.norm(link) for link in view.links if link.any()]  # a rotor may have none
    if view.on_ground and JOINTS[view.record.type].holder == "pedestal":
        taken.append(away_from(view.links))

    def nearest(angle: float) -> float:
        d = pen.direction(np.cos(angle) * view.R[:, 0] + np.sin(angle) * view.R[:, 1])
        return max([abs(float(way @ d)) for way in taken], default=0.0) / max(float(np.linalg.norm(d)), 1e-9)

    return float(min(np.linspace(0, np.pi, 8, endpoint=False), key=lambda angle: round(nearest(angle), 6)))
