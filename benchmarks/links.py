"""A model of revolute joints as plain numbers, read from its records and not through Cardan's own tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

import cardan
from cardan.model.placement import Placement
from cardan.model.scalar import Scalar

__all__ = ["Link", "links"]


@dataclass(frozen=True)
class Link:
    """A body in its link frame, which sits at its joint with z along the axis and turns with the body."""

    name: str  # joint
    parent: int  # index of an earlier link, −1: ground
    T: np.ndarray  # (4, 4) at q = 0, in the parent's link frame
    mass: float  # [kg]
    com: np.ndarray  # (3,) in the link frame [m]
    inertia: np.ndarray  # (3, 3) about the centre of mass, axes of the link frame [kg m²]


def links(model: cardan.Model) -> list[Link]:
    """Links of a model in file order, which must go from the ground outwards.

    Parameters
    ----------
    model : Model
        A tree of revolute joints with numbers, not parameters.

    Raises
    ------
    ValueError
        A joint of another kind, or before the one that carries it.
    """
    out: list[Link] = []
    index: dict[str, int] = {"ground": -1}
    T_LB: dict[str, np.ndarray] = {"ground": np.eye(4)}
    for name, joint in model.joints.items():
        parent, parent_marker, child, child_marker = *_place(joint.parent), *_place(joint.child)
        if joint.type != "revolute" or parent not in index:
            raise ValueError(f"joint {name!r}: a tree of revolute joints, from the ground outwards, is needed")
        align = _axis_to_z(np.array([_number(entry) for entry in joint.axis]))
        T = T_LB[parent] @ _marker(model, parent, parent_marker) @ align
        T_LB[child] = align.T @ np.linalg.inv(_marker(model, child, child_marker))
        body = model.bodies[child].resolved(_number)
        R, at = T_LB[child][:3, :3], T_LB[child][:3, 3]
        inertia = R @ _symmetric(body.inertia) @ R.T
        out.append(Link(name, index[parent], T, body.mass, R @ np.array(body.com) + at, inertia))
        index[child] = len(out) - 1
    return out


def _place(text: str) -> tuple[str, str]:
    body, _, marker = text.partition(".")
    return body, marker


def _number(scalar: Scalar) -> float:
    return scalar.evaluate(_no_names)


def _no_names(name: str) -> float:
    raise ValueError(f"the model has a parameter {name!r}; a model of numbers is needed")


def _marker(model: cardan.Model, body: str, marker: str) -> np.ndarray:
    """T (4×4) of a marker in its body."""
    if not marker:
        return np.eye(4)
    markers: Mapping[str, Placement] = model.bodies[body].markers
    return np.array(markers[marker].resolved(_number).transform(), dtype=float)


def _axis_to_z(axis: np.ndarray) -> np.ndarray:
    """T (4×4) of a frame whose z is the axis."""
    z = axis / np.linalg.norm(axis)
    x = np.eye(3)[np.argmin(np.abs(z))]
    x = x - z * (x @ z)
    if np.allclose(z, [0, 0, 1]):
        return np.eye(4)
    x /= np.linalg.norm(x)
    T = np.eye(4)
    T[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    return T


def _symmetric(entries: tuple[float, ...]) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = entries
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
