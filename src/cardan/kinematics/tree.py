"""The mechanism as indices: links in topological order, each with one joint to an earlier link.

Every link has the *link frame* of its joint (`Joint.alignment`), in which its law and its inertia stand; markers and
bodies are placed in it. Coordinates keep the file's order; `Link.q` and `Link.v` point into it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import casadi as ca

from cardan.errors import ModelError
from cardan.frozen import dataclass, field
from cardan.model.constraints import Constraint
from cardan.model.forces import Load
from cardan.model.joints import Joint
from cardan.model.motions import PrescribedMotion
from cardan.model.motions.realization import Realization
from cardan.model.motions.targets import MotionTarget
from cardan.model.place import InlinePlace
from cardan.model.quantities.scalar import Scalar
from cardan.model.solids import MassProperties
from cardan.model.state_equation import StateEquation
from cardan.spatial.inertia import Inertia

Number = Any  # casadi.SX or casadi.DM
End = str | InlinePlace
GROUND = -1


class JointLaw(Protocol):
    """The methods of a joint that kinematics and formulations use; `cardan.model.joints.Joint` states the contract."""

    @property
    def declared(self) -> Joint:
        """The joint as the model has it, from its parent to its child."""

    @property
    def nv(self) -> int:
        """Number of velocities."""

    def transform(self, q: Number) -> Number:
        """T (4×4): the link frame in the joint frame on the parent."""

    def subspace(self, q: Number) -> Number:
        """S (6×nv): twist of the link relative to its parent per velocity, link axes."""

    def subspace_rate(self, q: Number, v: Number) -> Number:
        """dS/dt (6×nv), component by component."""

    def coordinate_rate(self, q: Number, v: Number) -> Number:
        """q̇ (nq,)."""

    def commutator(self, a: Number, b: Number) -> Number:
        """[a, b] (nv,) of the motions with constant velocities a and b; zero where q̇ = v."""

    def normalised(self, q: Number) -> Number:
        """q (nq,) with its quaternion, if it has one, at unit length."""

    def split_inertia(self, P: Inertia) -> tuple[Inertia, Inertia]:
        """(kept, moved): the part of the link's inertia that its parent may carry instead."""


@dataclass(frozen=True)
class Coordinate:
    """Name and unit of an entry of q or v."""

    name: str
    unit: str


@dataclass(frozen=True)
class Link:
    """A body with the joint that carries it."""

    name: str  # body
    joint: str
    parent: int  # index of an earlier link, or GROUND
    law: JointLaw
    reversed: bool  # the tree crosses the joint from its child to its parent: the body is the joint's parent
    T: Number  # T_PJ (4×4): the joint frame in the parent's link frame
    T_LB: Number  # T_LB (4×4): the body frame in the link frame
    inertia: Inertia  # in the link frame
    own: MassProperties  # of the body alone, in its own axes
    q: tuple[int, ...]  # where its coordinates stand in q
    v: tuple[int, ...]  # where its velocities stand in v
    shares: bool = False  # its coordinates are those of another link of the same flexible body, on another branch
    is_point: bool = False  # it is a point of mass of this body, which the model does not name


@dataclass(frozen=True)
class Place:
    """A marker: the link it sits on and its place there."""

    link: int  # or GROUND
    T_LM: Number  # marker in the link frame (4×4); in the world for GROUND


@dataclass(frozen=True)
class LoadPlacement:
    """A force law and the two markers it acts between; `record` still holds expressions where it follows the motion."""

    name: str
    record: Load
    parent: Place  # place of the marker on the parent
    child: Place  # place of the marker on the child
    given: bool = False  # whether it is the given part of the reaction of the constraint that it is named after
    on_path: bool = False  # whether its components stand in the moving axes of the constraint's path


@dataclass(frozen=True)
class Cut:
    """A joint that closes a loop, and its joint frames on the two bodies."""

    joint: str
    law: Joint
    parent: Place  # joint frame on the parent
    child: Place  # joint frame on the child


@dataclass(frozen=True)
class Rotor:
    """The mechanical half of a motor."""

    name: str  # motor
    v: int  # velocity it drives
    ratio: Number  # rotor speed / joint speed [-] or [rad/m]
    inertia: Number  # [kg m²] about its axis
    damping: Number  # [N m s/rad] at the rotor
    carrier: int | None  # link that carries its stator; None: only r² Im is added to the driven coordinate
    axis: Number  # unit vector (3,) in the carrier's link frame
    of_motor: bool = True  # False: an armature, or what a hand-made bond graph hangs on the coordinate


@dataclass(frozen=True)
class Prescribed:
    """A prescribed motion with indices in place of names."""

    name: str
    record: PrescribedMotion | None  # its law of time, which still holds expressions; None of a program
    target: MotionTarget  # what it prescribes
    coordinate: int  # index of the coordinate that it prescribes; −1 for a place
    drives: tuple[int, ...]  # velocities of the joints that drive it, one for each component
    program: Constraint | None = None  # relation of a program, which still holds expressions

    @property
    def is_direct(self) -> bool:
        """Whether the drive acts on the prescribed coordinate itself, so that the multiplier is its effort."""
        return self.record is not None and self.coordinate >= 0 and self.record.by is None

    @property
    def is_fed_back(self) -> bool:
        """Whether feedback brings it back, so that starts and projections leave it out."""
        return self.program is not None and self.program.gains is not None

    @property
    def on_velocity(self) -> bool:
        """Whether it is a relation of velocities."""
        return self.program is not None and self.program.on_velocity

    @property
    def path(self) -> tuple[str, str]:
        """The place of the motion, or of the program, in the model."""
        return "motions" if self.program is None else "constraints", self.name

    @property
    def realize(self) -> Realization:
        """How drives share it where they are more than components."""
        return self.record.realize if self.program is None else self.program.sharing  # type: ignore[union-attr]


@dataclass(frozen=True)
class HiddenRelation:
    """A relation of the state that a prescribed motion implies: its drives act on its higher derivatives only."""

    motion: str  # motion that implies it
    component: int  # component that it stands in for where the drives act, among those of all indirect motions
    law: ca.Function  # (q, v, t, p) → value, which is zero along the motion
    on_velocity: bool  # whether it is a relation of velocities
    inputs: tuple[int, ...]  # indices of the inputs that would change it, which have to be zero


@dataclass(frozen=True)
class Rounded:
    """An equation of a loop that only rounded numbers make independent of the others: it is left out."""

    row: int  # index of the equation
    owner: str  # joint or constraint
    component: str  # the reaction that enforces it: "force along x"
    gap: float  # largest residual found around the start [m, rad, or the unit of the constraint]
    size: float  # change of the equation per unit of motion
    tolerance: float  # rounding over the size [-]

    @property
    def unit(self) -> str:
        """Unit of the gap; empty where the equation is not of a position or an angle."""
        return {"force": "m", "moment": "rad"}.get(self.component.partition(" ")[0], "")


class InverseDynamics(Protocol):
    """Efforts (nv,) that give the accelerations a (nv,) in a state of motion."""

    def __call__(self, tree: Tree, state: Any, a: Number) -> Number:
        """τ = M a + C v + D v + g − Q [N or N m]."""


@dataclass(frozen=True)
class Tree:
    """A mechanism ready for the laws of motion."""

    links: tuple[Link, ...]
    coordinates: tuple[Coordinate, ...]  # nq
    velocities: tuple[Coordinate, ...]  # nv
    neutral: tuple[float, ...]  # q (nq,) at which all markers coincide
    gravity: Number  # (3,) [m/s²], world axes
    stiffness: Number  # stiffnesses of the joints (nv,) [N/m] or [N m/rad]
    rest: Number  # relaxed coordinates (nv,) [m] or [rad]
    damping: Number  # damping coefficients of the joints (nv,) [N s/m] or [N m s/rad]
    parameters: tuple[str, ...]  # names of the entries of p
    p: Number  # values of the parameters (len(parameters),)
    places: Mapping[str, Place]  # marker by "body" or "body.marker"
    inline: Mapping[InlinePlace, Place]  # frames without a name, which joints, forces and constraints give on the spot
    ends: Mapping[str, tuple[End, End]]  # markers on parent and child, by joint, in the order of the file
    loads: tuple[LoadPlacement, ...]  # placements of all force laws, in the order of the file
    rotors: tuple[Rotor, ...]  # rotors of all motors that take part
    signals: tuple[str, ...]  # names of the currents and of the user's own states, in the order of `Motion.z`
    lets: Mapping[str, Scalar]  # names for parts of expressions
    cuts: tuple[Cut, ...]  # joints that close loops, in the order of the file
    constraints: Mapping[str, Constraint]  # further equations; they still hold expressions
    bound: Mapping[str, Constraint]  # those with places, programs too: their paths
    motions: tuple[Prescribed, ...]  # prescribed motions, in the order of the file
    normal: Number | None  # normal of the plane of a planar model (3,), world axes
    followed: Mapping[str, StateEquation] = field(default_factory=dict)  # states of the user's own that motions follow
    hidden: tuple[HiddenRelation, ...] = ()  # what motions imply, in the order in which they were found
    still: tuple[int, ...] = ()  # velocities without inertia that no force changes; a unit of inertia keeps them
    inverse_dynamics: InverseDynamics | None = None  # the law by which expressions name the model's own efforts
    rounded: tuple[Rounded, ...] = ()  # equations that only rounded numbers make independent

    @property
    def rounding(self) -> float:
        """Rounding of numbers, over their size [-], for which equations of loops are left out; 0 without such ones."""
        return max((one.tolerance for one in self.rounded), default=0.0)

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return len(self.velocities)

    @property
    def owners(self) -> tuple[Link, ...]:
        """Links with coordinates of their own, or none: each entry of q and v belongs to one of them."""
        return tuple(link for link in self.links if not link.shares)

    @property
    def motor_rotors(self) -> tuple[Rotor, ...]:
        """Rotors of motors; the others are inertias that hand-made bond graphs hang on coordinates."""
        return tuple(rotor for rotor in self.rotors if rotor.of_motor)

    def place(self, end: End) -> Place:
        """Where the end of a joint, force or constraint is."""
        return self.inline[end] if isinstance(end, InlinePlace) else self.places[end]

    @property
    def driven(self) -> frozenset[int]:
        """Velocities whose effort a prescribed motion decides."""
        return frozenset(k for motion in self.motions for k in motion.drives)

    def turns(self, link: int) -> bool:
        """Whether a link can turn: an angle stands between it and the ground."""
        return any("rad/s" in dict(self.links[i].law.declared.velocities).values() for i in self.path(link))

    def path(self, link: int) -> tuple[int, ...]:
        """Indices of the links from `link` down to the ground."""
        out = []
        while link != GROUND:
            out.append(link)
            link = self.links[link].parent
        return tuple(out)


def check_no_modes(tree: Tree, method: str) -> None:
    """Refuse bodies of type modal, whose nodes share coordinates, where a `method` gives every link its own."""
    joint = next((link.law.declared.shares for link in tree.links if link.shares), None)
    if joint is not None:
        fault = f"{method} do not know bodies of type modal, such as that of the joint {joint!r}"
        raise ModelError(fault, "choose composite_body or another formulation, or give the body type: flexible")
