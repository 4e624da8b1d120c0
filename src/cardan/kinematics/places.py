"""Markers and inertias of bodies as transforms.   Source: docs/notation.md §2, §4"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from cardan.kinematics.tree import Number
from cardan.model.body import Body
from cardan.spatial import inertia
from cardan.spatial.inertia import Inertia
from cardan.spatial.transforms import position, rotation

__all__ = ["MarkerOnBody", "body_inertia", "placement"]


@dataclass(frozen=True)
class MarkerOnBody:
    """A marker in its body's frame."""

    body: str  # or ground
    T_BM: Number  # marker in the body frame (4×4)


def placement(name: str, bodies: Mapping[str, Body]) -> MarkerOnBody:
    """Body and place of the marker `name`: "body", "body.marker", "body.com" or "ground", of records with numbers."""
    body, _, marker = name.partition(".")
    if not marker:
        return MarkerOnBody(body, ca.DM.eye(4))
    return MarkerOnBody(body, bodies[body].marker(marker).transform())


def body_inertia(body: Body, T_LB: Number) -> Inertia:
    """Inertia of a body in its link frame."""
    P_B = inertia.from_com(body.mass, ca.vertcat(*body.com), body.inertia_matrix())
    return inertia.transformed(P_B, rotation(T_LB), position(T_LB))
