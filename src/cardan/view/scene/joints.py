"""Solids of joints in the joint frames on parent and child, and of the ground below them."""

from collections.abc import Iterator

import numpy as np

from cardan.model.joints import Joint
from cardan.view.scene.directions import along
from cardan.view.scene.positions import Positions
from cardan.view.scene.records import Form, Mount, ScenePart
from cardan.view.symbols.joints import JOINTS, JointSymbol

X = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Axes whose z is the x of the joint frame."""


def travel(motion: Positions, parent: Mount, child: Mount) -> tuple[float, float]:
    """Least and largest distance [m] of the child frame of a joint along z of the parent frame."""
    offset = motion.origin(child) - motion.origin(parent)
    z = np.einsum("ni,ni->n", motion.frame(parent)[:, :, 2], offset)
    home = [] if parent.body in motion.still else [0.0]  # a rail on a moving body begins at its marker
    return float(min([z.min(), *home])), float(max([z.max(), *home]))


def joint_parts(motion: Positions, size: float, up: np.ndarray) -> Iterator[ScenePart]:
    """The symbols of all joints, and what holds those that stand on the ground."""
    for name, joint in motion.joints.items():
        symbol = JOINTS[joint.type]
        if not _is_seen(motion, joint, symbol):
            continue
        sides = dict(zip(("parent", "child"), motion.shown_places(joint, size), strict=True))
        low, high = way = travel(motion, sides["parent"], sides["child"])
        rail = sides["parent"].shifted((low + high) / 2)
        for side, form in symbol.solids(size, high - low + 4 * size):
            place = rail if side == "rail" else sides[side]
            R = place.R @ X if form.get("axis") == "x" else place.R
            role = "pin" if side == "child" else "joint"
            yield ScenePart(name, "joints", form, Mount(place.body, place.p, R), role)
        if joint.drawn is not None:
            place, length = motion.shaft(joint, size)
            shaft: Form = {"type": "cylinder", "radius": 0.35 * size, "length": abs(length)}
            yield ScenePart(name, "joints", shaft, place.shifted(length / 2), "pin")
        if sides["parent"].body in motion.still and symbol.holder:
            yield from _supports(motion, name, symbol, sides["parent"], way, size, up)


def _is_seen(motion: Positions, joint: Joint, symbol: JointSymbol) -> bool:
    """Not where nothing moves, and not where a planar model merely says in which plane a body moves."""
    if symbol.is_seen == "moving":
        return not {motion.place(joint.parent).body, motion.place(joint.child).body} <= motion.still
    return not (symbol.is_seen == "in space" and motion.model.planar)


def _supports(
    motion: Positions, name: str, symbol: JointSymbol, place: Mount, way: tuple[float, float], s: float, up: np.ndarray
) -> Iterator[ScenePart]:
    """A pedestal on a plate below a joint on the ground; one at either end of a rail."""
    R_WB = motion.axes(place.body)[0]
    axis = R_WB @ place.R[:, 2]
    slides = symbol.holder == "rail"
    ends = [way[0] - 1.6 * s, way[1] + 1.6 * s] if slides else [0.0]
    down = -up
    if slides and abs(axis @ up) > 0.9:  # a rail that stands: its lower end on a plate
        ends = [way[0] - 2 * s if axis @ up > 0 else way[1] + 2 * s]
    R = along(up)
    for end in ends:
        foot = place.p + place.R[:, 2] * end
        for form, shift in (
            ({"type": "cone", "radius": 1.5 * s, "length": 2.2 * s}, 1.1 * s),
            ({"type": "box", "size": [4.2 * s, 4.2 * s, 0.5 * s]}, 2.4 * s),
        ):
            yield ScenePart(name, "ground", form, Mount(place.body, foot + R_WB.T @ down * shift, R_WB.T @ R), "ground")
