"""The hinge of a loop in space whose axis is not parallel to the axes of all other hinges of the loop.

The angle between two neighbouring hinge axes of a loop is the same in every position, also in one that does not close.
"""

from math import degrees

import casadi as ca
import numpy as np

from cardan.frozen import dataclass
from cardan.kinematics.constraints import cut_frames
from cardan.kinematics.motion import motion
from cardan.kinematics.tree import GROUND, Number, Tree
from cardan.numerics.round_off import SIX_DIGITS
from cardan.spatial.transforms import rotation

PARALLEL = 10 * SIX_DIGITS  # angle below which rounded numbers are the likely cause [rad]; wrong axes are further off
FEWEST = 3  # smallest number of hinges of a loop: of two that are not parallel, either may be the wrong one


@dataclass(frozen=True)
class OutOfLine:
    """A hinge of a loop that is not parallel to the others."""

    joint: str  # the hinge
    others: tuple[str, ...]  # the other hinges of the loop, parallel to each other
    angle: float  # between its axis and theirs [rad]

    def __str__(self) -> str:
        others = " and ".join(filter(None, (", ".join(self.others[:-1]), self.others[-1])))
        return f"the axis of {self.joint!r} is {degrees(self.angle):.3g} deg off those of {others}, which are parallel"


def out_of_line(tree: Tree, owner: str, p: np.ndarray) -> OutOfLine | None:
    """The hinge that is not parallel to the others of the loop of the cut joint `owner`; None if there is not one."""
    ring = _ring(tree, owner, p)
    behind = [*ring[-1:], *ring[:-1]]
    angles = [_angle(before, axis) for (_, _, before), (_, axis, _) in zip(behind, ring, strict=True)]
    joints, n = [joint for joint, _, _ in ring], len(ring)
    for k in range(n if n >= FEWEST else 0):
        beside = {k, (k + 1) % n}
        if all((angle > PARALLEL) == (i in beside) for i, angle in enumerate(angles)):
            return OutOfLine(joints[k], tuple(joints[:k] + joints[k + 1 :]), max(angles[i] for i in beside))
    return None


def _ring(tree: Tree, owner: str, p: np.ndarray) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Hinges around the loop that `owner` closes: joint, and its axis as seen from the bodies before and after it.

    Both differ in the joint that is cut while the loop is open. Empty for loops in a plane and for loops with a joint
    that turns about several axes.
    """
    cut = next((cut for cut in tree.cuts if cut.joint == owner), None)
    if cut is None or tree.normal is not None:
        return []
    state = motion(tree, ca.SX(ca.DM(tree.neutral)), ca.SX(tree.nv, 1), t=0)
    frames, S = cut_frames(state, cut), cut.law.subspace(ca.DM(cut.law.neutral))
    down, up = ([] if end.link == GROUND else list(tree.path(end.link)) for end in (cut.child, cut.parent))
    around = [i for i in (*down, *reversed(up)) if i not in set(down) & set(up)]
    turning = [(tree.links[i].joint, rotation(state.T_WL[i]), _axes(state.joints[i].S)) for i in around]
    turning = [entry for entry in turning if entry[2].shape[1]]
    if any(axes.shape[1] != 1 for _, _, axes in turning) or not turning or _axes(S).shape[1] > 1:
        return []
    columns = [R @ axes for _, R, axes in turning]
    ring = [(joint, axis, axis) for (joint, _, _), axis in zip(turning, columns, strict=True)]
    if _axes(S).shape[1]:
        ring.append((cut.joint, frames.R_P @ _axes(S), frames.R_C @ _axes(S)))
    else:  # a joint that does not turn has the same directions in both bodies
        ring[-1] = (ring[-1][0], columns[-1], frames.R_C @ frames.R_P.T @ columns[-1])
    results = [ca.densify(ca.SX(axis)) for _, *both in ring for axis in both]
    numbers = [x.ravel() for x in map(np.array, ca.Function("axes", [tree.p], results).call([ca.DM(p)]))]
    return [(joint, numbers[2 * k], numbers[2 * k + 1]) for k, (joint, _, _) in enumerate(ring)]


def _axes(S: Number) -> Number:
    """The axes (3×k) about which a joint with the subspace S (6×nv) turns, link axes."""
    turning = ca.sparsify(ca.SX(S)[:3, :])
    return turning[:, [k for k in range(turning.shape[1]) if turning[:, k].nnz()]]


def _angle(a: np.ndarray, b: np.ndarray) -> float:
    """The angle between two lines [rad]."""
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), abs(a @ b)))
