"""A joint of a body as the data of a joint; springs and dampers that no joint of a model has become forces.

Source: MuJoCo's documentation, Computation, "Polynomial forces": a x + b x² + c x³ and a v + b v |v| + c v³
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cardan.formats.mjcf.settings import MjcfSettings
from cardan.formats.xml.placing import tidy
from cardan.formats.xml.tree import XmlElement, all_numbers, first_numbers, look_up, number, numbers
from cardan.frozen import dataclass, replace
from cardan.model.joints import JOINTS

_KINDS = {"hinge": "revolute", "slide": "prismatic", "ball": "spherical", "free": "free"}
"""Type in a model by the type in a file."""
_RESISTANCE = ("stiffness", "damping", "frictionloss", "armature")


@dataclass
class MjcfJoint:
    """A joint of a file and of the model."""

    element: XmlElement  # with the attributes of its class
    kind: str  # its type in the file; "fixed" in a body without joints
    T: np.ndarray  # pose on the body of the frame in which it stands (4×4)
    unit: float  # of its coordinate in the file; 0 of a joint that has not one motion
    name: str = ""  # in the model
    child: str = ""  # name in the model of the body that it carries, which has no mass between two joints

    @property
    def type(self) -> str:
        """Its type in the model."""
        return _KINDS.get(self.kind, self.kind)

    @property
    def motions(self) -> list[str]:
        """Its motions in the model, in the order of MuJoCo: `elbow`, or `shoulder.wx` and so on."""
        return [self.name + suffix for suffix, _ in JOINTS[self.type].velocities]

    @property
    def ref(self) -> float:
        """MuJoCo's coordinate where that of the model is 0."""
        return self.unit * number(self.element, "ref", 0)


def velocity_of(motion: str) -> str:
    """The velocity of a motion: `elbow.v`, `shoulder.wx`."""
    return motion if "." in motion else f"{motion}.v"


def joint_of(element: XmlElement, T: np.ndarray, settings: MjcfSettings) -> MjcfJoint:
    """A joint in a frame at T (4×4) on its body."""
    kind = "free" if element.tag == "freejoint" else element.attributes.get("type", "hinge")
    look_up(element, kind, _KINDS, "joint of type")
    return MjcfJoint(element, kind, T, {"hinge": settings.angle, "slide": 1.0}.get(kind, 0.0))


def slides_and_ball(free: XmlElement, body: str, p: Sequence[float], settings: MjcfSettings) -> list[MjcfJoint]:
    """A free joint of a body at p (3,) as slides along the axes of the world and a ball, each with its own friction."""
    name = free.name or f"{body}_free"
    kept = {key: value for key, value in free.attributes.items() if key in _RESISTANCE}
    parts = [
        {"name": f"{name}_{axis}", "type": "slide", "axis": direction, "springref": repr(float(at))}
        for axis, direction, at in zip("xyz", ("1 0 0", "0 1 0", "0 0 1"), p, strict=True)
    ]
    elements = (replace(free, attributes=kept | own) for own in (*parts, {"name": name, "type": "ball"}))
    return [joint_of(element, np.eye(4), settings) for element in elements]


def joint_data(joint: MjcfJoint, settings: MjcfSettings, note: Callable[[str], None], *, stops: bool) -> dict[str, Any]:
    """The data of a joint without its places."""
    element, is_free = joint.element, joint.kind == "free"
    for key in ("stiffness", "damping"):
        if not joint.unit and any(all_numbers(element, key)[1:]):
            note(f"{key} of a joint of several motions but for its first coefficient")
    if any(all_numbers(element, "springyield")):
        note("springyield, beyond which a spring gives way")
    if is_free and element.attributes.get("align", settings.compiler.attributes.get("alignfree", "false")) != "false":
        note("align: coordinates are those of the frame in the file")
    if joint.kind == "ball" and any(all_numbers(element, "range")):
        note("range of a ball joint")
    resisting = {key: first_numbers(element, key, (0.0,))[0] for key in ("damping", "armature")}
    data: dict[str, Any] = {"type": joint.type}
    data |= {key: [value] * 6 if is_free else value for key, value in resisting.items() if value}
    if friction := number(element, "frictionloss", 0):
        data["friction"] = {"effort": friction}
    return data | (_single(joint, settings, note, stops) if joint.unit else {})


def _single(joint: MjcfJoint, settings: MjcfSettings, note: Callable[[str], None], stops: bool) -> dict[str, Any]:
    """Axis, spring and bounds; a model's coordinate is 0 where MuJoCo's is `ref`."""
    element, ref = joint.element, joint.ref
    axis = numbers(element, "axis", (0.0, 0.0, 1.0))
    if not any(axis):
        raise element.fault("the axis has length 0", 'write a direction, such as axis="0 0 1"')
    data: dict[str, Any] = {"axis": tidy(joint.T[:3, :3] @ axis)}
    if k := first_numbers(element, "stiffness", (0.0,))[0]:
        data["stiffness"] = k
    rest = joint.unit * number(element, "springref", 0) - ref
    if any(any(all_numbers(element, key)) for key in ("stiffness", "springdamper")) and rest:
        data["rest"] = rest
    if ref:
        note("ref, so that coordinates begin at 0")
    if bounds := settings.limits(element):
        lower, upper = (joint.unit * one - ref for one in bounds)
        if lower >= upper:
            raise element.fault(f"the range goes from {lower:g} to {upper:g}", "give the lower bound first")
        data |= {"limits": {"lower": lower, "upper": upper}} if stops else {"position_limits": [lower, upper]}
    return data


def spring_data(joint: MjcfJoint, entry: Mapping[str, Any], at: dict[str, Any]) -> dict[str, Any]:
    """The data of the force of a joint, whose own data are `entry`; empty where it needs none.

    The spring of a ball or free joint, which rests `at` a place, turns its body back by the shortest way, as equal
    springs of a bushing do.
    """
    (k, b, c), (_, d, e) = (first_numbers(joint.element, key, (0.0,) * 3) for key in ("stiffness", "damping"))
    if not joint.unit:
        stiffness = [*[k if joint.kind == "free" else 0] * 3, *[k] * 3]
        return {"type": "bushing", "parent": at, "child": entry["child"], "stiffness": stiffness} if k else {}
    x, v = f"({joint.name} - {entry['rest']!r})" if "rest" in entry else joint.name, f"{joint.name}.v"
    laws = {f"{x}**2": b, f"{x}**3": c, f"{v}*abs({v})": d, f"{v}**3": e}
    law = " + ".join(f"{factor!r}*{power}" for power, factor in laws.items() if factor)
    size = math.hypot(*entry["axis"])
    value = [f"{-one / size!r}*({law})" if one else 0 for one in entry["axis"]]
    if not law:
        return {}
    kind = "torque" if joint.kind == "hinge" else "force"
    return {"type": kind, "parent": entry["parent"], "child": entry["child"], "frame": "parent", "value": value}
