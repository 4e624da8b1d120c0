"""The bodies in a document, and their names: a walk through `<worldbody>`, in which frames are merged into what stands
inside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from cardan.errors import nearest
from cardan.formats.mjcf.joints import MjcfJoint, joint_of, slides_and_ball
from cardan.formats.mjcf.meshes import Meshes
from cardan.formats.mjcf.settings import MAIN, MjcfSettings, pose_of, settings_of
from cardan.formats.xml.description import Description
from cardan.formats.xml.names import unique
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.placing import tidy
from cardan.formats.xml.tree import XmlElement, by_name, number, numbers
from cardan.frozen import dataclass
from cardan.model.place import GROUND

_REFUSED = ("composite", "flexcomp", "replicate", "attach")
_PARTS = ("inertial", "joint", "freejoint", "geom", "site")
_PASSED = ("camera", "light", "plugin", "body", "frame")  # bodies and frames are walked through
_FILLED = ("bodies", "joints", "constraints", "forces", "motors", "parameters", "let", "inputs", "initial")
"""Sections of a model to which a file adds."""


@dataclass(frozen=True)
class MjcfPart:
    """A joint, a geom, a site or the inertia of a body."""

    element: XmlElement  # the element with the attributes of its class
    T: np.ndarray  # pose on the body of the frame in which it stands (4×4)


@dataclass
class MjcfBody:
    """A body with its parts, or the world."""

    element: XmlElement  # the element
    carrier: MjcfBody | None  # the body in which it stands; None of the world
    T: np.ndarray  # its pose on that body while all coordinates are zero (4×4)
    T_W: np.ndarray  # its pose in the world then
    parts: dict[str, list[MjcfPart]]  # geoms, sites and inertia by the name of their elements
    joints: list[MjcfJoint]  # that carry it, one behind the other
    flies: bool  # whether these are a free joint, or slides along the axes of the world and a ball in place of one
    name: str = GROUND  # in the model


class MjcfFile:
    """A document, what stands in it by names, and the description to which it is added."""

    def __init__(self, top: XmlElement, notes: Notes, mesh_file: Callable[[str], str]) -> None:
        self.top, self.settings = top, settings_of(top)
        self.world, *self.bodies = _bodies_of(top, self.settings)
        if not self.bodies:
            raise top.fault("the file has no body", "add <body> to <worldbody>, with a joint and a geom")
        taken = _name_all(self.bodies, notes)
        gravity = numbers(self.settings.option, "gravity", (0.0, 0.0, -9.81))
        gravity = (0, 0, 0) if "gravity" in self.settings.disabled else gravity
        data = {"name": top.attributes.get("model", ""), "gravity": tidy(gravity), **{key: {} for key in _FILLED}}
        self.found = Description(data, notes=notes, reserved=taken)
        self.meshes = Meshes(top, self.settings, mesh_file)
        self.joints = [joint for body in self.bodies for joint in body.joints]  # in the order of the file
        self.joint_named = {joint.element.name: joint for joint in self.joints if joint.element.name}
        self.motions_of = {name: joint.motions for name, joint in self.joint_named.items()}  # of a free joint all six
        flying = [body.joints for body in self.bodies if body.flies]
        self.motions_of |= {joints[-1].element.name: [v for one in joints for v in one.motions] for joints in flying}
        named = {body.element.name: body for body in self.bodies if body.element.name}
        self.body_named = {"world": self.world, **named}
        self.site_named = {
            site.element.name: (body, site) for body in (self.world, *self.bodies) for site in body.parts["site"]
        }
        tendons = [one for section in top.all("tendon") for one in section.children]
        tendons = [self.settings.completed(one, MAIN, "tendon") for one in tendons]
        self.tendons = {one.attributes.get("name", one.place): one for one in tendons}


def _bodies_of(top: XmlElement, settings: MjcfSettings) -> list[MjcfBody]:
    """The world and all bodies, each before those that stand in it, in the order of the file."""
    inside = [child for world in top.all("worldbody") for child in world.children]
    found: list[MjcfBody] = []
    waiting = [(XmlElement("worldbody", {}, top.line, inside), np.eye(4), MAIN, None)]
    while waiting:
        element, frame, childclass, carrier = waiting.pop()
        inner = list(_inside(element, element.attributes.get("childclass", childclass), settings))
        parts: dict[str, list[MjcfPart]] = {"inertial": [], "joint": [], "freejoint": [], "geom": [], "site": []}
        for child, T, inherited in inner:
            if child.tag in _PARTS:
                parts[child.tag].append(MjcfPart(settings.completed(child, inherited), T))
        T = frame @ pose_of(element, settings)
        joints = [joint_of(part.element, part.T, settings) for part in parts["joint"] + parts["freejoint"]]
        flies = any(joint.kind == "free" for joint in joints)
        if flies and (len(joints) > 1 or carrier is not found[0]):
            cure = "move it, or take one joint out"
            raise element.fault("a free joint stands alone in a body of the world", cure)
        if flies and number(joints[0].element, "frictionloss", 0):
            joints = slides_and_ball(joints[0].element, element.name or f"body_{len(found)}", T[:3, 3], settings)
        joints = joints or [MjcfJoint(XmlElement("joint", {}, element.line), "fixed", np.eye(4), 0.0)]
        T_W = T if carrier is None else carrier.T_W @ T
        found.append(MjcfBody(element, carrier, T, T_W, parts, joints, flies))
        waiting += [(*one, found[-1]) for one in reversed(inner) if one[0].tag == "body"]
    return found


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


def _name_all(bodies: Sequence[MjcfBody], notes: Notes) -> set[str]:
    """Name bodies, joints, and the massless bodies between two joints, as they are in the model; all these names."""
    joints = [(body, joint) for body in bodies for joint in body.joints]
    by_name(((body.element.name, body.element) for body in bodies), "bodies")
    by_name(((joint.element.name, joint.element) for _, joint in joints), "joints")
    names = unique(body.element.name or f"body {k}" for k, body in enumerate(bodies, 1))
    for body, name in zip(bodies, names, strict=True):
        body.name = body.joints[-1].child = name
        notes.rename(body.element.name or name, name)
    own = unique(joint.element.name or f"{body.name} {joint.kind}" for body, joint in joints)
    for (_, joint), name in zip(joints, own, strict=True):
        joint.name = name
        notes.rename(joint.element.name or name, name)
    several = [(body, joint) for body in bodies for joint in body.joints[:-1]]
    between = unique((f"{body.name} {joint.name}" for body, joint in several), names)
    for (_, joint), name in zip(several, between, strict=True):
        joint.child = name
    return {*names, *own, *between}
