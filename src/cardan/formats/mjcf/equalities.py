"""Equality constraints as data of a model: joints that close loops, and relations of joints."""

from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca
import numpy as np

from cardan.formats.mjcf.joints import MjcfJoint
from cardan.formats.xml.placing import Place, between, ground_first, pose
from cardan.formats.xml.tree import XmlElement, look_up, number, numbers, text
from cardan.frozen import dataclass
from cardan.model.place import GROUND
from cardan.spatial.rotations import from_quaternion

_AS_YAML = "take it out, save the model as YAML and add a joint or constraint there"
Read = tuple[str, str, dict[str, Any]]  # section, name that is wished, data


@dataclass(frozen=True)
class Places:
    """Where the bodies and sites of a file are, by their names in it."""

    bodies: Mapping[str, Place]  # with their poses in the world while all coordinates are zero
    sites: Mapping[str, Place]  # with their poses on their bodies
    T_W: Mapping[str, np.ndarray]  # poses of bodies in the world while all coordinates are zero, by names in the model

    def site(self, element: XmlElement, name: str) -> Place:
        """A site that an element names."""
        return look_up(element, name, self.sites, "site")

    def between(self, tendon: XmlElement) -> tuple[dict[str, Any], float]:
        """The ends of a tendon between two sites, and their distance while all coordinates are zero."""
        ends = [self.site(one, text(one, "site")) for one in tendon.children]
        a, b = ((self.T_W[body] @ T)[:3, 3] for body, T in ends)
        return between(ends), float(np.linalg.norm(b - a))


def is_straight(tendon: XmlElement) -> bool:
    """Whether a tendon goes straight from one site to another."""
    return tendon.tag == "spatial" and [one.tag for one in tendon.children] == ["site"] * 2


@dataclass(frozen=True)
class Equalities:
    """What the equality constraints of a file refer to."""

    places: Places  # of its bodies and sites
    joints: Mapping[str, MjcfJoint]  # by their names in the file
    tendons: Mapping[str, XmlElement]  # by name

    def read(self, element: XmlElement) -> Read:
        """The section, a name and the data of a constraint."""
        if element.tag not in _KINDS:
            raise element.fault(f"the equality constraint <{element.tag}> is not read", _AS_YAML)
        return _KINDS[element.tag](self, element)

    def connect(self, element: XmlElement) -> Read:
        """A ball joint at the anchor, a point of the first body, or between the origins of two sites."""
        if "site1" in element.attributes:
            return _closing(element, "spherical", self._sites(element))
        text(element, "anchor")
        return _closing(element, "spherical", self._ends(element, pose(p=numbers(element, "anchor", (0.0,) * 3))))

    def weld(self, element: XmlElement) -> Read:
        """A fixed joint, which keeps the pose that the bodies have to each other while all coordinates are zero.

        Of two sites it makes one frame; `relpose` is another pose of the second body on the first one.
        """
        if "site1" in element.attributes:
            return _closing(element, "fixed", self._sites(element))
        first, second = self._ends(element, np.eye(4))
        x, y, z, *quaternion = numbers(element, "relpose", (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        if any(quaternion):
            e = ca.DM(np.array(quaternion) / np.linalg.norm(quaternion))
            first, second = (first[0], pose(from_quaternion(e).full(), (x, y, z))), (second[0], np.eye(4))
        return _closing(element, "fixed", [first, second])

    def joint(self, element: XmlElement) -> Read:
        """A relation of two joints, or the place of one."""
        names = [text(element, "joint1"), element.attributes.get("joint2", "")]
        terms = [{self._joint(element, name): 1.0} if name else {} for name in names]
        return _relation(element, terms, f"{self.joints[names[0]].name} coupled")

    def tendon(self, element: XmlElement) -> Read:
        """A relation of two tendons, which add up coordinates of joints, or the length of one."""
        names = [text(element, "tendon1"), element.attributes.get("tendon2", "")]
        first = self.tendons.get(names[0])
        if first is not None and is_straight(first) and not names[1]:
            return self._rod(element, first)
        terms = [self._sum(element, name) if name else {} for name in names]
        return _relation(element, terms, f"{names[0]} coupled")

    def _rod(self, element: XmlElement, tendon: XmlElement) -> Read:
        """A tendon between two sites, of another length than while all coordinates are zero."""
        ends, distance = self.places.between(tendon)
        data = {"type": "distance", **ends, "length": distance + _coefficients(element)[0]}
        return "constraints", element.attributes.get("name") or tendon.attributes["name"], data

    def _joint(self, element: XmlElement, name: str) -> str:
        return look_up(element, name, self.joints, "joint").name

    def _sum(self, element: XmlElement, name: str) -> dict[str, float]:
        """Factor of each joint in the length of a tendon, less its length while all coordinates are zero."""
        tendon = look_up(element, name, self.tendons, "tendon")
        if tendon.tag != "fixed":
            raise element.fault(f"the constraint of the {tendon.tag} tendon {name!r} is not read", _AS_YAML)
        return {self._joint(tendon, joint): factor for joint, factor in tendon_terms(tendon).items()}

    def _ends(self, element: XmlElement, anchor: np.ndarray) -> list[Place]:
        """Frames on both bodies that coincide while all coordinates are zero; the first is `anchor` on its body."""
        names = [text(element, "body1"), element.attributes.get("body2", "")]
        (first, T_first), (second, T_second) = (look_up(element, name, self.places.bodies, "body") for name in names)
        return [(first, anchor), (second, np.linalg.inv(T_second) @ T_first @ anchor)]

    def _sites(self, element: XmlElement) -> list[Place]:
        return [self.places.site(element, text(element, key)) for key in ("site1", "site2")]


def tendon_terms(tendon: XmlElement) -> dict[str, float]:
    """Factor of each joint, by its name in the file, in the length of a fixed tendon."""
    found: dict[str, float] = {}
    for joint in tendon.all("joint"):
        name = text(joint, "joint")
        found[name] = found.get(name, 0) + number(joint, "coef")
    return found


def _closing(element: XmlElement, kind: str, ends: Sequence[Place]) -> Read:
    """A joint that makes frames on two bodies coincide."""
    (parent, _), (child, _) = ground_first(ends)
    if child in (GROUND, parent):
        raise element.fault("the constraint does not join two bodies", "name two bodies that differ")
    name = element.attributes.get("name") or f"{child} {element.tag}"
    return "joints", name, {"type": kind, **between(ends), "cut": True}


def _relation(element: XmlElement, terms: Sequence[Mapping[str, float]], name: str) -> Read:
    """y = c₀ + c₁ x + c₂ x² + …; x and y are sums of coordinates, which a model counts from where x = y = 0."""
    own, other = terms
    c = _coefficients(element)
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


def _coefficients(element: XmlElement) -> tuple[float, ...]:
    """c₀ to c₄ of a relation."""
    usual = (0.0, 1.0, 0.0, 0.0, 0.0)
    given = len(element.attributes.get("polycoef", "").split())  # the others have their usual values
    return (*numbers(element, "polycoef", usual[:given] or usual), *(usual[given:] if given else ()))


def _sum(terms: Mapping[str, float]) -> str:
    return " + ".join(joint if factor == 1 else f"{factor!r}*{joint}" for joint, factor in terms.items())


_KINDS = {
    "connect": Equalities.connect,
    "weld": Equalities.weld,
    "joint": Equalities.joint,
    "tendon": Equalities.tendon,
}
