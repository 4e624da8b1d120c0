"""Efforts that hold joints at rest after the impulses of an instant, and which of these joints slide all the same.

The efforts f of the joints at rest have 0 ≤ f ⊥ a ≥ 0 at lower stops and |f| ≤ F in friction, together: a = a0 + H f
with the accelerations a0 where nothing holds. What a stop does not push, friction of the same joint holds.

Source: Glocker 2001, *Set-Valued Force Laws*, ch. 10
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, reduce

import casadi as ca

from cardan.frozen import dataclass
from cardan.integration import NO_BOUND
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import ROUND_OFF, ROUND_OFF_OF_SUM, WRITTEN
from cardan.simulation.hybrid.holding.impacts import Impacts
from cardan.simulation.hybrid.holding.joints import HeldJoints
from cardan.system.friction import JointSet, SharedLimits, in_proportion

__all__ = ["Efforts"]


@dataclass(frozen=True, eq=False)
class Efforts:
    """The efforts of friction with given limits, and of stops, over symbols."""

    impacts: Impacts  # the impulses before
    f: Number  # (m,) solution of the complementarity problem

    @property
    def _joints(self) -> HeldJoints:
        return self.impacts.joints

    @property
    def problem(self) -> list[Number]:
        """H by rows, c, lo and hi of the complementarity problem."""
        return [ca.vec(self._joints.H), self._unheld[0], *self._bounds]

    def slip_signs_after(self, each: JointSet) -> list[Number]:
        """The slip signs of the joints of a set after the event, −1, 0 (it sticks) or 1."""
        all_rest = reduce(ca.logic_and, (self.at_rest[i] for i in each.places))
        slip_sign = self._slip_sign_from_rest(each)
        u, is_moved = ca.vertsplit(each.u), ca.vertsplit(ca.fabs(each.u) > ROUND_OFF)  # else it is at its dead centre
        return [
            ca.if_else(all_rest, slip_sign * ca.sign(u[n]) * is_moved[n], self._slip_sign_in_motion(k, i, len(u) > 1))
            for n, (i, k) in enumerate(zip(each.places, self._joints.members(each), strict=True))
        ]

    def _slip_sign_from_rest(self, each: JointSet) -> Number:
        """The slip sign of a set at rest along its freedom: 0 unless the effort that holds it has reached its limit.

        Its acceleration alone would not do: near a singular position round-off of the ratios in the set is larger than
        that of each joint's acceleration.
        """
        at, size_of_u, (lo, hi) = list(each.places), ca.fabs(each.u), self._bounds
        held, a = ca.dot(each.u, self._shared[at]), ca.dot(each.u, self._accelerations[at])
        moves = ca.fabs(a) > ca.dot(size_of_u, self._noise[at])
        # effort and limit come from different equations, so that they agree to some digits only
        at_lower = held <= (1 - WRITTEN) * ca.dot(size_of_u, lo[at])
        at_upper = held >= (1 - WRITTEN) * ca.dot(size_of_u, hi[at])
        backwards, forwards = self._breaks_away(each)
        forwards = ca.logic_and(at_lower, ca.if_else(moves, a > 0, forwards))
        backwards = ca.logic_and(at_upper, ca.if_else(moves, a < 0, backwards))
        return forwards - backwards

    def _breaks_away(self, each: JointSet) -> list[Number]:
        """Whether a set may begin to slide backwards, and forwards; both if another set of its group does."""
        joints, out = self._joints, [ca.SX(0), ca.SX(0)]
        for k, u in zip(joints.members(each), ca.vertsplit(each.u), strict=True):
            own = joints.breaks_away(k)
            for side in (0, 1):
                out[side] = ca.logic_or(out[side], ca.if_else(u > 0, own[side], own[1 - side]))
        members = [k for n in joints.others(each) for k in joints.members(joints.sets[n])]
        others = [fired for k in members for fired in joints.breaks_away(k)]
        return [reduce(ca.logic_or, others, own) for own in out]

    def _slip_sign_in_motion(self, k: int, i: int, in_set: bool) -> Number:
        """The slip sign of the joint number k, in row i, whose set moves.

        The joint of a set whose own velocity passes zero is at its dead centre, and one that was there when the set
        began to move has no slip sign yet: both follow their accelerations.
        """
        joints, v, a = self._joints, self.impacts.v[i], self._accelerations[i]
        slip_sign = ca.if_else(v == 0, joints.x[joints.at(joints.frictions[k])], ca.sign(v))
        if not in_set:
            return slip_sign
        follows = ca.if_else(ca.fabs(a) > self._noise[i], ca.sign(a), 0)
        return ca.if_else(ca.logic_or(self.at_rest[i], joints.passes_zero(k)), follows, slip_sign)

    def closed(self, k: int) -> Number:
        """At which stop a joint stays, −1 lower, 0 none, 1 upper."""
        joints, velocity = self._joints, self._joints.stops[k].velocity
        i = joints.rows.index(velocity)
        _, _, leaves, comes_to_rest = joints.of_stop(k)  # whose forces at this instant are zero but for round-off
        push, slack = self.f[i] * joints.H[i, i], ROUND_OFF_OF_SUM * self._sizes[i]
        rubs = [n for n, block in enumerate(joints.frictions) if block.velocity == velocity]
        gives = joints.breaks_away(rubs[0]) if rubs else (ca.SX(0), ca.SX(0))  # friction, against the stop
        at_lower, at_upper = (
            ca.logic_or(
                side * push > leaves * slack, ca.logic_and(ca.logic_or(comes_to_rest, gave), side * push >= -slack)
            )
            for side, gave in zip((1, -1), gives, strict=True)
        )
        lower, upper = self.impacts.touching
        return self.at_rest[i] * (ca.logic_and(upper[i], at_upper) - ca.logic_and(lower[i], at_lower))

    @cached_property
    def at_rest(self) -> Number:
        """1 for joints (m,) that the efforts may hold: at rest, and not just breaking away."""
        joints, out = self._joints, ca.SX(self.impacts.v == 0)
        for k, block in enumerate(joints.frictions):
            i = joints.rows.index(block.velocity)
            slides = joints.x[joints.at(block)] ** 2 > 0.5
            breaks_away = ca.logic_and(
                slides, ca.logic_and(self.impacts.rests[k] < 0.5, self.impacts.before[block.velocity] == 0)
            )
            out[i] = ca.logic_and(out[i], ca.logic_or(ca.logic_not(breaks_away), self.impacts.touches_stop(i)))
        return out

    @cached_property
    def _limits(self) -> Number:
        """Largest efforts (m,) of friction; 0 where there is none."""
        out = ca.SX(len(self._joints.rows), 1)
        for block in self._joints.frictions:
            out[self._joints.rows.index(block.velocity)] = block.law_at(self._joints.functions.state.motion).holding
        return ca.densify(out)

    @property
    def _bounds(self) -> tuple[Number, Number]:
        """Smallest and largest efforts (m,) that hold the joints at rest: of stops without bound, and of friction."""
        lower, upper = self.impacts.touching
        return (
            -self.at_rest * (NO_BOUND * upper + self._limits),
            self.at_rest * (NO_BOUND * lower + self._limits),
        )

    @cached_property
    def _unheld(self) -> tuple[Number, Number]:
        """Accelerations (m,) after the impulses where nothing holds, and the sizes (m,) of their terms.

        Friction of joints that move acts.
        """
        joints, x = self._joints, ca.SX(self._joints.x)
        nq, nv = joints.functions.coordinates.counts
        x[nq : nq + nv] = self.impacts.after[:nv]
        for block in joints.frictions:
            i, at = joints.rows.index(block.velocity), joints.at(block)
            slip_sign = ca.if_else(self.impacts.v[i] == 0, x[at], ca.sign(self.impacts.v[i]))
            x[at] = ca.if_else(self.at_rest[i], 0, slip_sign)
        return joints.unheld(x)

    @cached_property
    def _accelerations(self) -> Number:
        """Accelerations (m,) of the joints after the event."""
        return self._unheld[0] + self._joints.H @ self.f

    @cached_property
    def _sizes(self) -> Number:
        """Sums (m,) of the sizes of the terms of the accelerations."""
        return self._joints.sizes(self._unheld[1], self.f)

    @property
    def _noise(self) -> Number:
        """Round-off (m,) of the accelerations; the efforts solve equations of the whole mechanism."""
        return ROUND_OFF * self._sizes

    @cached_property
    def _shared(self) -> Number:
        """Efforts (m,) of friction that sticks, as the joints of each group share them."""
        rows, groups = self._joints.rows, []
        for group in self._joints.functions.system.choice.together:
            sets = tuple(tuple(rows.index(k) for k in each) for each in group.sets)
            members = [i for each in sets for i in each]
            holds = [ca.logic_and(self.at_rest[i], ca.logic_not(self.impacts.touches_stop(i))) for i in members]
            joints = {i: (self._limits[i], each) for i, each in zip(members, holds, strict=True)}
            groups.append(SharedLimits(replace(group, sets=sets), joints))
        return in_proportion(self.f, self._joints.H, range(len(rows)), groups)
