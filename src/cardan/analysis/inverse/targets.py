"""Targets of a call as numbers: names and shapes are checked, texts read with their units, orientations become R."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import casadi as ca
import numpy as np

from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.kinematics.relations.goals import Goal
from cardan.kinematics.tree import Tree
from cardan.model.checks.arguments import check_unit, number
from cardan.model.model import Model
from cardan.model.names import Names
from cardan.model.place import GROUND, split
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.round_off import SIX_DIGITS
from cardan.spatial.rotations import from_quaternion, from_rpy

_AXES = "xyz"
_WAYS = {"rpy": (3,), "quaternion": (4,), "rotation": (3, 3)}


@dataclass(frozen=True)
class GivenNumbers:
    """Numbers of a call in SI."""

    model: Model
    parameters: Mapping[str, float]  # values of the parameters

    def read(self, given: Any, unit: str, *path: str) -> np.ndarray:
        """An array of numbers in SI."""
        try:
            entries = np.asarray(given)
        except ValueError:
            raise ModelError(Issue("the rows have different lengths", "give an array of numbers", path)) from None
        if entries.dtype.kind in "iuf":
            out = entries.astype(float)
        else:
            flat = np.asarray(given, dtype=object)
            out = np.array([self._one(entry, unit, path) for entry in flat.ravel()], dtype=float).reshape(flat.shape)
        if not np.isfinite(out).all():
            raise ModelError(Issue("a value is not finite", "give finite numbers", path))
        return out

    def _one(self, entry: Any, unit: str, path: tuple[str, ...]) -> float:
        try:
            scalar = Scalar.read(entry)
        except ModelError as error:
            raise error.under(*path) from None
        check_unit(scalar, unit, self.model.parameters, path)
        return number(scalar, self.parameters, path)


def goals_of(model: Model, tree: Tree, names: Sequence[str]) -> tuple[Goal, ...]:
    """The goals that the names of the targets stand for."""
    known, index = Names(model), {entry.name: k for k, entry in enumerate(tree.coordinates)}
    goals, wrong = [], []
    for name in names:
        target = known.target(name)
        if target is None or target.name == GROUND or split(target.name)[0] == GROUND:
            wrong.append(_unknown(known, name))
        else:
            goals.append(Goal(name, target, index[target.name] if target.kind == "coordinate" else -1))
    if wrong:
        raise ModelError(wrong)
    return tuple(goals)


def goal_values(goal: Goal, given: Any, values: GivenNumbers) -> np.ndarray:
    """GivenNumbers (…, goal.size) of a goal, an orientation as a rotation matrix row by row."""
    target, path = goal.target, ("targets", goal.name)
    if target.kind == "orientation":
        return _rotation(given, values, path)
    found = values.read(given, target.unit, *path)
    if target.size == 1:
        return found[..., None]
    if not found.ndim or found.shape[-1] != target.size:
        axes = ", ".join(_AXES[k] for k in target.components)
        fault = f"{goal.name!r} has {target.size} components, but the shape of its values is {found.shape}"
        raise ModelError(Issue(fault, f"give [{axes}], or an array (…, {target.size})", path))
    return found


def spread(values: Mapping[str, np.ndarray], others: Mapping[str, np.ndarray]) -> tuple[tuple[int, ...], np.ndarray]:
    """The leading axes that all arrays share after broadcasting, and the values side by side in one (N, ny)."""
    leading = {name: x.shape[:-1] for name, x in {**values, **others}.items()}
    try:
        shape = np.broadcast_shapes(*leading.values())
    except ValueError:
        given = ", ".join(f"{name} {axes}" for name, axes in leading.items())
        raise ModelError(f"the leading axes do not fit together: {given}", "give arrays of one length") from None
    columns = [np.broadcast_to(x, (*shape, x.shape[-1])).reshape(-1, x.shape[-1]) for x in values.values()]
    return shape, np.hstack(columns)


def _rotation(given: Any, values: GivenNumbers, path: tuple[str, ...]) -> np.ndarray:
    """Rotation matrices (…, 9), row by row."""
    way = ""
    if isinstance(given, Mapping):
        if len(given) != 1 or not given.keys() <= _WAYS.keys():
            raise ModelError(
                Issue("an orientation is given in one of three ways", "write rpy, quaternion or rotation", path)
            )
        ((way, given),) = given.items()
    entries = values.read(given, "rad" if way in ("", "rpy") else "1", *path)
    way = way or _way(entries)
    tail = _WAYS.get(way, (0,))
    if entries.ndim < len(tail) or entries.shape[entries.ndim - len(tail) :] != tail:
        cure = "give roll, pitch, yaw (…, 3), quaternions w, x, y, z (…, 4) or rotation matrices (…, 3, 3)"
        raise ModelError(Issue(f"an orientation has not the shape {entries.shape}", cure, path))
    leading, flat = entries.shape[: entries.ndim - len(tail)], entries.reshape(-1, int(np.prod(tail)))
    if way == "quaternion" and not np.linalg.norm(flat, axis=1).all():
        raise ModelError(Issue("the quaternion has length 0", "write [1, 0, 0, 0] for no rotation", path))
    if way == "rotation":
        if not _is_rotation(entries):
            raise ModelError(Issue("a matrix is no rotation", "its columns are unit vectors at right angles", path))
        return flat.reshape(*leading, 9)
    laws: dict[str, Callable[[Any], Any]] = {"rpy": from_rpy, "quaternion": from_quaternion}
    symbols = ca.SX.sym("s", tail[0])
    law = ca.Function("R", [symbols], [ca.reshape(ca.densify(ca.SX(laws[way](symbols))).T, 9, 1)])
    return np.array(law(flat.T)).T.reshape(*leading, 9) if len(flat) else np.zeros((*leading, 9))


def _way(entries: np.ndarray) -> str:
    """How an orientation is given, by the shape of its numbers."""
    if entries.ndim >= 2 and entries.shape[-2:] == (3, 3) and _is_rotation(entries):
        return "rotation"
    return {3: "rpy", 4: "quaternion"}.get(entries.shape[-1] if entries.ndim else 0, "")


def _is_rotation(R: np.ndarray) -> bool:
    """Whether all matrices (…, 3, 3) are rotations."""
    errors = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3))
    return bool(np.max(errors, initial=0.0) <= SIX_DIGITS and np.all(np.linalg.det(R) > 0))


def _unknown(names: Names, name: str) -> Issue:
    model, (place, _, last) = names.model, name.rpartition(".")
    path = ("targets", name)
    if place in names.places and last == "orientation" and model.planar:
        return Issue("a body of a planar model has an angle", f"write {place}.angle", path)
    if place in names.places and last == "angle" and not model.planar:
        return Issue("an angle belongs to planar models", f"write {place}.orientation", path)
    ends = ("position", "angle" if model.planar else "orientation")
    moving = [p for p in names.places if split(p)[0] != GROUND]
    known = [*names.coordinates, *(f"{p}.{end}" for p in moving for end in ends)]
    return Issue(f"there is no coordinate or place {name!r} that moves", names.advice(name, known), path)
