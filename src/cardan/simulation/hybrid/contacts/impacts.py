"""Impulses of stops at an instant, and velocities after them.

Impulses P of all stops that are closed change the joints' velocities by H P. A plastic impact has 0 ≤ P ⊥ v⁺ ≥ 0 (signs
of lower stops), one with Newton's restitutions ε 0 ≤ P ⊥ v⁺ + ε min(v⁻, 0) ≥ 0. Kinetic energy grows by P·(v⁻ + v⁺)/2:
never in the first, nor in the second where all ε are equal. Where different ones would let it grow, the impulses are
those between the two at which it stays. Friction of bounded effort has no impulse.

Source: Glocker 2001, *Set-Valued Force Laws*, ch. 12; Moreau 1988; Leine & van de Wouw 2008, §5.3 (energy)
"""

from __future__ import annotations

from functools import cached_property

import casadi as ca

from cardan.frozen import dataclass
from cardan.integration import NO_BOUND
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import ROUND_OFF, ROUND_OFF_OF_SUM
from cardan.simulation.hybrid.contacts.coming_to_rest import coming_to_rest
from cardan.simulation.hybrid.contacts.joints import HeldJoints
from cardan.system.contacts.holding import all_velocities
from cardan.system.contacts.stops import JointStops


@dataclass(frozen=True, eq=False)
class Impacts:
    """The impulses of an instant, over symbols; velocities of relative motions come last."""

    joints: HeldJoints  # before the event
    plastic: Number  # (m,) impulses of plastic impacts
    elastic: Number  # (m,) impulses with restitution

    @property
    def problems(self) -> list[Number]:
        """H by rows, c, lo and hi of the complementarity problems of the plastic and of the elastic impulses."""
        (lower, upper), v = self.touching, self.before[self.joints.rows]
        bounds = -NO_BOUND * upper, NO_BOUND * lower
        out = list[Number]()
        for c in (v, v + self._restitution * self._approach):
            out += [ca.vec(self.joints.H), c, *bounds]
        return out

    @cached_property
    def rests(self) -> list[Number]:
        """Whether each joint with friction comes to rest."""
        a, _ = self.joints.functions.accelerations_and_multipliers
        return coming_to_rest(self.joints.functions, self.joints.fired, a)

    @cached_property
    def touching(self) -> tuple[Number, Number]:
        """1 for joints (m,) that touch their lower stop, and for those that touch their upper one."""
        joints = self.joints
        sides = ca.SX(len(joints.rows), 1), ca.SX(len(joints.rows), 1)
        for k, block in enumerate(joints.stops):
            at, q = joints.x[joints.at(block)], joints.functions.state.q[block.coordinate]
            met = joints.of_stop(k)
            if block.law.one_way:  # wherever it is
                sides[0][joints.rows.index(block.velocity)] = 1
            for side, sign, bound in ((0, -1, block.law.lower), (1, 1, block.law.upper)):
                if bound is not None:
                    touches = ca.logic_or(
                        sign * at > 0.5,
                        ca.logic_or(met[side] > 0, sign * (q - bound) >= -ROUND_OFF * (1 + ca.fabs(bound))),
                    )
                    sides[side][joints.rows.index(block.velocity)] = touches
        return ca.densify(sides[0]), ca.densify(sides[1])

    def touches_stop(self, i: int) -> Number:
        """Whether a joint touches a stop."""
        return ca.logic_or(self.touching[0][i] > 0, self.touching[1][i] > 0)

    @cached_property
    def before(self) -> Number:
        """Velocities (nv + r,) before the impulses; those of joints that are held, or come to rest, are zero."""
        joints = self.joints
        v = ca.SX(all_velocities(joints.functions.system, joints.functions.state))
        for k, block in enumerate(joints.frictions):
            sticks = joints.x[joints.at(block)] ** 2 < 0.5
            v[block.velocity] = ca.if_else(ca.logic_or(self.rests[k], sticks), 0, v[block.velocity])
        for k, stop in enumerate(joints.stops):
            slow = ca.logic_or(joints.of_stop(k)[3], ca.fabs(v[stop.velocity]) <= ROUND_OFF)
            at = ca.logic_and(self.touches_stop(joints.rows.index(stop.velocity)), slow)
            v[stop.velocity] = ca.if_else(at, 0, v[stop.velocity])
        return v

    @property
    def _restitution(self) -> Number:
        """ε (m,); 0 where there are no stops."""
        out = ca.SX(len(self.joints.rows), 1)
        for block in self.joints.stops:
            out[self.joints.rows.index(block.velocity)] = block.law.rebound
        return ca.densify(out)

    @property
    def _approach(self) -> Number:
        """Velocities (m,) of the joints towards the stops that they touch, with their signs; else 0."""
        v, (lower, upper) = self.before[self.joints.rows], self.touching
        return lower * ca.fmin(v, 0) + upper * ca.fmax(v, 0)

    @cached_property
    def P(self) -> Number:
        """Impulses (m,): the elastic ones, or as far between these and the plastic ones as energy does not grow."""
        v, H = self.before[self.joints.rows], self.joints.H
        gained = ca.dot(self.elastic, v + 0.5 * (H @ self.elastic))
        size = ca.dot(ca.fabs(self.elastic), ca.fabs(v) + ca.fabs(H) @ ca.fabs(self.elastic))
        change = self.elastic - self.plastic
        a, b = 0.5 * ca.dot(change, H @ change), ca.dot(change, v + H @ self.plastic)
        start = ca.fmin(ca.dot(self.plastic, v + 0.5 * (H @ self.plastic)), 0)
        grows = gained > ROUND_OFF_OF_SUM * size
        part = (ca.sqrt(b**2 - 4 * a * start) - b) / ca.if_else(grows, 2 * a, 1)
        return ca.if_else(grows, self.plastic + ca.fmin(part, 1) * change, self.elastic)

    @property
    def hits(self) -> Number:
        """1 where a stop has an impulse."""
        return ca.mmax(self.P != 0)

    @cached_property
    def v(self) -> Number:
        """Velocities (m,) of the joints after the impulses; round-off is zero."""
        v = self.before[self.joints.rows]
        after = v + self.joints.H @ self.P
        return ca.if_else(ca.fabs(after) <= ROUND_OFF_OF_SUM * self.joints.sizes(v, self.P), 0, after)

    @cached_property
    def after(self) -> Number:
        """Velocities (nv + r,) after the impulses."""
        out = self.before + self.joints.A @ self.P
        out[self.joints.rows] = self.v
        return out

    @property
    def _heat(self) -> Number:
        """Energy (m,) that each stop has taken [J]."""
        return -0.5 * self.P * (self.before[self.joints.rows] + self.v)

    def met(self, x: Number, k: int) -> Number:
        """The state x with the place, the impulse and the heat of a stop after an impact."""
        stop = self.joints.stops[k]
        i, at = self.joints.rows.index(stop.velocity), self.joints.at(stop)
        meets_lower, meets_upper, _, rests = self.joints.of_stop(k)
        reached = ca.fmax(ca.fmax(meets_lower, meets_upper), rests)
        bound = _bound(stop, self.touching[0][i], x[stop.coordinate])
        touches = ca.logic_or(reached > 0, self.P[i] != 0)  # without the bound it might bounce on for ever
        x[stop.coordinate] = ca.if_else(touches, bound, x[stop.coordinate])
        x[at + 1] = ca.if_else(self.P[i] != 0, self.P[i], x[at + 1])
        x[at + 2] = x[at + 2] + self._heat[i]
        if stop.is_driven:
            x[at + 3] = x[at + 3] + self.P[i] * self.joints.guided_work[i]
        return x


def _bound(stop: JointStops, is_lower: Number, q: Number) -> Number:
    """The coordinate at the lower or the upper stop; q where there is none."""
    lower, upper = (q if bound is None else bound for bound in (stop.law.lower, stop.law.upper))
    return ca.if_else(is_lower, lower, upper)
