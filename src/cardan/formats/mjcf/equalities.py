"""Equality constraints as data of a model: joints that close loops, and relations of joints."""

from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca
import numpy as np

from cardan.formats.mjcf.bodies import MjcfFile
from cardan.formats.mjcf.settings import MAIN
from cardan.formats.mjcf.tendons import ends_of, is_straight, site_of, terms_of
from cardan.formats.xml.placing import Place, between, ground_first, pose
from cardan.formats.xml.tree import XmlElement, first_numbers, look_up, numbers, text
from cardan.model.place import GROUND
from cardan.spatial.rotations import from_quaternion

_AS_YAML = "take it out, save the model as YAML and add a joint or constraint there"
Read = tuple[str, str, dict[str, Any]]  # section, name that is wished, data


def add_equalities(file: MjcfFile) -> None:
    """Add joints that close loops, and constraints; where there are some, the start is a guess."""
    data, disabled = file.found.data, "equality" in file.settings.disabled
    for given in [one for section in file.top.all("equality") for one in section.children if not disabled]:
        element = file.settings.completed(given, MAIN, "equality")
        if element.attributes.get("active", "true") != "false":
            if element.tag not in _KINDS:
                raise element.fault(f"the equality constraint <{element.tag}> is not read", _AS_YAML)
            section, wished, entry = _KINDS[element.tag](file, element)
            file.found.put(section, file.found.free(wished), entry, element.line)
    if data["constraints"] or any("cut" in joint for joint in data["joints"].values()):
        data["initial"] = {
            key: {"guess": one} if key in data["joints"] else one for key, one in data["initial"].items()
        }


def _connect(file: MjcfFile, element: XmlElement) -> Read:
    """A ball joint at the anchor, a point of the first body, or between the origins of two sites."""
    if "site1" not in element.attributes:
        text(element, "anchor")
    return _closing(element, "spherical", _ends(file, element, pose(p=numbers(element, "anchor", (0.0,) * 3))))


def _weld(file: MjcfFile, element: XmlElement) -> Read:
    """A fixed joint, which keeps the pose of two bodies that they have at zero, or `relpose`, or joins two sites."""
    first, second = _ends(file, element, np.eye(4))
    x, y, z, *quaternion = numbers(element, "relpose", (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    if any(quaternion) and "site1" not in element.attributes:
        e = ca.DM(np.array(quaternion) / np.linalg.norm(quaternion))
        first, second = (first[0], pose(from_quaternion(e).full(), (x, y, z))), (second[0], np.eye(4))
    return _closing(element, "fixed", [first, second])


def _joint(file: MjcfFile, element: XmlElement) -> Read:
    """A relation of two joints, or the place of one."""
    names = [text(element, "joint1"), element.attributes.get("joint2", "")]
    joints = [look_up(element, name, file.joint_named, "joint").name for name in names if name]
    return _relation(element, [{name: 1.0} for name in joints], f"{joints[0]} coupled")


def _tendon(file: MjcfFile, element: XmlElement) -> Read:
    """A relation of two tendons, which add up coordinates of joints, or the length of one, added to that at zero."""
    names = [text(element, "tendon1"), element.attributes.get("tendon2", "")]
    tendons = [look_up(element, name, file.tendons, "tendon") for name in names if name]
    if len(tendons) == 1 and is_straight(tendons[0]):
        ends, distance = ends_of(file, tendons[0])
        data = {"type": "distance", **ends, "length": distance + first_numbers(element, "polycoef", (0.0,))[0]}
        return "constraints", element.attributes.get("name") or names[0], data
    for name, tendon in zip(names, tendons, strict=False):
        if tendon.tag != "fixed":
            raise element.fault(f"the constraint of the {tendon.tag} tendon {name!r} is not read", _AS_YAML)
    return _relation(element, [terms_of(file, tendon) for tendon in tendons], f"{names[0]} coupled")


_KINDS = {"connect": _connect, "weld": _weld, "joint": _joint, "tendon": _tendon}


def _ends(file: MjcfFile, element: XmlElement, anchor: np.ndarray) -> list[Place]:
    """Two sites, or frames on two bodies that coincide while all coordinates are zero, the first at `anchor`."""
    if "site1" in element.attributes:
        return [(body.name, T) for body, T in (site_of(file, element, key) for key in ("site1", "site2"))]
    names = [text(element, "body1"), element.attributes.get("body2", "world")]
    first, second = (look_up(element, name, file.body_named, "body") for name in names)
    return [(first.name, anchor), (second.name, np.linalg.inv(second.T_W) @ first.T_W @ anchor)]


def _closing(element: XmlElement, kind: str, ends: Sequence[Place]) -> Read:
    """A joint that makes frames on two bodies coincide."""
    (parent, _), (child, _) = ground_first(ends)
    if child in (GROUND, parent):
        raise element.fault("the constraint does not join two bodies", "name two bodies that differ")
    name = element.attributes.get("name") or f"{child} {element.tag}"
    return "joints", name, {"type": kind, **between(ends), "cut": True}


def _relation(element: XmlElement, terms: Sequence[Mapping[str, float]], name: str) -> Read:
    """y = c₀ + c₁ x + c₂ x² + …; x and y are sums of coordinates, which a model counts from where x = y = 0."""
    own, other = (*terms, {})[:2]
    c = first_numbers(element, "polycoef", (0.0, 1.0, 0.0, 0.0, 0.0))
    name = element.attributes.get("name") or name
    if other and any(c[2:]):
        x = _sum(other)
        right = "".join(f" - {c[k]!r}*({x})**{k}" for k in range(1, 5) if c[k])
        return "constraints", name, {"type": "expression", "expression": f"{_sum(own)} - {c[0]!r}{right}"}
    joints = dict.fromkeys((*own, *other))
    factors = {joint: own.get(joint, 0) - c[1] * other.get(joint, 0) for joint in joints}
    factors = {joint: factor for joint, factor in factors.items() if factor}
    if not factors:
        raise element.fault("the constraint holds for every motion", "name joints that differ, or take it out")
    data = {"type": "coupler", "terms": factors} | ({"offset": c[0]} if c[0] else {})
    return "constraints", name, data


def _sum(terms: Mapping[str, float]) -> str:
    return " + ".join(joint if factor == 1 else f"{factor!r}*{joint}" for joint, factor in terms.items())
