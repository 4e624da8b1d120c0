"""A joint of a body as the data of a joint; springs and dampers that no joint of a model has become forces.

Source: MuJoCo's documentation, Computation, "Polynomial forces": a x + b x² + c x³ and a v + b v |v| + c v³
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cardan.formats.mjcf.settings import MjcfSettings
from cardan.formats.xml.tree import XmlElement, all_numbers, look_up, number, numbers
from cardan.frozen import dataclass, replace

_KINDS = {"hinge": "revolute", "slide": "prismatic", "ball": "spherical", "free": "free"}
"""Type in a model by the type in a file."""
_SPINS = (".wx", ".wy", ".wz")
_VELOCITIES = {"hinge": (".v",), "slide": (".v",), "ball": _SPINS, "free": (".vx", ".vy", ".vz", *_SPINS)}
"""Suffixes of the velocities in a model, in the order of MuJoCo, by the type in a file."""
_RESISTANCE = ("stiffness", "damping", "frictionloss", "armature")


@dataclass(frozen=True)
class MjcfJoint:
    """A joint of a file and of the model."""

    name: str  # in the model
    element: XmlElement  # with the attributes of its class
    kind: str  # its type in the file
    velocities: tuple[str, ...]  # in the model, in the order of MuJoCo
    ref: float  # MuJoCo's coordinate where that of the model is 0


def type_of(joint: XmlElement) -> str:
    """The type of a joint, with the attributes of its class."""
    kind = "free" if joint.tag == "freejoint" else joint.attributes.get("type", "hinge")
    look_up(joint, kind, _KINDS, "joint of type")
    return kind


def velocities_of(joint: XmlElement, name: str) -> tuple[str, ...]:
    """The velocities in the model of a joint of this name there."""
    return tuple(name + suffix for suffix in _VELOCITIES[type_of(joint)])


def slides_and_ball(joint: XmlElement, wished: str, p: Sequence[float]) -> list[XmlElement]:
    """A free joint of a body at p (3,) as slides along the axes of the world and a ball, counted as MuJoCo does.

    Friction has a bound for each slide, and one for the torque of the ball; six motions together would have none.
    """
    kept = {key: value for key, value in joint.attributes.items() if key in _RESISTANCE}
    slides = [
        {"name": f"{wished}_{axis}", "type": "slide", "axis": direction, "springref": repr(float(at))}
        for axis, direction, at in zip("xyz", ("1 0 0", "0 1 0", "0 0 1"), p, strict=True)
    ]
    ball = {"name": joint.name, "type": "ball"}
    return [replace(joint, attributes={**kept, **one}) for one in (*slides, ball)]


def coefficients(joint: XmlElement, key: str) -> tuple[float, float, float]:
    """a, b and c of a stiffness or damping, of which a file gives the first ones."""
    a, b, c = (*all_numbers(joint, key), 0.0, 0.0, 0.0)[:3]
    return a, b, c


def joint_data(
    joint: XmlElement, settings: MjcfSettings, note: Callable[[str], None], *, stops: bool
) -> dict[str, Any]:
    """The data of a joint without its places."""
    kind = type_of(joint)
    if any(all_numbers(joint, "springyield")):
        note("springyield, beyond which a spring gives way")
    if kind in ("hinge", "slide"):
        data = _single(joint, settings, note, stops, settings.angle if kind == "hinge" else 1.0)
    else:
        data = _several(joint, kind, settings, note)
    if armature := number(joint, "armature", 0):
        data["armature"] = [armature] * 6 if kind == "free" else armature
    return {"type": _KINDS[kind], **data}


def _several(joint: XmlElement, kind: str, settings: MjcfSettings, note: Callable[[str], None]) -> dict[str, Any]:
    """Damping and friction of a joint of several motions."""
    for key in ("stiffness", "damping"):
        if any(coefficients(joint, key)[1:]):
            note(f"{key} of a joint of several motions but for its first coefficient")
    damping, friction = coefficients(joint, "damping")[0], number(joint, "frictionloss", 0)
    if kind == "free":
        if joint.attributes.get("align", "auto" if settings.aligns else "false") != "false":
            note("align: coordinates are those of the frame in the file")
        return {"damping": [damping] * 6} if damping else {}
    if any(all_numbers(joint, "range")):
        note("range of a ball joint")
    return ({"damping": damping} if damping else {}) | ({"friction": {"effort": friction}} if friction else {})


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


def force_data(joint: XmlElement, name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """The data of the force of a joint, whose own data are `entry`; empty where it needs none.

    The spring of a ball turns its body back by the shortest way, as a bushing with equal springs does.
    """
    ends = {end: entry[end] for end in ("parent", "child")}
    if entry["type"] in ("spherical", "free"):
        k = coefficients(joint, "stiffness")[0]
        along = k if entry["type"] == "free" else 0
        return {"type": "bushing", **ends, "stiffness": [*[along] * 3, *[k] * 3]} if k else {}
    (_, b, c), (_, d, e) = (coefficients(joint, key) for key in ("stiffness", "damping"))
    x = f"({name} - {entry['rest']!r})" if "rest" in entry else name
    terms = [f"{factor!r}*{power}" for factor, power in ((b, f"{x}**2"), (c, f"{x}**3")) if factor]
    terms += [f"{d!r}*{name}.v*abs({name}.v)"] * bool(d) + [f"{e!r}*{name}.v**3"] * bool(e)
    if not terms:
        return {}
    size = math.hypot(*entry["axis"])
    value = [f"{-one / size!r}*({' + '.join(terms)})" if one else 0 for one in entry["axis"]]
    kind = "torque" if entry["type"] == "revolute" else "force"
    return {"type": kind, **ends, "frame": "parent", "value": value}
