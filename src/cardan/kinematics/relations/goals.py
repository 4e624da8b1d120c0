"""Goals of a position: coordinates, and places of bodies or markers, that have given values.

Gaps are zero where the goals are met. A rotation by the angle θ about the unit axis n is missing as 2 sin(θ/2) n, which
is smooth and zero only where nothing is missing.   Source: docs/inverse_kinematics.md; Siciliano et al. 2009, §3.7.3
"""

from collections.abc import Sequence

import casadi as ca

from cardan.frozen import dataclass
from cardan.kinematics.motion import Motion, marker_motion
from cardan.kinematics.relations.prescribed import turned
from cardan.kinematics.tree import Number, Tree
from cardan.model.motions.targets import MotionTarget

_OPPOSITE = 1e-30  # 4 cos²(θ/2) in place of zero at θ = π, where the axis has no sign


@dataclass(frozen=True)
class Goal:
    """A quantity that is to have a value."""

    name: str  # as the user wrote it
    target: MotionTarget  # what is to have the value
    coordinate: int  # index of the coordinate; −1 for a place

    @property
    def size(self) -> int:
        """Number of its values: an orientation is given as a rotation matrix, row by row."""
        return 9 if self.target.kind == "orientation" else self.target.size


def goal_rows(tree: Tree, state: Motion, goals: Sequence[Goal], y: Number) -> list[list[Number]]:
    """Gaps of every goal [m] or [rad]."""
    out, first = [], 0
    for goal in goals:
        out.append(_gaps(tree, state, goal, y[first : first + goal.size]))
        first += goal.size
    return out


def goal_values_at(tree: Tree, state: Motion, goals: Sequence[Goal]) -> list[Number]:
    """Values that the goals have in a position, one after the other [m], [rad] or entries of rotation matrices."""
    out: list[Number] = []
    for goal in goals:
        if goal.coordinate >= 0:
            out.append(state.q[goal.coordinate])
            continue
        place = marker_motion(state, tree.places[goal.target.name])
        if goal.target.kind == "position":
            out += [place.p[k] for k in goal.target.components]
        elif goal.target.kind == "angle":
            out.append(turned(tree, place.R, 0))
        else:
            out += [place.R[i, j] for i in range(3) for j in range(3)]
    return out


def _gaps(tree: Tree, state: Motion, goal: Goal, wanted: Number) -> list[Number]:
    if goal.coordinate >= 0:
        return [state.q[goal.coordinate] - wanted[0]]
    place = marker_motion(state, tree.places[goal.target.name])
    if goal.target.kind == "position":
        return [place.p[k] - wanted[i] for i, k in enumerate(goal.target.components)]
    if goal.target.kind == "angle":
        return [turned(tree, place.R, wanted[0])]
    E = ca.reshape(wanted, 3, 3) @ place.R  # the wanted matrix, row by row, is its transpose column by column
    half = ca.sqrt(ca.fmax(1 + ca.trace(E), _OPPOSITE))  # 2 cos(θ/2)
    return [(E[a, b] - E[b, a]) / half for a, b in ((2, 1), (0, 2), (1, 0))]
