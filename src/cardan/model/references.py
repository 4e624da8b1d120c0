"""Checks of names: what a record refers to has to exist, and the joints have to make a tree of the bodies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from cardan.errors import Issue, Path, nearest
from cardan.model.constraints import Coupler, PlaceConstraint, PointOnCurve
from cardan.model.joints import Joint
from cardan.model.names import (
    COMPONENTS,
    GROUND,
    VECTORS,
    advice,
    carrying,
    coordinates,
    efforts,
    markers,
    split,
    states,
)
from cardan.model.topology import spanning_tree

if TYPE_CHECKING:
    from cardan.model.model import Model

__all__ = ["reference_issues"]

_NOT_YET = {
    "motions": "prescribed motions",
}
_RIVALS = (
    ("parameters", "joints", "joint"),
    ("parameters", "bodies", "body"),
    ("motors", "joints", "joint"),
    ("constraints", "joints", "joint"),
    ("constraints", "forces", "force"),
    ("states", "parameters", "parameter"),
    ("states", "joints", "joint"),
    ("states", "bodies", "body"),
    ("states", "motors", "motor"),
    ("outputs", "states", "state"),
    ("outputs", "joints", "joint"),
    ("outputs", "bodies", "body"),
    ("outputs", "motors", "motor"),
)
"""Sections whose names must differ, because expressions or results would have two meanings."""
_TAKEN_BY_POINTS = frozenset([*COMPONENTS, *VECTORS, "com"])


def reference_issues(model: Model) -> list[Issue]:
    """Everything that is wrong with the names in a model.

    Parameters
    ----------
    model : Model
        A model whose records are right by themselves.
    """
    checks = (_unsupported, _names, _joints, _forces, _constraints, _motors, _inputs, _initial)
    issues = [issue for check in checks for issue in check(model)]
    return issues or list(_tree(model))


def _unsupported(model: Model) -> Iterator[Issue]:
    for section, what in _NOT_YET.items():
        if getattr(model, section):
            yield Issue(f"{what} are not supported yet", f"leave {section} away", (section,))


def _names(model: Model) -> Iterator[Issue]:
    if not model.bodies:
        yield Issue("the model has no bodies", "add bodies: and joints: that carry them", ("bodies",))
    for section, rival, what in _RIVALS:
        for name in getattr(model, section):
            if name in getattr(model, rival):
                yield Issue(f"a {what} has the name {name!r} too", "rename one of them", (section, name))
    for body, record in model.bodies.items():
        for name in record.markers:
            if name in _TAKEN_BY_POINTS:
                fault = f"the marker name {name!r} is reserved, because {body}.{name} has a meaning already"
                yield Issue(fault, "choose another name", ("bodies", body, "markers", name))


def _joints(model: Model) -> Iterator[Issue]:
    known = markers(model)
    for name, joint in model.joints.items():
        path = ("joints", name)
        yield from _places(joint, known, path)
        if split(joint.child)[0] == GROUND:
            yield Issue("the child of a joint cannot be the ground", "exchange parent and child", (*path, "child"))
        elif split(joint.parent)[0] == split(joint.child)[0]:
            fault = f"the joint connects {split(joint.child)[0]!r} with itself"
            yield Issue(fault, "give parent or child another body", (*path, "child"))


def _forces(model: Model) -> Iterator[Issue]:
    known = markers(model)
    for name, force in model.forces.items():
        yield from _places(force, known, ("forces", name))
        if force.parent == force.child:
            yield Issue(
                f"both ends are {force.child!r}", "give parent or child another marker", ("forces", name, "child")
            )


def _places(record: object, known: Iterable[str], path: Path) -> Iterator[Issue]:
    for key in ("parent", "child"):
        place = getattr(record, key)
        if place not in known:
            yield _missing_place(place, known, (*path, key))


def _missing_place(place: str, known: Iterable[str], path: Path) -> Issue:
    body, marker = split(place)
    if marker and body in known:
        own = [other for other in known if split(other)[0] == body]
        return Issue(f"the body {body!r} has no marker {marker!r}", nearest(place, own), path)
    bodies = [other for other in known if not split(other)[1]]
    return Issue(f"there is no body {body!r}", nearest(body, bodies), path)


def _motors(model: Model) -> Iterator[Issue]:
    for name, motor in model.motors.items():
        path = ("motors", name)
        joint, _, component = motor.joint.partition(".")
        if joint not in model.joints:
            yield Issue(f"there is no joint {joint!r}", nearest(joint, model.joints), (*path, "joint"))
        else:
            yield from _driven(model.joints[joint], joint, component, (*path, "joint"))
        if motor.mounted_on is not None and motor.mounted_on not in model.bodies:
            fault = f"there is no body {motor.mounted_on!r}"
            yield Issue(fault, nearest(motor.mounted_on, model.bodies), (*path, "mounted_on"))


def _driven(joint: Joint, name: str, component: str, path: Path) -> Iterator[Issue]:
    possible = [suffix.lstrip(".") for suffix, _ in joint.velocities]
    if not possible:
        yield Issue(f"the joint {name!r} does not move", "a motor needs a joint that moves", path)
    elif component not in possible:
        fault = f"{f'{name}.{component}'.rstrip('.')!r} is not one motion of the joint {name!r}"
        choices = ", ".join(f"{name}.{suffix}".rstrip(".") for suffix in possible)
        yield Issue(fault, f"write {choices}" if len(possible) == 1 else f"write one of {choices}", path)


def _inputs(model: Model) -> Iterator[Issue]:
    known = {*model.motors, *efforts(carrying(model))}
    for name in model.inputs:
        if name not in known:
            none = not model.motors and name not in model.joints
            cure = "the model has no motors" if none else advice(model, name, model.motors)
            yield Issue(f"there is no motor {name!r}", cure, ("inputs", name))


def _initial(model: Model) -> Iterator[Issue]:
    known, positions = states(model), coordinates(carrying(model))
    seen: dict[str, str] = {}
    for name, value in model.initial.items():
        path, plain = ("initial", name), name.removesuffix(".q")
        if name not in known:
            yield Issue(
                f"there is no coordinate, velocity, current or state {name!r}", advice(model, name, known), path
            )
        elif plain in seen:
            yield Issue(f"{name!r} and {seen[plain]!r} are the same coordinate", "keep one of them", path)
        elif hasattr(value, "guess") and plain not in positions:
            yield Issue(f"{name!r} is not a coordinate, only coordinates are guessed", "write a plain value", path)
        seen[plain] = name


def _tree(model: Model) -> Iterator[Issue]:
    jointed = {split(end)[0] for joint in model.joints.values() for end in (joint.parent, joint.child)}
    topology = spanning_tree(model.joints, model.bodies)
    for body in topology.lost:
        if body not in jointed:
            cure = f"add one to joints, such as {{type: free, parent: ground, child: {body}}}"
            yield Issue(f"the body {body!r} has no joint", cure, ("bodies", body))
        else:
            cure = "add a joint with parent: ground (type free for a flying body); one with cut: true carries nothing"
            yield Issue(f"no chain of joints leads from the ground to {body!r}", cure, ("bodies", body))
    for name in topology.cut:
        yield from _cut(model, name)


def _cut(model: Model, name: str) -> Iterator[Issue]:
    """What a joint that closes a loop cannot have, since its coordinate is not one of the mechanism's."""
    joint, path = model.joints[name], ("joints", name)
    cure = "set cut: true on another joint of the loop, so that this one carries a body"
    for key in ("stiffness", "damping", "rest", "effort_limit"):
        if getattr(joint, key) is not None:
            yield Issue(f"the joint closes a loop, so it has no coordinate for its {key}", cure, (*path, key))
    for motor, record in model.motors.items():
        if record.joint.partition(".")[0] == name:
            yield Issue(f"the joint {name!r} closes a loop, so no motor can drive it", cure, ("motors", motor, "joint"))


def _constraints(model: Model) -> Iterator[Issue]:
    known, positions = markers(model), coordinates(carrying(model))
    for name, constraint in model.constraints.items():
        path = ("constraints", name)
        if isinstance(constraint, PlaceConstraint):
            yield from _places(constraint, known, path)
            if split(constraint.parent)[0] == split(constraint.child)[0]:
                fault = f"the constraint connects {split(constraint.child)[0]!r} with itself"
                yield Issue(fault, "give parent or child another body", (*path, "child"))
        if isinstance(constraint, Coupler) and not constraint.terms:
            cure = "write terms: {pinion: 1, wheel: 2}, a factor by coordinate"
            yield Issue("the coupler couples nothing", cure, (*path, "terms"))
        if isinstance(constraint, PointOnCurve) and not constraint.equations:
            cure = 'write equations: ["y - x**2"], each vanishing on the curve'
            yield Issue("the curve has no equation", cure, (*path, "equations"))
        if isinstance(constraint, Coupler):
            for wrong in constraint.terms.keys() - positions.keys():
                cure = advice(model, wrong, positions)
                yield Issue(f"there is no coordinate {wrong!r}", cure, (*path, "terms", wrong))
