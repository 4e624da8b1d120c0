"""URDF → `Model`: the elements of the robot become the data of a model, checked as those of every model file are."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from cardan.errors import Path as KeyPath
from cardan.formats.urdf.joints import joint_data
from cardan.formats.urdf.minimal_inertia import add_inertia
from cardan.formats.urdf.robot import Robot, robot_of
from cardan.formats.urdf.xacro import written_out
from cardan.formats.xml.colliders import Encounter, encounters
from cardan.formats.xml.description import Description, model_of
from cardan.formats.xml.joints import mimic_data, starts_of
from cardan.formats.xml.links import body_data, colliders_of, collision_names
from cardan.formats.xml.meshes import MeshFiles
from cardan.formats.xml.names import names_of, unique
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.shapes import colors_of
from cardan.formats.xml.tree import XmlElement, read_each, read_xml
from cardan.model.model import Model
from cardan.model.place import GROUND

_IRRELEVANT = (
    "transmission gazebo ros2_control sensor calibration safety_controller contact collision_checking "
    "self_collision_checking verbose kinematic model_state"
)
"""Elements of controllers, simulators and sensors, which say nothing about the mechanism."""
_KNOWN = {
    "robot": "link joint material",
    "link": "inertial visual collision",
    "joint": "origin parent child axis dynamics limit mimic",
}
"""Elements that are read, by the element in which they stand."""
_ATTRIBUTES = {
    **dict.fromkeys(("link", "joint"), "name type"),
    **dict.fromkeys(("parent", "child"), "link"),
    "origin": "xyz rpy",
    "mass": "value",
    "inertia": "ixx iyy izz ixy ixz iyz",
    "axis": "xyz",
    "dynamics": "damping friction",
    "limit": "lower upper effort velocity acceleration deceleration jerk",
    "mimic": "joint multiplier offset",
}
"""Attributes of elements that make the mechanism; a misspelt one would be read as 0."""


def load_urdf(
    path: Path,
    allow: Sequence[Path] = (),
    *,
    base: Literal["fixed", "free"] = "fixed",
    stops: bool = False,
    contacts: bool = False,
    strict: bool = False,
    inertia: Literal["given", "minimal"] = "given",
    accept: Sequence[str] = (),
    regularize: Any = None,
    trust: bool = False,
) -> Model:
    """The model in a URDF file; warnings say what of the file is changed and left out.

    A root link that does not move is the ground if it has neither mass nor shape, else a body on a fixed joint.
    """
    read = partial(_read, path, Notes(strict), MeshFiles(path.parent, allow), base, inertia, stops, contacts, trust)
    return model_of(path, read, accept=accept, regularize=regularize)


def urdf_lines(path: Path) -> Mapping[KeyPath, int]:
    """Line, from 1, of every body, joint and constraint of the model in a URDF file."""
    return _read(path, Notes(), MeshFiles(path.parent, ())).lines


def _read(
    path: Path,
    notes: Notes,
    mesh_file: Callable[[str], str],
    base: str = "fixed",
    inertia: str = "given",
    stops: bool = False,
    contacts: bool = False,
    trust: bool = False,
) -> Description:
    robot = robot_of(written_out(path) if trust else read_xml(path, notes.mend), notes)
    _note_unknown(robot.element, notes)
    named = collision_names(robot.links) if contacts else {}
    colors = colors_of(element for element in robot.element.walk() if element.tag == "material")

    def joint(name: str, element: XmlElement) -> dict[str, Any]:
        parent, child = (place_of[link] for link in robot.ends[name])
        return joint_data(element, parent, child, notes, stops=stops)

    links = read_each(robot.links, lambda _, link: body_data(link, colors, mesh_file, notes, named))
    if inertia == "minimal":
        add_inertia(robot, links)
    grounded = [] if links[robot.root] or base == "free" else [robot.root]
    body_of = names_of({name: name for name in links if name not in grounded}, notes)
    joint_of = names_of({name: name for name in robot.joints}, notes)
    place_of = body_of | dict.fromkeys(grounded, GROUND)
    carried = read_each(robot.joints, joint)
    coupled = read_each(robot.joints, lambda _, one: mimic_data(one, joint_of, robot.kinds, notes))
    hold = _hold(robot, place_of[robot.root], base, joint_of.values())
    wished = {name: f"{joint_of[name]}_mimic" for name, data in coupled.items() if data}
    coupler_of = names_of(wished, notes, (*hold, *joint_of.values()))
    sections: dict[str, Any] = {"bodies": {}, "joints": {}, "constraints": {}}
    found = Description({"name": robot.element.name, **sections}, {("bodies",): robot.element.line}, notes)
    for name, entry in hold.items():
        found.put("joints", name, entry, robot.links[robot.root].line)
    found.fill("bodies", links, body_of, robot.links)
    found.fill("joints", carried, joint_of, robot.joints)
    found.fill("constraints", coupled, coupler_of, robot.joints)
    if starts := starts_of(coupled, joint_of):
        found.data["initial"] = starts
    found.met += _met(robot, links, place_of) if contacts else ()
    return found


def _met(robot: Robot, links: Mapping[str, Any], place_of: Mapping[str, str]) -> Iterator[Encounter]:
    """The collision shapes that may touch; those of the root and of the links that joints hang on it do not."""
    carriers = {place_of[robot.root]: (GROUND, False)}
    for name, (parent, child) in robot.ends.items():
        carriers[place_of[child]] = place_of[parent], robot.kinds[name] == "fixed"
    return encounters(colliders_of(links, place_of), carriers)


def _hold(robot: Robot, root: str, base: str, taken: Iterable[str]) -> dict[str, Any]:
    """The joint of a root link with mass or shape, which holds it or lets it fly; the ground needs none."""
    if root == GROUND:
        return {}
    afloat = [name for name, kind in robot.kinds.items() if kind == "floating" and robot.ends[name][0] == robot.root]
    if base == "free" and afloat:
        cure = 'leave base="free" out: this joint is the one that lets it fly'
        raise robot.joints[afloat[0]].fault(f"the joint {afloat[0]!r} floats already", cure)
    (name,) = unique([f"{root}_{base}"], taken)
    return {name: {"type": base, "parent": GROUND, "child": root}}


def _note_unknown(robot: XmlElement, notes: Notes) -> None:
    """Note elements and attributes that may be misspelt, or belong to another program."""
    parts = (*robot.all("link"), *robot.all("joint"))
    for child, known in [(child, _KNOWN[element.tag]) for element in (robot, *parts) for child in element.children]:
        if child.tag not in _IRRELEVANT.split():
            notes.check_element(child, known.split())
    for element in (element for part in parts for element in part.walk()):
        if element.tag in _ATTRIBUTES:
            notes.check_attributes(element, _ATTRIBUTES[element.tag].split())
