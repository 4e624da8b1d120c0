"""A joint of a body as the data of a joint; one function for each type."""

from collections.abc import Callable
from typing import Any

from cardan.errors import nearest
from cardan.formats.mjcf.settings import MjcfSettings
from cardan.formats.mjcf.springs import coefficients
from cardan.formats.xml.tree import XmlElement, all_numbers, number, numbers


def type_of(joint: XmlElement) -> str:
    """The type of a joint, with the attributes of its class."""
    kind = "free" if joint.tag == "freejoint" else joint.attributes.get("type", "hinge")
    if kind not in _KINDS:
        raise joint.fault(f"there is no joint of type {kind!r}", nearest(kind, _KINDS))
    return kind


def is_free(joint: XmlElement) -> bool:
    """Whether a joint, with the attributes of its class, leaves its body all six motions."""
    return _KINDS[type_of(joint)] is _free


def joint_data(
    joint: XmlElement, settings: MjcfSettings, note: Callable[[str], None], *, stops: bool
) -> dict[str, Any]:
    """The data of a joint without its places."""
    for key, what in _LEFT_OUT.items():
        if any(all_numbers(joint, key)):
            note(what)
    data = _KINDS[type_of(joint)](joint, settings, note, stops)
    if armature := number(joint, "armature", 0):
        data["armature"] = [armature] * 6 if is_free(joint) else armature
    return data


def _free(joint: XmlElement, settings: MjcfSettings, note: Callable[[str], None], stops: bool) -> dict[str, Any]:
    _note_curves(joint, note)
    if any(all_numbers(joint, "frictionloss")):
        note("frictionloss of a free joint, which touches nothing")
    if joint.attributes.get("align", "auto" if settings.aligns else "false") != "false":
        note("align: coordinates are those of the frame in the file")
    damping = coefficients(joint, "damping")[0]
    return {"type": "free"} | ({"damping": [damping] * 6} if damping else {})


def _ball(joint: XmlElement, settings: MjcfSettings, note: Callable[[str], None], stops: bool) -> dict[str, Any]:
    _note_curves(joint, note)
    if any(all_numbers(joint, "range")):
        note("range of a ball joint")
    damping, friction = coefficients(joint, "damping")[0], number(joint, "frictionloss", 0)
    data: dict[str, Any] = {"type": "spherical"} | ({"damping": damping} if damping else {})
    return data | ({"friction": {"effort": friction}} if friction else {})


def _hinge(joint: XmlElement, settings: MjcfSettings, note: Callable[[str], None], stops: bool) -> dict[str, Any]:
    return {"type": "revolute"} | _single(joint, settings, note, stops, settings.angle)


def _slide(joint: XmlElement, settings: MjcfSettings, note: Callable[[str], None], stops: bool) -> dict[str, Any]:
    return {"type": "prismatic"} | _single(joint, settings, note, stops, 1.0)


_KINDS = {"hinge": _hinge, "slide": _slide, "ball": _ball, "free": _free}
_LEFT_OUT = {
    "springyield": "springyield, beyond which a spring gives way",
}
"""Attributes of joints that are not read."""


def _note_curves(joint: XmlElement, note: Callable[[str], None]) -> None:
    for key in ("stiffness", "damping"):
        if any(coefficients(joint, key)[1:]):
            note(f"{key} of a joint of several motions but for its first coefficient")


def _single(
    joint: XmlElement, settings: MjcfSettings, note: Callable[[str], None], stops: bool, unit: float
) -> dict[str, Any]:
    """Axis, damping, spring, friction and bounds; a model's coordinate is 0 where MuJoCo's is `ref`."""
    axis = numbers(joint, "axis", (0.0, 0.0, 1.0))
    if not any(axis):
        raise joint.fault("the axis has length 0", 'write a direction, such as axis="0 0 1"')
    data: dict[str, Any] = {"axis": list(axis)}
    ref = unit * number(joint, "ref", 0)
    values = {key: coefficients(joint, key)[0] for key in ("damping", "stiffness")}
    data |= {key: value for key, value in values.items() if value}
    rest = unit * number(joint, "springref", 0) - ref
    if (any(all_numbers(joint, "stiffness")) or any(all_numbers(joint, "springdamper"))) and rest:
        data["rest"] = rest
    if friction := number(joint, "frictionloss", 0):
        data["friction"] = {"effort": friction}
    if ref:
        note("ref, so that coordinates begin at 0")
    limited = joint.attributes.get("limited", "auto")
    if limited == "true" or (limited == "auto" and settings.autolimits and "range" in joint.attributes):
        lower, upper = (unit * one - ref for one in numbers(joint, "range", (0.0, 0.0)))
        if lower >= upper:
            raise joint.fault(f"the range goes from {lower:g} to {upper:g}", "give the lower bound first")
        data |= {"limits": {"lower": lower, "upper": upper}} if stops else {"position_limits": [lower, upper]}
    return data
