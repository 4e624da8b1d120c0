"""Dry friction of joints: blocks whose state is the slip sign of a joint, −1, 0 (it sticks) or 1, and the heat so far.

Where a joint slides in several directions, its state is also the direction d in which it slid when this phase began, a
unit vector with the components of its sliding velocity w. It slides along d as long as w·d > 0, so that friction
−F sign(w·d) w/|w| is smooth where the motion passes through zero along a line, and w·d tells where it comes to rest, or
has turned. Bristles have their bend in place of these states.

The slip sign changes at events only (`simulation.hybrid`). Where a joint sticks, or its friction follows the load, the
effort of friction is an unknown of the equations of motion (`coupled`); the block itself knows the given effort.

Source: Pfeiffer & Glocker 1996, *Multibody Dynamics with Unilateral Contacts*, ch. 5
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import partial

import casadi as ca
import numpy as np

from cardan.errors import Path
from cardan.frozen import dataclass, replace
from cardan.kinematics.loads import PointForce
from cardan.kinematics.motion import Motion
from cardan.kinematics.relative import REST, RelativeMotion, Slip, slip_of_velocity
from cardan.kinematics.scope import evaluate, value
from cardan.kinematics.tree import Number, Tree
from cardan.model.joints.friction import Friction
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.round_off import CLOSED
from cardan.system.blocks.block import Block, BlockPower


@dataclass(frozen=True, kw_only=True)
class JointFriction(Block):
    """Friction along a motion of a joint, where its surfaces slide, or of a constraint's point on a path."""

    is_actuator = False

    velocity: int  # index of its velocity; those of relative motions come after the nv velocities of the tree
    owner: str  # joint or constraint that has it
    unit: str  # of its velocity, "m/s" or "rad/s"
    law: Friction  # with numbers in its fields, zero for those that follow the motion (`law_at`)
    moving: tuple[tuple[str, Scalar], ...] = ()  # these, by their keys
    tree: Tree  # which gives the names in them their meaning
    relative: RelativeMotion | None = None  # the motion of a joint that closes a loop; None where it has a velocity
    section: str = "joints"  # section of the model in which it stands
    pin: int | None = None  # number of its motion in a joint whose motions rub apart; None elsewhere
    turns: bool = False  # whether its direction is that of several motions and turns with them
    parts: tuple[RelativeMotion, ...] = ()  # of one that turns and is not regularized: motions along each direction
    held: tuple[int, ...] = ()  # indices of the velocities of these; they come after `velocity`
    own: tuple[int, ...] = ()  # indices of the velocities of the tree that rest where these do

    @property
    def path(self) -> Path:
        """Where it stands in the model."""
        return (self.section, self.owner, "friction")

    @property
    def noun(self) -> str:
        """What has it, for messages: "the joint" or "the constraint"."""
        return f"the {self.section.removesuffix('s')}"

    @property
    def sticks(self) -> bool:
        """Whether it can hold the joint at rest."""
        return self.law.can_stick

    @property
    def sticks_in_several_directions(self) -> bool:
        """Whether it can hold several motions together."""
        return self.sticks and bool(self.parts)

    @property
    def has_bristle(self) -> bool:
        """Whether its states are the bend of bristles and the heat."""
        return self.law.bristle is not None

    @property
    def stores(self) -> bool:
        """Whether bent bristles store energy: under a load that changes their work depends on the path, and is heat."""
        return self.has_bristle and not self.law.follows_load

    @property
    def is_smooth(self) -> bool:
        """Whether it is proportional to the velocity alone, which needs no slip sign."""
        return not self.law.follows_load and self.law.effort is None

    @property
    def is_unknown(self) -> bool:
        """Whether its effort is an unknown while it slides: it follows the load, or needs the acceleration."""
        return self.law.follows_load or self.law.prescribed

    def law_at(self, motion: Motion) -> Friction:
        """Its law, with all numbers as they are in a state of motion."""
        gear = self.law.gear
        if not self.moving and gear is None:
            return self.law

        def number(scalar: Scalar) -> Number:
            return evaluate(scalar, partial(value, self.tree, motion))

        teeth = None if gear is None else gear.resolved(number)
        return self.law.unchecked(gear=teeth, **{key: number(scalar) for key, scalar in self.moving})

    def speed(self, motion: Motion) -> Number:
        """Velocity of the joint [m/s, rad/s]."""
        return motion.v[self.velocity] if self.relative is None else self.relative.speed(motion)

    def slip(self, tree: Tree, motion: Motion) -> Slip:
        """Its acceleration as a linear function of v̇, in a state of symbols."""
        if self.relative is None:
            return slip_of_velocity(tree.nv, self.velocity)
        return self.relative.slip(tree, motion)

    def slip_sign(self, motion: Motion, z: Number) -> Number:
        """The slip sign σ: −1, 0 while it sticks, or 1; of regularized friction in between.

        Of one that turns: against the direction of the motion beyond its zero, so that it passes smoothly.
        """
        if self.sticks_in_several_directions:
            return ca.if_else(self.along(motion, z) < 0, -z[0], z[0])
        return z[0] if self.law.regularize is None else ca.tanh(self.speed(motion) / self.law.regularize)

    def along(self, motion: Motion, z: Number) -> Number:
        """w·d of one that turns [m/s, rad/s]: its sliding velocity along the direction in which it began to slide."""
        return self.ahead(z).speed(motion)

    def ahead(self, z: Number) -> RelativeMotion:
        """The motion of one that turns along the direction d in which it began to slide; zero while it sticks."""
        assert self.relative is not None, "what turns has a relative motion"
        return replace(self.relative, weights=lambda _: z[1:-1])

    def needed(self, phi: Mapping[int, Number]) -> Number:
        """Size of the effort that holds the joint [N, N m]."""
        if not self.parts:
            return ca.fabs(phi[self.velocity])
        return size_and_direction(ca.vertcat(*(phi[k] for k in self.held)))[0]

    def of_known_motion(self) -> JointFriction:
        """The same friction with its sign from the known motion (`prescribed`); unchanged if it never sticks."""
        return replace(self, law=self.law.unchecked(prescribed=True)) if self.sticks else self

    def prescribed_slip_sign(self, own: Number, a: Number) -> Number:
        """The slip sign σ where its velocity `own` and its acceleration a are known: at rest that of a."""
        moves = ca.if_else(ca.fabs(a) > CLOSED, ca.sign(a), 0)
        return ca.if_else(ca.fabs(own) > CLOSED, ca.sign(own), moves)

    def effort(self, motion: Motion, z: Number) -> Number:
        """Given effort on the joint while it slides [N, N m], zero while it sticks; zero where it is prescribed."""
        if self.law.prescribed:
            return ca.DM(1, 1)
        if self.has_bristle:
            law, v = self.law_at(motion), self.speed(motion)
            bristle = 0 if law.follows_load else law.bristle_effort(v, z[0])
            return -law.viscous * v - bristle
        if self.is_smooth:
            return -self.law_at(motion).viscous * self.speed(motion)
        slip_sign, v = self.slip_sign(motion, z), self.speed(motion)
        return -slip_sign * self.law_at(motion).sliding(
            ca.fabs(v) if self.law.regularize is not None else slip_sign * v
        )

    def rates(self, motion: Motion, z: Number, u: Number) -> Number:
        bending = [self._bending(motion, z)] if self.has_bristle else [0] * (len(self.names) - 1)
        return ca.vertcat(*bending, self.power(motion, z, u).lost)

    def _bending(self, motion: Motion, z: Number) -> Number:
        """Rate of the bend of its bristles."""
        return self.law_at(motion).bristle_rate(self.speed(motion), z[0])

    def efforts(self, motion: Motion, z: Number, u: Number) -> Number:
        if self.relative is not None:
            return self.relative.jacobian(motion).T * self.effort(motion, z)
        return self.efforts_on_joints(motion, z, u)

    def efforts_on_joints(self, motion: Motion, z: Number, u: Number) -> Number:
        entries: list[Number] = [ca.DM(1, 1)] * motion.v.shape[0]
        if self.relative is not None:
            return ca.vertcat(*entries)
        entries[self.velocity] = self.effort(motion, z)
        return ca.vertcat(*entries)

    def forces(self, motion: Motion, z: Number, u: Number) -> tuple[PointForce, ...]:
        return () if self.relative is None else (self.relative.force(motion, self.effort(motion, z)),)

    def power(self, motion: Motion, z: Number, u: Number) -> BlockPower:
        kept = self.law.bristle * z[0] * self._bending(motion, z) if self.stores else 0
        return BlockPower(lost=-self.effort(motion, z) * self.speed(motion) - kept)

    def stored(self, z: Number) -> Number:
        return self.law.bristle * z[0] ** 2 / 2 if self.stores else ca.DM(0)

    def known(self, motion: Motion) -> Number:
        v = self.speed(motion)
        if self.has_bristle:  # bent as in steady sliding
            law = self.law_at(motion)
            curve = law.sliding_coefficient if law.follows_load else law.dry
            return ca.vertcat(ca.sign(v) * curve(ca.fabs(v)) / law.bristle, 0)
        if self.sticks_in_several_directions and self.relative is not None:
            return ca.vertcat(v > REST, self.relative.velocities(motion) / v, 0)
        return ca.vertcat(ca.sign(v), 0) if self.sticks else ca.DM(1, 1)

    def start(self, z: np.ndarray, v: np.ndarray) -> np.ndarray:
        out = z.copy()
        if self.sticks_in_several_directions:
            w = v[list(self.held)]
            out[0], out[1:-1] = w.any(), w / (np.linalg.norm(w) or 1.0)
        elif self.sticks:
            out[0] = np.sign(v[self.velocity])
        return out


def size_and_direction(x: Number) -> tuple[Number, Number]:
    """|x| and x/|x| of a vector (k,), also where its squares underflow; zero where no component is a normal number."""
    most = ca.norm_inf(x)
    is_some = most >= sys.float_info.min
    x = is_some * x / ca.if_else(is_some, most, 1)
    length = ca.norm_2(x)
    return is_some * most * length, x / ca.if_else(is_some, length, 1)


def acting_motions(blocks: Iterable[Block]) -> dict[int, RelativeMotion]:
    """Relative motions along which efforts of friction act, by the index of their velocities."""
    found: dict[int, RelativeMotion] = {}
    for block in blocks:
        if isinstance(block, JointFriction) and block.relative is not None:
            found |= {block.velocity: block.relative, **dict(zip(block.held, block.parts, strict=True))}
    return found
