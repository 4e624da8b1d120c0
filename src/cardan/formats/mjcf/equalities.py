"""Equality constraints as data of a model: joints that close loops, and couplers of joints."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cardan.errors import nearest
from cardan.formats.mjcf.placing import placement
from cardan.formats.xml.tree import XmlElement, numbers, text
from cardan.frozen import dataclass
from cardan.model.place import GROUND

_AS_YAML = "take it out, save the model as YAML and add a joint or constraint there"
Read = tuple[str, str, dict[str, Any]]  # section, name that is wished, data


@dataclass(frozen=True)
class Equalities:
    """What the equality constraints of a file refer to."""

    T_W: Sequence[np.ndarray]  # pose of each body in the world while all coordinates are zero (4×4)
    index: Mapping[str, int]  # index of each body by its name in the file
    bodies: Sequence[str]  # names of the bodies in the model
    joints: Mapping[str, str]  # names of the joints in the model by those in the file

    def read(self, element: XmlElement) -> Read:
        """The section, a name and the data of a constraint."""
        if element.tag not in _KINDS:
            raise element.fault(f"the equality constraint <{element.tag}> is not read", _AS_YAML)
        return _KINDS[element.tag](self, element)

    def _pose(self, element: XmlElement, key: str) -> tuple[str, np.ndarray]:
        """Name in the model and pose of a body; those of the ground where the second one is not given."""
        name = text(element, key) if key == "body1" else element.attributes.get(key, "")
        if not name or name == "world":
            return GROUND, np.eye(4)
        if name not in self.index:
            raise element.fault(f"there is no body {name!r}", nearest(name, self.index))
        k = self.index[name]
        return self.bodies[k], self.T_W[k]

    def _closing(self, element: XmlElement, kind: str, anchor: np.ndarray) -> Read:
        """A joint between the frames on both bodies that coincide while all coordinates are zero."""
        ends = [self._pose(element, key) for key in ("body1", "body2")]
        T_joint = ends[0][1] @ anchor
        (parent, T_parent), (child, T_child) = sorted(ends, key=lambda end: end[0] != GROUND)
        if child in (GROUND, parent):
            raise element.fault("the constraint does not join two bodies", "name two bodies that differ")
        places = {
            "parent": placement(parent, np.linalg.inv(T_parent) @ T_joint),
            "child": placement(child, np.linalg.inv(T_child) @ T_joint),
        }
        name = element.attributes.get("name") or f"{child} {element.tag}"
        return "joints", name, {"type": kind, **places, "cut": True}

    def connect(self, element: XmlElement) -> Read:
        """A ball joint at the anchor, a point of the first body."""
        _refuse(element, "site1")
        anchor = np.eye(4)
        text(element, "anchor")
        anchor[:3, 3] = numbers(element, "anchor", (0.0,) * 3)
        return self._closing(element, "spherical", anchor)

    def weld(self, element: XmlElement) -> Read:
        """A fixed joint, which keeps the pose that the bodies have to each other while all coordinates are zero."""
        for key in ("site1", "relpose"):
            _refuse(element, key)
        return self._closing(element, "fixed", np.eye(4))

    def joint(self, element: XmlElement) -> Read:
        """A coupler, y − y₀ = c₀ + c₁ (x − x₀); coordinates of a model begin at x₀."""
        usual = (0.0, 1.0, 0.0, 0.0, 0.0)
        given = len(element.attributes.get("polycoef", "").split())  # the others have their usual values
        c = (*numbers(element, "polycoef", usual[:given] or usual), *(usual[given:] if given else ()))
        if any(c[2:]):
            cure = "save the model as YAML, with a constraint of type expression"
            raise element.fault("a relation of joints that is not linear is not read", cure)
        names = [text(element, "joint1"), *([text(element, "joint2")] if "joint2" in element.attributes else [])]
        for name in names:
            if name not in self.joints:
                raise element.fault(f"there is no joint {name!r}", nearest(name, self.joints))
        own, *others = (self.joints[name] for name in names)
        terms = {own: 1} | {other: -c[1] for other in others if c[1]}
        data = {"type": "coupler", "terms": terms} | ({"offset": c[0]} if c[0] else {})
        return "constraints", element.attributes.get("name") or f"{own} coupled", data


def _refuse(element: XmlElement, key: str) -> None:
    if key in element.attributes:
        raise element.fault(f"<{element.tag}> with {key} is not read", _AS_YAML)


_KINDS = {"connect": Equalities.connect, "weld": Equalities.weld, "joint": Equalities.joint}
