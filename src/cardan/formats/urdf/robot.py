"""The robot in a document: its links and joints by their names in the file, which make a tree."""

from collections import defaultdict
from collections.abc import Mapping

from cardan.errors import few
from cardan.formats.urdf.joints import ends
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.tree import XmlElement, named, read_each
from cardan.frozen import dataclass

XACRO = "write its macros out: xacro FILE > robot.urdf, or let Cardan run xacro on a file that you trust: trust=True"
_XACRO = frozenset(f"xacro:{word}" for word in ("include", "macro", "if", "unless", "insert_block", "call", "element"))
"""Elements that xacro replaces by others."""
_OTHERS = {"sdf": "an SDF file", "mujoco": "an MJCF file", "robots": "a file of several robots"}


@dataclass(frozen=True)
class Robot:
    """A robot as its file describes it."""

    element: XmlElement  # `<robot>`
    links: Mapping[str, XmlElement]  # by their names in the file, in its order
    joints: Mapping[str, XmlElement]  # likewise
    ends: Mapping[str, tuple[str, str]]  # parent and child link of each joint
    kinds: Mapping[str, str]  # type of each joint
    root: str  # the link that no joint carries


def robot_of(element: XmlElement, notes: Notes) -> Robot:
    """The robot in a document."""
    _check_document(element, notes)
    links, joints = named(element, "link"), named(element, "joint")
    if not links:
        raise element.fault("the robot has no link", 'add <link name="base"/>')
    found = read_each(joints, lambda name, joint: ends(joint, links))
    kinds = {name: joint.attributes.get("type", "") for name, joint in joints.items()}
    return Robot(element, links, joints, found, kinds, _root(links, joints, found))


def _check_document(top: XmlElement, notes: Notes) -> None:
    if top.tag != "robot":
        what = _OTHERS.get(top.tag.lower(), f"a file with the outermost element <{top.tag}>")
        raise top.fault(f"this is {what}, not a URDF file", 'a URDF file begins with <robot name="…">')
    for element in top.walk():
        makes_others = element.tag in _XACRO or any("${" in word for word in element.attributes.values())
        if makes_others or element.tag.startswith("xacro:"):
            fault = element.fault("this is a xacro file, from which URDF files are made", XACRO)
            if makes_others:
                raise fault
            notes.mend(fault, "elements of xacro, left out", f"<{element.tag}> in line {element.line}")


def _root(
    links: Mapping[str, XmlElement], joints: Mapping[str, XmlElement], found: Mapping[str, tuple[str, str]]
) -> str:
    """The link that no joint carries, from which joints lead to all others."""
    carrier: dict[str, str] = {}
    below: defaultdict[str, list[str]] = defaultdict(list)
    for name, (parent, child) in found.items():
        if child in carrier:
            fault = f"the joints {carrier[child]!r} and {name!r} both carry the link {child!r}"
            cure = "URDF describes trees; save the model as YAML, where a further joint closes a loop"
            raise joints[name].fault(fault, cure)
        carrier[child] = name
        below[parent].append(child)
    roots = [name for name in links if name not in carrier]
    if len(roots) > 1:
        fault = f"no joint carries the links {few(map(repr, roots))}"
        raise links[roots[1]].fault(fault, "one link is the root; join the others to it")
    reached, waiting = set(roots), list(roots)
    while waiting:
        new = below[waiting.pop()]
        reached.update(new)
        waiting += new
    lost = next((name for name in links if name not in reached), None)
    if lost is not None:
        raise links[lost].fault(f"joints lead from the link {lost!r} in a ring back to it", "take one of them out")
    return roots[0]
