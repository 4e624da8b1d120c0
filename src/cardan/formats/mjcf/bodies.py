"""The bodies in a document: a walk through `<worldbody>`, in which frames are merged into what stands inside them."""

from collections.abc import Iterator

import numpy as np

from cardan.errors import nearest
from cardan.formats.mjcf.settings import MAIN, MjcfSettings, pose_of
from cardan.formats.xml.tree import XmlElement
from cardan.frozen import dataclass

WORLD = -1
"""Index of the parent of bodies that stand in the world."""
_REFUSED = ("composite", "flexcomp", "replicate", "attach")
_PARTS = ("inertial", "joint", "freejoint", "geom", "site")
_PASSED = ("camera", "light", "plugin", "body", "frame")  # bodies and frames are walked through


@dataclass(frozen=True)
class MjcfPart:
    """A joint, a geom, a site or the inertia of a body."""

    element: XmlElement  # the element with the attributes of its class
    T: np.ndarray  # pose on the body of the frame in which it stands (4×4)


@dataclass(frozen=True)
class MjcfBody:
    """A body with its parts."""

    element: XmlElement  # the element
    parent: int  # index of the body in which it stands, or `WORLD`
    T: np.ndarray  # its pose on that body while all coordinates are zero (4×4)
    parts: dict[str, list[MjcfPart]]  # by the name of their elements; free joints are among the joints


def bodies_of(top: XmlElement, settings: MjcfSettings) -> list[MjcfBody]:
    """All bodies of a document, each before those that stand in it, in the order of the file."""
    found: list[MjcfBody] = []
    worlds = [_inside(world, MAIN, settings) for world in top.all("worldbody")]
    waiting = [(WORLD, one) for inner in reversed(worlds) for one in reversed(list(inner)) if one[0].tag == "body"]
    while waiting:
        parent, (element, frame, childclass) = waiting.pop()
        inner = list(_inside(element, element.attributes.get("childclass", childclass), settings))
        parts: dict[str, list[MjcfPart]] = {"inertial": [], "joint": [], "geom": [], "site": []}
        for child, T, inherited in inner:
            if child.tag in _PARTS:
                completed = settings.completed(child, inherited)
                parts["joint" if child.tag == "freejoint" else child.tag].append(MjcfPart(completed, T))
        waiting += [(len(found), one) for one in reversed(inner) if one[0].tag == "body"]
        found.append(MjcfBody(element, parent, frame @ pose_of(element, settings), parts))
    return found


def world_parts(top: XmlElement, tag: str, settings: MjcfSettings) -> list[MjcfPart]:
    """The geoms or sites of the world."""
    inside = (one for world in top.all("worldbody") for one in _inside(world, MAIN, settings))
    return [MjcfPart(settings.completed(one, inherited), T) for one, T, inherited in inside if one.tag == tag]


def _inside(
    around: XmlElement, childclass: str, settings: MjcfSettings
) -> Iterator[tuple[XmlElement, np.ndarray, str]]:
    """The elements in a body, with the pose of the frames around them and the class that they inherit."""
    waiting = [(child, np.eye(4), childclass) for child in reversed(around.children)]
    while waiting:
        element, T, inherited = waiting.pop()
        if element.tag in _REFUSED:
            cure = "save the compiled model in MuJoCo (mj_saveLastXML), which writes it out"
            raise element.fault(f"<{element.tag}> is not read", cure)
        if element.tag not in (*_PARTS, *_PASSED):
            raise element.fault(f"<{element.tag}> does not stand in a body", nearest(element.tag, (*_PARTS, *_PASSED)))
        if element.tag == "frame":
            T_frame = T @ pose_of(element, settings)
            inner = element.attributes.get("childclass", inherited)
            waiting += [(child, T_frame, inner) for child in reversed(element.children)]
        else:
            yield element, T, inherited
