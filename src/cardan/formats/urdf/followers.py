"""Couplers as `<mimic>`: of two coupled joints one follows the other, q = multiplier · q′ + offset."""

from collections.abc import Callable, Mapping
from typing import Any

from cardan.errors import Issue, ModelError
from cardan.model.model import Model
from cardan.model.quantities.scalar import Scalar

_CURE = "write the model as YAML"


def followers(model: Model, number: Callable[[Scalar], float]) -> dict[str, dict[str, str]]:
    """Attributes of `<mimic>` by the joint that follows; the first one of a coupler does, unless it follows already."""
    found: dict[str, dict[str, str]] = {}
    issues = []
    constraints: Mapping[str, Any] = model.constraints
    for name, constraint in constraints.items():
        terms = {joint: number(factor) for joint, factor in getattr(constraint, "terms", {}).items()}
        if len(terms) != 2 or not all(joint in model.joints and factor for joint, factor in terms.items()):
            fault = "URDF has only constraints of two joints of one motion"
            issues.append(Issue(fault, _CURE, ("constraints", name)))
            continue
        offset = number(constraint.offset)
        pair = _pair(tuple(terms), {joint: one["joint"] for joint, one in found.items()})
        if pair is None:
            issues.append(Issue("the joint would have to follow two others", _CURE, ("constraints", name)))
            continue
        own, other = pair
        values = {"multiplier": -terms[other] / terms[own], "offset": offset / terms[own]}
        found[own] = {"joint": other} | {key: repr(value + 0.0) for key, value in values.items()}
    if issues:
        raise ModelError(issues)
    return found


def _pair(joints: tuple[str, ...], leader: Mapping[str, str]) -> tuple[str, str] | None:
    """The joint that follows and the one that it follows; None if both follow already, or would in a ring."""
    for own, other in (joints, joints[::-1]):
        last = other
        while last in leader:
            last = leader[last]
        if own not in leader and last != own:
            return own, other
    return None
