"""Motions of a child against its parent that are no coordinates of the mechanism, such as those of joints that close
loops: their speeds, and what a unit effort along them does.

With the unit wrench (n, f) on the child at its marker, and its opposite on the parent at the same point, the speed is
w = n·(ω_C − ω_P) + f·(v_C − v_P − ω_P × (p_C − p_P)) = J v: an effort along it acts with Jᵀ on the velocities (virtual
power), and its acceleration is J v̇ + bias.

Several unit wrenches make a sliding velocity w (k,), such as that of a ball in its socket. Its direction w/|w| turns
with the motion: the speed is |w|, and an effort along it is the wrench Σ gᵢ (nᵢ, fᵢ) with g = w/|w|. Other weights g
may be given, such as a direction: the speed is then g·w.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import casadi as ca

from cardan.frozen import dataclass, replace
from cardan.kinematics.loads import PointForce
from cardan.kinematics.motion import Motion, coordinate_rate, marker_motion
from cardan.kinematics.tree import Cut, Number, Place, Tree
from cardan.model.forces import Wrench
from cardan.model.joints import Joint
from cardan.spatial.rotations import skew

REST = 1e-50  # added to |w| as its square: no number beside it, but derivatives at rest are those of friction near rest


@dataclass(frozen=True)
class Slip:
    """A motion along which an effort acts, as a linear function of the velocities: its acceleration is J v̇ + bias."""

    J: Number  # (1, nv)
    bias: Number  # its acceleration at v̇ = 0

    def accelerations(self, a: Number) -> Number:
        """Its acceleration, and behind it what further efforts add to it (1, k)."""
        own = ca.SX(self.J @ a)
        own[0] += self.bias
        return own


def slip_of_velocity(nv: int, k: int) -> Slip:
    """The motion of velocity k itself."""
    return Slip(ca.DM.eye(nv)[k, :], 0)


@dataclass(frozen=True)
class RelativeMotion:
    """A motion of a child against its parent."""

    name: str  # joint or constraint, with the suffix of one of several motions of a joint
    owner: str  # joint or constraint that transmits its efforts
    unit: str  # of its speed, "m/s" or "rad/s"
    parent: Place  # marker on the parent
    child: Place  # marker on the child, at which efforts act
    direction: Callable[[Motion], Wrench]  # k unit wrenches on the child at its marker, world axes: columns (3×k)
    weights: Callable[[Motion], Number] | None = None  # g (k,) of the unit wrenches; w/|w| if absent

    def speed(self, state: Motion) -> Number:
        """Its speed [m/s, rad/s]."""
        w = self.velocities(state)
        if self.weights is not None:
            return ca.dot(self.weights(state), w)
        return w if w.shape[0] == 1 else ca.sqrt(ca.dot(w, w) + REST**2)

    def parts(self, count: int) -> list[RelativeMotion]:
        """Its motions along each of its unit wrenches."""

        def one(k: int, state: Motion) -> Wrench:
            unit = self.direction(state)
            return Wrench(unit.n[:, k], unit.f[:, k])

        return [replace(self, name=f"{self.name}{k + 1}", direction=partial(one, k)) for k in range(count)]

    def velocities(self, state: Motion) -> Number:
        """w (k,): velocities along the unit wrenches [m/s, rad/s]."""
        a, b, unit = marker_motion(state, self.parent), marker_motion(state, self.child), self.direction(state)
        return unit.n.T @ (b.w - a.w) + unit.f.T @ (b.v - a.v - skew(a.w) @ (b.p - a.p))

    def jacobian(self, state: Motion) -> Number:
        """J (1, nv): its speed per velocity."""
        return ca.jtimes(ca.SX(self.velocities(state)), state.v, self._along(state), True).T

    def slip(self, tree: Tree, state: Motion) -> Slip:
        """Its acceleration as a linear function of v̇."""
        w, g = ca.SX(self.velocities(state)), self._along(state)
        rate = ca.jtimes(w, state.q, coordinate_rate(tree, state.q, state.v))
        if isinstance(state.t, ca.SX) and state.t.is_symbolic():
            rate += ca.jacobian(w, state.t)
        return Slip(ca.jtimes(w, state.v, g, True).T, ca.dot(g, rate))

    def force(self, state: Motion, effort: Number) -> PointForce:
        """The wrench of an effort along it on the child, whose opposite acts on the parent."""
        unit, along = self.direction(state), self._along(state) * effort
        return PointForce(self.name, self.parent, self.child, unit.f @ along, unit.n @ along, through=self.owner)

    def _along(self, state: Motion) -> Number:
        """Weights g (k,) of the unit wrenches in an effort along it."""
        if self.weights is not None:
            return self.weights(state)
        w = self.velocities(state)
        return ca.DM(1) if w.shape[0] == 1 else w / self.speed(state)


def closing_motions(cut: Cut) -> list[RelativeMotion]:
    """The motions of a joint that closes a loop, in the order of its velocities.

    Its twist is S v, so that v = (SᵀS)⁻¹ Sᵀ twist.
    """

    def direction(k: int, state: Motion) -> Wrench:
        R_WP, R = marker_motion(state, cut.parent).R, marker_motion(state, cut.child).R
        S = cut.law.subspace_between(R_WP.T @ R)
        row = ca.solve(S.T @ S, S.T)[k, :]
        return Wrench(R @ row[:3].T, R @ row[3:].T)

    return [
        RelativeMotion(cut.joint + suffix, cut.joint, unit, cut.parent, cut.child, partial(direction, k))
        for k, (suffix, unit) in enumerate(cut.law.velocities)
    ]


def sliding_motion(name: str, law: Joint, parent: Place, child: Place) -> RelativeMotion:
    """The motion in which the surfaces of a joint with several motions slide on each other."""
    G, turn = law.sliding(), law.alignment()
    assert law.sliding_unit is not None, "friction of other joints is refused when the model is read"

    def direction(state: Motion) -> Wrench:
        R = marker_motion(state, child).R @ turn
        return Wrench(R @ G[:, :3].T, R @ G[:, 3:].T)

    return RelativeMotion(name, name, law.sliding_unit, parent, child, direction)
