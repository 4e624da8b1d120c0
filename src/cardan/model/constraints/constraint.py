"""What every constraint kind satisfies: equations Φ(q, t) = 0, or linear ones of the velocities, beside the joints'."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Protocol, Self

from cardan.errors import Issue, Path
from cardan.frozen import dataclass
from cardan.model.constraints.given import Given
from cardan.model.forces import MarkerMotion
from cardan.model.joints.closure import Row
from cardan.model.joints.friction import Friction
from cardan.model.motions.realization import Realization
from cardan.model.place import GROUND, End, InlinePlace, split
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.element import Element, ValueOf
from cardan.model.records.known_names import KnownNames
from cardan.model.units import METRE, Dimension

Number = Any  # casadi.SX or casadi.DM


class Surroundings(Protocol):
    """What a constraint may read of the mechanism in a state of motion."""

    @property
    def normal(self) -> Number | None:
        """Unit normal (3,) of the plane of a planar model, world axes; None for spatial models."""

    def marker(self, place: str | InlinePlace) -> MarkerMotion:
        """Motion of the ground, a body or a marker, in world axes."""

    def value(self, name: str) -> Number:
        """Value of what `name` stands for: a coordinate, velocity, point, parameter or t."""

    def number(self, scalar: Scalar, **more: Number) -> Number:
        """Value of an expression, `scalar`; `more` gives further names a meaning."""


@dataclass(frozen=True)
class ForceMeasure:
    """A number that says more to an engineer than the force vector of a constraint, such as the tension of a rod."""

    name: str  # after the constraint's: "tension" for `rod.tension`
    unit: str  # unit of the number
    description: str  # a few words
    law: Callable[[Number, MarkerMotion, MarkerMotion], Number]  # (force on the child [N], parent, child) → number


class Constraint(Element):
    """A constraint of the mechanism. Its reaction is the multiplier of its one equation, unless it has `ends`."""

    on_velocity: ClassVar[bool] = False  # the rows are rates: they hold for velocities and come from no position
    analytic: ClassVar[bool] = True  # False where an expression of the user's may consist of several pieces: abs, if
    equation_key: ClassVar[str | None] = None  # key of the equation that the user writes; None where the kind makes it
    carries_out_of_plane: ClassVar[bool] = False  # in planar models a force along the normal, which no equation shows
    leaves_path: ClassVar[bool] = False  # its equations may leave its point a path, along which it may rub
    measures: ClassVar[tuple[ForceMeasure, ...]] = ()  # numbers that follow from its force

    given: Given | None = None  # part of its reaction that is known
    friction: Friction | None = None  # dry friction along the path that it leaves its point, of kinds that have one

    @property
    def drives(self) -> tuple[str, ...]:
        """Joints whose efforts keep it, by name; none where a force of its own does."""
        return ()

    @property
    def sharing(self) -> Realization:
        """How its drives share it."""
        return Realization()

    @property
    def gains(self) -> tuple[Scalar, Scalar] | None:
        """Gains kp [1/s²] and kd [1/s] of the feedback that reduces a residual; None if projection holds it."""
        return None

    @property
    def unheld(self) -> Self:
        """The constraint as its drives alone keep it, from any start; itself where a force of its own keeps it."""
        return self

    @property
    def ends(self) -> tuple[str | InlinePlace, str | InlinePlace] | None:
        """Places of parent and child between which a force acts; None for an equation of whatever moves."""
        return None

    @property
    def places(self) -> tuple[str | InlinePlace, str | InlinePlace] | None:
        """Places of parent and child of its force: its own, or those of its given part; None without."""
        return self.ends or (None if self.given is None else self.given.ends)

    def friction_issues(self) -> Iterator[Issue]:
        """Why its point has no friction, or no such friction."""
        if self.friction is None:
            return
        if not self.leaves_path:
            fault = f"a constraint of type {self.type} leaves its point no path along which it could rub"
            yield Issue(fault, "friction is for joints, point_on_line and point_on_curve", ())
        for key in ("radius", "length"):
            if getattr(self.friction, key) is not None:
                yield Issue(f"friction of a constraint has no {key}", "leave it out", (key,))

    @abstractmethod
    def rows(self, around: Surroundings) -> list[Row]:
        """Equations Φ = 0 in a state of motion."""

    def tangent(self, around: Surroundings) -> Number | None:
        """Unit tangent (3,) of the path that it allows its point, world axes; None where its equations give it."""
        return None

    @property
    def words(self) -> str:
        """Its equation as the user wrote it; empty where the kind makes it."""
        return ""

    def equation_dimension(self, index: int, known: Mapping[str, Dimension | None]) -> Dimension | None:
        """Dimension of Φ; None where bare numbers leave it open."""
        return METRE

    def gap(self, size: float) -> str:
        """What is wrong, in words, where the nearest position leaves a residual of this `size`."""
        return f"does not hold: at the nearest position {size:.3g} is left of its equation"


class PlaceConstraint(Constraint):
    """A constraint between a marker on `parent` and a marker on `child`, whose reaction is a force on the child.

    Its equations depend on the position of the child marker's origin in the parent marker alone, so that the force acts
    at this origin, and its opposite on the parent at the same point.
    """

    parent: End = GROUND  # a marker of the ground or of a body
    child: End

    @property
    def ends(self) -> tuple[str | InlinePlace, str | InlinePlace]:
        """Places of parent and child."""
        return self.parent, self.child

    def name_issues(self, names: KnownNames) -> Iterator[Issue]:
        yield from names.place_issues(parent=self.parent, child=self.child)
        if split(self.parent)[0] == split(self.child)[0]:
            fault = f"the constraint connects {split(self.child)[0]!r} with itself"
            yield Issue(fault, "give parent or child another body", ("child",))


class PathConstraint(PlaceConstraint):
    """A constraint whose equations may leave its point a path, along which it slides and may rub."""

    leaves_path = True

    def number_kind(self, path: Path, names: KnownNames) -> NumberKind | None:
        key, *entry = path
        if key == "friction" and entry and self.friction is not None:
            return self.friction.number_kind(str(entry[0]), "m/s")
        return None

    def value_issues(self, value_of: ValueOf) -> Iterator[Issue]:
        if self.friction is not None:
            yield from (issue.under("friction") for issue in self.friction.value_issues(value_of))
