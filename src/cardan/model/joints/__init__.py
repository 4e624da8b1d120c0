"""Joint kinds, one file each, which is named as the `type` of the joint.

A kind is a record with names and units of its coordinates, and the law of its motion. In: the joint's keys and CasADi
numbers q, v. Out: transform, motion subspace and their rates. It knows no body.
"""

from cardan.model.joints.joint import Joint
from cardan.model.records.kinds import Kinds

__all__ = ["JOINTS", "Joint"]

JOINTS = Kinds(
    __name__,
    "revolute",
    "prismatic",
    "screw",
    "cylindrical",
    "universal",
    "spherical",
    "planar",
    "translational",
    "free",
    "fixed",
    modal=".flexible.joint",
)
"""All joint kinds by their `type`."""
