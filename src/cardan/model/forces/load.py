"""What every force kind satisfies: a wrench between two markers, with the potential of its conservative part."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import casadi as ca

from cardan.model.record import Record

__all__ = ["Load", "MarkerMotion", "Wrench"]

Number = Any  # casadi.SX or casadi.DM


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


class Load(Record):
    """A force law between `parent` and `child`; what acts on the child at its marker acts reversed on the parent."""

    parent: str = "ground"  # ground, body or body.marker
    child: str

    transmits: ClassVar[tuple[str, ...]]  # "force", "moment" or both: what can differ from zero
    undefined: ClassVar[str] = "look for a division by zero or the root of a negative number in it"  # where it is
    follows_motion: ClassVar[bool] = False  # its expressions may name t, coordinates, points and motors

    def conservative(self, a: MarkerMotion, b: MarkerMotion) -> Wrench:
        """Wrench on the child at the child marker that derives from `potential`."""
        return ZERO_WRENCH

    @abstractmethod
    def other(self, a: MarkerMotion, b: MarkerMotion) -> Wrench:
        """The rest of the wrench on the child at the child marker."""

    def potential(self, a: MarkerMotion, b: MarkerMotion) -> Number:
        """Potential energy [J]."""
        return ca.DM(1, 1)
