"""The tree of a model: bodies as boxes, joints as circles between them; what closes loops or acts beside it is dashed.

Source: Wojtusch, Analytical tests for MBSlib, figs. 1b to 4b (model trees)
"""

from collections.abc import Iterator, Mapping

import numpy as np

from cardan.model.flexible import outside_rods, rods
from cardan.model.model import Model
from cardan.model.names import carrying
from cardan.model.place import GROUND, End, split
from cardan.rendering.graphs.geometry import Area, text_width
from cardan.view.drawing.camera import camera_of
from cardan.view.drawing.ground import hatched
from cardan.view.drawing.pen import Pen
from cardan.view.drawing.records import Sheet, Stroke, Words
from cardan.view.drawing.sizes import LETTERS, TREE_BOX, TREE_CIRCLE, TREE_GAP, TREE_LEVEL
from cardan.view.scene.bodies import COLOURS

LETTERS_OF_JOINTS = {
    "revolute": "R",
    "prismatic": "P",
    "screw": "H",
    "cylindrical": "C",
    "universal": "U",
    "spherical": "S",
    "planar": "E",
    "translational": "3",
    "free": "6",
    "fixed": "0",
}
"""What stands in the circle of a joint: the letters of the literature; for others the number of freedoms."""


def tree_sheet(model: Model) -> Sheet:
    """The tree of bodies and joints."""
    children, sides = _children(model)
    places: dict[str, tuple[float, int]] = {}
    _place(GROUND, children, model, 0.0, 0, places)
    sheet = Sheet(f"{model.name or 'mechanism'}: tree of bodies and joints")
    for parent, links in children.items():
        for joint, child in links:
            _branch(sheet, model, joint, places[parent], places[child])
    moving = [name for name in model.bodies if name in places]
    for name, (x, level) in places.items():
        colour = "ink" if name == GROUND else COLOURS[moving.index(name) % len(COLOURS)]
        _box(sheet, name, x, level, colour)
    _closing(sheet, sides, places)
    return sheet


def _children(model: Model) -> tuple[dict[str, list[tuple[str, str]]], list[tuple[str, str, str, str]]]:
    """Joint and body below every body; and owner, letter and bodies of everything that stands beside the tree."""
    joints, owners = outside_rods(model.joints, model.bodies), dict[str, str]()
    for rod, parts in rods(model.bodies).items():
        owners |= dict.fromkeys(parts, rod)

    def body_of(end: End) -> str:
        body = split(end)[0]
        return owners.get(body, body)

    carriers = {name: joint for name, joint in carrying(model).items() if name in joints}
    ends = {name: (body_of(joint.parent), body_of(joint.child)) for name, joint in joints.items()}
    children: dict[str, list[tuple[str, str]]] = {GROUND: []}
    waiting = list(carriers)
    while waiting:
        usable = [name for name in waiting if (ends[name][0] in children) != (ends[name][1] in children)]
        if not usable:
            break
        name = usable[0]
        parent, child = ends[name] if ends[name][0] in children else ends[name][::-1]
        children[parent].append((name, child))
        children[child] = []
        waiting.remove(name)
    sides = [
        (name, LETTERS_OF_JOINTS.get(model.joints[name].type, str(model.joints[name].nv)), *ends[name])
        for name in joints
        if name not in carriers or name in waiting
    ]
    for section in (model.constraints, outside_rods(model.forces, model.bodies)):
        for name, record in section.items():
            parent, child = getattr(record, "parent", ""), getattr(record, "child", "")
            if parent and child:
                sides.append((name, "", body_of(parent), body_of(child)))
    return children, sides


def _width(name: str, joint: str) -> float:
    """Room of a body with the joint above it."""
    beside = 2 * (TREE_CIRCLE + 6 + text_width(joint, LETTERS)) if joint else 0.0
    return max(text_width(name, LETTERS) + 24, beside) + TREE_GAP


def _place(
    name: str,
    children: Mapping[str, list[tuple[str, str]]],
    model: Model,
    left: float,
    level: int,
    places: dict[str, tuple[float, int]],
    joint: str = "",
) -> float:
    """Give a body and all below it their places, from the left; returns the room that they take."""
    places[name] = (0.0, level)  # bodies stand in the order in which they are reached
    room = 0.0
    for below, child in children[name]:
        room += _place(child, children, model, left + room, level + 1, places, below)
    own = _width(name, joint)
    below_at = [places[child][0] for _, child in children[name]]
    x = (below_at[0] + below_at[-1]) / 2 if below_at else left + own / 2
    if room < own and below_at:  # a name wider than all below it
        shift = (own - room) / 2
        for child in _all_below(name, children):
            places[child] = (places[child][0] + shift, places[child][1])
        x += shift
    places[name] = (x, level)
    return max(room, own)


def _all_below(name: str, children: Mapping[str, list[tuple[str, str]]]) -> Iterator[str]:
    for _, child in children[name]:
        yield child
        yield from _all_below(child, children)


def _branch(sheet: Sheet, model: Model, joint: str, above: tuple[float, int], below: tuple[float, int]) -> None:
    """A joint between two bodies: lines and a circle."""
    a = np.array([above[0], above[1] * TREE_LEVEL + TREE_BOX / 2])
    b = np.array([below[0], below[1] * TREE_LEVEL - TREE_BOX / 2])
    c = np.array([below[0], (above[1] + 0.52) * TREE_LEVEL])
    owner = f"joint {joint}"
    knee = np.array([c[0], a[1] + 14])
    sheet.strokes.append(Stroke(np.array([a, [a[0], knee[1]], knee, c, b]), "guide", owner=owner))
    record = model.joints[joint]
    _circle(sheet, c, LETTERS_OF_JOINTS.get(record.type, str(record.nv)), "block", owner)
    width = text_width(joint, LETTERS)
    sheet.words.append(Words.around(joint, c[0] + TREE_CIRCLE + 6 + width / 2, c[1], "joint", "ink", owner))
    motors = [name for name, motor in model.motors.items() if motor.driven[0] == joint]
    for k, motor in enumerate(motors):
        at = c - np.array([(2 * k + 2.6) * TREE_CIRCLE, 0.0])
        line = np.array([[at[0] + TREE_CIRCLE - 2, at[1]], [c[0] - TREE_CIRCLE, c[1]]])
        sheet.strokes.append(Stroke(line, "motor line", owner=f"motor {motor}"))
        _circle(sheet, at, "M", "motor", f"motor {motor}", "motor")


def _circle(sheet: Sheet, centre: np.ndarray, letter: str, style: str, owner: str, colour: str = "ink") -> None:
    turn = np.linspace(0, 2 * np.pi, 36, endpoint=False)
    points = centre + (TREE_CIRCLE - (2 if style == "motor" else 0)) * np.column_stack([np.cos(turn), np.sin(turn)])
    sheet.strokes.append(Stroke(points, style, True, owner=owner))
    sheet.words.append(Words.around(letter, float(centre[0]), float(centre[1]), "letter", colour, owner))


def _box(sheet: Sheet, name: str, x: float, level: int, colour: str) -> None:
    width, y = text_width(name, LETTERS) + 18, level * TREE_LEVEL
    left, right, top, bottom = x - width / 2, x + width / 2, y - TREE_BOX / 2, y + TREE_BOX / 2
    points = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    owner = f"body {name}"
    sheet.strokes.append(Stroke(points, "box", True, colour, owner))
    sheet.words.append(Words.around(name, x, y, "body", "ink" if name == GROUND else colour, owner))
    if name == GROUND:
        pen = Pen(camera_of("xy", None, np.eye(3)[2]), 1.0, sheet, owner)
        hatched(pen, points[0], points[1], np.array([0.0, -1.0]))


def _closing(sheet: Sheet, sides: list[tuple[str, str, str, str]], places: Mapping[str, tuple[float, int]]) -> None:
    """What stands beside the tree, in rows below it: dashed lines to both bodies, past what stands in rows above."""
    lowest = max(level for _, level in places.values()) * TREE_LEVEL + TREE_BOX / 2
    for (name, letter, parent, child), x, row in sorted(_in_rows(sides, places), key=lambda one: one[2]):
        (xa, la), (xb, lb) = places[parent], places[child]
        y = lowest + 44 + 36 * row
        owner = f"joint {name}" if letter else f"beside {name}"
        for body, end, level in ((parent, xa, la), (child, xb, lb)):
            way = _way_down(sheet, end, level, text_width(body, LETTERS) / 2 + 9, y - 22)
            side = [[end, level * TREE_LEVEL], [way, level * TREE_LEVEL]] if way != end else [[end, level * TREE_LEVEL]]
            points = np.array([*side, [way, y - 22], [x, y]])
            sheet.strokes.insert(0, Stroke(points, "loop", owner=owner))
        if letter:
            at = np.array([x, y])
            _circle(sheet, at, letter, "block", owner)
            shift = TREE_CIRCLE + 6 + text_width(name, LETTERS) / 2
            sheet.words.append(Words.around(name, x + shift, y, "joint", "ink", owner))
        else:
            half = text_width(name, LETTERS) / 2 + 6
            corners = np.array([[x - half, y - 10], [x + half, y - 10], [x + half, y + 10], [x - half, y + 10]])
            sheet.strokes.append(Stroke(corners, "beside", True, owner=owner))
            sheet.words.append(Words.around(name, x, y, "force", "soft", owner))


def _in_rows(
    sides: list[tuple[str, str, str, str]], places: Mapping[str, tuple[float, int]]
) -> list[tuple[tuple[str, str, str, str], float, int]]:
    """Everything that stands beside the tree, with its place across and its row: the first one with room."""
    rows: list[list[Area]] = []
    found = []
    for side in sides:
        name, letter, parent, child = side
        width = text_width(name, LETTERS) + (2 * TREE_CIRCLE + 8 if letter else 0) + 2 * TREE_GAP
        x = (places[parent][0] + places[child][0]) / 2
        row = next((k for k, taken in enumerate(rows) if _fits(x, width, taken)), len(rows))
        if row == len(rows):
            rows.append([])
        rows[row].append(Area(x - width / 2, 0, width, 1))
        found.append((side, x, row))
    return found


def _way_down(sheet: Sheet, x: float, level: int, half: float, bottom: float) -> float:
    """Where a line from a body gets past everything between it and `bottom`: straight down, else beside its box."""
    taken = [
        (stroke.points[:, 0].min() - 5, stroke.points[:, 0].max() + 5)
        for stroke in sheet.strokes
        if stroke.closed and level * TREE_LEVEL + TREE_BOX / 2 < stroke.points[:, 1].min() < bottom
    ]
    taken += [
        (one.area.x - 5, one.area.x + one.area.width + 5)
        for one in sheet.words
        if level * TREE_LEVEL + 20 < one.area.y < bottom
    ]
    if not any(low < x < high for low, high in taken):
        return x
    steps = (sign * (half + 7 + 4 * k) for k in range(400) for sign in (-1, 1))
    return next((x + step for step in steps if not any(low < x + step < high for low, high in taken)), x)


def _fits(x: float, width: float, taken: list[Area]) -> bool:
    return not any(one.meets(Area(x - width / 2, 0, width, 1)) for one in taken)
