"""Torsion spring and damper about an axis of the parent marker: M = k (θ − θ0) + d θ̇.

θ is the twist of the relative rotation about the axis, in (−π, π]; where the bodies also tilt, the moment is the
gradient of ½ k (θ − θ0)², so that energy is conserved in every motion.

Source: docs/notation.md §7 (derivative of the twist)
"""

from typing import Literal

import casadi as ca

from cardan.model.forces.load import Load, MarkerMotion, Number, Wrench
from cardan.model.quantities.fields import Angle, Direction, TorsionalDamping, TorsionalStiffness
from cardan.model.quantities.scalar import ZERO
from cardan.spatial.rotations import align_z


class TorsionSpring(Load):
    """Spring that turns the child back about `axis` (parent marker) towards the angle `rest`."""

    type: Literal["torsion_spring"] = "torsion_spring"
    transmits = ("moment",)
    undefined = "the child is tilted by half a turn, which leaves no angle of twist; choose another axis"
    axis: Direction
    stiffness: TorsionalStiffness = ZERO  # [N m/rad]
    damping: TorsionalDamping = ZERO  # [N m s/rad]
    rest: Angle = ZERO  # [rad]

    def conservative(self, a: MarkerMotion, b: MarkerMotion) -> Wrench:
        theta, gradient = self._twist(a, b)
        return Wrench(-self.stiffness * self._deflection(theta) * gradient, ca.DM(3, 1))

    def other(self, a: MarkerMotion, b: MarkerMotion) -> Wrench:
        _, gradient = self._twist(a, b)
        return Wrench(-self.damping * ca.dot(gradient, b.w - a.w) * gradient, ca.DM(3, 1))

    def potential(self, a: MarkerMotion, b: MarkerMotion) -> Number:
        theta, _ = self._twist(a, b)
        return 0.5 * self.stiffness * self._deflection(theta) ** 2

    def _deflection(self, theta: Number) -> Number:
        """θ − θ0, wrapped into (−π, π]."""
        return ca.atan2(ca.sin(theta - self.rest), ca.cos(theta - self.rest))

    def _twist(self, a: MarkerMotion, b: MarkerMotion) -> tuple[Number, Number]:
        """Twist angle about the axis and its gradient (3,) with respect to a turn of the child, in world axes."""
        A = align_z(ca.vertcat(*self.axis))
        R_WA = a.R @ A
        R = R_WA.T @ b.R @ A
        s, c = R[1, 0] - R[0, 1], R[0, 0] + R[1, 1]
        size = s * s + c * c
        gradient_A = ca.vertcat((s * R[2, 1] - c * R[2, 0]) / size, -(c * R[2, 1] + s * R[2, 0]) / size, 1)
        return ca.atan2(s, c), R_WA @ gradient_A
