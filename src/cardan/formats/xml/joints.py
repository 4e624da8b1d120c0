"""What the elements of a joint say: its axis, damping, friction and limits, and the joint that it follows."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from cardan.errors import nearest
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.tree import XmlElement, number, numbers, only, text

UNBOUNDED = float(np.finfo(np.float32).max)
"""What stands for no limit in a file: the largest number of single precision, which every reader can hold."""


def axis_of(joint: XmlElement) -> list[float]:
    """The axis in the joint's frame; x where none is given."""
    axis = only(joint, "axis")
    found = (1.0, 0.0, 0.0) if axis is None else numbers(axis, "xyz", (1.0, 0.0, 0.0))
    if not any(found):
        raise (axis or joint).fault("the axis has length 0", 'write a direction, such as <axis xyz="0 0 1"/>')
    return list(found)


def dynamics_data(joint: XmlElement) -> dict[str, Any]:
    """Damping and friction."""
    dynamics = only(joint, "dynamics")
    if dynamics is None:
        return {}
    damping, friction = number(dynamics, "damping", 0), number(dynamics, "friction", 0)
    data: dict[str, Any] = {"damping": damping} if damping else {}
    return data | ({"friction": {"effort": friction}} if friction else {})


def limit_data(joint: XmlElement, notes: Notes, stops: bool, *, bounded: bool = True) -> dict[str, Any]:
    """The largest effort and speed, not known where 0, and the bounds of a position, which `stops` makes end stops."""
    limit = only(joint, "limit")
    if limit is None:
        return {}
    velocity, effort = number(limit, "velocity", 0), number(limit, "effort", 0)
    data: dict[str, Any] = {"velocity_limit": velocity} if 0 < velocity < UNBOUNDED else {}
    if effort < 0:
        fault = limit.fault(f"effort of <limit> is {effort:g}", "it has to be positive")
        notes.mend(fault, "efforts below 0 in <limit>, read as not known", joint.name)
    data |= {"effort_limit": effort} if 0 < effort < UNBOUNDED else {}
    if not bounded:
        return data
    bounds = {key: number(limit, key, 0) for key in ("lower", "upper")}
    if bounds["lower"] > bounds["upper"]:
        fault = limit.fault(f"<limit> has lower {bounds['lower']:g} above upper {bounds['upper']:g}", "exchange them")
        notes.mend(fault, "limits with lower above upper, exchanged", joint.name)
        bounds = {"lower": bounds["upper"], "upper": bounds["lower"]}
    found = {key: bound for key, bound in bounds.items() if abs(bound) < UNBOUNDED}
    if not found:
        return data
    return data | ({"limits": found} if stops else {"position_limits": list(bounds.values())})


def mimic_data(joint: XmlElement, names: Mapping[str, str], kinds: Mapping[str, str], notes: Notes) -> dict[str, Any]:
    """The data of the coupler that makes a joint follow another, q = multiplier · q′ + offset; empty without one."""
    mimic = only(joint, "mimic")
    if mimic is None:
        return {}
    own, other = text(joint, "name"), text(mimic, "joint")
    if other not in names:
        missing = mimic.fault(f"there is no joint {other!r} to mimic", nearest(other, names))
        notes.mend(
            missing, "mimics of joints that are not there, left out, so that these move freely", f"{own} of {other}"
        )
        return {}
    if other == own:
        raise mimic.fault("the joint mimics itself", "name another joint")
    if kinds[own] == "fixed":
        notes.add("mimic of joints that do not move", own)
        return {}
    single = ("revolute", "continuous", "prismatic")
    for one in (own, other):
        if kinds[one] not in single:
            fault = f"the joint {one!r} of type {kinds[one]} has not one motion"
            raise mimic.fault(fault, f"mimic and what it follows have one of the types {', '.join(single)}")
    factor, offset = number(mimic, "multiplier", 1), number(mimic, "offset", 0)
    terms = {names[own]: 1} | ({names[other]: -factor} if factor else {})
    return {"type": "coupler", "terms": terms} | ({"offset": offset} if offset else {})


def starts_of(coupled: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Guesses, other than 0, where joints are that mimic others, which may mimic a third, while the last is at 0."""
    found: dict[str, float] = {}
    for _ in coupled:
        before, found = found, {}
        for name, data in coupled.items():
            others = ((other, k) for other, k in data.get("terms", {}).items() if other != names[name])
            if value := data.get("offset", 0) - sum(k * before.get(other, 0) for other, k in others):
                found[names[name]] = value
        if found == before:
            break
    return {name: {"guess": value} for name, value in found.items() if math.isfinite(value)}
