"""`Model` → MJCF: bodies inside each other as joints carry them, and equality constraints that close loops.

The frame of a body lies where the joint is that carries it. A joint of several motions becomes several joints of one
motion, and a massless body between two joints, which MuJoCo refuses, goes: the body behind it has both joints.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

import casadi as ca
import numpy as np

from cardan.analysis.assembly import Assembly, assemble
from cardan.analysis.run_results import frame_on_body
from cardan.errors import AssemblyError, Issue, ModelError
from cardan.formats.mjcf.acting import Acting, called
from cardan.formats.xml.carriers import Carrier, carriers, inertia_in_link, plain_friction
from cardan.formats.xml.names import unique
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.placing import entries, pose
from cardan.formats.xml.writing import NO_TEXT, rgba, word, words, write_xml
from cardan.formats.yaml_tree import MAX_OPEN
from cardan.frozen import dataclass, field
from cardan.model.joints import Joint
from cardan.model.model import Model, check_bodies
from cardan.model.place import GROUND, End, split
from cardan.model.quantities.parameters import resolve
from cardan.model.quantities.scalar import Scalar
from cardan.model.sections import uniform_gravity
from cardan.model.topology import spanning_tree
from cardan.numerics.round_off import ROUND_OFF, WRITTEN
from cardan.spatial.rotations import from_quaternion, to_quaternion

_LEFT_OUT = ("graphs", "let", "states", "motions", "outputs", "events", "coordinates")
"""Sections of a model that are not written."""
_LEAST = 1e-12  # a thousand times the least mass and moment of inertia with which MuJoCo lets a body move (mjMINVAL)
_AS_YAML = "write the model as YAML"
_XYZ = np.eye(3)
Element = ElementTree.Element
Hanging = tuple[Carrier, np.ndarray]  # a joint, and the pose (4×4) of its frame in the body that is nearer the ground
Motion = tuple[str, str, Any]  # type of joint in the file, suffix of the coordinate, axis in the joint's markers
_MOTIONS: Mapping[str, Callable[[Any], Sequence[Motion]]] = {
    "fixed": lambda joint: [],
    "revolute": lambda joint: [("hinge", "", joint.axis)],
    "prismatic": lambda joint: [("slide", "", joint.axis)],
    "cylindrical": lambda joint: [("slide", ".d", joint.axis), ("hinge", ".r", joint.axis)],
    "universal": lambda joint: [("hinge", ".r1", joint.axes[0]), ("hinge", ".r2", joint.axes[1])],
    "planar": lambda joint: [("slide", ".x", _XYZ[0]), ("slide", ".y", _XYZ[1]), ("hinge", ".rz", _XYZ[2])],
    "translational": lambda joint: [("slide", f".{name}", axis) for name, axis in zip("xyz", _XYZ, strict=True)],
    "spherical": lambda joint: [("ball", "", None)],
    "free": lambda joint: [("free", "", None)],
}
"""The joints of one motion, or of a quaternion, one behind the other, that make up a joint."""


def save_mjcf(model: Model, path: Path) -> None:
    """Write a model as MJCF, whole or not at all; meshes are named relative to the folder of the file."""
    check_bodies(model)
    writer = _Writer(model, resolve(model.parameters), path.parent)
    write_xml(writer.document(), path, writer.notes)


@dataclass
class _Writer:
    """A model, and what has been written of it."""

    model: Model  # what to write
    values: Mapping[str, float]  # of its parameters [SI]
    folder: Path  # of the file
    notes: Notes = field(default_factory=lambda: Notes(left_out="left out, as it is not written in MJCF"))  # warnings
    issues: list[Issue] = field(default_factory=list)  # what cannot be written
    elements: dict[str, Element] = field(default_factory=dict)  # of bodies, by name
    T_W: dict[str, np.ndarray] = field(default_factory=lambda: {GROUND: np.eye(4)})  # poses of their links (4×4)
    geoms: dict[tuple[str, int], Element] = field(default_factory=dict)  # of shapes, by body and place in its list
    meshes: dict[tuple[str, float], str] = field(default_factory=dict)  # names by file and scale
    q: list[str] = field(default_factory=list)  # coordinates in the order of the file
    v: list[str] = field(default_factory=list)  # velocities likewise

    def number(self, scalar: Scalar) -> float:
        """The value of a scalar."""
        return scalar.number(self.values)

    def document(self) -> Element:
        """The outermost element."""
        model, top = self.model, Element("mujoco", model=NO_TEXT.sub("", self.model.name) or "model")
        usual = {"angle": "radian", "inertiafromgeom": "false", "autolimits": "true"}
        self.compiler = ElementTree.SubElement(top, "compiler", usual)
        ElementTree.SubElement(top, "option", gravity=words(map(self.number, uniform_gravity(model))))
        asset, self.elements[GROUND] = (ElementTree.SubElement(top, tag) for tag in ("asset", "worldbody"))
        self.tree = carriers(model, self.number)
        self.T_LB = {one.child: np.linalg.inv(one.T_BL) for one in self.tree.values()} | {GROUND: np.eye(4)}
        self.closing = {name: model.joints[name] for name in spanning_tree(model.joints, model.bodies).cut}
        self.start = self._start()
        self._shapes(GROUND)
        for carrier in self._carried(GROUND):
            self._place(carrier, GROUND, np.eye(4), [], 1)
        sections = [Element(tag) for tag in ("contact", "tendon", "equality", "actuator")]
        contacts, tendons, equalities, actuators = sections
        self._close(equalities)
        self._relate(tendons, equalities)
        acting = Acting(model, self.values, self.notes, partial(self.cord, tendons))
        acting.forces(self.elements)
        acting.motors(actuators)
        acting.inputs(actuators)
        acting.contacts(contacts, self.geoms)
        top.extend(section for section in sections if len(section))
        for name in _LEFT_OUT:
            for entry in getattr(model, name):
                self.notes.add(name, entry)
        if self.issues:
            raise ModelError(self.issues)
        for (file, scale), name in self.meshes.items():
            attributes = {"name": name, "file": os.path.relpath(file, self.folder), "scale": words([scale] * 3)}
            ElementTree.SubElement(asset, "mesh", attributes)
        self._keyframe(top, acting.told)
        return top

    def _start(self) -> Assembly | None:
        """The start of the model; None where it says nothing of it and closes no loop."""
        if not (self.model.initial or self.closing or self.model.constraints or self.model.motions):
            return None
        try:
            return assemble(self.model)
        except AssemblyError as error:
            self.notes.add(f"the start, which cannot be assembled: {error}")
            return None

    def _keyframe(self, top: Element, told: Sequence[float]) -> None:
        """Write the start, and what it tells the actuators."""
        found = {"ctrl": words(told)} if any(told) else {}
        if self.start is not None:
            found["qpos"] = words(self.start.q[name] for name in self.q)
            found["qvel"] = words(self.start.v[name] for name in self.v)
        if found:
            ElementTree.SubElement(ElementTree.SubElement(top, "keyframe"), "key", {"name": "start", **found})

    def _refuse(self, section: str, name: str, fault: str, cure: str = "") -> None:
        self.issues.append(Issue(fault, f"{cure}{_AS_YAML}", (section, name)))

    def _carried(self, body: str) -> list[Carrier]:
        return [one for one in self.tree.values() if one.parent == body]

    def _place(self, carrier: Carrier, near: str, T: np.ndarray, before: list[Hanging], depth: int) -> None:
        """Write a body and all that it carries; its parent's link is at `T` (4×4) in `near`, with joints between."""
        T, name = T @ carrier.T_PL, carrier.child
        hanging = [*before, (carrier, T)]
        if depth > MAX_OPEN - 10:  # with the elements around bodies and in them
            self._refuse("bodies", name, "more bodies hang on each other than files may nest")
            return
        if self._is_between(carrier):
            self._place(self._carried(name)[0], near, T, hanging, depth)
            return
        element = ElementTree.SubElement(self.elements[near], "body", name=name)
        self.elements[name] = element
        kinds = [self._joint(element, one, np.linalg.inv(T) @ T_joint) for one, T_joint in hanging]
        T = self._flown(carrier, near, T) if ["free"] in kinds else T
        self.T_W[name] = self.T_W[near] @ T
        _set_pose(element, T)
        self._inertia(element, name, moves=any(kinds))
        self._shapes(name)
        for onward in self._carried(name):
            self._place(onward, name, np.eye(4), [], depth + 1)

    def _is_between(self, carrier: Carrier) -> bool:
        """Whether a body only joins two joints of one motion each at a time, so that the next body may have both."""
        name, onward = carrier.child, self._carried(carrier.child)
        body = self.model.bodies[name].resolved(self.number)
        held = [*self.closing.values(), *self.model.constraints.values()]
        named = {split(getattr(one, end, GROUND))[0] for one in held for end in ("parent", "child")}
        if len(onward) != 1 or name in named or body.shapes or float(body.mass) or any(map(float, body.inertia)):
            return False
        return all(self.model.joints[one.joint].has_rate_coordinates for one in (carrier, *onward))

    def _joint(self, body: Element, carrier: Carrier, T: np.ndarray) -> list[str]:
        """Write the joints of one motion of a joint whose frame in the body is `T` (4×4); their types."""
        name, joint = carrier.joint, self.model.joints[carrier.joint]
        motions_of = _MOTIONS.get(joint.type)
        if motions_of is None or (carrier.sign < 0 and not joint.has_rate_coordinates):
            fault = f"MJCF has no joint of type {joint.type}"
            fault += " whose child is nearer to the ground than its parent" if motions_of else ""
            self._refuse("joints", name, fault, "exchange parent and child, or ")
            return []
        values = joint.resolved(self.number)
        motions = list(enumerate(motions_of(values)))
        for k, (kind, suffix, axis) in motions[:: carrier.sign]:
            attributes = {"name": called(name + suffix), "type": kind}
            self.q += [name + one for one, _ in joint.coordinates if axis is None or one == suffix]
            self.v += [name + one for one, _ in joint.velocities if axis is None or one == suffix]
            if axis is not None:
                u = carrier.sign * T[:3, :3] @ np.array([float(one) for one in axis])
                attributes |= {"pos": words(T[:3, 3]), "axis": words(u)}
            attributes |= self._resistance(name, joint, values, k, suffix)
            ElementTree.SubElement(body, "joint", attributes)
        return [kind for _, (kind, *_) in motions]

    def _resistance(self, name: str, joint: Joint, values: Joint, k: int, suffix: str) -> dict[str, str]:
        """Spring, damper, rotor, friction and bounds of one motion."""
        one = {key: float(values.per_velocity(key)[k]) for key in ("damping", "armature", "stiffness", "rest")}
        for key in ("damping", "armature"):
            if len({float(entry) for entry in values.per_velocity(key)}) > 1 and not values.has_rate_coordinates:
                self.notes.add(f"{key} that differs by direction, in place of which the first number holds", name)
        found = {key: word(one[key]) for key in ("damping", "armature", "stiffness") if one[key]}
        found |= {"springref": word(one["rest"])} if one["stiffness"] and one["rest"] else {}
        plain = plain_friction(joint, self.model.parameters)
        if joint.friction is not None and (plain is None or len(_MOTIONS[joint.type](values)) > 1):
            self.notes.add("friction other than of a given effort", name)
        elif plain is not None:
            found["frictionloss"] = word(self.number(plain))
        stops = values.stops.get(suffix)
        bounds = (stops.lower, stops.upper) if stops is not None else values.position_limits
        if bounds is not None and None not in bounds:
            found["range"] = words(bounds)
        elif bounds is not None:
            self.notes.add("stops on one side", name)
        return found

    def _flown(self, carrier: Carrier, near: str, T: np.ndarray) -> np.ndarray:
        """Pose (4×4) at the start of a body that flies; MuJoCo counts its coordinates in the axes of the world."""
        name = carrier.joint
        if near != GROUND or not np.array_equal(T, np.eye(4)):
            fault = "a free joint of MJCF begins at the frame of the ground"
            self._refuse("joints", name, fault, "give it the parent ground, or ")
        if self.start is None:
            return T
        q = [self.start.q[name + suffix] for suffix, _ in self.model.joints[name].coordinates]
        return pose(np.array(ca.DM(from_quaternion(ca.DM(q[3:])))), np.array(q[:3]))

    def _inertia(self, element: Element, name: str, *, moves: bool) -> None:
        """Mass and inertia, with moments as MuJoCo takes them: A + B ≥ C, and not 0."""
        mass, c, I_C = inertia_in_link(self.model.bodies[name].resolved(self.number), self.T_LB[name])
        if moves and mass < _LEAST:
            self.compiler.set("boundmass", repr(_LEAST))
            self._raise(f"masses below {_LEAST:g} kg are raised to it, as MuJoCo refuses them", name)
        if not (mass or moves):
            return
        is_plain = not np.triu(I_C, 1).any()
        moments, R = (np.diag(I_C).copy(), np.eye(3)) if is_plain else np.linalg.eigh(I_C)
        largest = moments.max()
        lack = 2 * largest - moments.sum() + (0 if is_plain else ROUND_OFF * largest)  # MuJoCo computes moments again
        if lack > 0:
            moments[moments < largest] += lack / 2
        if lack > WRITTEN * largest:
            self._raise("moments of inertia that no body has, A + B < C, are raised, as MuJoCo refuses them", name)
        if moments.min() < _LEAST:
            self.compiler.set("boundinertia", repr(_LEAST))
            self._raise(f"moments of inertia below {_LEAST:g} kg m² are raised to it, as MuJoCo refuses them", name)
        attributes = {"pos": words(c), "mass": word(mass)}
        whole = words(entries(R @ np.diag(moments) @ R.T))
        attributes |= {"diaginertia": words(moments)} if is_plain else {"fullinertia": whole}
        ElementTree.SubElement(element, "inertial", attributes)

    def _raise(self, done: str, body: str) -> None:
        self.notes.mend(ModelError(done), done, body)

    def _shapes(self, name: str) -> None:
        """Shapes of a body as geoms that touch nothing, but for those that pairs name."""
        body = self.model.ground if name == GROUND else self.model.bodies[name]
        for k, shape in enumerate(cast("Sequence[Any]", body.resolved(self.number).shapes)):
            attributes_of = (_GEOMS if name == GROUND else _OF_BODIES).get(shape.type)
            if attributes_of is None:
                self.notes.undrawn(f"shapes of type {shape.type}, not drawn", name)
                continue
            attributes = attributes_of(self, shape)
            geom = ElementTree.SubElement(self.elements[name], "geom", attributes, contype="0", conaffinity="0")
            self.geoms[name, k] = geom
            _set_pose(geom, self.T_LB[name] @ np.array(ca.DM(shape.transform()), dtype=float))
            if color := rgba(shape.color):
                geom.set("rgba", color)

    def mesh(self, shape: Any) -> str:
        """The name of the asset of a mesh."""
        key = shape.file, float(shape.scale)
        (name,) = unique([Path(shape.file).stem], self.meshes.values())
        return self.meshes.setdefault(key, name)

    def cord(self, tendons: Element, name: str, ends: tuple[End, End], given: Mapping[str, str]) -> float:
        """Write a straight tendon between two ends; its length where the file begins."""
        tendon = ElementTree.SubElement(tendons, "spatial", {"name": name, **given})
        a, b = (self._site(end, f"{name}_{k}") for k, end in enumerate(ends, 1))
        for k in (1, 2):
            ElementTree.SubElement(tendon, "site", site=f"{name}_{k}")
        return float(np.linalg.norm(b - a))

    def _site(self, end: End, name: str, shift: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Write a site at one end of a joint, shifted in its axes; its place (3,) where the file begins."""
        body, p, R = frame_on_body(self.model, self.number, end)
        T = self.T_LB[body] @ pose(R, p + R @ shift)
        _set_pose(ElementTree.SubElement(self.elements[body], "site", name=name), T)
        return np.asarray((self.T_W[body] @ T)[:3, 3])

    def _close(self, section: Element) -> None:
        """Joints that close loops, between sites; a hinge is two points of its axis, 1 m apart."""
        for name, joint in self.closing.items():
            if (tag := _CLOSING.get(joint.type)) is None:
                fault = f"no equality constraint of MJCF closes a loop as a joint of type {joint.type} does"
                self._refuse("joints", name, fault, "let a spherical or revolute one close it, or ")
                continue
            points: list[tuple[str, Any]] = [(name, (0.0, 0.0, 0.0))]
            for _, _, axis in _MOTIONS[joint.type](joint) if joint.nv == 1 else ():
                u = np.array([self.number(one) for one in axis])
                points += [(f"{name}_axis", u / np.linalg.norm(u))]
            for point, shift in points:
                for k, end in ((1, joint.parent), (2, joint.child)):
                    self._site(end, f"{point}_{k}", shift)
                sites = {f"site{k}": f"{point}_{k}" for k in (1, 2)}
                ElementTree.SubElement(section, tag, sites, name=point)

    def _relate(self, tendons: Element, section: Element) -> None:
        """Couplers and distances, as lengths that tendons keep; MuJoCo counts them from where the file begins."""
        for name, constraint in self.model.constraints.items():
            if (relate := _RELATIONS.get(constraint.type)) is None:
                self._refuse("constraints", name, f"MJCF has no constraint of type {constraint.type}")
                continue
            poly = words([relate(self, name, constraint, tendons), 0, 0, 0, 0])
            ElementTree.SubElement(section, "tendon", name=name, tendon1=name, polycoef=poly)

    def coupler(self, name: str, constraint: Any, tendons: Element) -> float:
        """Write the sum of a coupler; its value."""
        tendon = ElementTree.SubElement(tendons, "fixed", name=name)
        for coordinate, factor in constraint.terms.items():
            if coordinate.endswith((".qw", ".qx", ".qy", ".qz")):
                self._refuse("constraints", name, "MJCF couples no quaternions")
            ElementTree.SubElement(tendon, "joint", joint=called(coordinate), coef=word(self.number(factor)))
        return self.number(constraint.offset)

    def distance(self, name: str, constraint: Any, tendons: Element) -> float:
        """Write the straight tendon of a distance; what its length adds to that at the beginning of the file."""
        length = self.cord(tendons, name, (constraint.parent, constraint.child), {})
        return self.number(constraint.length) - length


_CLOSING = {"spherical": "connect", "revolute": "connect", "fixed": "weld"}
_RELATIONS = {"coupler": _Writer.coupler, "distance": _Writer.distance}
_GEOMS: dict[str, Callable[[_Writer, Any], dict[str, str]]] = {
    "box": lambda writer, shape: {"type": "box", "size": words(one / 2 for one in shape.size)},
    "sphere": lambda writer, shape: {"type": "sphere", "size": word(shape.radius)},
    "cylinder": lambda writer, shape: {"type": "cylinder", "size": words([shape.radius, shape.length / 2])},
    "capsule": lambda writer, shape: {"type": "capsule", "size": words([shape.radius, shape.length / 2])},
    "plane": lambda writer, shape: {"type": "plane", "size": "0 0 1"},
    "mesh": lambda writer, shape: {"type": "mesh", "mesh": writer.mesh(shape)},
}
_OF_BODIES = {kind: attributes for kind, attributes in _GEOMS.items() if kind != "plane"}  # which only the world has


def _set_pose(element: Element, T: np.ndarray) -> None:
    """Write the pose T (4×4) of an element, as far as it is not the usual one."""
    if T[:3, 3].any():
        element.set("pos", words(T[:3, 3]))
    if not np.array_equal(T[:3, :3], np.eye(3)):
        element.set("quat", words(np.array(ca.DM(to_quaternion(ca.DM(T[:3, :3])))).ravel()))
