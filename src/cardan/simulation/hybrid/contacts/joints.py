"""The joints that friction or stops by impact may hold, their events, and how unit efforts on them accelerate them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import casadi as ca

from cardan.frozen import dataclass
from cardan.functions.system_functions import SystemFunctions
from cardan.kinematics.tree import Number
from cardan.system.contacts import JointFriction, StoppedJoints
from cardan.system.contacts.holding import guided_work, unheld
from cardan.system.contacts.stops import JointStops

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
    """Velocities that stops by impact or friction may hold, each once; none without stops."""
    stops = [block for block in functions.system.stops if block.is_rigid]
    if not stops:
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

    def of_stop(self, k: int) -> list[Number]:
        """Whether a joint with stops by impact meets the lower one, the upper one, leaves its stop, rests there."""
        first = self.first_of_stop(k)
        return [self.fired[first + i] for i in range(STOP_EVENTS)]

    def first_of_stop(self, k: int) -> int:
        """Index of the first event of a joint with stops by impact."""
        own = self.functions.system.stops.index(self.stops[k])
        return FRICTION_EVENTS * len(self.frictions) + STOP_EVENTS * own

    @cached_property
    def A(self) -> Number:
        """Velocities (nv + r, m) after unit impulses on the joints."""
        return unheld(self.functions.system, self.functions.state, self.rows)[2]

    @cached_property
    def H(self) -> Number:
        """Velocities (m, m) of the joints after unit impulses on them."""
        H = self.A[self.rows, :]
        return 0.5 * (H + H.T)

    def sizes(self, c: Number, y: Number) -> Number:
        """Sums (m,) of the sizes of the terms of c + H y."""
        return ca.fabs(c) + ca.fabs(self.H) @ ca.fabs(y)

    @property
    def guided_work(self) -> Number:
        """Energies (m,) [J] that prescribed motions put in for unit impulses."""
        return guided_work(self.functions.system, self.functions.state, self.rows)
