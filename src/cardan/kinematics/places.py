"""Markers and inertias of bodies as transforms.   Source: docs/notation.md §2, §4"""

from collections.abc import Mapping
from functools import reduce

import casadi as ca

from cardan.frozen import dataclass
from cardan.kinematics.tree import Number
from cardan.model.body import Body, Ground
from cardan.model.place import InlinePlace, split
from cardan.model.solids import MassProperties
from cardan.spatial import inertia
from cardan.spatial.inertia import Inertia
from cardan.spatial.transforms import position, rotation


@dataclass(frozen=True)
class MarkerOnBody:
    """A marker in its body's frame."""

    body: str  # or ground
    T_BM: Number  # marker in the body frame (4×4)


def placement(end: str | InlinePlace, bodies: Mapping[str, Body | Ground]) -> MarkerOnBody:
    """Body and place of a joint's `end`; its numbers and those of the `bodies`, the ground among them, are resolved."""
    body, marker = split(end)
    if isinstance(end, InlinePlace):
        return MarkerOnBody(body, end.transform())
    if not marker:
        return MarkerOnBody(body, ca.DM.eye(4))
    frame = bodies[body].marker(marker)
    return MarkerOnBody(frame.part or body, frame.transform())


def body_inertia(body: Body, T_LB: Number) -> Inertia:
    """Inertia of a body in its link frame; of shapes it is their sum, free of divisions by the mass."""
    parts = body.solid_parts() or [MassProperties(body.mass, ca.vertcat(*body.com), body.inertia_matrix())]
    P_B = reduce(inertia.add, (inertia.from_com(part.mass, part.com, part.tensor) for part in parts))
    return inertia.transformed(P_B, rotation(T_LB), position(T_LB))
