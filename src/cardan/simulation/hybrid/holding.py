"""What joints that friction or stops by impact may hold do at an event: impulses first, then which of them stay held.

Impulses P of all stops that are closed change the joints' velocities by H P. A plastic impact has 0 ≤ P ⊥ v⁺ ≥ 0 (signs
of lower stops), one with Newton's restitutions ε 0 ≤ P ⊥ v⁺ + ε min(v⁻, 0) ≥ 0. Kinetic energy grows by P·(v⁻ + v⁺)/2:
never in the first, nor in the second where all ε are equal. Where different ones would let it grow, the impulses are
those between the two at which it stays. Friction of bounded effort has no impulse.

After that, the efforts f of the joints at rest have 0 ≤ f ⊥ a ≥ 0 at lower stops and |f| ≤ F in friction, together:
a = a0 + H f with the accelerations a0 where nothing holds. What a stop does not push, friction of the same joint holds.
So three complementarity problems decide about all joints at once, also where they reach their stops at one instant, or
where an impact meets others that are closed.

Where friction follows a load, or holds a joint in several directions, the third one would not be linear. There
`sticking` decides about friction, one joint after another, and a stop that the impulses leave without velocity is
closed; where it would pull, it opens at once.

Source: Glocker 2001, *Set-Valued Force Laws*, chs. 10 and 12; Moreau 1988; Leine & van de Wouw 2008, §5.3 (energy)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, reduce

import casadi as ca

from cardan.frozen import dataclass
from cardan.functions.system_functions import SystemFunctions
from cardan.integration import NO_BOUND, RESOLUTION
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import ROUND_OFF, ROUND_OFF_OF_SUM, WRITTEN
from cardan.system.blocks.stops import JointStops
from cardan.system.friction import JointFriction, JointSet, SharedLimits, decided_one_by_one, in_proportion, sets_of
from cardan.system.holding import all_velocities, group_of, guided_work, unheld

__all__ = ["FRICTION_EVENTS", "SLIGHTLY", "STOP_EVENTS", "Holding", "change_of_way", "in_ratio", "place"]

FRICTION_EVENTS = 3  # crossing functions of a joint with friction
STOP_EVENTS = 4  # crossing functions of a joint with stops
IMPULSES, EFFORTS = 2, 1  # complementarity problems: plastic impulses and those with restitution; efforts
SLIGHTLY = 1e-300  # a jump to this value leaves nothing behind that could pass for noise of the crossing function


def place(functions: SystemFunctions, state: str) -> int:
    """Place of a block's `state` among the integrated states.

    Parameters
    ----------
    functions : functions of the integrated system.
    state : its name.
    """
    names = functions.system.state_names
    return int(functions.symbols.inputs["x"].shape[0]) - len(names) + names.index(state)


def change_of_way(before: Number, after: Number, rests: Number) -> Number:
    """What has happened to a joint with friction (3,): it stops, and slides backwards or forwards from then on.

    Parameters
    ----------
    before, after : the way it slides, −1, 0 (it sticks) or 1.
    rests : whether its velocity has passed zero; an impact changes the way without that.
    """
    stops = ca.logic_and(before != 0, ca.logic_or(after == 0, ca.logic_and(rests, after != before)))
    starts = ca.logic_and(after != before, ca.logic_or(before == 0, rests))
    return ca.vertcat(stops, ca.logic_and(starts, after < 0), ca.logic_and(starts, after > 0))


def in_ratio(v: Number, a: Number, other_v: Number, other_a: Number) -> Number:
    """Whether a joint comes to rest as another one does: their speeds are nearly in the ratio of their accelerations.

    Their speeds g s follow from one speed s. As s passes zero their accelerations g ṡ + ġ s are nearly in the ratio of
    the speeds; at the dead centre of one of them, where its g = 0, they are not.

    Parameters
    ----------
    v, a : speed and acceleration of the joint.
    other_v, other_a : those of the other one, whose speed passes zero.
    """
    return ca.fabs(other_a * v - other_v * a) <= ca.fabs(other_v * a)


@dataclass(frozen=True)
class _Impact:
    """Velocities (nv + r,) after the impulses of an instant, and the impulses; those of relative motions come last."""

    v: Number  # after
    P: Number  # (m,) on the joints
    heat: Number  # (m,) energy that each stop has taken [J]


@dataclass(frozen=True, eq=False)
class Holding:
    """The complementarity problems of a system's events, and its state after them, over symbols."""

    functions: SystemFunctions  # functions of the integrated system
    fired: Number  # (3 f + 4 s,) 1 for each event of the joints with friction, then of those with stops
    y: Number  # (3 m,) solutions of the complementarity problems; (2 m,) where `sticking` decides about friction

    @staticmethod
    def unknowns(functions: SystemFunctions) -> tuple[int, int]:
        """Number of complementarity problems, and of unknowns of each.

        Parameters
        ----------
        functions : functions of the integrated system.
        """
        size = len(_velocities(functions))
        problems = IMPULSES if decided_one_by_one(functions.system.frictions) else IMPULSES + EFFORTS
        return (problems, size) if size else (0, 0)

    def problems(self) -> list[Number]:
        """H by rows, c, lo and hi of the problems, one after another."""
        H, (lower, upper) = self._H, self._touching
        v = self._before[self.rows]
        out: list[Number] = []
        for c in (v, v + self._restitution * self._approach):
            out += [ca.vec(H), c, -NO_BOUND * upper, NO_BOUND * lower]
        if not decided_one_by_one(self.functions.system.frictions):
            out += [ca.vec(H), self._unheld_accelerations, *self._bounds]
        return [ca.densify(ca.SX(part)) for part in out]

    def after(self, x: Number) -> Number:
        """The state x after the events.

        Parameters
        ----------
        x : the state after all other changes of this instant.
        """
        nq, nv = self._counts
        for k in range(nv):
            decided = 1 if k in self.rows else self.hits  # without impulses `sticking` has the last word
            x[nq + k] = ca.if_else(decided, self._impact.v[k], x[nq + k])
        if decided_one_by_one(self.functions.system.frictions):
            return self._after_impulses(x)
        for each in self._sets:
            for k, way in zip(self._members(each), self._ways_of(each), strict=True):
                at = place(self.functions, self._frictions[k].names[0])
                x[at] = way
        f, rest, sizes = self._solution(2), self._at_rest, self._sizes_of_accelerations
        lower, upper = self._touching
        for k, stop in enumerate(self._stops):
            i, at = self.rows.index(stop.velocity), place(self.functions, stop.names[0])
            x = self._met(x, k)
            _, _, leaves, comes_to_rest = self._of_stop(k)  # whose forces at this instant are zero but for round-off
            push, slack = f[i] * self._H[i, i], ROUND_OFF_OF_SUM * sizes[i]
            closed = [
                ca.logic_or(way * push > leaves * slack, ca.logic_and(comes_to_rest, way * push >= -slack))
                for way in (1, -1)
            ]
            x[at] = rest[i] * (ca.logic_and(upper[i], closed[1]) - ca.logic_and(lower[i], closed[0]))
        return x

    def _ways_of(self, each: JointSet) -> list[Number]:
        """The ways of the joints of a set after the event, −1, 0 (it sticks) or 1.

        A set at rest is decided by the one acceleration along its freedom: it slides only where what it holds has come
        to its limit, and all its joints in their ratios. A joint whose velocity passes zero at its dead centre follows
        its own acceleration, as does one that was there when the others began to move.
        """
        places, members, u = list(each.places), self._members(each), each.u
        shared, (lo, hi), own = self._shared[places], self._bounds, self._accelerations[places]
        sizes = ROUND_OFF * self._sizes_of_accelerations[places]  # the efforts solve equations of the whole mechanism
        held, a = ca.dot(u, shared), ca.dot(u, own)
        begins = ca.fabs(a) > ca.dot(ca.fabs(u), sizes)
        # computed by other equations than the limit, so that they agree to some digits only
        at_lower = held <= (1 - WRITTEN) * ca.dot(ca.fabs(u), lo[places])
        at_upper = held >= (1 - WRITTEN) * ca.dot(ca.fabs(u), hi[places])
        backwards, forwards = self._pulled(each)
        forwards = ca.logic_and(at_lower, ca.if_else(begins, a > 0, forwards))
        backwards = ca.logic_and(at_upper, ca.if_else(begins, a < 0, backwards))
        way, out = forwards - backwards, []
        all_rest = reduce(ca.logic_and, (self._at_rest[i] for i in places))
        for n, (i, k) in enumerate(zip(places, members, strict=True)):
            before = self._x[place(self.functions, self._frictions[k].names[0])]
            slides = ca.if_else(self._v[i] == 0, before, ca.sign(self._v[i]))
            if len(places) > 1:
                turns = ca.logic_or(self._at_rest[i], self.fired[FRICTION_EVENTS * k])
                along = ca.if_else(ca.fabs(own[n]) > sizes[n], ca.sign(own[n]), 0)
                slides = ca.if_else(turns, along, slides)
            out.append(ca.if_else(all_rest, way * ca.sign(u[n]) * (ca.fabs(u[n]) > ROUND_OFF), slides))
        return out

    def _pulled(self, each: JointSet) -> list[Number]:
        """Whether a set breaks away backwards, forwards along its freedom; both ways where others of its group do."""
        out = [ca.SX(0), ca.SX(0)]
        for k, u in zip(self._members(each), ca.vertsplit(each.u), strict=True):
            backwards, forwards = self._leaves(k)
            out[0] = ca.logic_or(out[0], ca.if_else(u > 0, backwards, forwards))
            out[1] = ca.logic_or(out[1], ca.if_else(u > 0, forwards, backwards))
        others = [fired for n in self._others(each) for k in self._members(self._sets[n]) for fired in self._leaves(k)]
        return [reduce(ca.logic_or, others, own) for own in out]

    def _after_impulses(self, x: Number) -> Number:
        """The state where `sticking` decides about friction: ways by the velocities after impulses, stops closed.

        A joint that an impulse stops sticks; one that leaves its stop does so without force, and sticks too. Where
        friction cannot hold it, or a stop would pull, their crossing functions say so at the same instant.
        """
        for _, block in self._with_one_motion:
            v, at = self._v[self.rows.index(block.velocity)], place(self.functions, block.names[0])
            x[at] = ca.if_else(v != self._before[block.velocity], ca.sign(v), x[at])
        ways = {block.velocity: place(self.functions, block.names[0]) for _, block in self._with_one_motion}
        lower, upper = self._touching
        for k, stop in enumerate(self._stops):
            i, at = self.rows.index(stop.velocity), place(self.functions, stop.names[0])
            x = self._met(x, k)
            _, _, leaves, comes_to_rest = self._of_stop(k)
            pushes = ca.logic_or(self._impact.P[i] != 0, ca.logic_or(comes_to_rest, self._x[at] ** 2 > 0.5))
            closed = ca.logic_and(self._v[i] == 0, ca.logic_and(pushes, ca.logic_not(leaves)))
            x[at] = closed * (upper[i] - lower[i])
            if stop.velocity in ways:
                x[ways[stop.velocity]] *= 1 - closed
        return x

    def _met(self, x: Number, k: int) -> Number:
        """The state with the place, the impulse and the heat of the stop number k after an impact."""
        stop = self._stops[k]
        i, at = self.rows.index(stop.velocity), place(self.functions, stop.names[0])
        reached = ca.fmax(ca.fmax(self._of_stop(k)[0], self._of_stop(k)[1]), self._of_stop(k)[3])
        bound = self._bound(stop, ca.if_else(self._touching[0][i], -1, 1), x[stop.coordinate])
        touches = ca.logic_or(reached > 0, self._impact.P[i] != 0)  # without the bound it might bounce on for ever
        x[stop.coordinate] = ca.if_else(touches, bound, x[stop.coordinate])
        x[at + 1] = ca.if_else(self._impact.P[i] != 0, self._impact.P[i], x[at + 1])
        x[at + 2] = x[at + 2] + self._impact.heat[i]
        if stop.is_driven:
            x[at + 3] = x[at + 3] + self._impact.P[i] * self._guided_work[i]
        return x

    def happened(self, x: Number, slid: Number, so_far: Number) -> Number:
        """What has happened to the joints, in the order of `fired`: 1 for each event of the log, else 0.

        Friction that another joint has caused to slide, or a stop that takes part in the impact of another one, has no
        crossing of its own; and what a crossing suggests the others may prevent.

        Parameters
        ----------
        x : the state after the events.
        slid : the state before the impulses, after what `sticking` has decided.
        so_far : what has happened up to then.
        """
        out = ca.SX(so_far)
        for k, block in enumerate(self._frictions):
            at = place(self.functions, block.names[0])
            own = slice(FRICTION_EVENTS * k, FRICTION_EVENTS * (k + 1))
            if decided_one_by_one(self.functions.system.frictions):
                anew = change_of_way(self._x[at], x[at], ca.SX(0))
                out[own] = ca.if_else(x[at] == slid[at], out[own], anew)
            else:
                stood = ca.logic_or(self.fired[FRICTION_EVENTS * k], self._of_friction(k)[0])
                out[own] = change_of_way(self._x[at], x[at], stood)
        for k, stop in enumerate(self._stops):
            i, at = self.rows.index(stop.velocity), place(self.functions, stop.names[0])
            meets, fired, was_open = self._impact.P[i] != 0, self._of_stop(k), self._x[at] ** 2 < 0.5
            first = self._first_of_stop(k)
            for side, touches in enumerate(self._touching):
                is_hit = ca.logic_and(was_open, ca.logic_and(meets, touches[i]))
                out[first + side] = ca.logic_or(fired[side], is_hit)
            out[first + 2] = ca.logic_and(ca.logic_not(was_open), x[at] ** 2 < 0.5)
            met = ca.logic_or(out[first], out[first + 1])
            out[first + 3] = ca.logic_and(was_open, ca.logic_and(x[at] ** 2 > 0.5, ca.logic_not(met)))
        return out

    @cached_property
    def rows(self) -> list[int]:
        """Velocities (m,) that friction or stops may hold."""
        return _velocities(self.functions)

    @property
    def m(self) -> int:
        """Number of velocities that friction or stops may hold."""
        return len(self.rows)

    @cached_property
    def _frictions(self) -> list[JointFriction]:
        return _sticking(self.functions)

    @property
    def _with_one_motion(self) -> list[tuple[int, JointFriction]]:
        """Joints that friction may hold along one motion, each with its number among all with friction."""
        return [(k, block) for k, block in enumerate(self._frictions) if not block.parts]

    @property
    def hits(self) -> Number:
        """1 where a stop has an impulse."""
        return ca.mmax(self._impact.P != 0)

    @cached_property
    def _stops(self) -> list[JointStops]:
        return _rigid(self.functions)

    @property
    def _x(self) -> Number:
        return self.functions.symbols.inputs["x"]

    @property
    def _counts(self) -> tuple[int, int]:
        return self.functions.coordinates.counts

    def _of_friction(self, k: int) -> list[Number]:
        """Whether a joint with friction comes to rest, slides backwards, slides forwards.

        The joints of a set come to rest together; one that stops alone is at its dead centre, and turns round.
        """
        own = next(n for n, each in enumerate(self._sets) if k in self._members(each))
        return [self._rests[own], *self._leaves(k)]

    def _leaves(self, k: int) -> list[Number]:
        """Whether a joint with friction slides backwards, slides forwards from rest."""
        return [self.fired[FRICTION_EVENTS * k + way] for way in (1, 2)]

    @cached_property
    def _sets(self) -> list[JointSet]:
        """The joints with friction along one motion, those of one freedom as one; places are those in `rows`."""
        groups = list(dict.fromkeys(group_of(self.functions.system, block) for _, block in self._with_one_motion))
        return [each for group in groups for each in sets_of(self._H, self.rows, group)]

    def _members(self, each: JointSet) -> list[int]:
        """The joints of a set, by number."""
        velocities = {block.velocity: k for k, block in self._with_one_motion}
        return [velocities[self.rows[i]] for i in each.places]

    def _others(self, each: JointSet) -> list[int]:
        """The other sets, by number, whose joints move only together with those of this one."""
        group = group_of(self.functions.system, self._frictions[self._members(each)[0]]).velocities
        return [n for n, one in enumerate(self._sets) if one is not each and self.rows[one.places[0]] in group]

    @cached_property
    def _rests(self) -> list[Number]:
        """Whether the joints of each set come to rest: by themselves, or with another set of their group.

        Of the latter all joints have to slide: while one sticks, speed and acceleration of its set are round-off.
        """
        motions, stop = (
            [self._motion_of(each) for each in self._sets],
            [self._stops_itself(each) for each in self._sets],
        )
        out = []
        for n, each in enumerate(self._sets):
            rests, (v, a) = stop[n], motions[n]
            stands = ca.fabs(v) <= RESOLUTION * ca.fabs(self.functions.state.t) * ca.fabs(a)
            for other in self._others(each):
                ways = [
                    self._x[place(self.functions, self._frictions[k].names[0])]
                    for k in self._members(self._sets[other])
                ]
                with_other = reduce(ca.logic_and, (way**2 > 0.5 for way in ways), in_ratio(v, a, *motions[other]))
                rests = ca.logic_or(rests, ca.logic_and(stop[other], ca.logic_or(stands, with_other)))
            out.append(rests)
        return out

    def _stops_itself(self, each: JointSet) -> Number:
        """Whether a set comes to rest as the velocity of one of its joints passes zero.

        The velocity v = u s of the joint has the acceleration u ṡ + u̇ s. Where s passes zero the first part is all of
        it, at the dead centre of the joint, where u does, the second one.
        """
        out, (_, a) = ca.SX(0), self._motion_of(each)
        for k, u in zip(self._members(each), ca.vertsplit(each.u), strict=True):
            own = self._acceleration_of(k)
            out = ca.logic_or(
                out, ca.logic_and(self.fired[FRICTION_EVENTS * k], ca.fabs(u * a) >= ca.fabs(own - u * a))
            )
        return out

    def _motion_of(self, each: JointSet) -> tuple[Number, Number]:
        """Speed and acceleration of a set along its freedom."""
        members = self._members(each)
        speeds = ca.vertcat(*(self._frictions[k].speed(self.functions.state.motion) for k in members))
        return ca.dot(each.u, speeds), ca.dot(each.u, ca.vertcat(*map(self._acceleration_of, members)))

    def _acceleration_of(self, k: int) -> Number:
        """Acceleration before the event of the joint with friction number k."""
        accelerations, _ = self.functions.accelerations_and_multipliers
        slip = self._frictions[k].slip(self.functions.system.tree, self.functions.state.motion)
        return slip.accelerations(accelerations)[0]

    def _of_stop(self, k: int) -> list[Number]:
        """Whether a joint with stops by impact meets the lower one, the upper one, leaves its stop, rests there."""
        first = self._first_of_stop(k)
        return [self.fired[first + i] for i in range(STOP_EVENTS)]

    def _first_of_stop(self, k: int) -> int:
        own = self.functions.system.stops.index(self._stops[k])
        return FRICTION_EVENTS * len(self._frictions) + STOP_EVENTS * own

    def _solution(self, problem: int) -> Number:
        return self.y[problem * self.m : (problem + 1) * self.m]

    @cached_property
    def _shared(self) -> Number:
        """Efforts (m,) of friction that sticks, as the joints of each group share them."""
        groups = []
        for group in self.functions.system.choice.together:
            sets = tuple(tuple(self.rows.index(k) for k in each) for each in group.sets)
            rows = [i for each in sets for i in each]
            holds = [ca.logic_and(self._at_rest[i], ca.logic_not(self._is_pushed(i))) for i in rows]
            joints = {i: (self._holding[i], each) for i, each in zip(rows, holds, strict=True)}
            groups.append(SharedLimits(replace(group, sets=sets), joints))
        return in_proportion(self._solution(2), self._H, range(self.m), groups)[0]

    @cached_property
    def _touching(self) -> tuple[Number, Number]:
        """1 for joints (m,) that touch their lower stop, and for those that touch their upper one."""
        sides = ca.SX(self.m, 1), ca.SX(self.m, 1)
        for k, block in enumerate(self._stops):
            at, q = self._x[place(self.functions, block.names[0])], self.functions.state.q[block.coordinate]
            met = self._of_stop(k)
            for side, way, bound in ((0, -1, block.law.lower), (1, 1, block.law.upper)):
                if bound is not None:
                    touches = ca.logic_or(
                        way * at > 0.5,
                        ca.logic_or(met[side] > 0, way * (q - bound) >= -ROUND_OFF * (1 + ca.fabs(bound))),
                    )
                    sides[side][self.rows.index(block.velocity)] = touches
        return ca.densify(sides[0]), ca.densify(sides[1])

    @cached_property
    def _restitution(self) -> Number:
        """ε (m,); 0 where there are no stops."""
        out = ca.SX(self.m, 1)
        for block in self._stops:
            out[self.rows.index(block.velocity)] = 0 if block.law.restitution is None else block.law.restitution
        return ca.densify(out)

    @cached_property
    def _before(self) -> Number:
        """Velocities (nv + r,) before the impulses; those of joints that are held, or come to rest, are zero."""
        v = ca.SX(all_velocities(self.functions.system, self.functions.state))
        for k, block in self._with_one_motion:
            sticks = self._x[place(self.functions, block.names[0])] ** 2 < 0.5
            v[block.velocity] = ca.if_else(ca.logic_or(self._of_friction(k)[0], sticks), 0, v[block.velocity])
        for k, stop in enumerate(self._stops):
            slow = ca.logic_or(self._of_stop(k)[3], ca.fabs(v[stop.velocity]) <= ROUND_OFF)
            at = ca.logic_and(self._is_pushed(self.rows.index(stop.velocity)), slow)
            v[stop.velocity] = ca.if_else(at, 0, v[stop.velocity])
        return v

    @cached_property
    def _approach(self) -> Number:
        """Velocities (m,) of the joints towards the stops that they touch, with their signs; else 0."""
        v, (lower, upper) = self._before[self.rows], self._touching
        return lower * ca.fmin(v, 0) + upper * ca.fmax(v, 0)

    @cached_property
    def _responses(self) -> ca.Function:
        """(t, x, u, p) → accelerations a0 (nv + r,) where nothing holds, sizes (m,) of the terms of those of the
        joints, and accelerations A (nv + r, m) of unit efforts.
        """
        s = self.functions.symbols.inputs
        found = unheld(self.functions.system, self.functions.state, self.rows)
        return ca.Function("unheld", [s["t"], s["x"], s["u"], s["p"]], [ca.densify(ca.SX(part)) for part in found])

    def _unheld(self, x: Number) -> tuple[Number, Number, Number]:
        s = self.functions.symbols.inputs
        a, size, A = self._responses(s["t"], x, s["u"], s["p"])
        return a, size, A

    @cached_property
    def _A(self) -> Number:
        return self._unheld(self._x)[2]

    @cached_property
    def _guided_work(self) -> Number:
        return guided_work(self.functions.system, self.functions.state, self.rows)

    @cached_property
    def _H(self) -> Number:
        H = self._A[self.rows, :]
        return 0.5 * (H + H.T)

    @cached_property
    def _impact(self) -> _Impact:
        """The impulses: with restitution, or as far between these and the plastic ones as energy does not grow."""
        v, H = self._before[self.rows], self._H
        plastic, full = self._solution(0), self._solution(1)
        gained = ca.dot(full, v + 0.5 * (H @ full))
        size = ca.dot(ca.fabs(full), ca.fabs(v) + ca.fabs(H) @ ca.fabs(full))
        change = full - plastic
        a, b = 0.5 * ca.dot(change, H @ change), ca.dot(change, v + H @ plastic)
        start = ca.fmin(ca.dot(plastic, v + 0.5 * (H @ plastic)), 0)
        grows = gained > ROUND_OFF_OF_SUM * size
        part = (ca.sqrt(b**2 - 4 * a * start) - b) / ca.if_else(grows, 2 * a, 1)
        P = ca.if_else(grows, plastic + ca.fmin(part, 1) * change, full)
        after = self._before + self._A @ P
        own = v + H @ P
        still = ca.fabs(own) <= ROUND_OFF_OF_SUM * self._sizes(v, P)
        own = ca.if_else(still, 0, own)
        after[self.rows] = own
        return _Impact(after, P, -0.5 * P * (v + own))

    @cached_property
    def _bounds(self) -> tuple[Number, Number]:
        """Smallest and largest efforts (m,) that hold the joints at rest: of stops without bound, and of friction."""
        lower, upper = self._touching
        return (
            -self._at_rest * (NO_BOUND * upper + self._holding),
            self._at_rest * (NO_BOUND * lower + self._holding),
        )

    @property
    def _v(self) -> Number:
        """Velocities (m,) of the joints after the impulses."""
        return self._impact.v[self.rows]

    def _sizes(self, c: Number, y: Number) -> Number:
        """Sums (m,) of the sizes of the terms of c + H y."""
        return ca.fabs(c) + ca.fabs(self._H) @ ca.fabs(y)

    @cached_property
    def _at_rest(self) -> Number:
        """1 for joints (m,) that the efforts may hold: at rest, and not just breaking away."""
        out = ca.SX(self._v == 0)
        for k, block in enumerate(self._frictions):
            i = self.rows.index(block.velocity)
            slides = self._x[place(self.functions, block.names[0])] ** 2 > 0.5
            breaks_away = ca.logic_and(
                slides, ca.logic_and(self._of_friction(k)[0] < 0.5, self._before[block.velocity] == 0)
            )
            out[i] = ca.logic_and(out[i], ca.logic_or(ca.logic_not(breaks_away), self._is_pushed(i)))
        return out

    def _is_pushed(self, i: int) -> Number:
        """Whether a joint touches a stop."""
        return ca.logic_or(self._touching[0][i] > 0, self._touching[1][i] > 0)

    @cached_property
    def _holding(self) -> Number:
        """Largest efforts (m,) of friction; 0 where there is none."""
        out = ca.SX(self.m, 1)
        for block in self._frictions:
            out[self.rows.index(block.velocity)] = block.law.holding
        return ca.densify(out)

    @property
    def _unheld_accelerations(self) -> Number:
        """Accelerations (m,) after the impulses, where nothing holds; friction of joints that move acts."""
        return self._released[0]

    @cached_property
    def _released(self) -> tuple[Number, Number]:
        """These accelerations, and the sizes of their parts (m,)."""
        nq, nv = self._counts
        x = ca.SX(self._x)
        x[nq : nq + nv] = self._impact.v[:nv]
        for block in self._frictions:
            i, at = self.rows.index(block.velocity), place(self.functions, block.names[0])
            way = ca.if_else(self._v[i] == 0, x[at], ca.sign(self._v[i]))
            x[at] = ca.if_else(self._at_rest[i], 0, way)
        a, size, _ = self._unheld(x)
        return a[self.rows], size

    @cached_property
    def _sizes_of_accelerations(self) -> Number:
        """Sums (m,) of the sizes of the terms of `_accelerations`."""
        return self._sizes(self._released[1], self._solution(2))

    @cached_property
    def _accelerations(self) -> Number:
        """Accelerations (m,) of the joints after the event."""
        return self._unheld_accelerations + self._H @ self._solution(2)

    @staticmethod
    def _bound(block: JointStops, side: Number, q: Number) -> Number:
        lower, upper = (q if bound is None else bound for bound in (block.law.lower, block.law.upper))
        return ca.if_else(side < 0, lower, upper)


def _velocities(functions: SystemFunctions) -> list[int]:
    """Velocities that stops by impact or friction may hold, each once; none where `sticking` decides alone."""
    if decided_one_by_one(functions.system.frictions) and not _rigid(functions):
        return []
    along_one = [block for block in _sticking(functions) if not block.parts]
    blocks: Sequence[JointStops | JointFriction] = (*_rigid(functions), *along_one)
    return list(dict.fromkeys(block.velocity for block in blocks))


def _rigid(functions: SystemFunctions) -> list[JointStops]:
    return [block for block in functions.system.stops if block.is_rigid]


def _sticking(functions: SystemFunctions) -> list[JointFriction]:
    return [block for block in functions.system.frictions if block.sticks]
