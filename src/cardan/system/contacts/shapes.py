"""Bodies that touch: blocks whose states say at which of their points they do, how bristles there are bent, the heat.

Each point is a force between two bodies: N n along the normal and −μ N s along the surface, with the share s of
bristles or of the regularized law. It acts from the event of touching to that of leaving. The elastic energy that a
damped contact still has when it lets go is lost then.
"""

from collections.abc import Iterator
from functools import partial

import casadi as ca

from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass, replace
from cardan.kinematics.build import MotorModel
from cardan.kinematics.loads import PointForce
from cardan.kinematics.motion import Motion, coordinate_rate, marker_motion
from cardan.kinematics.motion import motion as moving
from cardan.kinematics.scope import evaluate, parameter_value
from cardan.kinematics.tree import GROUND, Number, Place, Tree
from cardan.model.contacts import Contact
from cardan.model.contacts.between import meetings
from cardan.model.contacts.friction import Bristles
from cardan.model.contacts.pairs import Placed, Touch, touches
from cardan.model.contacts.pairs.geometry import length_of
from cardan.model.forces import MarkerMotion
from cardan.model.model import Model
from cardan.model.quantities.scalar import ZERO
from cardan.model.sections import uniform_gravity
from cardan.model.shapes import Shape
from cardan.numerics.round_off import TINY
from cardan.spatial.rotations import skew
from cardan.system.blocks.block import Block, BlockPower


@dataclass(frozen=True)
class PairOfShapes:
    """Two shapes, with numbers in them, and the bodies that have them."""

    a: Place  # body frame of the side named first
    b: Place  # of the other side
    shape_a: Shape  # in its axes
    shape_b: Shape  # of the other one


@dataclass(frozen=True)
class ContactPoint:
    """A point where two bodies may touch, with its motion: that of the first body against the second."""

    pair: int  # index of the pair of shapes
    touch: Touch
    k: Number  # stiffness of the elastic force
    v: Number  # velocity (3,), world axes [m/s]
    w: Number  # angular velocity (3,) [rad/s]
    turning: Number  # angular velocity of the surfaces (3,): of their normal, and half of both about it [rad/s]

    @property
    def depth(self) -> Number:
        """How far they overlap [m]."""
        return -self.touch.gap

    @property
    def speed(self) -> Number:
        """Rate of the depth [m/s]."""
        return -ca.dot(self.touch.normal, self.v)

    @property
    def slip(self) -> Number:
        """Velocity along the surface (3,) [m/s]."""
        return self.v + self.speed * self.touch.normal

    @property
    def slips(self) -> Number:
        """Velocities along the surface, of rolling and of spinning on the radius of the surface (3, 3) [m/s]."""
        about = self.touch.normal * ca.dot(self.touch.normal, self.w)
        return ca.horzcat(self.slip, self.touch.lever * (self.w - about), self.touch.lever * about)

    @property
    def speeds(self) -> Number:
        """Lengths of `slips` (3,) [m/s]."""
        return ca.vertcat(*(length_of(slip) for slip in ca.horzsplit(self.slips)))


@dataclass(frozen=True)
class _Point:
    """A point with its states: whether it touches, the speed of its approach, bends of bristles."""

    at: ContactPoint
    touching: Number
    approach: Number
    speeds: Number  # lengths of its `slips` (3,) [m/s]
    bend: Number  # (3,), zero without bristles
    turn: Number  # bend of the bristles against rolling and spinning (3,) [m]


@dataclass(frozen=True, kw_only=True)
class ContactBlock(Block):
    """A contact between one or several pairs of shapes."""

    is_actuator = False

    law: Contact  # with numbers in its fields
    pairs: tuple[PairOfShapes, ...]
    pair_of_point: tuple[int, ...] = ()  # index of the pair of each point
    mass: Number  # of the lighter side [kg]
    gravity: Number  # [m/s²]
    tree: Tree
    held: Number | None = None  # symbols in place of the `speeds` of all points: see `holding`

    @property
    def weight(self) -> Number:
        """Weight of the lighter side [N]."""
        return self.gravity * self.mass

    @property
    def count(self) -> int:
        """Number of points."""
        return len(self.pair_of_point)

    @property
    def has_bristles(self) -> bool:
        """Whether friction holds at rest by bristles."""
        return self.law.friction is not None and self.law.friction.regularize is None

    @property
    def turns(self) -> bool:
        """Whether bristles hold against rolling and spinning."""
        return self.has_bristles and self.law.friction.turns  # type: ignore[union-attr]

    @property
    def width(self) -> int:
        """Number of the states of one point."""
        return 1 + self.law.keeps_approach + 3 * self.has_bristles + 3 * self.turns

    def holding(self) -> "ContactBlock":
        """The block with symbols in place of the speeds of its slips, which derivatives then do not see.

        Friction μ N v/|v| gets the slope −μ N/|v| so: an implicit step with it shortens v, and never turns it round.
        """
        return replace(self, held=ca.SX.sym("speeds", 3 * self.count))

    # ---- kinematics

    def points(self, motion: Motion) -> list[ContactPoint]:
        """All points in a state of motion."""
        if self.name not in motion.touches:
            motion.touches[self.name] = [
                point for k, pair in enumerate(self.pairs) for point in self._of_pair(k, pair, motion)
            ]
        return motion.touches[self.name]

    def _of_pair(self, k: int, pair: PairOfShapes, motion: Motion) -> Iterator[ContactPoint]:
        a, b = marker_motion(motion, pair.a), marker_motion(motion, pair.b)
        for touch in touches(_placed(pair.shape_a, a), _placed(pair.shape_b, b)):
            v = a.v + skew(a.w) @ (touch.point - a.p) - b.v - skew(b.w) @ (touch.point - b.p)
            n = touch.normal
            n_dot = self._rate(ca.SX(n), motion)
            turning = ca.cross(n, n_dot) + n * ca.dot(n, a.w + b.w) / 2
            yield ContactPoint(k, touch, self.law.stiffness_at(touch.radius), v, a.w - b.w, turning)

    def _rate(self, n: Number, motion: Motion) -> Number:
        if not (isinstance(motion.q, ca.SX) and motion.q.is_valid_input() and ca.depends_on(n, motion.q)):
            return ca.DM(3, 1)
        return ca.jtimes(n, motion.q, coordinate_rate(self.tree, motion.q, motion.v))

    def states(self, motion: Motion, z: Number) -> list[_Point]:
        """All points with their states."""
        out = []
        for i, point in enumerate(self.points(motion)):
            own = z[i * self.width : (i + 1) * self.width]
            first = 1 + self.law.keeps_approach
            approach = own[1] if self.law.keeps_approach else ca.DM(0)
            bend = own[first : first + 3] if self.has_bristles else ca.DM(3, 1)
            turn = own[first + 3 : first + 6] if self.turns else ca.DM(3, 1)
            speeds = point.speeds if self.held is None else self.held[3 * i : 3 * i + 3]
            out.append(_Point(point, own[0], approach, speeds, bend, turn))
        return out

    # ---- forces

    def push(self, point: _Point) -> Number:
        """Normal over elastic force; where it is negative the shapes do not touch."""
        at = point.at
        return 1 + self.law.damping_ratio(at.k, at.depth, at.speed, self.least_approach(point))

    def least_approach(self, point: _Point) -> Number:
        """Speed of the approach, or that of a fall over the depth under its weight: slower ones do not bounce [m/s]."""
        if not self.law.keeps_approach:
            return ca.DM(0)
        return ca.fmax(point.approach, ca.sqrt(self.gravity * self.law.depth_under(point.at.k, self.weight)))

    def normal(self, point: _Point) -> Number:
        """Normal force [N]."""
        whole = self.law.elastic_force(point.at.k, point.at.depth) * self.push(point)
        return ca.if_else(point.touching > 0.5, whole, 0)

    def _bristles(self, point: _Point) -> Bristles:
        law, friction = self.law, self.law.friction
        assert friction is not None
        return friction.bristles(law.depth_under(point.at.k, self.weight), law.power, self.gravity)

    def rubbing(self, point: _Point) -> tuple[Number, Number]:
        """Force on the first body along the surface (3,) [N], and moment against rolling and spinning (3,) [N m]."""
        friction = self.law.friction
        if friction is None:
            return ca.DM(3, 1), ca.DM(3, 1)
        N, slip, speed = self.normal(point), point.at.slip, point.speeds[0]
        bristles = self._bristles(point) if self.has_bristles else None
        share = (
            friction.smooth(slip, speed) if bristles is None else friction.bent(slip, speed, point.bend, bristles)[0]
        )
        force = -N * friction.sliding(speed, bristles) * share
        moment: Number = ca.DM(3, 1)
        for size, v, length, bend in self._turning(point):
            held = friction.smooth(v, length) if bristles is None else friction.bent(v, length, bend, bristles)[0]
            moment = moment - N * size * held
        return force, moment

    def _turning(self, point: _Point) -> Iterator[tuple[Number, Number, Number, Number]]:
        """Lever, velocity (3,) on the radius of the surface, its length and bend (3,) of rolling and of spinning."""
        friction, n = self.law.friction, point.at.touch.normal
        assert friction is not None
        bent, slips = n * ca.dot(n, point.turn), point.at.slips
        if friction.rolling is not None:
            yield friction.rolling, slips[:, 1], point.speeds[1], point.turn - bent
        if friction.spinning is not None:
            yield friction.spinning, slips[:, 2], point.speeds[2], bent

    def forces(self, motion: Motion, z: Number, u: Number) -> tuple[PointForce, ...]:
        found: dict[int, tuple[Number, Number]] = {}
        for point in self.states(motion, z):
            a = marker_motion(motion, self.pairs[point.at.pair].a)
            force, moment = self.rubbing(point)
            f = self.normal(point) * point.at.touch.normal + force
            n = moment + skew(point.at.touch.point - a.p) @ f
            before = found.get(point.at.pair, (0, 0))
            found[point.at.pair] = before[0] + f, before[1] + n
        return tuple(
            PointForce(self.name, self.pairs[k].b, self.pairs[k].a, f, n, note="contact") for k, (f, n) in found.items()
        )

    def efforts(self, motion: Motion, z: Number, u: Number) -> Number:
        total: Number = ca.DM(self.tree.nv, 1)
        is_symbol = isinstance(motion.v, ca.SX) and motion.v.is_valid_input()
        virtual = motion if is_symbol else moving(self.tree, motion.q, ca.SX.sym("w", self.tree.nv), t=motion.t)
        for force in self.forces(motion, z, u):
            a, b = marker_motion(virtual, force.child), marker_motion(virtual, force.parent)
            twist = ca.vertcat(a.w - b.w, a.v - b.v - skew(b.w) @ (a.p - b.p))
            total = total + ca.jtimes(ca.SX(twist), virtual.v, ca.vertcat(force.n, force.f), True)
        return total

    def efforts_on_joints(self, motion: Motion, z: Number, u: Number) -> Number:
        return ca.DM(self.tree.nv, 1)

    # ---- states

    def rates(self, motion: Motion, z: Number, u: Number) -> Number:
        out: list[Number] = []
        for point in self.states(motion, z):
            bending = [self._bending(point)] if self.has_bristles else []
            bending += [self._bending_of_turns(point)] if self.turns else []
            out += [ca.DM(1 + self.law.keeps_approach, 1)]
            out += [ca.if_else(point.touching > 0.5, ca.SX(rate), ca.SX(3, 1)) for rate in bending]
        return ca.vertcat(*out, self.power(motion, z, u).lost, 0)

    def _bending(self, point: _Point) -> Number:
        friction = self.law.friction
        assert friction is not None
        rate = friction.bent(point.at.slip, point.speeds[0], point.bend, self._bristles(point))[1]
        return rate + ca.cross(point.at.turning, point.bend)

    def _bending_of_turns(self, point: _Point) -> Number:
        friction, bristles = self.law.friction, self._bristles(point)
        assert friction is not None
        rates = [friction.bent(v, length, bend, bristles)[1] for _, v, length, bend in self._turning(point)]
        return sum(rates) + ca.cross(point.at.turning, point.turn)

    def known(self, motion: Motion) -> Number:
        """As they are where the bodies have moved like this for long, and met with what their depth has stored."""
        out: list[Number] = []
        for at in self.points(motion):
            met = ca.sqrt(at.speed**2 + 2 * self.law.elastic_energy(at.k, ca.fmax(at.depth, 0)) / self.mass + TINY)
            out += [at.depth > 0, *([met] if self.law.keeps_approach else [])]
            point = _Point(at, 1, 0, at.speeds, ca.DM(3, 1), ca.DM(3, 1))
            out += [self._slid(at.slip, point)] if self.has_bristles else []
            out += [sum(self._slid(v, point) for _, v, _, _ in self._turning(point))] if self.turns else []
        return ca.vertcat(*out, 0, 0)

    def _slid(self, v: Number, point: _Point) -> Number:
        """Bend (3,) of bristles that have slid along v (3,) for long; zero while they do not touch."""
        bristles, friction = self._bristles(point), self.law.friction
        assert friction is not None
        speed = length_of(v)
        bend = friction.sliding(speed, bristles) / bristles.stiffness * v / speed
        return ca.if_else(point.at.depth > 0, ca.SX(bend), ca.SX(3, 1))

    # ---- energy

    def strain(self, motion: Motion, z: Number) -> Number:
        return sum((self.energy(point) for point in self.states(motion, z)), ca.DM(0))

    def energy(self, point: _Point) -> Number:
        """Elastic energy of a point [J]."""
        stored = self.law.elastic_energy(point.at.k, point.at.depth)
        return ca.if_else(point.touching > 0.5, stored, 0)

    def taken(self, z: Number) -> Number:
        return z[-1]

    def power(self, motion: Motion, z: Number, u: Number) -> BlockPower:
        lost: Number = ca.DM(0)
        for point in self.states(motion, z):
            force, moment = self.rubbing(point)
            elastic = ca.if_else(point.touching > 0.5, self.law.elastic_force(point.at.k, point.at.depth), 0)
            lost = lost + (self.normal(point) - elastic) * point.at.speed
            lost = lost - ca.dot(force, point.at.v) - ca.dot(moment, point.at.w)
        return BlockPower(lost=lost)


def _placed(shape: Shape, body: MarkerMotion) -> Placed:
    """The shape with its place in the world."""
    return Placed(shape, body.R @ shape.orientation(), body.p + body.R @ ca.vertcat(*shape.position))


def contacts(model: Model, tree: Tree, motors: MotorModel) -> tuple[ContactBlock, ...]:
    """The contacts of the section `contacts:`, in file order."""
    return tuple(_block(model, tree, name, law) for name, law in model.contacts.items())


def _block(model: Model, tree: Tree, name: str, law: Contact) -> ContactBlock:
    number = partial(evaluate, lookup=partial(parameter_value, tree.parameters, tree.p))
    pairs = tuple(
        PairOfShapes(
            tree.places[pair.a.body],
            tree.places[pair.b.body],
            pair.a.shape.resolved(number),
            pair.b.shape.resolved(number),
        )
        for pair in meetings(model, law.between)
    )
    gravity = ca.norm_2(ca.vertcat(*(number(entry) for entry in uniform_gravity(model))))
    resolved = law.resolved(number)
    block = ContactBlock(name=name, law=resolved, pairs=pairs, mass=_lighter(tree, pairs), gravity=gravity, tree=tree)
    _check_bristles(name, block)
    points = block.points(moving(tree, ca.DM(tree.neutral), ca.DM(tree.nv, 1)))
    states = _states(block, len(points))
    return replace(
        block,
        names=tuple(f"{name}.{state}" for state, _ in states),
        units=tuple(unit for _, unit in states),
        initial=(ZERO,) * len(states),
        pair_of_point=tuple(point.pair for point in points),
    )


def _states(block: ContactBlock, count: int) -> list[tuple[str, str]]:
    """Names and units of all states; of several points those of each are numbered."""
    out: list[tuple[str, str]] = []
    for i in range(count):
        end = "" if count == 1 else f"{i + 1}"
        out.append((f"touch{end}", "1"))
        out += [(f"approach{end}", "m/s")] if block.law.keeps_approach else []
        out += [(f"bristle{end}_{axis}", "m") for axis in "xyz"] if block.has_bristles else []
        out += [(f"turning{end}_{axis}", "m") for axis in "xyz"] if block.turns else []
    return [*out, ("heat", "J"), ("released", "J")]


def _check_bristles(name: str, block: ContactBlock) -> None:
    """Refuse bristles that nothing determines."""
    friction = block.law.friction
    if block.has_bristles and friction is not None and friction.bristle is None and ca.SX(block.weight).is_zero():
        fault = "without weight nothing says how stiff the bristles are by which friction holds"
        cure = "give bristle, such as 1e4 1/m, or regularize, such as 1 mm/s"
        raise ModelError(Issue(fault, cure, ("contacts", name, "friction")))


def _lighter(tree: Tree, pairs: tuple[PairOfShapes, ...]) -> Number:
    """Mass of the lightest of the mechanisms that touch: of the bodies that hang together [kg]."""
    roots = {tree.path(place.link)[-1] for pair in pairs for place in (pair.a, pair.b) if place.link != GROUND}
    masses = [
        sum((link.own.mass for i, link in enumerate(tree.links) if tree.path(i)[-1] == root), ca.DM(0))
        for root in sorted(roots)
    ]
    lightest = masses[0]
    for mass in masses[1:]:
        lightest = ca.fmin(lightest, mass)
    return lightest
