"""Joint kinds, one file each: record, names and units of the coordinates, and the law of its motion.

In: the joint's keys and CasADi numbers q, v. Out: transform, motion subspace and their rates. It knows no body.
"""

from __future__ import annotations

from cardan.model.joints.cylindrical import Cylindrical
from cardan.model.joints.fixed import Fixed
from cardan.model.joints.free import Free
from cardan.model.joints.joint import Joint
from cardan.model.joints.planar import Planar
from cardan.model.joints.prismatic import Prismatic
from cardan.model.joints.revolute import Revolute
from cardan.model.joints.screw import Screw
from cardan.model.joints.spherical import Spherical
from cardan.model.joints.universal import Universal

__all__ = [
    "JOINTS",
    "Cylindrical",
    "Fixed",
    "Free",
    "Joint",
    "Planar",
    "Prismatic",
    "Revolute",
    "Screw",
    "Spherical",
    "Universal",
]

JOINTS: dict[str, type[Joint]] = {
    "revolute": Revolute,
    "prismatic": Prismatic,
    "screw": Screw,
    "cylindrical": Cylindrical,
    "universal": Universal,
    "spherical": Spherical,
    "planar": Planar,
    "free": Free,
    "fixed": Fixed,
}
