"""Events of stops by impact: impulses first, then which stops stay closed. About friction `sticking` decides.

Impulses P of all stops that are closed change the joints' velocities by H P. A plastic impact has 0 ≤ P ⊥ v⁺ ≥ 0 (signs
of lower stops), one with Newton's restitutions ε 0 ≤ P ⊥ v⁺ + ε min(v⁻, 0) ≥ 0. Kinetic energy grows by P·(v⁻ + v⁺)/2:
never in the first, nor in the second where all ε are equal. Where different ones would let it grow, the impulses are
those between the two at which it stays. Friction of bounded effort has no impulse.

Two complementarity problems, of plastic impulses and of those with restitution, decide about all stops at once, also
where joints reach them at one instant, or where an impact meets others that are closed. A stop that the impulses leave
without velocity is closed; where it would pull, it opens at once. Of several, that which pulls the most opens first.

Source: Glocker 2001, *Set-Valued Force Laws*, ch. 12; Moreau 1988; Leine & van de Wouw 2008, §5.3 (energy)
"""

from __future__ import annotations

from functools import cached_property, reduce

import casadi as ca

from cardan.frozen import dataclass
from cardan.functions.system_functions import SystemFunctions
from cardan.integration import NO_BOUND
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import ROUND_OFF, ROUND_OFF_OF_SUM
from cardan.simulation.hybrid.contacts.coming_to_rest import coming_to_rest
from cardan.simulation.hybrid.contacts.responses import Responses
from cardan.simulation.hybrid.contacts.rubbing import (
    FRICTION_EVENTS,
    RubbingJoint,
    change_of_slip,
    place,
    rubbing_joints,
)
from cardan.system.contacts.holding import all_velocities, guided_work, unheld
from cardan.system.contacts.stops import JointStops
from cardan.system.response import response

STOP_EVENTS = 4  # crossing functions of a joint with stops: meets the lower one, the upper one, leaves it, rests there
PROBLEMS = 2  # of plastic impulses, and of those with restitution


def velocities_held(functions: SystemFunctions) -> list[int]:
    """Velocities that stops by impact or friction may hold, each once; none without stops."""
    stops = [block.velocity for block in functions.system.stops if block.is_rigid]
    return list(dict.fromkeys([*stops, *(block.velocity for block in functions.system.sticking)])) if stops else []


@dataclass(frozen=True)
class _Stop:
    """A joint with stops by impact, before the event."""

    block: JointStops
    i: int  # its place among the velocities that may be held
    at: int  # place of the stop at which it is, among the states
    first: int  # index of its first event
    events: list[Number]  # whether it meets the lower stop, the upper one, leaves it, rests there
    side: Number  # the stop at which it is: −1 lower, 0 none, 1 upper

    def touches(self, q: Number) -> tuple[Number, Number]:
        """Whether it touches its lower stop, and whether its upper one, at the coordinate q."""
        out = list[Number]()
        for sign, bound, met in ((-1, self.block.law.lower, self.events[0]), (1, self.block.law.upper, self.events[1])):
            if bound is None:  # one that moves one way only is at its lower stop wherever it is
                out.append(ca.SX(sign < 0 and self.block.law.one_way))
                continue
            is_there = sign * (q - bound) >= -ROUND_OFF * (1 + ca.fabs(bound))
            out.append(ca.logic_or(sign * self.side > 0.5, ca.logic_or(met > 0, is_there)))
        return out[0], out[1]

    @property
    def was_open(self) -> Number:
        """Whether no stop held it."""
        return self.side**2 < 0.5


@dataclass(frozen=True, eq=False)
class Impacts:
    """The complementarity problems of a system's events, and its state after them, over symbols.

    Velocities of relative motions come last.
    """

    functions: SystemFunctions  # functions of the integrated system
    fired: Number  # (3 f + 4 s,) 1 for each event of the joints with friction, then of those with stops
    y: Number  # (2 m,) solutions of the complementarity problems

    @staticmethod
    def unknowns(functions: SystemFunctions) -> tuple[int, int]:
        """How many complementarity problems an event solves, and how many unknowns each of them has."""
        size = len(velocities_held(functions))
        return (PROBLEMS, size) if size else (0, 0)

    @property
    def m(self) -> int:
        """Number of velocities that friction or stops may hold."""
        return len(self._rows)

    def problems(self) -> list[Number]:
        """H by rows, c, lo and hi of the problems, one after another."""
        (lower, upper), v, rebound = self._touching, self._before[self._rows], ca.SX(self.m, 1)
        for stop in self._stops:
            rebound[stop.i] = stop.block.law.rebound
        approach, out = lower * ca.fmin(v, 0) + upper * ca.fmax(v, 0), list[Number]()
        for c in (v, v + rebound * approach):
            out += [ca.vec(self._H), c, -NO_BOUND * upper, NO_BOUND * lower]
        return [ca.densify(ca.SX(part)) for part in out]

    def after(self, x: Number) -> Number:
        """The state x after the events, with the slip signs by the velocities after impulses, and the stops closed.

        A joint that an impulse stops sticks; one that leaves its stop does so without force, and sticks too. Where
        friction cannot hold it, or a stop would pull, their crossing functions say so at the same instant.
        """
        (nq, nv), before = self.functions.coordinates.counts, self._x
        velocities, hits = self._before + self._A @ self._P, ca.mmax(self._P != 0)
        velocities[self._rows] = self._v
        for k in range(nv):
            # without impulses a velocity that `sticking` has set to zero stays
            decided = x[nq + k] == before[nq + k] if k in self._rows else ca.SX(0)
            x[nq + k] = ca.if_else(ca.logic_or(hits, decided), velocities[k], x[nq + k])
        for stop in self._stops:
            x = self._met(stop, x)
        for joint in self._joints:
            v = self._v[self._rows.index(joint.block.velocity)]
            x[joint.at] = ca.if_else(v != self._before[joint.block.velocity], ca.sign(v), x[joint.at])
        return self._closed(x)

    def happened(self, x: Number, slid: Number, so_far: Number) -> Number:
        """What has happened to the joints, in the order of `fired`: 1 for each event of the log, else 0.

        Friction that another joint has caused to slide, or a stop that takes part in the impact of another one, has no
        crossing of its own; and what a crossing suggests the others may prevent.
        """
        out = ca.SX(so_far)
        for k, joint in enumerate(self._joints):
            own = slice(FRICTION_EVENTS * k, FRICTION_EVENTS * (k + 1))
            changed = change_of_slip(joint.z[0], x[joint.at], ca.SX(0))
            out[own] = ca.if_else(x[joint.at] == slid[joint.at], out[own], changed)
        for stop in self._stops:
            is_closed, meets = x[stop.at] ** 2 > 0.5, ca.logic_and(stop.was_open, self._P[stop.i] != 0)
            met = [ca.logic_or(stop.events[k], ca.logic_and(meets, self._touching[k][stop.i])) for k in range(2)]
            leaves = ca.logic_not(ca.logic_or(stop.was_open, is_closed))
            rests = ca.logic_and(ca.logic_and(stop.was_open, is_closed), ca.logic_not(ca.logic_or(*met)))
            out[stop.first : stop.first + STOP_EVENTS] = ca.vertcat(*met, leaves, rests)
        return out

    @property
    def _x(self) -> Number:
        """The state before the event."""
        return self.functions.symbols.inputs["x"]

    @cached_property
    def _rows(self) -> list[int]:
        """Velocities (m,) that friction or stops may hold."""
        return velocities_held(self.functions)

    @cached_property
    def _joints(self) -> list[RubbingJoint]:
        return rubbing_joints(self.functions)

    @cached_property
    def _stops(self) -> list[_Stop]:
        out = []
        for k, block in enumerate(self.functions.system.stops):
            if block.is_rigid:
                at, first = place(self.functions, block.names[0]), FRICTION_EVENTS * len(self._joints) + STOP_EVENTS * k
                events = [self.fired[first + i] for i in range(STOP_EVENTS)]
                out.append(_Stop(block, self._rows.index(block.velocity), at, first, events, self._x[at]))
        return out

    @cached_property
    def _A(self) -> Number:
        """Velocities (nv + r, m) after unit impulses on the joints."""
        return unheld(self.functions.system, self.functions.state, self._rows)[1]

    @cached_property
    def _H(self) -> Number:
        """Velocities (m, m) of the joints after unit impulses on them."""
        H = self._A[self._rows, :]
        return 0.5 * (H + H.T)

    @cached_property
    def _touching(self) -> tuple[Number, Number]:
        """1 for joints (m,) that touch their lower stop, and for those that touch their upper one."""
        sides = ca.SX(self.m, 1), ca.SX(self.m, 1)
        for stop in self._stops:
            sides[0][stop.i], sides[1][stop.i] = stop.touches(self.functions.state.q[stop.block.coordinate])
        return ca.densify(sides[0]), ca.densify(sides[1])

    @cached_property
    def _before(self) -> Number:
        """Velocities (nv + r,) before the impulses; those of joints that are held, or come to rest, are zero."""
        system, state = self.functions.system, self.functions.state
        v = ca.SX(all_velocities(system, state))
        rests = coming_to_rest(self._joints, self.fired, response(system, state)) if self._joints else []
        for joint, comes_to_rest in zip(self._joints, rests, strict=True):
            k = joint.block.velocity
            v[k] = ca.if_else(ca.logic_or(comes_to_rest, joint.z[0] ** 2 < 0.5), 0, v[k])
        for stop in self._stops:
            k = stop.block.velocity
            slow = ca.logic_or(stop.events[3], ca.fabs(v[k]) <= ROUND_OFF)
            touches = ca.logic_or(*(side[stop.i] for side in self._touching))
            v[k] = ca.if_else(ca.logic_and(touches, slow), 0, v[k])
        return v

    @cached_property
    def _P(self) -> Number:
        """Impulses (m,): the elastic ones, or as far between these and the plastic ones as energy does not grow."""
        v, H, plastic, elastic = self._before[self._rows], self._H, self.y[: self.m], self.y[self.m : 2 * self.m]
        gained = ca.dot(elastic, v + 0.5 * (H @ elastic))
        size = ca.dot(ca.fabs(elastic), ca.fabs(v) + ca.fabs(H) @ ca.fabs(elastic))
        change = elastic - plastic
        a, b = 0.5 * ca.dot(change, H @ change), ca.dot(change, v + H @ plastic)
        start = ca.fmin(ca.dot(plastic, v + 0.5 * (H @ plastic)), 0)
        grows = gained > ROUND_OFF_OF_SUM * size
        part = (ca.sqrt(b**2 - 4 * a * start) - b) / ca.if_else(grows, 2 * a, 1)
        return ca.if_else(grows, plastic + ca.fmin(part, 1) * change, elastic)

    @cached_property
    def _v(self) -> Number:
        """Velocities (m,) of the joints after the impulses; round-off is zero."""
        v = self._before[self._rows]
        after, size = v + self._H @ self._P, ca.fabs(v) + ca.fabs(self._H) @ ca.fabs(self._P)
        return ca.if_else(ca.fabs(after) <= ROUND_OFF_OF_SUM * size, 0, after)

    @property
    def _opens(self) -> list[Number]:
        """Whether each stop opens: of those that pull, that which pulls the most, and others within round-off of it."""
        leaves = [stop.events[2] > 0 for stop in self._stops]
        if len(leaves) < 2:
            return leaves
        efforts, pulls = Responses(self.functions)(self.functions.state.z).phi, list[Number]()
        for is_one, stop in zip(leaves, self._stops, strict=True):
            pulls.append(ca.if_else(is_one, efforts[stop.block.velocity] ** 2 * self._H[stop.i, stop.i], -1))
        most = (1 - ROUND_OFF) * ca.mmax(ca.vertcat(*pulls))
        return [ca.logic_and(is_one, pull >= most) for is_one, pull in zip(leaves, pulls, strict=True)]

    def _met(self, stop: _Stop, x: Number) -> Number:
        """The state x with the place, the impulse and the heat of a stop after an impact."""
        P, law, q = self._P[stop.i], stop.block.law, x[stop.block.coordinate]
        lower, upper = (q if bound is None else bound for bound in (law.lower, law.upper))
        bound, (meets_lower, meets_upper, _, rests) = ca.if_else(self._touching[0][stop.i], lower, upper), stop.events
        touches = ca.logic_or(ca.fmax(ca.fmax(meets_lower, meets_upper), rests) > 0, P != 0)
        x[stop.block.coordinate] = ca.if_else(touches, bound, q)  # without the bound it might bounce on for ever
        x[stop.at + 1] = ca.if_else(P != 0, P, x[stop.at + 1])
        x[stop.at + 2] -= 0.5 * P * (self._before[stop.block.velocity] + self._v[stop.i])
        if stop.block.is_driven:
            x[stop.at + 3] += P * guided_work(self.functions.system, self.functions.state, self._rows)[stop.i]
        return x

    def _closed(self, x: Number) -> Number:
        """The state x with the stops closed, and joints at rest at a stop that one of their freedom has: friction
        holds nothing there.
        """
        # a stop opens once friction is decided about: before, its force is that of a mode which ends at this instant
        decides = ca.mmax(ca.vertcat(ca.SX(0), self.fired[: FRICTION_EVENTS * len(self._joints)])) > 0
        (lower, upper), closed = self._touching, dict[int, Number]()
        shared = {k: each.stops for each in self.functions.system.stopped for k in each.stops}
        for opens, stop in zip(self._opens, self._stops, strict=True):
            pushes = reduce(ca.logic_or, (self._P[stop.i] != 0, stop.events[3], ca.logic_not(stop.was_open)))
            stays = ca.logic_not(ca.logic_and(opens, ca.logic_not(decides)))
            closes = ca.logic_and(self._v[stop.i] == 0, ca.logic_and(pushes, stays))
            # if one freedom reaches two stops at once, only one is closed and takes the whole force
            others = [closed[v] for v in shared.get(stop.block.velocity, ()) if v in closed]
            closes = reduce(ca.logic_and, (ca.logic_not(other) for other in others), closes)
            closed[stop.block.velocity] = closes
            x[stop.at] = closes * (upper[stop.i] - lower[stop.i])
        (nq, nv), signs = self.functions.coordinates.counts, {one.block.velocity: one.at for one in self._joints}
        for each in self.functions.system.stopped:
            now = reduce(ca.logic_or, (closed[k] for k in each.stops))
            for at in (*(nq + k for k in each.held if k < nv), *(signs[k] for k in each.held if k in signs)):
                x[at] = ca.if_else(now, 0, x[at])
        return x
