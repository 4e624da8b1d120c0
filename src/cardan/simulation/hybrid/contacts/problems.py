"""The complementarity problems of an event, and the state after it: impulses first, then which stops stay closed.

Two problems decide about all stops at once, also where joints reach them at one instant, or where an impact meets
others that are closed: of plastic impulses, and of those with restitution (`impacts`). A stop that the impulses leave
without velocity is closed; where it would pull, it opens at once. Of several, that which pulls the most opens first.
About friction `sticking` decides.
"""

from __future__ import annotations

from functools import cached_property, reduce

import casadi as ca

from cardan.frozen import dataclass
from cardan.functions.system_functions import SystemFunctions
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import ROUND_OFF
from cardan.simulation.hybrid.contacts.impacts import Impacts
from cardan.simulation.hybrid.contacts.joints import FRICTION_EVENTS, HeldJoints, change_of_slip, velocities_held
from cardan.simulation.hybrid.contacts.responses import Responses

PROBLEMS = 2  # of plastic impulses, and of those with restitution


@dataclass(frozen=True, eq=False)
class Holding:
    """The complementarity problems of a system's events, and its state after them, over symbols."""

    functions: SystemFunctions  # functions of the integrated system
    fired: Number  # (3 f + 4 s,) 1 for each event of the joints with friction, then of those with stops
    y: Number  # (2 m,) solutions of the complementarity problems

    @staticmethod
    def unknowns(functions: SystemFunctions) -> tuple[int, int]:
        """How many complementarity problems an event solves, and how many unknowns each of them has."""
        size = len(velocities_held(functions))
        return (PROBLEMS, size) if size else (0, 0)

    def problems(self) -> list[Number]:
        """H by rows, c, lo and hi of the problems, one after another."""
        return [ca.densify(ca.SX(part)) for part in self._impacts.problems]

    def after(self, x: Number) -> Number:
        """The state x after the events."""
        nq, nv = self.functions.coordinates.counts
        for k in range(nv):
            # without impulses a velocity that `sticking` has set to zero stays
            decided = x[nq + k] == self._joints.x[nq + k] if k in self._joints.rows else ca.SX(0)
            decided = ca.logic_or(self.hits, decided)
            x[nq + k] = ca.if_else(decided, self._impacts.after[k], x[nq + k])
        for k in range(len(self._joints.stops)):
            x = self._impacts.met(x, k)
        return self._closed_by_impulses(x)

    def _closed_by_impulses(self, x: Number) -> Number:
        """The state with the slip signs by the velocities after impulses, and the stops closed.

        A joint that an impulse stops sticks; one that leaves its stop does so without force, and sticks too. Where
        friction cannot hold it, or a stop would pull, their crossing functions say so at the same instant.
        """
        joints, impacts = self._joints, self._impacts
        for block in joints.frictions:
            v, at = impacts.v[joints.rows.index(block.velocity)], joints.at(block)
            x[at] = ca.if_else(v != impacts.before[block.velocity], ca.sign(v), x[at])
        # a stop opens once friction is decided about: before, its force is that of a mode which ends at this instant
        decides = ca.mmax(ca.vertcat(ca.SX(0), self.fired[: FRICTION_EVENTS * len(joints.frictions)])) > 0
        (lower, upper), closed = impacts.touching, dict[int, Number]()
        shared = {k: each.stops for each in joints.functions.system.stopped for k in each.stops}
        for k, stop in enumerate(joints.stops):
            i, at = joints.rows.index(stop.velocity), joints.at(stop)
            comes_to_rest = joints.of_stop(k)[3]
            leaves = ca.logic_and(self._opens[k], ca.logic_not(decides))
            pushes = ca.logic_or(impacts.P[i] != 0, ca.logic_or(comes_to_rest, joints.x[at] ** 2 > 0.5))
            closes = ca.logic_and(impacts.v[i] == 0, ca.logic_and(pushes, ca.logic_not(leaves)))
            # if one freedom reaches two stops at once, only one is closed and takes the whole force
            others = [closed[v] for v in shared.get(stop.velocity, ()) if v in closed]
            closes = reduce(ca.logic_and, (ca.logic_not(other) for other in others), closes)
            closed[stop.velocity] = closes
            x[at] = closes * (upper[i] - lower[i])
        for each in joints.functions.system.stopped:
            x = joints.at_rest(x, each, reduce(ca.logic_or, (closed[k] for k in each.stops)))
        return x

    def happened(self, x: Number, slid: Number, so_far: Number) -> Number:
        """What has happened to the joints, in the order of `fired`: 1 for each event of the log, else 0.

        Friction that another joint has caused to slide, or a stop that takes part in the impact of another one, has no
        crossing of its own; and what a crossing suggests the others may prevent.
        """
        out, joints = ca.SX(so_far), self._joints
        for k, block in enumerate(joints.frictions):
            at = joints.at(block)
            own = slice(FRICTION_EVENTS * k, FRICTION_EVENTS * (k + 1))
            changed = change_of_slip(joints.x[at], x[at], ca.SX(0))
            out[own] = ca.if_else(x[at] == slid[at], out[own], changed)
        for k, stop in enumerate(joints.stops):
            i, at, first = joints.rows.index(stop.velocity), joints.at(stop), joints.first_of_stop(k)
            meets, fired, was_open = self._impacts.P[i] != 0, joints.of_stop(k), joints.x[at] ** 2 < 0.5
            for side, touches in enumerate(self._impacts.touching):
                is_hit = ca.logic_and(was_open, ca.logic_and(meets, touches[i]))
                out[first + side] = ca.logic_or(fired[side], is_hit)
            out[first + 2] = ca.logic_and(ca.logic_not(was_open), x[at] ** 2 < 0.5)
            met = ca.logic_or(out[first], out[first + 1])
            out[first + 3] = ca.logic_and(was_open, ca.logic_and(x[at] ** 2 > 0.5, ca.logic_not(met)))
        return out

    @property
    def m(self) -> int:
        """Number of velocities that friction or stops may hold."""
        return len(self._joints.rows)

    @property
    def hits(self) -> Number:
        """1 where a stop has an impulse."""
        return self._impacts.hits

    @cached_property
    def _opens(self) -> list[Number]:
        """Whether each stop opens: of those that pull, that which pulls the most, and others within round-off of it."""
        joints = self._joints
        leaves = [joints.of_stop(k)[2] > 0 for k in range(len(joints.stops))]
        if len(leaves) < 2:
            return leaves
        efforts, pulls = Responses(self.functions)(self.functions.state.z).phi, list[Number]()
        for is_one, stop in zip(leaves, joints.stops, strict=True):
            i = joints.rows.index(stop.velocity)
            pulls.append(ca.if_else(is_one, efforts[stop.velocity] ** 2 * joints.H[i, i], -1))
        most = (1 - ROUND_OFF) * ca.mmax(ca.vertcat(*pulls))
        return [ca.logic_and(is_one, pull >= most) for is_one, pull in zip(leaves, pulls, strict=True)]

    @cached_property
    def _joints(self) -> HeldJoints:
        return HeldJoints(self.functions, self.fired)

    @cached_property
    def _impacts(self) -> Impacts:
        return Impacts(self._joints, self._solution(0), self._solution(1))

    def _solution(self, problem: int) -> Number:
        return self.y[problem * self.m : (problem + 1) * self.m]
