"""Check of `planar:`: every joint has to keep its bodies in the plane, wherever the markers are turned to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from cardan.errors import Issue
from cardan.model.constraints import PointOnLine
from cardan.model.joints import Fixed, Joint, Planar, Prismatic, Revolute
from cardan.model.names import GROUND, split
from cardan.model.scalar import Scalar

if TYPE_CHECKING:
    from cardan.model.model import Model

__all__ = ["planarity_issues"]

_NORMALS = {"xy": np.array([0.0, 0.0, 1.0]), "xz": np.array([0.0, 1.0, 0.0]), "yz": np.array([1.0, 0.0, 0.0])}
_TOLERANCE = 1e-6  # sine of the angle; directions typed with 7 digits are accepted

Number = Callable[[Scalar], float]


def planarity_issues(model: Model, number: Number) -> Iterator[Issue]:
    """Joints and lines that leave the plane of a planar model.

    Parameters
    ----------
    model : Model
        A model whose joints make a tree.
    number : callable
        Gives the value of a scalar.
    """
    if model.planar is None:
        return
    normal = _NORMALS[model.planar]
    turned = _orientations(model, number)
    for name, joint in model.joints.items():
        if isinstance(joint, Fixed):
            continue
        fault = _fault(joint, turned[split(joint.parent)[0]] @ _marker(model, joint.parent, number), normal, number)
        if fault:
            yield Issue(f"{fault} the plane {model.planar}", "change the joint, or leave planar away", ("joints", name))
    for name, constraint in model.constraints.items():
        if isinstance(constraint, PointOnLine):
            R_WM = turned[split(constraint.parent)[0]] @ _marker(model, constraint.parent, number)
            axis = R_WM @ [number(entry) for entry in constraint.axis]
            if not _lies_in(axis, normal):
                fault, cure = f"the line does not lie in the plane {model.planar}", "change axis, or leave planar away"
                yield Issue(fault, cure, ("constraints", name, "axis"))


def _fault(joint: Joint, R_WM: np.ndarray, normal: np.ndarray, number: Number) -> str:
    """What is wrong with a joint whose parent marker has the axes R_WM in the world; empty if nothing."""
    if isinstance(joint, Planar):
        return "" if _is_parallel(R_WM[:, 2], normal) else "the joint does not move in"
    if not isinstance(joint, Revolute | Prismatic):
        return f"a joint of type {joint.type} leaves"  # type: ignore[attr-defined]
    axis = R_WM @ [number(entry) for entry in joint.axis]
    if isinstance(joint, Revolute):
        return "" if _is_parallel(axis, normal) else "the axis does not stand at right angles to"
    return "" if _lies_in(axis, normal) else "the axis does not lie in"


def _lies_in(axis: np.ndarray, normal: np.ndarray) -> bool:
    return bool(abs(axis @ normal) <= _TOLERANCE * np.linalg.norm(axis))


def _is_parallel(axis: np.ndarray, normal: np.ndarray) -> bool:
    return bool(np.linalg.norm(np.cross(axis, normal)) <= _TOLERANCE * np.linalg.norm(axis))


def _orientations(model: Model, number: Number) -> dict[str, np.ndarray]:
    """Axes R_WB of every body in the world, all joints at zero."""
    turned = {GROUND: np.eye(3)}
    waiting = list(model.joints.values())
    while waiting:
        for joint in [joint for joint in waiting if turned.keys() & {split(joint.parent)[0], split(joint.child)[0]}]:
            parent, child = split(joint.parent)[0], split(joint.child)[0]
            R_PC = _marker(model, joint.parent, number) @ _marker(model, joint.child, number).T
            if parent in turned:
                turned[child] = turned[parent] @ R_PC
            else:
                turned[parent] = turned[child] @ R_PC.T
            waiting.remove(joint)
    return turned


def _marker(model: Model, place: str, number: Number) -> np.ndarray:
    """Axes R_BM of a marker in its body."""
    body, marker = split(place)
    if body == GROUND or marker in ("", "com"):
        return np.eye(3)
    return np.array(model.bodies[body].markers[marker].resolved(number).orientation(), dtype=float)
