"""What every joint satisfies: the record's common keys and the contract of its law.

A law is written in the *joint frame*: the parent and child markers turned so that the joint's axis is z
(`Joint.alignment`). There T(q) carries the child's joint frame in the parent's, both coincide at q = 0, and
the twist of the child relative to the parent, in child axes at the child origin, is S(q) v.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Self

import casadi as ca
import numpy as np

from cardan.errors import Issue, Path, nearest
from cardan.model.joints.closure import Frames, Row
from cardan.model.joints.friction import Friction
from cardan.model.joints.stops import STOP_KINDS, AnyStops, Stops
from cardan.model.place import GROUND, End, split
from cardan.model.plane import Plane
from cardan.model.quantities.fields import Anything, Direction
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.element import AxesOf, Element, ValueOf
from cardan.model.records.known_names import KnownNames
from cardan.model.records.record import Record
from cardan.model.units import DIMENSIONLESS, KILOGRAM, METRE, NEWTON, SECOND, Dimension
from cardan.spatial import inertia as spatial_inertia
from cardan.spatial.inertia import Inertia
from cardan.spatial.rotations import align_z

Number = Any  # casadi.SX or casadi.DM
NamedUnit = tuple[str, str]  # suffix of the name, unit

_LINEAR = {
    "stiffness": NumberKind("a stiffness", "100 N/m", NEWTON.times(METRE, -1)),
    "damping": NumberKind("a damping", "2 N*s/m", NEWTON.times(METRE, -1).times(SECOND), minimum=0),
    "rest": NumberKind("a length", "25 mm", METRE),
    "armature": NumberKind("a mass", "3 kg", KILOGRAM, minimum=0),
    "effort_limit": NumberKind("a force", "10 N", NEWTON),
    "velocity_limit": NumberKind("a speed", "0.5 m/s", METRE.times(SECOND, -1)),
    "position_limits": NumberKind("a length", "25 mm", METRE),
}
_ANGULAR = {
    "stiffness": NumberKind("a torsional stiffness", "10 N*m/rad", NEWTON.times(METRE)),
    "damping": NumberKind("a torsional damping", "0.5 N*m*s", NEWTON.times(METRE).times(SECOND), minimum=0),
    "rest": NumberKind("an angle", "30 deg", DIMENSIONLESS),
    "armature": NumberKind("a moment of inertia", "0.1 kg*m^2", KILOGRAM.times(METRE, 2), minimum=0),
    "effort_limit": NumberKind("a torque", "5 N*m", NEWTON.times(METRE)),
    "velocity_limit": NumberKind("an angular velocity", "2 rad/s", DIMENSIONLESS.times(SECOND, -1)),
    "position_limits": NumberKind("an angle", "30 deg", DIMENSIONLESS),
}
_OF_ONE_MOTION = ("velocity_limit", "position_limits")
_DAMPING = NumberKind("a damping", "2", None, minimum=0)  # one number for shifts and turns


class DrawnPlace(Record):
    """Where pictures show a joint that stands for a part of a drive; its motion knows nothing of it."""

    at: str | None = None  # joint beside which it is shown; None: its own markers
    before: int = 0  # so many places in front of this along its axis


class Joint(Element):
    """A joint between a marker on `parent` and a marker on `child`; q grows when the child moves positively."""

    parent: End  # a marker of the ground or of a body
    child: End  # a marker of a body
    stiffness: Anything | tuple[Anything, ...] | None = None  # [N/m] or [N m/rad], one per coordinate
    damping: Anything | tuple[Anything, ...] | None = None  # [N s/m] or [N m s/rad], one per velocity
    rest: Anything | tuple[Anything, ...] | None = None  # coordinate at which the spring is relaxed [m] or [rad]
    armature: Anything | tuple[Anything, ...] | None = None  # inertia geared to it, one per velocity [kg] or [kg m²]
    effort_limit: Anything | None = None  # largest effort the drive may give; a run that exceeds it warns [N] or [N m]
    velocity_limit: Anything | None = None  # largest speed of its one motion; a run that exceeds it warns
    position_limits: tuple[Anything, Anything] | None = None  # bounds of its one motion; a run that leaves them warns
    friction: Friction | None = None  # dry friction along its one motion, or where its surfaces slide
    limits: AnyStops | None = None  # end stops of its one motion, or of several by their names, `d` or `rz`
    cut: bool = False  # choose this joint to close a loop
    drawn: DrawnPlace | None = None  # where pictures show it, if not at its markers

    coordinates: ClassVar[tuple[NamedUnit, ...]]  # suffix of the name and unit of each of the nq coordinates
    velocities: ClassVar[tuple[NamedUnit, ...]]  # suffix of the name and unit of each of the nv velocities
    has_rate_coordinates: ClassVar[bool] = True  # q̇ = v: the coordinates are integrals of the velocities
    contact_keys: ClassVar[tuple[tuple[str, bool], ...]] = ()  # sizes of the contact, and which a coefficient needs
    sliding_keys: ClassVar[tuple[str, ...]] = ()  # sizes on which the sliding velocity depends
    sliding_unit: ClassVar[str | None] = None  # of the sliding velocity of several motions; None without such friction
    turning_axes: ClassVar[tuple[str, ...]] = ()  # suffixes of the velocities whose axes turn against the parent
    planar_cure: ClassVar[str] = "change the joint"  # of a joint that leaves the plane of a planar model
    both_ways: ClassVar[bool] = True  # the tree may cross it from its child to its parent
    is_bending: ClassVar[bool] = False  # it stands for the bending of a body, which starts straight
    rubs_apart: ClassVar[bool] = False  # each of several motions turns on a pin of its own, which rubs

    @property
    def declared(self) -> Joint:
        """The joint itself: laws of links that stand for a joint the other way round give it, too."""
        return self

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        """Number of velocities: degrees of freedom of the joint."""
        return len(self.velocities)

    @property
    def neutral(self) -> tuple[float, ...]:
        """Coordinates (nq,) at which the two markers coincide."""
        return (0.0,) * self.nq

    @property
    def shares(self) -> str:
        """Joint whose coordinates it has in place of its own; empty for none."""
        return ""

    def masses(self, name: str) -> Iterator[tuple[float, np.ndarray, Joint]]:
        """Points that move with this joint, called `name`: mass [kg], place at the parent marker (3,) [m], motion."""
        return iter(())

    @property
    def coordinate_keys(self) -> tuple[str, ...]:
        """The keys in use that refer to its coordinate, which a joint that closes a loop has not."""
        keys = (*_LINEAR, "limits")
        return tuple(key for key in keys if getattr(self, key) is not None)

    @property
    def rubbing(self) -> tuple[NamedUnit, ...]:
        """Suffix of the name and unit of every speed against which its friction acts; none where nothing rubs."""
        if self.nv == 1 or self.rubs_apart:
            return self.velocities
        return () if self.sliding_unit is None else (("", self.sliding_unit),)

    @property
    def stops(self) -> dict[str, Stops]:
        """End stops by the suffix of their motion: "" of a joint with one motion, else `.d`, `.rz` and so on."""
        if self.limits is None:
            return {}
        return (
            {"": self.limits}
            if isinstance(self.limits, Stops)
            else {f".{key}": one for key, one in self.limits.items()}
        )

    def per_velocity(self, key: str) -> tuple[Number, ...]:
        """Entries (nv,) of `key`, such as stiffness or armature; the file may give one for all motions, or none."""
        entry = getattr(self, key)
        return entry if isinstance(entry, tuple) else (ca.DM(1, 1) if entry is None else entry,) * self.nv

    def alignment(self) -> Number:
        """Rotation (3×3) that turns the markers into the joint frame; the identity for joints without an axis."""
        return ca.DM.eye(3)

    @abstractmethod
    def transform(self, q: Number) -> Number:
        """T_PC (4×4): child joint frame in the parent joint frame."""

    @abstractmethod
    def subspace(self, q: Number) -> Number:
        """S (6×nv): twist of the child relative to the parent per velocity, child axes, angular part first."""

    def subspace_between(self, R_PC: Number) -> Number:
        """S (6×nv) of a joint that closes a loop: without coordinates, from the child's axes in the parent's."""
        return self.subspace(ca.DM(self.neutral))

    def subspace_rate(self, q: Number, v: Number) -> Number:
        """dS/dt (6×nv), component by component; zero unless S depends on q."""
        return ca.DM(6, self.nv)

    def coordinate_rate(self, q: Number, v: Number) -> Number:
        """q̇ (nq,) for the velocities v (nv,)."""
        return v

    def commutator(self, a: Number, b: Number) -> Number:
        """[a, b] (nv,) of the motions with constant velocities a and b (nv,): zero unless q̇ differs from v.

        With X_a(q) = `coordinate_rate(q, a)`: X_[a,b] = ∂X_b/∂q X_a − ∂X_a/∂q X_b.
        """
        return ca.DM(self.nv, 1)

    def normalised(self, q: Number) -> Number:
        """q (nq,) with its quaternion, if it has one, at unit length."""
        return q

    @abstractmethod
    def closure(self, frames: Frames) -> list[Row]:
        """6 − nv equations Φ = 0 that hold when a loop is closed with this joint."""

    def upright(self, frames: Frames) -> Number:
        """Positive where a loop is closed the right way round; negative half a turn off, if Φ = 0 there as well."""
        return ca.DM(1)

    def planar_closure(self, frames: Frames, normal: Number) -> list[Row] | None:
        """Closure equations in a plane with this normal (3,), world axes; None for joints that leave the plane."""
        return None

    def contact_forces(self, f: Number, n: Number, effort: Number) -> list[Number]:
        """Forces [N] whose lengths add up to the normal load of load-dependent friction."""
        return []

    def sliding(self) -> Number:
        """G (k×6): sliding velocity of the surfaces per twist of the child relative to the parent, joint frame."""
        raise NotImplementedError(self.type)

    @property
    def contact_arm(self) -> Number:
        """Effort of friction over its force [1, m]."""
        return ca.DM(1)

    def split_inertia(self, P: Inertia) -> tuple[Inertia, Inertia]:
        """(kept, moved): the part of the child's inertia that its parent may carry without any change of the motion.

        `moved` must be the same in every position of the joint, seen from the parent joint frame.
        Source: regrouping of inertial parameters, Khalil & Dombre 2002, §9.4.2.
        """
        return P, spatial_inertia.ZERO

    def resolved(self, number: Callable[[Scalar], Any]) -> Self:
        """A copy with numbers for scalars; those of friction that may follow the motion belong to its law in a run."""
        friction = None if self.friction is None else self.friction.still()
        return super(Joint, self.unchecked(friction=friction)).resolved(number)

    def name_issues(self, names: KnownNames) -> Iterator[Issue]:
        yield from names.place_issues(parent=self.parent, child=self.child)
        child = split(self.child)[0]
        if child == GROUND:
            yield Issue("the child of a joint cannot be the ground", "exchange parent and child", ("child",))
        elif split(self.parent)[0] == child:
            fault = f"the joint connects {child!r} with itself"
            yield Issue(fault, "give parent or child another body", ("child",))
        at = None if self.drawn is None else self.drawn.at
        if at is not None and at not in names.model.joints:
            yield Issue(f"there is no joint {at!r}", nearest(at, names.model.joints), ("drawn", "at"))

    def drive_issues(self, name: str, suffix: str) -> Iterator[Issue]:
        """Why a motor cannot drive the motion `suffix` of this joint, whose name is `name`."""
        possible = [known for known, _ in self.velocities]
        if not possible:
            yield Issue(f"the joint {name!r} does not move", "a motor needs a joint that moves", ("joint",))
        elif suffix not in possible:
            choices = ", ".join(name + known for known in possible)
            cure = f"write {choices}" if len(possible) == 1 else f"write one of {choices}"
            yield Issue(f"{name + suffix!r} is not one motion of the joint {name!r}", cure, ("joint",))

    def number_kind(self, path: Path, names: KnownNames) -> NumberKind | None:
        key, *entry = path
        units = [unit for _, unit in self.velocities]
        if key == "friction" and self.rubbing and entry:
            return None if self.friction is None else self.friction.number_kind(str(entry[0]), self.rubbing[0][1])
        if key == "limits" and entry:
            unit = dict(self.velocities).get("" if len(entry) == 1 else f".{entry[0]}")
            return None if unit is None else STOP_KINDS[unit].get(str(entry[-1]))
        index = entry[0] if entry else 0
        if key == "position_limits" and len(units) == 1:
            index = 0
        if key not in _LINEAR or index not in range(len(units)):
            return None
        if not entry and len(set(units)) > 1:
            return _DAMPING if key == "damping" else None
        return (_LINEAR if units[index] == "m/s" else _ANGULAR)[str(key)]  # type: ignore[index]

    def dimension_issues(self, names: KnownNames, known: Mapping[str, Dimension | None]) -> Iterator[Issue]:
        for key in _LINEAR:
            value = getattr(self, key)
            if value is not None and key in _OF_ONE_MOTION and self.nv != 1:
                fault = f"a joint with {self.nv} motions has no {key}"
                yield Issue(fault, "leave it out, or build it of joints of one motion", (key,))
            elif value is not None and key not in _OF_ONE_MOTION:
                yield from self._count(key, value)

        cure = "build the joint from joints of one motion"
        yield from (issue.under("limits") for issue in self._stop_issues(cure))
        if self.friction is not None and not self.rubbing:
            yield self._touchless()
        elif self.friction is not None:
            yield from self._contact_issues(self.friction)

    def _stop_issues(self, cure: str) -> Iterator[Issue]:
        """Stops of motions that the joint has not, or that have no coordinate; stops by impact beside friction."""
        rates = dict(self.velocities)
        possible = [name.lstrip(".") for name, _ in self.coordinates if name in rates]
        for suffix in self.stops:
            if suffix in rates and suffix.lstrip(".") in possible:
                continue
            if self.nv == 1:
                yield Issue(f"a joint of type {self.type} has one motion, without a name", "write {lower: …, upper: …}")
            elif not possible:
                fault = f"a joint of type {self.type} has no coordinate that stops could bound"
                yield Issue(fault, f"leave limits out, or {cure}")
            elif not suffix:
                keys = ", ".join(f"{one}: {{lower: …}}" for one in possible)
                fault = f"a joint of type {self.type} has {self.nv} motions, and stops are along one"
                yield Issue(fault, f"name it: {{{keys}}}")
            else:
                fault = f"a joint of type {self.type} has no motion {suffix.lstrip('.')!r}"
                yield Issue(fault, f"known: {', '.join(possible)}", (suffix.lstrip("."),))
        sticks = self.friction is not None and self.friction.can_stick and not self.rubs_apart
        if sticks and self.nv > 1 and not all(stop.is_elastic for stop in self.stops.values()):
            fault = f"friction that sticks and stops by impact of one joint of type {self.type} are not supported yet"
            yield Issue(fault, f"give the stops a stiffness, add regularize: with a small speed, or {cure}")

    def _touchless(self) -> Issue:
        """Why a joint without surfaces that slide on each other has no friction."""
        if not self.nv:
            return Issue(
                f"a joint of type {self.type} does not move, so that nothing rubs", "leave it out", ("friction",)
            )
        fault = f"in a joint of type {self.type} nothing touches, so that nothing rubs"
        cure = "write damping: for a drag, or give friction to what the body touches: "
        cure += "a planar joint, or a constraint of type point_on_curve"
        return Issue(fault, cure, ("friction",))

    def _contact_issues(self, friction: Friction) -> Iterator[Issue]:
        """Sizes of the contact that friction lacks or does not know, and bristles in several directions."""
        if friction.bristle is not None and self.nv > 1 and not self.rubs_apart:
            fault = f"a joint of type {self.type} slides in several directions, in which friction has no bristles"
            yield Issue(fault, "leave type: lugre out and write regularize: with a small speed", ("friction", "type"))
        for key in ("radius", "length"):
            of_sliding = True if key in self.sliding_keys else None
            needed = dict(self.contact_keys).get(key) if friction.coefficient is not None else of_sliding
            given = getattr(friction, key) is not None
            law = "a given effort" if friction.coefficient is None else "a coefficient"
            if needed and not given:
                fault = f"friction with {law} in a joint of type {self.type} needs a {key}"
                yield Issue(fault, f'add {key}: "10 mm"', ("friction",))
            elif given and needed is None and friction.coefficient is None:
                fault = f"friction with a given effort in a joint of type {self.type} has no {key}"
                yield Issue(fault, "write coefficient in place of effort", ("friction", key))
            elif given and needed is None:
                fault = f"friction in a joint of type {self.type} has no {key}"
                yield Issue(fault, "leave it out", ("friction", key))

    def _count(self, key: str, value: Any) -> Iterator[Issue]:
        several = isinstance(value, tuple)
        if not self.nv:
            yield Issue(f"the joint does not move and has no {key}", "leave it out", (key,))
        elif key in ("stiffness", "rest") and not self.has_rate_coordinates:
            yield Issue(f"a joint with a quaternion has no {key}", "use a force of type torsion_spring", (key,))
        elif several and len(value) != self.nv:
            cure = f"write {self.nv} entries, or one number"
            yield Issue(f"{len(value)} entries for {self.nv} motion(s)", cure, (key,))
        elif not several and value.dimension is not None and len({unit for _, unit in self.velocities}) > 1:
            cure = f"write a list of {self.nv} entries, first {self.velocities[0][0].lstrip('.')}"
            yield Issue(f"{str(value)!r} cannot hold for shifts and turns alike", cure, (key,))

    def value_issues(self, value_of: ValueOf) -> Iterator[Issue]:
        for key in ("effort_limit", "velocity_limit"):
            limit = getattr(self, key)
            if limit is not None and value_of(limit) <= 0:
                yield Issue(f"{key} is {value_of(limit):g}", "it has to be positive", (key,))
        if self.position_limits is not None:
            lower, upper = map(value_of, self.position_limits)
            if lower > upper:
                fault = f"the lower limit {lower:g} is above the upper one, {upper:g}"
                yield Issue(fault, "exchange them", ("position_limits",))
        if self.friction is not None:
            yield from (issue.under("friction") for issue in self.friction.value_issues(value_of))
        for suffix, stops in self.stops.items():
            path = ("limits", *filter(None, [suffix.lstrip(".")]))
            yield from (issue.under(*path) for issue in stops.value_issues(value_of))

    def doubts(self, value_of: ValueOf) -> Iterator[Issue]:
        several = self.stiffness if isinstance(self.stiffness, tuple) else (self.stiffness,)
        for value in (value_of(entry) for entry in several if entry is not None):
            if value < 0:
                fault = f"the stiffness {value:g} is negative: it pushes the joint away from its rest position"
                yield Issue(fault, "a spring that pulls it back has a positive one", ("stiffness",), kind="stiffness")

    def closing_issues(self, value_of: ValueOf) -> Iterable[Issue]:
        """Numbers with which this joint cannot close a loop; `value_of` gives the value of each."""
        return ()

    def planarity_issues(self, plane: Plane, axes_of: AxesOf, value_of: ValueOf) -> Iterator[Issue]:
        fault = self.planar_fault(plane, axes_of(self.parent), value_of)
        if fault:
            yield Issue(f"{fault} the plane {plane.name}", f"{self.planar_cure}, or leave planar out")

    def planar_fault(self, plane: Plane, R_WM: np.ndarray, value_of: ValueOf) -> str:
        """Why the joint leaves the `plane`, as the beginning of a sentence; empty if it keeps to it."""
        return f"a joint of type {self.type} leaves"


class AxisJoint(Joint):
    """A joint along or about one axis, given in the parent marker."""

    axis: Direction  # in the parent marker, of any length

    def alignment(self) -> Number:
        """Rotation whose z is the joint's axis."""
        return align_z(ca.vertcat(*self.axis))

    def upright(self, frames: Frames) -> Number:
        return frames.relative[2, 2]

    def direction(self, R_WM: np.ndarray, value_of: ValueOf) -> np.ndarray:
        """The axis (3,) in world axes, of any length."""
        return np.array(R_WM @ [value_of(entry) for entry in self.axis])
