"""Names of equations for people: a joint's own axes are named by the world's axes, or by three numbers if oblique."""

import re
from collections.abc import Mapping, Sequence

import casadi as ca
import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.kinematics.constraints import cut_frames
from cardan.kinematics.motion import motion

JointAxes = Mapping[str, tuple[np.ndarray, np.ndarray]]
"""Axes of the parent's and of the child's joint frame in the world (3×3 each), of every joint that closes a loop."""

_OWN = re.compile(r"(?P<what>force along|moment about) (?P<axis>z × x|[xyz]) of the joint")
_COLUMNS = {"x": 0, "y": 1, "z": 2}


def joint_axes(assembler: Assembler, q: np.ndarray) -> JointAxes:
    """Axes of the joints that close loops, at a position."""
    tree = assembler.tree
    symbols = ca.SX.sym("q", tree.nq)
    state = motion(tree, symbols, ca.DM(tree.nv, 1))
    frames = [cut_frames(state, cut) for cut in tree.cuts]
    outputs = [ca.densify(ca.SX(ca.horzcat(pair.R_WP, pair.R_WC))) for pair in frames]
    found = (np.array(axes) for axes in ca.Function("frames", [symbols, tree.p], outputs).call([q, assembler.p]))
    return {cut.joint: (axes[:, :3], axes[:, 3:]) for cut, axes in zip(tree.cuts, found, strict=True)}


def components_in_words(axes: JointAxes, owner: str, components: Sequence[str]) -> list[str]:
    """The reaction components of equations: "moment about y", "force along (0.6, 0, 0.8)".

    Two components that span a coordinate plane of the world are named by the world's axes in that plane, even if the
    joint's own axes are turned within it.
    """
    found = [_OWN.fullmatch(component) for component in components]
    if owner not in axes or not any(found):
        return list(components)
    own = {(m["what"], m["axis"]): _axis(*axes[owner], m["axis"]) for m in found if m is not None}
    for what in {what for what, _ in own}:
        if {(what, "x"), (what, "y")} <= own.keys() and _direction(_axis(*axes[owner], "z")) in ("x", "y", "z"):
            own[what, "x"], own[what, "y"] = _plane(own[what, "x"], own[what, "y"])
    return [
        component if m is None else f"{m['what']} {_direction(own[m['what'], m['axis']])}"
        for m, component in zip(found, components, strict=True)
    ]


def _axis(R_WP: np.ndarray, R_WC: np.ndarray, name: str) -> np.ndarray:
    """An axis of the joint's parent frame in the world; z × x is that of a universal joint's cross."""
    if name in _COLUMNS:
        return R_WP[:, _COLUMNS[name]]
    cross = np.cross(R_WP[:, 2], R_WC[:, 0])
    return cross / np.linalg.norm(cross)


def _plane(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The world's axes in the plane of x and y, the one nearer to x first."""
    normal = int(np.argmax(np.abs(np.cross(x, y))))
    first, second = sorted((k for k in range(3) if k != normal), key=lambda k: -abs(x[k]))
    return np.eye(3)[first], np.eye(3)[second]


def _direction(axis: np.ndarray) -> str:
    """x, y or z of the world, or three numbers; a direction and its opposite are one."""
    k = int(np.argmax(np.abs(axis)))
    if abs(axis[k]) > 1 - 1e-9:
        return "xyz"[k]
    numbers = axis * np.sign(axis[k])
    return f"({', '.join(f'{x:.3g}' for x in np.where(np.abs(numbers) < 1e-9, 0, numbers))})"
