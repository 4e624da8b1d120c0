"""A joint that friction may hold, as events see it: its states, speed and acceleration, what it holds and could hold.

A joint that slides in several directions but has one freedom slides to and fro along a line. Its speed is that along
the direction d in which it began to slide, and it is decided about as one with one velocity.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cached_property, reduce

import casadi as ca

from cardan.frozen import dataclass, replace
from cardan.functions.system_functions import SystemFunctions
from cardan.integration import RESOLUTION
from cardan.kinematics.relative import Slip, slip_of_velocity
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import ROUND_OFF, TINY, WRITTEN
from cardan.system.contacts import JointFriction, JointGroup, Solved, size_and_direction
from cardan.system.contacts.holding import clear_speed, group_of
from cardan.system.drives import indirect_motions
from cardan.system.state import State, blocks_at

FRICTION_EVENTS = 3  # crossing functions of a joint with friction: stops, slides backwards, slides forwards
SLIGHTLY = TINY  # a jump to this value leaves nothing behind that could pass for noise of the crossing function


def place(functions: SystemFunctions, state: str) -> int:
    """Place of a block's `state` among the integrated states."""
    names = functions.system.state_names
    return int(functions.symbols.inputs["x"].shape[0]) - len(names) + names.index(state)


def change_of_slip(before: Number, after: Number, rests: Number) -> Number:
    """What has happened to a joint with friction (3,): it stops, and slides backwards or forwards from then on."""
    stops = ca.logic_and(before != 0, ca.logic_or(after == 0, ca.logic_and(rests, after != before)))
    starts = ca.logic_and(after != before, ca.logic_or(before == 0, rests))
    return ca.vertcat(stops, ca.logic_and(starts, after < 0), ca.logic_and(starts, after > 0))


def rubbing_joints(functions: SystemFunctions) -> list[RubbingJoint]:
    """The joints that friction may hold, in file order."""
    return [RubbingJoint(functions, block, functions.state) for block in functions.system.sticking]


@dataclass(frozen=True, eq=False)
class RubbingJoint:
    """A joint that friction may hold, in the state before an event, or one in which joints have begun to slide."""

    functions: SystemFunctions  # functions of the integrated system
    block: JointFriction
    state: State

    @property
    def at(self) -> int:
        """Place of its slip sign among the integrated states."""
        return place(self.functions, self.block.names[0])

    @property
    def d(self) -> slice:
        """Places of its direction."""
        return slice(self.at + 1, self.at + len(self.block.names) - 1)

    @property
    def z(self) -> Number:
        """Its states."""
        return next(z for each, z, _ in blocks_at(self.functions.system, self.state) if each is self.block)

    @property
    def slides(self) -> Number:
        """Whether it slides."""
        return self.z[0] ** 2 > 0.5

    @property
    def velocities(self) -> tuple[int, ...]:
        """Velocities that its friction holds."""
        return self.block.held or (self.block.velocity,)

    @property
    def own(self) -> tuple[int, ...]:
        """Velocities of the tree that are zero where it rests."""
        return self.block.own if self.block.relative is not None else (self.block.velocity,)

    @cached_property
    def group(self) -> JointGroup:
        """The joints that move only together with it."""
        return group_of(self.functions.system, self.block)

    @property
    def turns_freely(self) -> bool:
        """Whether it slides in several directions, and the mechanism leaves it more than one freedom."""
        return bool(self.block.parts) and self.group.freedoms > 1

    @property
    def set(self) -> tuple[int, ...]:
        """Velocities of the joints that have one freedom with it, its own included."""
        return next(each for each in self.group.sets if self.block.velocity in each)

    @property
    def unit(self) -> list[RubbingJoint]:
        """The joints that have one freedom with it."""
        joints = (replace(self, block=block) for block in self.functions.system.sticking)
        return [each for each in joints if each.block.velocity in self.set]

    @property
    def is_held(self) -> Number:
        """Whether friction holds it and all that have one freedom with it."""
        return reduce(ca.logic_and, (each.z[0] ** 2 < 0.5 for each in self.unit))

    @cached_property
    def _moving(self) -> tuple[Number, Slip]:
        system, state, block = self.functions.system, self.state, self.block
        if block.relative is None:
            return state.v[block.velocity], slip_of_velocity(system.tree.nv, block.velocity)
        motion = block.ahead(self.z) if block.parts else block.relative
        return clear_speed(motion, state), motion.slip(system.tree, state.motion)

    @property
    def speed(self) -> Number:
        """Its speed along its one motion, zero where it is round-off; along d, and zero at rest, of several."""
        return self._moving[0]

    @property
    def slip(self) -> Slip:
        """Acceleration along this motion as a function of v̇."""
        return self._moving[1]

    def acceleration(self, found: Solved) -> Number:
        """Its acceleration along this motion."""
        return self.slip.accelerations(found.a)[0]

    def efforts_and_limit(self, found: Solved) -> tuple[Mapping[int, Number], Number]:
        """Efforts by velocity that hold it, and the largest one that can, up to round-off of the efforts: those of all
        joints of its freedom together, where their friction follows the load.
        """
        first = self.velocities[0]
        if first in found.most:
            return found.held, (1 + ROUND_OFF) * found.most[first]
        given = self.block.law_at(self.state.motion).holding
        limit = found.limits[self.block.velocity] if self.block.law.follows_load else given
        return found.phi, (1 + ROUND_OFF) * limit

    def needed_and_limit(self, found: Solved) -> tuple[Number, Number]:
        """Size of the effort that holds it, and the largest that can."""
        efforts, limit = self.efforts_and_limit(found)
        return self.block.needed(efforts), limit

    def size(self, found: Solved) -> Number:
        """Sum of the absolute terms of its acceleration: its round-off is ε times this."""
        return sum(found.sizes[k] for k in self.velocities)

    def noise(self, found: Solved) -> Number:
        """Round-off of its acceleration.

        Sticking and sliding have different equations for the whole mechanism, whose solutions agree where a joint
        breaks away. Those of joints that share what they hold agree as two numbers do that are computed to be equal.
        """
        return (WRITTEN if len(self.set) > 1 else ROUND_OFF) * self.size(found)

    def moves(self, found: Solved) -> list[Number]:
        """Velocities of its motions, or at rest numbers with the signs of accelerations, 0 for round-off."""
        state, system, out = self.state, self.functions.system, list[Number]()
        motions = [(clear_speed(part, state), part.slip(system.tree, state.motion)) for part in self.block.parts]
        for v, slip in motions or [self._moving]:
            a = slip.accelerations(found.a)[0]
            begins = ca.fabs(a) > self.noise(found)
            out.append(ca.if_else(v != 0, v, ca.if_else(begins, SLIGHTLY * ca.sign(a), 0)))
        return out

    def is_at_rest(self, found: Solved) -> Number:
        """Whether it has no velocity, and none of those that move only together with it.

        The projection of a program leaves round-off in a velocity that is zero. There a speed counts as zero if the
        joint would gain it within the round-off of the instant.
        """
        if indirect_motions(self.functions.system.tree):
            gained = RESOLUTION * ca.fabs(self.state.t) * ca.fabs(self.acceleration(found))
            return ca.fabs(self.speed) < ca.fmax(gained, sys.float_info.min)
        return reduce(ca.logic_and, (ca.fabs(each.speed) < sys.float_info.min for each in self.unit))

    def turns_round(self, found: Solved) -> Number:
        """Whether its acceleration is against its slip sign."""
        return self.z[0] * self.acceleration(found) < -self.noise(found)

    def begun(self, x: Number, now: Number, efforts: Sequence[Number]) -> Number:
        """The state x in which it slides against these efforts of its motions, where it begins to `now`."""
        if not self.block.parts:
            x[self.at] = ca.if_else(now, -ca.sign(efforts[0]), x[self.at])
            return x
        needed, along = size_and_direction(ca.vertcat(*efforts))
        x[self.at] = ca.if_else(now, needed > 0, x[self.at])
        return self.directed(x, now, -along)

    def directed(self, x: Number, now: Number, d: Number) -> Number:
        """The state x with the direction d, if `now` is 1."""
        x[self.d] = ca.if_else(now, d, x[self.d])
        return x

    def stopped(self, x: Number, now: Number) -> Number:
        """The state x with its velocities zero, if `now` is 1: they were no more than round-off."""
        first = self.functions.coordinates.counts[0]
        for k in self.own:
            x[first + k] = ca.if_else(now, 0, x[first + k])
        return x
