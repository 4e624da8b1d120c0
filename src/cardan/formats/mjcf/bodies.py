"""The bodies in a document, and their names: a walk through `<worldbody>`, in which frames are merged into what stands
inside them.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from cardan.errors import nearest
from cardan.formats.mjcf.joints import MjcfJoint, slides_and_ball, type_of, velocities_of
from cardan.formats.mjcf.meshes import Meshes
from cardan.formats.mjcf.settings import MAIN, MjcfSettings, pose_of
from cardan.formats.xml.description import Description
from cardan.formats.xml.names import unique
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.tree import XmlElement, by_name, number
from cardan.frozen import dataclass, replace
from cardan.model.place import GROUND

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
    name: str = ""  # in the model
    carrier: str = GROUND  # name in the model of the body in which it stands
    slides: bool = False  # whether slides along the axes of the world and a ball are its free joint, which has friction


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
        T, joints = frame @ pose_of(element, settings), [part.element for part in parts["joint"]]
        slides = (
            [type_of(one) for one in joints] == ["free"] and parent == WORLD and number(joints[0], "frictionloss", 0)
        )
        if slides:
            wished = joints[0].name or element.name or f"body {len(found) + 1}"
            parts["joint"] = [MjcfPart(one, np.eye(4)) for one in slides_and_ball(joints[0], wished, T[:3, 3])]
        found.append(MjcfBody(element, parent, T, parts, slides=bool(slides)))
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


class MjcfNames:
    """Names in the model of the bodies and joints of a file."""

    def __init__(self, bodies: Sequence[MjcfBody], settings: MjcfSettings, notes: Notes) -> None:
        by_name(((body.element.name, body.element) for body in bodies), "bodies")
        self.body = unique(body.element.name or f"body {k + 1}" for k, body in enumerate(bodies))  # as in the file
        owned = list(zip(self.body, bodies, strict=True))
        joints = [(name, part.element) for name, body in owned for part in body.parts["joint"]]
        by_name(((joint.name, joint) for _, joint in joints), "joints")
        jointless = [name for name, body in owned if not body.parts["joint"]]
        wished = [joint.name or f"{name} {type_of(joint)}" for name, joint in joints]
        found = unique([*wished, *(f"{name} fixed" for name in jointless)])
        self.joint = {id(joint): name for name, (_, joint) in zip(found, joints, strict=False)}  # by element
        self.fixed = dict(zip(jointless, found[len(joints) :], strict=True))  # joints of bodies that have none, by body
        several = [(name, part.element) for name, body in owned for part in body.parts["joint"][:-1]]
        between = unique((f"{name} {self.joint[id(joint)]}" for name, joint in several), self.body)
        self.between = {id(joint): name for (_, joint), name in zip(several, between, strict=True)}  # bodies
        self.taken = {*self.body, *found, *between}  # all of these
        elements = (*(body.element for body in bodies), *(joint for _, joint in joints))
        for element, new in zip(elements, (*self.body, *found), strict=False):
            notes.rename(element.name or new, new)
        self._joints, self._units = [joint for _, joint in joints], {"hinge": settings.angle, "slide": 1.0}
        self._sliding = [[part.element for part in body.parts["joint"]] for body in bodies if body.slides]

    def named(self, bodies: Sequence[MjcfBody]) -> list[MjcfBody]:
        """The bodies with their names in the model."""
        carriers = (GROUND if body.parent == WORLD else self.body[body.parent] for body in bodies)
        return [replace(one, name=name, carrier=by) for one, name, by in zip(bodies, self.body, carriers, strict=True)]

    def joints(self) -> list[MjcfJoint]:
        """The joints in the order of the file."""
        return [self._joint([one], type_of(one)) for one in self._joints]

    def of_file(self) -> dict[str, MjcfJoint]:
        """The joints by their names in the file, a free joint that slides as one."""
        free = [self._joint(parts, "free") for parts in self._sliding]
        return {one.element.name: one for one in (*self.joints(), *free)}

    def _joint(self, parts: Sequence[XmlElement], kind: str) -> MjcfJoint:
        element, names = parts[-1], [self.joint[id(part)] for part in parts]
        velocities = tuple(v for part, name in zip(parts, names, strict=True) for v in velocities_of(part, name))
        return MjcfJoint(names[-1], element, kind, velocities, self._units.get(kind, 0) * number(element, "ref", 0))


@dataclass(frozen=True)
class MjcfFile:
    """A document, and the description to which what stands in it is added."""

    top: XmlElement  # `<mujoco>`
    settings: MjcfSettings  # what holds for all of it
    bodies: Sequence[MjcfBody]  # in its order
    world: Sequence[MjcfPart]  # geoms of the world
    names: MjcfNames  # of bodies and joints in the model
    meshes: Meshes  # by name
    found: Description  # of the model
