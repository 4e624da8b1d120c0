"""Checks of directions in which bodies move: those of `planar:` models, and bodies that turn about one axis alone."""

from collections import defaultdict, deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from cardan.errors import Issue
from cardan.model.place import GROUND, InlinePlace, split
from cardan.model.placement import Placement
from cardan.model.plane import Plane
from cardan.model.records.element import ValueOf
from cardan.model.records.walk import elements
from cardan.model.sections import ModelSections
from cardan.model.topology import spanning_tree
from cardan.numerics.round_off import WRITTEN

if TYPE_CHECKING:
    from cardan.model.joints import Joint


def planarity_issues(model: ModelSections, value_of: ValueOf) -> Iterator[Issue]:
    """Joints and constraints that leave the plane of a planar model."""
    if model.planar is None:
        return
    plane, turned = Plane(model.planar), _orientations(model, value_of)

    def axes_of(place: str | InlinePlace) -> np.ndarray:
        return np.asarray(turned[split(place)[0]] @ _marker(model, place, value_of))

    for path, element in elements(model):
        yield from (issue.under(*path) for issue in element.planarity_issues(plane, axes_of, value_of))


def turns_only_about(model: ModelSections, body: str, axis: np.ndarray, value_of: ValueOf) -> bool:
    """Whether the joints that carry a `body` let it turn about one axis (3,) of its own alone."""
    turned, carried = _orientations(model, value_of), body
    n, below = turned[body] @ axis, {}
    for name in spanning_tree(model.joints, model.bodies).carrying:
        joint = model.joints[name]
        parent, child = split(joint.parent)[0], split(joint.child)[0]
        near, far = (parent, child) if parent == GROUND or parent in below else (child, parent)
        below[far] = (joint, near)
    while carried != GROUND:
        joint, near = below[carried]
        R = turned[split(joint.parent)[0]] @ _marker(model, joint.parent, value_of)
        law = joint.resolved(lambda scalar: ca.DM(value_of(scalar)))
        axes = np.array(ca.DM(law.alignment() @ law.subspace(ca.DM(law.neutral))[:3, :]), dtype=float)
        if np.any(np.linalg.norm(np.cross(n, (R @ axes).T), axis=-1) > WRITTEN):
            return False
        carried = near
    return True


def _orientations(model: ModelSections, value_of: ValueOf) -> dict[str, np.ndarray]:
    """Axes R_WB of every body in the world, all joints at zero."""
    turned = {GROUND: np.eye(3)}
    joints: dict[str, list[Joint]] = defaultdict(list)
    for joint in model.joints.values():
        for place in (joint.parent, joint.child):
            joints[split(place)[0]].append(joint)
    waiting = deque([GROUND])
    while waiting:
        for joint in joints[waiting.popleft()]:
            parent, child = split(joint.parent)[0], split(joint.child)[0]
            if parent in turned and child in turned:
                continue
            R_PC = _marker(model, joint.parent, value_of) @ _marker(model, joint.child, value_of).T
            if parent in turned:
                turned[child] = turned[parent] @ R_PC
                waiting.append(child)
            else:
                turned[parent] = turned[child] @ R_PC.T
                waiting.append(parent)
    return turned


def _marker(model: ModelSections, place: str | InlinePlace, value_of: ValueOf) -> np.ndarray:
    """Axes R_BM of a marker in its body."""
    frame: Placement | None = place if isinstance(place, InlinePlace) else None
    body, marker = split(place)
    if frame is None and marker not in ("", "com"):
        frame = (model.ground if body == GROUND else model.bodies[body]).markers[marker]
    return np.eye(3) if frame is None else np.array(frame.resolved(value_of).orientation(), dtype=float)
