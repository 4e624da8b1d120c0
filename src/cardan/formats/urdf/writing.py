"""`Model` → URDF: the tree of its joints, with the values of its parameters; a warning says what URDF does not hold."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

import casadi as ca
import numpy as np

from cardan.errors import Issue, ModelError
from cardan.formats.xml.carriers import Carrier, carriers, inertia_in_link, plain_friction
from cardan.formats.xml.joints import UNBOUNDED
from cardan.formats.xml.names import unique
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.writing import NO_TEXT, rgba, word, words, write_xml
from cardan.frozen import dataclass
from cardan.model.body import Body
from cardan.model.initial import Guess
from cardan.model.joints import Joint
from cardan.model.joints.stops import Stops
from cardan.model.model import Model, check_bodies
from cardan.model.place import GROUND
from cardan.model.placement import Placement
from cardan.model.quantities.parameters import resolve
from cardan.model.quantities.scalar import Scalar
from cardan.model.sections import uniform_gravity
from cardan.model.shapes import Capsule, Cylinder, Sphere
from cardan.model.topology import spanning_tree
from cardan.spatial.rotations import to_rpy

_LEFT_OUT = (
    *("motors", "forces", "contacts", "graphs", "let", "states", "motions", "inputs", "outputs", "events", "initial"),
    "coordinates",
)
"""Sections of a model that say nothing about its links and joints."""

Element = ElementTree.Element


@dataclass(frozen=True)
class _Kind:
    """A type of joints in a file."""

    bounded: str  # its name with bounds
    unbounded: str  # its name without
    axis: Callable[[Any], Iterable[Any]] | None = None  # of a joint
    is_single: bool = False  # whether it has one motion, with damping, friction and limits


_KINDS = {
    "revolute": _Kind("revolute", "continuous", lambda joint: joint.axis, is_single=True),
    "prismatic": _Kind("prismatic", "prismatic", lambda joint: joint.axis, is_single=True),
    "planar": _Kind("planar", "planar", lambda _: (0, 0, 1)),
    "fixed": _Kind("fixed", "fixed"),
    "free": _Kind("floating", "floating"),
}
"""Types in a file by type in a model."""


def save_urdf(model: Model, path: Path) -> None:
    """Write a model as URDF, whole or not at all; meshes are named relative to the folder of the file.

    The frame of a link lies where the joint is that carries it. The ground is the link `world`.
    """
    check_bodies(model)
    _check_tree(model)
    values = resolve(model.parameters)
    notes = Notes(left_out="left out, as URDF does not hold it")
    write_xml(_robot(model, lambda scalar: scalar.number(values), path.parent, notes), path, notes)


def _check_tree(model: Model) -> None:
    issues = [
        Issue("the joint closes a loop; URDF describes trees", "write the model as YAML", ("joints", name))
        for name in spanning_tree(model.joints, model.bodies).cut
    ]
    cure = "build it of joints of one motion with massless bodies between, or write the model as YAML"
    issues += [
        Issue(f"URDF has no joint of type {joint.type}", cure, ("joints", name))
        for name, joint in model.joints.items()
        if _KINDS.get(joint.type) is None
    ]
    if issues:
        raise ModelError(issues)


def _robot(model: Model, number: Callable[[Scalar], float], folder: Path, notes: Notes) -> Element:
    leaders = followers(model, number)
    for section in _LEFT_OUT:
        for name in getattr(model, section):
            if section != "initial" or not isinstance(model.initial[name], Guess):  # a coupler needs no guess
                notes.add(section, name)
    usual = Model.model_fields["gravity"].default
    if any(number(entry) != one.value for entry, one in zip(uniform_gravity(model), usual, strict=True)):
        notes.add("gravity, which is 9.81 m/s² along −z there")
    (world,) = unique(["world"], model.bodies)
    name_of = {GROUND: world, **{name: name for name in model.bodies}}
    top = Element("robot", name=NO_TEXT.sub("", model.name) or "robot")
    ElementTree.SubElement(top, "link", name=world)
    found = carriers(model, number)
    T_BL = {one.child: one.T_BL for one in found.values()}
    for name, body in model.bodies.items():
        _link(ElementTree.SubElement(top, "link", name=name), body.resolved(number), np.linalg.inv(T_BL[name]), folder)
    for name, carrier in found.items():
        plain = plain_friction(model.joints[name], model.parameters)
        element = ElementTree.SubElement(top, "joint", name=name)
        _joint(element, model.joints[name].resolved(number), carrier, name_of, 0.0 if plain is None else number(plain))
        _note_joint(name, model.joints[name], notes, plain)
        if name in leaders:
            ElementTree.SubElement(element, "mimic", leaders[name])
    return top


def _link(link: Element, body: Body, T_LB: np.ndarray, folder: Path) -> None:
    """Write a link: its mass, and its shapes; R_LB I R_LBᵀ is the inertia in the axes of the link."""
    mass, c, I_C = inertia_in_link(body, T_LB)
    if mass or I_C.any():
        inertial = ElementTree.SubElement(link, "inertial")
        _origin(inertial, c, np.eye(3))
        ElementTree.SubElement(inertial, "mass", value=word(mass))
        entries = {f"i{a}{b}": word(I_C[i, j]) for i, a in enumerate("xyz") for j, b in enumerate("xyz") if i <= j}
        ElementTree.SubElement(inertial, "inertia", entries)
    for shape in (solid for one in cast("Sequence[Any]", body.shapes) for solid in _solids(one)):
        if (kind := shape.type) not in _SOLIDS:
            fault = f"URDF has no shape of type {kind}"
            place = ("bodies", link.get("name", ""), "shapes")
            raise ModelError(Issue(fault, f"leave it out, or write {', '.join(_SOLIDS)}", place))
        visual = ElementTree.SubElement(link, "visual")
        T = T_LB @ np.array(ca.DM(shape.transform()), dtype=float)
        _origin(visual, T[:3, 3], T[:3, :3])
        solid = ElementTree.SubElement(ElementTree.SubElement(visual, "geometry"), shape.type)
        solid.attrib.update(_SOLIDS[shape.type](shape, folder))
        if color := rgba(shape.color):
            material = ElementTree.SubElement(visual, "material", name=shape.color)
            ElementTree.SubElement(material, "color", rgba=color)


def _solids(shape: Any) -> list[Any]:
    """The shapes that show one: of a capsule its cylinder and its ends."""
    if not isinstance(shape, Capsule):
        return [shape]
    place = {key: getattr(shape, key) for key in (*Placement.model_fields, "color")}
    ends = [np.array(shape.transform() @ ca.DM([0, 0, z, 1]))[:3, 0] for z in (shape.length / 2, -shape.length / 2)]
    tube = Cylinder.model_construct(radius=shape.radius, length=shape.length, **place)
    balls = (Sphere.model_construct(radius=shape.radius, position=tuple(end), color=shape.color) for end in ends)
    return [tube, *balls]


_SOLIDS: dict[str, Callable[[Any, Path], dict[str, str]]] = {
    "box": lambda shape, folder: {"size": words(shape.size)},
    "cylinder": lambda shape, folder: {"radius": word(shape.radius), "length": word(shape.length)},
    "sphere": lambda shape, folder: {"radius": word(shape.radius)},
    "mesh": lambda shape, folder: {"filename": os.path.relpath(shape.file, folder), "scale": words([shape.scale] * 3)},
}


def _joint(element: Element, joint: Any, carrier: Carrier, bodies: Mapping[str, str], friction: float) -> None:
    """Write a joint, whose values are numbers; turned round, it moves along or about the reversed axis."""
    kind = _KINDS[joint.type]
    stops, limits = joint.stops.get(""), joint.position_limits
    ends = (getattr(stops, "lower", None), getattr(stops, "upper", None)) if limits is None else limits
    bounds = {key: value for key, value in zip(("lower", "upper"), ends, strict=True) if value is not None}
    element.set("type", kind.bounded if bounds else kind.unbounded)
    ElementTree.SubElement(element, "parent", link=bodies[carrier.parent])
    ElementTree.SubElement(element, "child", link=bodies[carrier.child])
    _origin(element, carrier.T_PL[:3, 3], carrier.T_PL[:3, :3])
    if kind.axis is not None:
        ElementTree.SubElement(element, "axis", xyz=words(carrier.sign * float(one) for one in kind.axis(joint)))
    if not kind.is_single:
        return
    damping = sum(map(float, joint.per_velocity("damping")))
    if damping or friction:
        ElementTree.SubElement(element, "dynamics", damping=word(damping), friction=word(friction))
    largest = {"effort": joint.effort_limit, "velocity": joint.velocity_limit}
    has_bounds = bool(bounds) or kind.bounded == kind.unbounded
    if has_bounds or any(one is not None for one in largest.values()):
        limit: dict[str, Any] = {"lower": -UNBOUNDED, "upper": UNBOUNDED} | bounds if has_bounds else {}
        limit |= {key: UNBOUNDED if one is None else one for key, one in largest.items()}
        ElementTree.SubElement(element, "limit", {key: word(value) for key, value in limit.items()})


def _note_joint(name: str, joint: Joint, notes: Notes, plain: Scalar | None) -> None:
    """Note what of a joint has no counterpart."""
    kept = {"effort_limit", "damping", "friction", "limits"} if _KINDS[joint.type].is_single else set()
    for key in ("stiffness", "damping", "effort_limit", "friction", "limits"):
        if getattr(joint, key) is not None and key not in kept:
            notes.add(f"{key} of joints", name)
    if joint.friction is not None and "friction" in kept and plain is None:
        notes.add("friction other than of a given effort", name)
    if any(one != Stops(lower=one.lower, upper=one.upper) for one in joint.stops.values()):
        notes.add("restitution and stiffness of stops", name)


def _origin(element: Element, p: np.ndarray, R: np.ndarray) -> None:
    angles = to_rpy(R)
    attributes = {"xyz": words(p)} | ({"rpy": words(angles)} if any(angles) else {})
    if p.any() or any(angles):
        ElementTree.SubElement(element, "origin", attributes)


def followers(model: Model, number: Callable[[Scalar], float]) -> dict[str, dict[str, str]]:
    """Attributes of `<mimic>` by the joint that follows; the first one of a coupler does, unless it follows already."""
    found: dict[str, dict[str, str]] = {}
    issues = []
    constraints: Mapping[str, Any] = model.constraints
    for name, constraint in constraints.items():
        terms = {joint: number(factor) for joint, factor in getattr(constraint, "terms", {}).items()}
        is_pair = len(terms) == 2 and all(joint in model.joints and factor for joint, factor in terms.items())
        pair = _pair(tuple(terms), {joint: one["joint"] for joint, one in found.items()}) if is_pair else None
        if pair is not None:
            own, other = pair
            values = {"multiplier": -terms[other] / terms[own], "offset": number(constraint.offset) / terms[own]}
            found[own] = {"joint": other} | {key: repr(value + 0.0) for key, value in values.items()}
            continue
        fault = "URDF has only constraints of two joints of one motion"
        fault = "the joint would have to follow two others" if is_pair else fault
        issues.append(Issue(fault, "write the model as YAML", ("constraints", name)))
    if issues:
        raise ModelError(issues)
    return found


def _pair(joints: tuple[str, ...], leader: Mapping[str, str]) -> tuple[str, str] | None:
    """The joint that follows and the one that it follows; None if both follow already, or would in a ring."""
    for own, other in (joints, joints[::-1]):
        last = other
        while last in leader:
            last = leader[last]
        if own not in leader and last != own:
            return own, other
    return None
