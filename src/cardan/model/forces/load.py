"""What every force kind satisfies: a wrench between two markers, with the potential of its conservative part."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, Literal, Self

import casadi as ca

from cardan.errors import Issue
from cardan.frozen import dataclass
from cardan.model.place import GROUND, End
from cardan.model.records.element import Element
from cardan.model.records.known_names import KnownNames

Number = Any  # casadi.SX or casadi.DM

MarkerFrame = Literal["world", "parent", "child"]
"""Axes of a vector: the world's, or those of the marker on the parent or child."""


@dataclass(frozen=True)
class MarkerMotion:
    """Where a marker is and how it moves, in world axes."""

    R: Number  # marker axes (3×3)
    p: Number  # origin (3,) [m]
    w: Number  # angular velocity (3,) [rad/s]
    v: Number  # velocity of the origin (3,) [m/s]


@dataclass(frozen=True)
class Wrench:
    """Moment about a point and force, in world axes."""

    n: Number  # (3,) [N m]
    f: Number  # (3,) [N]


ZERO_WRENCH = Wrench(ca.DM(3, 1), ca.DM(3, 1))


class Load(Element):
    """A force law between `parent` and `child`; what acts on the child at its marker acts reversed on the parent."""

    parent: End = GROUND  # a marker of the ground or of a body
    child: End

    transmits: ClassVar[tuple[str, ...]]  # "force", "moment" or both: what can differ from zero
    undefined: ClassVar[str] = "look for a division by zero or the root of a negative number in it"  # cure for no value
    turns_less_than_half: ClassVar[bool] = False  # its moment changes sign at once where its ends turn further
    follows_motion: ClassVar[bool] = False  # its expressions may name t, coordinates, points and motors

    def name_issues(self, names: KnownNames) -> Iterator[Issue]:
        yield from names.place_issues(parent=self.parent, child=self.child)
        if self.parent == self.child:
            yield Issue(f"both ends are {str(self.child)!r}", "give parent or child another marker", ("child",))

    @property
    def needs_line(self) -> bool:
        """Whether the law reads the direction from parent to child, which markers that coincide do not have."""
        return False

    def in_world(self, R: Number) -> Self:
        """The law with its components, which stand in the axes `R` (3×3), in world axes; itself if it has none."""
        return self

    def conservative(self, a: MarkerMotion, b: MarkerMotion) -> Wrench:
        """Wrench on the child at the child marker that derives from `potential`."""
        return ZERO_WRENCH

    @abstractmethod
    def other(self, a: MarkerMotion, b: MarkerMotion) -> Wrench:
        """The rest of the wrench on the child at the child marker."""

    def potential(self, a: MarkerMotion, b: MarkerMotion) -> Number:
        """Potential energy [J]."""
        return ca.DM(1, 1)
