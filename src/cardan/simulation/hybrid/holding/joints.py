"""The joints that friction or stops by impact may hold, their events, and how unit efforts on them accelerate them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import casadi as ca

from cardan.frozen import dataclass
from cardan.functions.system_functions import SystemFunctions
from cardan.kinematics.tree import Number
from cardan.system.blocks.stops import JointStops
from cardan.system.friction import JointFriction, JointSet, StoppedJoints, sets_of
from cardan.system.holding import group_of, guided_work, unheld

__all__ = ["FRICTION_EVENTS", "SLIGHTLY", "STOP_EVENTS", "HeldJoints", "change_of_slip", "place", "velocities_held"]

FRICTION_EVENTS = 3  # crossing functions of a joint with friction: stops, slides backwards, slides forwards
STOP_EVENTS = 4  # crossing functions of a joint with stops: meets the lower one, the upper one, leaves it, rests there
SLIGHTLY = 1e-300  # a jump to this value leaves nothing behind that could pass for noise of the crossing function


def place(functions: SystemFunctions, state: str) -> int:
    """Place of a block's `state` among the integrated states."""
    names = functions.system.state_names
    return int(functions.symbols.inputs["x"].shape[0]) - len(names) + names.index(state)


def change_of_slip(before: Number, after: Number, rests: Number) -> Number:
    """What has happened to a joint with friction (3,): it stops, and slides backwards or forwards from then on."""
    stops = ca.logic_and(before != 0, ca.logic_or(after == 0, ca.logic_and(rests, after != before)))
    starts = ca.logic_and(after != before, ca.logic_or(before == 0, rests))
    return ca.vertcat(stops, ca.logic_and(starts, after < 0), ca.logic_and(starts, after > 0))


def velocities_held(functions: SystemFunctions) -> list[int]:
    """Velocities that stops by impact or friction may hold, each once; none where `sticking` decides alone."""
    stops = [block for block in functions.system.stops if block.is_rigid]
    if functions.system.decides_one_by_one and not stops:
        return []
    blocks: Sequence[JointStops | JointFriction] = (*stops, *functions.system.sticking)
    return list(dict.fromkeys(block.velocity for block in blocks))


@dataclass(frozen=True, eq=False)
class HeldJoints:
    """The joints before an event, over symbols; k is the number of a joint among `frictions` or `stops`."""

    functions: SystemFunctions  # functions of the integrated system
    fired: Number  # (3 f + 4 s,) 1 for each event of the joints with friction, then of those with stops

    @property
    def x(self) -> Number:
        """The state before the event."""
        return self.functions.symbols.inputs["x"]

    @property
    def rows(self) -> list[int]:
        """Velocities (m,) that friction or stops may hold."""
        return velocities_held(self.functions)

    @property
    def frictions(self) -> tuple[JointFriction, ...]:
        """Friction that may hold its joint."""
        return self.functions.system.sticking

    @property
    def stops(self) -> list[JointStops]:
        """Stops by impact."""
        return [block for block in self.functions.system.stops if block.is_rigid]

    def at(self, block: JointFriction | JointStops) -> int:
        """Place of the slip sign of a joint with friction, or of the stop at which a joint is, among the states."""
        return place(self.functions, block.names[0])

    def at_rest(self, x: Number, stopped: StoppedJoints, now: Number) -> Number:
        """The state x in which joints rest at a stop that one of them has, if that is so `now`:
        friction holds nothing.
        """
        (nq, nv), out = self.functions.coordinates.counts, ca.SX(x)
        slip_signs = [self.at(block) for block in self.frictions if block.velocity in stopped.held]
        for k in (*(nq + k for k in stopped.held if k < nv), *slip_signs):
            out[k] = ca.if_else(now, 0, x[k])
        return out

    def passes_zero(self, k: int) -> Number:
        """Whether the velocity of a joint with friction passes zero."""
        return self.fired[FRICTION_EVENTS * k]

    def breaks_away(self, k: int) -> list[Number]:
        """Whether a joint with friction that sticks passes its limit: backwards, forwards."""
        return [self.fired[FRICTION_EVENTS * k + i] for i in (1, 2)]

    def of_stop(self, k: int) -> list[Number]:
        """Whether a joint with stops by impact meets the lower one, the upper one, leaves its stop, rests there."""
        first = self.first_of_stop(k)
        return [self.fired[first + i] for i in range(STOP_EVENTS)]

    def first_of_stop(self, k: int) -> int:
        """Index of the first event of a joint with stops by impact."""
        own = self.functions.system.stops.index(self.stops[k])
        return FRICTION_EVENTS * len(self.frictions) + STOP_EVENTS * own

    @cached_property
    def sets(self) -> list[JointSet]:
        """The joints with friction, those of one freedom as one set; places are those in `rows`."""
        groups = dict.fromkeys(group_of(self.functions.system, block) for block in self.frictions)
        return [each for group in groups for each in sets_of(self.H, self.rows, group)]

    def members(self, each: JointSet) -> list[int]:
        """Numbers of the joints with friction of a set."""
        numbers = {block.velocity: k for k, block in enumerate(self.frictions)}
        return [numbers[self.rows[i]] for i in each.places]

    def others(self, each: JointSet) -> list[int]:
        """The sets, by their places in `sets`, that move only together with one of them, itself excluded."""
        group = group_of(self.functions.system, self.frictions[self.members(each)[0]]).velocities
        return [n for n, one in enumerate(self.sets) if one is not each and self.rows[one.places[0]] in group]

    @cached_property
    def _responses(self) -> ca.Function:
        """(t, x, u, p) → accelerations (nv + r,), sizes (m,) and accelerations (nv + r, m) as of `unheld`."""
        s = self.functions.symbols.inputs
        found = unheld(self.functions.system, self.functions.state, self.rows)
        return ca.Function("unheld", [s["t"], s["x"], s["u"], s["p"]], [ca.densify(ca.SX(part)) for part in found])

    def unheld(self, x: Number) -> tuple[Number, Number]:
        """Accelerations (m,) in a state x where nothing holds, and the sizes (m,) of their terms."""
        s = self.functions.symbols.inputs
        a, size, _ = self._responses(s["t"], x, s["u"], s["p"])
        return a[self.rows], size

    @cached_property
    def A(self) -> Number:
        """Accelerations (nv + r, m) of unit efforts on the joints, or velocities after unit impulses."""
        s = self.functions.symbols.inputs
        return self._responses(s["t"], self.x, s["u"], s["p"])[2]

    @cached_property
    def H(self) -> Number:
        """Accelerations (m, m) of the joints by unit efforts on them."""
        H = self.A[self.rows, :]
        return 0.5 * (H + H.T)

    def sizes(self, c: Number, y: Number) -> Number:
        """Sums (m,) of the sizes of the terms of c + H y."""
        return ca.fabs(c) + ca.fabs(self.H) @ ca.fabs(y)

    @property
    def guided_work(self) -> Number:
        """Energies (m,) [J] that prescribed motions put in for unit impulses."""
        return guided_work(self.functions.system, self.functions.state, self.rows)
