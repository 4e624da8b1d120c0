"""Modal joint: a node of a body that bends, against the frame of this body, moves along its modes.

The node shifts by d = A q and turns by the rotation with the Rodrigues vector g = B q/2: a proper one, which is that of
the linear theory, B q, up to the third power of the angle. ω = 2 (ġ − g × ġ)/(1 + g²) in the axes of the node.

Source: Shabana 2020, §5.3–5.5 (floating frame of reference); Rodrigues vector: Shuster 1993, eqs. 200, 341
"""

from collections.abc import Iterator
from typing import Literal

import casadi as ca
import numpy as np

from cardan.errors import Issue
from cardan.model.joints.closure import Frames, Row
from cardan.model.joints.joint import Joint, NamedUnit, Number
from cardan.model.plane import Plane
from cardan.model.records.element import ValueOf
from cardan.model.records.known_names import KnownNames
from cardan.model.sections import uniform_gravity
from cardan.numerics.round_off import WRITTEN
from cardan.spatial.rotations import skew
from cardan.spatial.transforms import pose

Vector = tuple[float, float, float]


class Modal(Joint):
    """Motion of a node along the modes of its body; what a body of type `modal` is written out as."""

    type: Literal["modal"] = "modal"
    of: str = ""  # joint of another node of the same body, whose coordinates it has too
    shifts: tuple[Vector, ...]  # of the node, per coordinate, in the axes of the parent marker [-]
    turns: tuple[Vector, ...]  # of the node, per coordinate [rad/m]
    points: tuple[tuple[float, ...], ...] = ()  # masses of the body: mass [kg], place against the marker [m], shifts

    both_ways = False
    is_bending = True

    @property
    def coordinates(self) -> tuple[NamedUnit, ...]:  # type: ignore[override]
        """Modal coordinates, of which a joint that shares them has none of its own."""
        return () if self.of else tuple((f".q{k + 1}", "m") for k in range(len(self.shifts)))

    @property
    def velocities(self) -> tuple[NamedUnit, ...]:  # type: ignore[override]
        """Their rates."""
        return tuple((suffix, "m/s") for suffix, _ in self.coordinates)

    @property
    def coordinate_keys(self) -> tuple[str, ...]:
        """It never closes a loop."""
        return ("shifts",)

    @property
    def shares(self) -> str:
        return self.of

    def masses(self, name: str) -> Iterator[tuple[float, np.ndarray, Joint]]:
        for m, x, y, z, *shifts in self.points:
            along = tuple((a, b, c) for a, b, c in np.reshape(shifts, (-1, 3)))
            fixed = ((0.0, 0.0, 0.0),) * len(along)
            yield m, np.array([x, y, z]), self.unchecked(of=name, shifts=along, turns=fixed, points=())

    def transform(self, q: Number) -> Number:
        A, B = self._shapes
        g = B @ q / 2
        G = skew(g)
        return pose(ca.DM.eye(3) + _weight(g) * (G + G @ G) if B.nnz() else ca.DM.eye(3), A @ q)

    def subspace(self, q: Number) -> Number:
        A, B = self._shapes
        if not B.nnz():
            return ca.vertcat(B, A)
        g = B @ q / 2
        G, w = skew(g), _weight(g)
        R = ca.DM.eye(3) + w * (G + G @ G)
        return ca.vertcat(w * (B - G @ B) / 2, R.T @ A)

    def subspace_rate(self, q: Number, v: Number) -> Number:
        A, B = self._shapes
        if not B.nnz():
            return ca.DM(6, A.shape[1])
        S = self.subspace(q)
        g, g_dot = B @ q / 2, B @ v / 2
        w = _weight(g)
        w_dot = -(w**2) * ca.dot(g, g_dot)
        turning = (w_dot * (B - skew(g) @ B) - w * skew(g_dot) @ B) / 2
        return ca.vertcat(turning, -skew(S[:3, :] @ v) @ S[3:, :])

    def commutator(self, a: Number, b: Number) -> Number:
        return ca.DM(len(self.shifts), 1)

    def closure(self, frames: Frames) -> list[Row]:
        raise NotImplementedError(self.type)

    def name_issues(self, names: KnownNames) -> Iterator[Issue]:
        yield from super().name_issues(names)
        other = names.model.joints.get(self.of)
        if self.of and (not isinstance(other, Modal) or other.of):
            yield Issue(f"there is no joint {self.of!r} of type modal with coordinates of its own", "name one", ("of",))
        n = len(self.shifts) if not isinstance(other, Modal) else len(other.shifts)
        if not len(self.shifts) == len(self.turns) == n or any(len(point) != 4 + 3 * n for point in self.points):
            fault = "shifts, turns and points are not all of the same number of modes"
            yield Issue(fault, "take them from a body of type modal that is written out", ("shifts",))
        if self.points and names.model.gravity != uniform_gravity(names.model):
            fault = "gravity that depends on the place is not known to bodies of type modal"
            yield Issue(fault, "write gravity: [0, 0, -9.81], or give the body type: flexible", ("points",))
        if self.cut:
            yield Issue("a modal joint closes no loop", "cut another joint of the loop", ("cut",))

    def planar_fault(self, plane: Plane, R_WM: np.ndarray, value_of: ValueOf) -> str:
        shifts, turns = (np.reshape(x, (-1, 3)) @ R_WM.T for x in (self.shifts, self.turns))
        points = [np.reshape(point[4:], (-1, 3)) @ R_WM.T for point in self.points]
        out = [np.abs(x @ plane.normal).max(initial=0.0) for x in (shifts, *points)]
        across = turns - np.outer(turns @ plane.normal, plane.normal)
        size = max(1.0, np.abs(turns).max(initial=0.0))
        return "a mode leaves" if max(*out, np.abs(across).max(initial=0.0) / size) > WRITTEN else ""

    @property
    def _shapes(self) -> tuple[Number, Number]:
        """A and B (3×n): shift and rotation of the node per coordinate."""
        return tuple(ca.sparsify(ca.DM(np.reshape(x, (-1, 3)).T)) for x in (self.shifts, self.turns))


def _weight(g: Number) -> Number:
    """2/(1 + g²)."""
    return 2 / (1 + ca.dot(g, g))
