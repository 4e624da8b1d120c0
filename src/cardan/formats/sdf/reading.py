"""SDF → `Model`: links and joints become the data of a model, checked as those of every model file are."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from cardan.errors import ModelError
from cardan.errors import Path as KeyPath
from cardan.formats.sdf.document import is_true, read_whole
from cardan.formats.sdf.frames import SdfFrames, frames_of, pose, pose_of
from cardan.formats.sdf.joints import couplers, joint_data
from cardan.formats.xml.colliders import Encounter, encounters
from cardan.formats.xml.description import Description, lines_of, model_of, renamed
from cardan.formats.xml.joints import starts_of
from cardan.formats.xml.links import body_data, colliders_of, collision_names
from cardan.formats.xml.meshes import MeshFiles
from cardan.formats.xml.names import fitted
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.placing import placement, placement_data
from cardan.formats.xml.tree import XmlElement, numbers, only, read_each
from cardan.formats.xml.writing import words
from cardan.model.model import Model
from cardan.model.place import GROUND
from cardan.spatial.rotations import align_z, to_rpy

_OTHERS = ("plugin", "sensor", "light", "actor", "state", "population", "projector", "particle_emitter", "battery")
_KNOWN: Mapping[str, tuple[str, ...]] = {
    "sdf": ("world", "model"),
    "world": (
        *("model", "joint", "frame", "gravity", "physics", "scene", "gui", "wind", "atmosphere", "magnetic_field"),
        *("spherical_coordinates", "audio", "road", "include"),
    ),
    "model": ("link", "joint", "frame", "model", "pose", "static", "self_collide", "allow_auto_disable", "enable_wind"),
    "link": (
        *("inertial", "visual", "collision", "pose", "gravity", "self_collide", "enable_wind", "must_be_base_link"),
        *("audio_sink", "audio_source"),
    ),
    "inertial": ("pose", "mass", "inertia"),
    "inertia": ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"),
    "joint": (
        *("parent", "child", "pose", "axis", "axis2", "physics", "thread_pitch", "screw_thread_pitch"),
        *("gearbox_ratio", "gearbox_reference_body"),
    ),
    **dict.fromkeys(("axis", "axis2"), ("xyz", "dynamics", "limit", "use_parent_model_frame", "mimic")),
    "dynamics": ("damping", "friction", "spring_reference", "spring_stiffness"),
    "limit": ("lower", "upper", "effort", "velocity", "stiffness", "dissipation"),
    "mimic": ("multiplier", "offset", "reference"),
}
"""Elements that are read, or say nothing about the mechanism, by the element in which they stand."""

_ACTING = ("damping", "stiffness", "rest", "limits")
_BOUNDS = ("position_limits", "velocity_limit", "effort_limit")
"""Values of joints that need a coordinate, by which the joint acts and which a run only observes."""


def load_sdf(
    path: Path,
    allow: Sequence[Path] = (),
    *,
    stops: bool = False,
    contacts: bool = False,
    strict: bool = False,
    accept: Sequence[str] = (),
    regularize: Any = None,
) -> Model:
    """The model in an SDF file; warnings say what of the file is changed and left out."""
    read = partial(_read, path, allow, Notes(strict), stops=stops, contacts=contacts)
    return model_of(path, read, accept=accept, regularize=regularize)


def save_sdf(model: Model, path: Path) -> None:
    """Refuse to write a model: SDF files are only read."""
    raise ModelError("models are not written as SDF", "write URDF, which Gazebo reads too, or MJCF or YAML")


def sdf_lines(path: Path) -> Mapping[KeyPath, int]:
    """Line, from 1, of every body, joint and constraint of the model in an SDF file."""
    return _read(path, (), Notes(), stops=False, contacts=False).lines


def _read(path: Path, allow: Sequence[Path], notes: Notes, *, stops: bool, contacts: bool) -> Description:
    top, meshes = read_whole(path, allow, notes)
    _note_unknown(top, notes)
    frames = frames_of(top)
    if not frames.links:
        raise top.fault("the file has no link", "add <model>, with a <link>, or allow= the folders of what it includes")
    outermost = [name for name, frame in frames.at.items() if not frame.scope and frame.element.tag == "model"]
    prefix = f"{outermost[0]}::" if len(outermost) == 1 else ""
    body_of, joint_of = _fitted(frames.links, prefix, notes), _fitted(frames.joints, prefix, notes)
    named = collision_names(frames.links) if contacts else {}

    def link(name: str, element: XmlElement) -> dict[str, Any]:
        return body_data(_settled(name, element, frames, notes), {}, _meshes(name, frames, meshes, top), notes, named)

    def joint(name: str, element: XmlElement) -> dict[str, Any]:
        return joint_data(name, element, frames, {**body_of, "": GROUND}, notes, stops=stops)

    links, joints = read_each(frames.links, link), read_each(frames.joints, joint)
    coupled = {name: data for name, data in couplers(frames, joint_of, notes).items() if data}
    coupler_of = fitted((_coupler(name, joint_of, prefix) for name in coupled), joint_of.values())
    coupler_of = {name: coupler_of[_coupler(name, joint_of, prefix)] for name in coupled}
    found = Description({"name": prefix.removesuffix("::"), "gravity": _gravity(top)}, notes=notes)
    found.data |= {"bodies": renamed(links, body_of), "joints": renamed(joints, joint_of)}
    found.data |= {"constraints": renamed(coupled, coupler_of), "forces": _weights(found.data, frames, body_of)}
    starts = starts_of({name: one for name, one in coupled.items() if name in joint_of}, joint_of)
    found.data["initial"] = {name: {"guess": value} for name, value in starts.items()}
    found.lines |= lines_of("bodies", frames.links, body_of) | lines_of("joints", frames.joints, joint_of)
    found.lines |= lines_of("constraints", frames.joints | frames.gears, coupler_of)
    carriers = _hold(found, frames, body_of)
    if contacts:
        found.met += _met(links, frames, body_of, carriers)
    return found


def _coupler(path: str, joint_of: Mapping[str, str], prefix: str) -> str:
    return f"{joint_of[path]}_mimic" if path in joint_of else path.removeprefix(prefix)


def _fitted(elements: Mapping[str, XmlElement], prefix: str, notes: Notes) -> dict[str, str]:
    """Name in the model by path."""
    found = fitted(path.removeprefix(prefix) for path in elements)
    for old, new in found.items():
        if old != new:
            notes.rename(old, new)
    return dict(zip(elements, found.values(), strict=True))


def _meshes(path: str, frames: SdfFrames, meshes: Mapping[int, MeshFiles], top: XmlElement) -> MeshFiles:
    """Where the meshes of a link are: beside the file that has its model."""
    while path and id(frames.at[path].element) not in meshes:
        path = frames.at[path].scope
    return meshes[id(frames.at[path].element if path else top)]


def _gravity(top: XmlElement) -> list[float]:
    """Gravity of the world; that of a model file is Cardan's usual one."""
    world = only(top, "world")
    if world is None:
        return [0, 0, -9.81]
    older = only(world, "physics")  # of versions before 1.6
    holder = older if "gravity" not in world.attributes and older is not None else world
    return list(numbers(holder, "gravity", (0.0, 0.0, -9.8)))


def _weights(data: Mapping[str, Any], frames: SdfFrames, body_of: Mapping[str, str]) -> dict[str, Any]:
    """The forces that hold up the links without gravity."""
    light = [
        body_of[path]
        for path, link in frames.links.items()
        if not is_true(link, "gravity") and "gravity" in link.attributes
    ]
    lifted = {body: [-data["bodies"][body]["mass"] * one for one in data["gravity"]] for body in light}
    return {
        f"{body}_weight": {"type": "force", "child": f"{body}.com", "value": value} for body, value in lifted.items()
    }


def _met(
    links: Mapping[str, Any], frames: SdfFrames, body_of: Mapping[str, str], carriers: Mapping[str, tuple[str, bool]]
) -> Iterator[Encounter]:
    """The collision shapes that may touch: not those of links that a joint joins, and in a model only if it says so."""
    scope = {body: frames.at[path].scope for path, body in body_of.items()}
    for one in encounters(colliders_of(links, body_of), carriers):
        model = scope[one.a.body]
        if model != scope[one.b.body] or is_true(frames.at[model].element, "self_collide"):
            yield one


def _settled(path: str, link: XmlElement, frames: SdfFrames, notes: Notes) -> XmlElement:
    """A link with its values where URDF has them."""
    link.attributes["name"] = path
    inertial = only(link, "inertial")
    if inertial is None or "mass" not in inertial.attributes or only(inertial, "inertia") is None:
        fault = (inertial or link).fault("the link has no mass or no inertia", "add <inertial>, with both")
        notes.mend(fault, "links without mass or inertia, which SDF gives 1 kg and 1 kg*m^2", path)
    if inertial is None:
        inertial = XmlElement("inertial", {}, link.line, origin=link.origin)
        link.children.append(inertial)
    for tag, usual in (("mass", {"value": "1"}), ("inertia", dict.fromkeys(("ixx", "iyy", "izz"), "1"))):
        part = only(inertial, tag)
        if part is None:
            inertial.children.append(XmlElement(tag, usual, inertial.line, origin=inertial.origin))
        else:
            part.attributes.update({key: value for key, value in usual.items() if key not in part.attributes})
    for part in (inertial, *link.all("visual"), *link.all("collision")):
        T, frame = pose_of(part)
        if frame:
            T = frames.between(path, frames.path(frame, frames.at[path].scope, part)) @ T
        for plane in (one for geometry in part.all("geometry") for one in geometry.all("plane")):
            normal = numbers(plane, "normal", (0.0, 0.0, 1.0))
            T = T @ pose(np.array(align_z(ca.DM(normal))), np.zeros(3))
        place = {"xyz": words(T[:3, 3]), "rpy": words(to_rpy(T[:3, :3]))}
        part.children.append(XmlElement("origin", place, part.line, origin=part.origin))
        for material in part.all("material"):
            color = material.attributes.get("diffuse") or material.attributes.get("ambient")
            if color:
                material.children.append(XmlElement("color", {"rgba": color}, material.line, origin=material.origin))
        for mesh in (one for geometry in part.all("geometry") for one in geometry.all("mesh")):
            mesh.attributes["filename"] = mesh.attributes["uri"]
    return link


def _hold(found: Description, frames: SdfFrames, body_of: Mapping[str, str]) -> dict[str, tuple[str, bool]]:
    """What carries each body, and whether it is fixed there, once all are joined to the ground.

    Static links are fixed to it; of other links that no joint joins to it the first one flies.

    A joint that closes a loop of joints which all have values of a coordinate loses its own: those with damping, a
    spring or stops come first.
    """
    joints: dict[str, Any] = found.data["joints"]
    above = {body: body for body in (GROUND, *body_of.values())}  # a body that is joined to it, towards one of all

    def first(body: str) -> str:
        while above[body] != body:
            above[body] = body = above[above[body]]
        return body

    for path in frames.static:
        above[body_of[path]] = GROUND
    ends = {name: [_body(data[key]) for key in ("parent", "child")] for name, data in joints.items()}
    carriers = dict.fromkeys(above, (GROUND, False)) | {body_of[path]: (GROUND, True) for path in frames.static}
    for name in sorted(joints, key=lambda name: _rank(joints[name])):
        parent, child = map(first, ends[name])
        if parent != child:
            above[child] = parent
            carriers[ends[name][1]] = ends[name][0], joints[name]["type"] == "fixed"
        elif lost := joints[name].keys() & {*_ACTING, *_BOUNDS}:
            found.notes.add(f"{', '.join(sorted(lost))} of joints that close loops of such joints", name)
            joints[name] = {key: value for key, value in joints[name].items() if key not in lost} | {"cut": True}
    groups: dict[str, list[str]] = {}
    for path, body in body_of.items():
        groups.setdefault(first(body), []).append(path)
    groups.pop(first(GROUND), None)
    children = {child for _, child in ends.values()}
    flying = [next((one for one in group if body_of[one] not in children), group[0]) for group in groups.values()]
    kinds = dict.fromkeys(sorted(frames.static), "fixed") | dict.fromkeys(flying, "free")
    wished = {path: f"{body_of[path]}_{kind}" for path, kind in kinds.items()}
    names = dict(zip(wished, fitted(wished.values(), joints).values(), strict=True))
    held: dict[str, Any] = {}
    for path, kind in kinds.items():
        place = placement(GROUND, frames.pose(path)) if kind == "fixed" else GROUND
        held[names[path]] = {"type": kind, "parent": place, "child": body_of[path]}
        found.lines["joints", names[path]] = frames.links[path].line
        if kind == "free" and (start := placement_data(frames.pose(path))):
            found.data["initial"][names[path]] = start
    found.data["joints"] = held | joints
    return carriers


def _rank(data: Mapping[str, Any]) -> int:
    """How little a joint needs its coordinate."""
    return 0 if data.keys() & {*_ACTING} else 1 if data.keys() & {*_BOUNDS} else 2


def _body(place: Any) -> Any:
    return place["body"] if isinstance(place, dict) else place


def _note_unknown(top: XmlElement, notes: Notes) -> None:
    """Note elements that may be misspelt, or belong to another program."""
    waiting = [top]
    while waiting:
        element = waiting.pop()
        for child in element.children:
            if child.tag in _OTHERS or ":" in child.tag:
                notes.add("plugins, sensors, lights and the like", f"<{child.tag}> in {child.place}")
            else:
                notes.check_element(child, _KNOWN[element.tag])
            waiting += [child] if child.tag in _KNOWN and child.tag in _KNOWN[element.tag] else []
