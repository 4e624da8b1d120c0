"""A model of revolute and prismatic joints as plain numbers, read from its records and not through Cardan's tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import cardan
from cardan.model.placement import Placement
from cardan.model.quantities.parameters import resolve
from cardan.model.quantities.scalar import Scalar

__all__ = ["Closure", "Link", "closures", "depth_first", "links"]

Read = Callable[[Scalar], float]


@dataclass(frozen=True)
class Link:
    """A body in its link frame, which sits at its joint with z along the axis and moves with the body."""

    joint: str
    kind: str  # of the joint: revolute or prismatic
    parent: int  # index of an earlier link, −1: ground
    T: np.ndarray  # (4, 4) at q = 0, in the parent's link frame
    mass: float  # [kg]
    com: np.ndarray  # (3,) in the link frame [m]
    inertia: np.ndarray  # (3, 3) about the centre of mass, axes of the link frame [kg m²]


@dataclass(frozen=True)
class Closure:
    """A cut joint of a planar mechanism: two points that coincide, each in its link's frame; −1: ground, world axes."""

    joint: str
    a: int
    point_a: np.ndarray  # (3,) [m]
    b: int
    point_b: np.ndarray  # (3,) [m]


def links(model: cardan.Model) -> list[Link]:
    """Links of a model in file order, which must go from the ground outwards.

    Parameters
    ----------
    model : Model
        Revolute and prismatic joints from the ground outwards, cut ones left out, and massless bodies fixed to others.
    """
    return _read(model)[0]


def depth_first(chain: Sequence[Link]) -> list[int]:
    """Indices of the links, each with all that hangs on it right behind it.

    Parameters
    ----------
    chain : sequence of Link
        Links in an order from the ground outwards.
    """
    out: list[int] = []
    waiting = [-1]
    while waiting:
        at = waiting.pop()
        out += [at] * (at >= 0)
        waiting += [i for i in reversed(range(len(chain))) if chain[i].parent == at]
    return out


def closures(model: cardan.Model) -> list[Closure]:
    """The cut joints of a planar model.

    Parameters
    ----------
    model : Model
        As of `links`, planar; its cut joints are revolute.
    """
    _, index, T_LB = _read(model)
    out, number = [], _numbers(model)
    for name, joint in model.joints.items():
        if joint.cut:
            assert joint.type == "revolute", f"joint {name!r}: cut joints have to be revolute"
            assert model.planar is not None, f"joint {name!r}: joints are cut in planar models only"
            ends = [_place(joint.parent), _place(joint.child)]
            (a, T_a), (b, T_b) = ((index[body], T_LB[body] @ _marker(model, number, body, at)) for body, at in ends)
            out.append(Closure(name, a, T_a[:3, 3], b, T_b[:3, 3]))
    return out


def _read(model: cardan.Model) -> tuple[list[Link], dict[str, int], dict[str, np.ndarray]]:
    """Links; by body, which link it belongs to, and T_LB of its frame there."""
    out: list[Link] = []
    number = _numbers(model)
    index: dict[str, int] = {"ground": -1}
    T_LB: dict[str, np.ndarray] = {"ground": np.eye(4)}
    for name, joint in model.joints.items():
        if joint.cut:
            continue
        parent, parent_marker, child, child_marker = *_place(joint.parent), *_place(joint.child)
        body = model.bodies[child].resolved(number)
        fixed = joint.type == "fixed" and body.mass == 0
        assert fixed or joint.type in ("revolute", "prismatic"), f"joint {name!r}: it has to be revolute or prismatic"
        assert parent in index, f"joint {name!r}: the joint that carries it has to come first"
        T = T_LB[parent] @ _marker(model, number, parent, parent_marker)
        T_MB = np.linalg.inv(_marker(model, number, child, child_marker))
        if fixed:
            index[child], T_LB[child] = index[parent], T @ T_MB
            continue
        align = _axis_to_z(np.array([number(entry) for entry in joint.axis]))
        T_LB[child] = align.T @ T_MB
        R, at = T_LB[child][:3, :3], T_LB[child][:3, 3]
        inertia = R @ _symmetric(body.inertia) @ R.T
        out.append(Link(name, joint.type, index[parent], T @ align, body.mass, R @ np.array(body.com) + at, inertia))
        index[child] = len(out) - 1
    return out, index, T_LB


def _place(text: str) -> tuple[str, str]:
    body, _, marker = text.partition(".")
    return body, marker


def _numbers(model: cardan.Model) -> Read:
    """What reads a scalar, at the model's values of its parameters."""
    values = resolve(model.parameters)
    return lambda scalar: float(scalar.evaluate(values.__getitem__))


def _marker(model: cardan.Model, number: Read, body: str, marker: str) -> np.ndarray:
    """T (4×4) of a marker in its body."""
    if not marker:
        return np.eye(4)
    markers: Mapping[str, Placement] = model.bodies[body].markers
    return np.array(markers[marker].resolved(number).transform(), dtype=float)


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
