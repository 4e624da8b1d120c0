"""SDF → `Model`: links and joints become the data of a model, checked as those of every model file are."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.errors import Path as KeyPath
from cardan.formats.sdf.document import is_true, read_whole
from cardan.formats.sdf.frames import SdfFrames, frames_of
from cardan.formats.sdf.joints import couplers, joint_data
from cardan.formats.sdf.merging import merge
from cardan.formats.xml.colliders import Encounter, encounters
from cardan.formats.xml.description import Description, model_of
from cardan.formats.xml.joints import starts_of
from cardan.formats.xml.links import body_data, colliders_of, collision_names
from cardan.formats.xml.names import names_of
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.placing import placement, placement_data, tidy
from cardan.formats.xml.tree import XmlElement, number, numbers, only, read_each
from cardan.frozen import replace
from cardan.model.model import Model
from cardan.model.place import GROUND

_OTHERS = ("plugin", "sensor", "light", "actor", "state", "population", "projector", "particle_emitter", "battery")
_KNOWN = {
    "sdf": "world model",
    "world": "model include joint frame gravity physics scene gui wind atmosphere magnetic_field spherical_coordinates",
    "model": "link joint frame model pose static self_collide allow_auto_disable enable_wind",
    "link": "inertial visual collision pose gravity self_collide enable_wind must_be_base_link",
    "inertial": "pose mass inertia",
    "inertia": "ixx iyy izz ixy ixz iyz",
    "joint": "parent child pose axis axis2 physics thread_pitch screw_thread_pitch gearbox_reference_body "
    "gearbox_ratio",
    "axis": "xyz dynamics limit use_parent_model_frame mimic",
    "axis2": "xyz dynamics limit use_parent_model_frame",
    "dynamics": "damping friction spring_reference spring_stiffness",
    "limit": "lower upper effort velocity stiffness dissipation",
    "mimic": "multiplier offset reference",
}
"""Elements that are read, or say nothing about the mechanism, by the element in which they stand."""
_ACTING = frozenset(("damping", "stiffness", "rest", "limits"))
_BOUNDS = frozenset(("position_limits", "velocity_limit", "effort_limit"))
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


@np.errstate(over="ignore", invalid="ignore")
def _read(path: Path, allow: Sequence[Path], notes: Notes, *, stops: bool, contacts: bool) -> Description:
    top, meshes, merged = read_whole(path, allow, notes)
    merge(top, merged, meshes)
    _note_unknown(top, notes)
    frames = frames_of(top, meshes)
    if not frames.links:
        raise top.fault("the file has no link", "add <model>, with a <link>, or allow= the folders of what it includes")
    models = {name: one.element for name, one in frames.at.items() if not one.scope and one.element.tag == "model"}
    moving = [name for name, element in models.items() if not is_true(element, "static")] or [*models]
    prefix = f"{moving[0]}::" if len(moving) == 1 else ""  # names of the one model that moves stay as they are

    def wished(path: str) -> str:
        return path.removeprefix(prefix).replace("::", "_")

    parts = (frames.links, frames.joints)
    body_of, joint_of = (names_of({path: wished(path) for path in part}, notes) for part in parts)
    place_of, named = {**body_of, "": GROUND}, collision_names(frames.links) if contacts else {}

    def link(name: str, element: XmlElement) -> dict[str, Any]:
        _complete(name, element, Notes() if name in frames.static else notes)
        place = partial(frames.placement, name)
        return body_data(element, {}, frames.meshes[name], notes, named, place)

    links = read_each(frames.links, link)
    joints = read_each(frames.joints, partial(joint_data, frames=frames, place_of=place_of, notes=notes, stops=stops))
    coupled = couplers(frames, joint_of, notes)
    named_as = {one: wished(one) if one in frames.gears else f"{joint_of[one]}_mimic" for one in coupled}
    coupler_of = names_of(named_as, notes, joint_of.values())
    sections: dict[str, Any] = {"bodies": {}, "joints": {}, "constraints": {}}
    found = Description({"name": prefix.removesuffix("::"), "gravity": _gravity(top), **sections}, notes=notes)
    found.fill("bodies", links, body_of, frames.links)
    found.fill("joints", joints, joint_of, frames.joints)
    found.fill("constraints", coupled, coupler_of, frames.joints | frames.gears)
    found.data["forces"] = _lifts(found.data, frames, body_of)
    found.data["initial"] = starts_of({name: one for name, one in coupled.items() if name in joint_of}, joint_of)
    carriers = _hold(found, frames, body_of)
    found.met += _met(links, frames, body_of, carriers, named) if contacts else ()
    return found


def _gravity(top: XmlElement) -> list[float]:
    """Gravity of the world; that of a model file is Cardan's usual one."""
    world = only(top, "world")
    if world is None:
        return [0, 0, -9.81]
    older = only(world, "physics")  # of versions before 1.6
    holder = older if "gravity" not in world.attributes and older is not None else world
    return list(numbers(holder, "gravity", (0.0, 0.0, -9.8)))


def _lifts(data: Mapping[str, Any], frames: SdfFrames, body_of: Mapping[str, str]) -> dict[str, Any]:
    """The forces that hold up the links without gravity."""
    light = {body_of[one] for one, link in frames.links.items() if link.attributes.get("gravity") in ("0", "false")}
    value = {body: tidy(-data["bodies"][body]["mass"] * one for one in data["gravity"]) for body in light}
    return {f"{body}_lift": {"type": "force", "child": f"{body}.com", "value": value[body]} for body in sorted(light)}


def _complete(path: str, link: XmlElement, notes: Notes) -> None:
    """Give a link the mass and the inertia that SDF gives it where the file does not."""
    link.attributes["name"] = path
    if not link.all("inertial"):
        link.children.append(XmlElement("inertial", {}, link.line, origin=link.origin))
    for inertial in link.all("inertial"):
        if is_true(inertial, "auto"):
            raise inertial.fault("masses of shapes are not read", "write <mass> and <inertia> in place of auto")
        for tag, keys in (("mass", ("value",)), ("inertia", ("ixx", "iyy", "izz"))):
            if not inertial.all(tag):
                fault = link.fault(f"the link has no {tag}", f"add it to <inertial>: <{tag}>…</{tag}>")
                notes.mend(fault, f"links without {tag}, which SDF makes 1 in SI units", path)
                inertial.children.append(XmlElement(tag, {}, inertial.line, origin=inertial.origin))
            for key in keys:
                inertial.all(tag)[0].attributes.setdefault(key, "1")


def _hold(found: Description, frames: SdfFrames, body_of: Mapping[str, str]) -> dict[str, tuple[str, bool]]:
    """What carries each body, and whether it is fixed there, once all are joined to the ground.

    Static links are fixed to it; of other links that hang together one flies, the first that no joint carries. A joint
    loses its values of a coordinate if it closes a loop of joints that all have some: of these, the ones that act stay.
    """
    joints: dict[str, Any] = found.data["joints"]
    above = dict.fromkeys((body_of[path] for path in frames.static), GROUND)  # bodies that hang together

    def first(body: str) -> str:
        while body in above:
            above[body] = body = above.get(above[body], above[body])
        return body

    ends = {
        name: [end["body"] if isinstance(end, dict) else end for end in (data["parent"], data["child"])]
        for name, data in joints.items()
    }
    carriers = dict.fromkeys(body_of.values(), (GROUND, False)) | dict.fromkeys(above, (GROUND, True))
    for name in sorted(joints, key=lambda name: (not _ACTING & joints[name].keys(), not _BOUNDS & joints[name].keys())):
        parent, child = map(first, ends[name])
        lost = joints[name].keys() & (_ACTING | _BOUNDS)
        if parent != child:
            near, far = (parent, child) if parent == GROUND else (child, parent)
            above[far] = near
            holder, held = ends[name]
            if carriers[held] == (GROUND, True):  # which stands, so that the joint holds the other one
                holder, held = held, holder
            carriers[held] = holder, joints[name]["type"] == "fixed"
        elif lost:
            found.notes.add(f"{', '.join(sorted(lost))} of joints that close loops of such joints", name)
            joints[name] = {key: value for key, value in joints[name].items() if key not in lost} | {"cut": True}
    kinds = dict.fromkeys(frames.static, "fixed")
    carried = {child for _, child in ends.values()}
    for path in sorted(body_of, key=lambda path: body_of[path] in carried):
        if (body := first(body_of[path])) != GROUND:
            above[body], kinds[path] = GROUND, "free"
    names = names_of({path: f"{body_of[path]}_{kind}" for path, kind in kinds.items()}, found.notes, joints)
    for path, kind in kinds.items():
        place: Any = {"parent": GROUND} if kind == "free" else {"parent": placement(GROUND, frames.pose(path))}
        found.put("joints", names[path], {"type": kind, **place, "child": body_of[path]}, frames.links[path].line)
        if kind == "free" and (start := placement_data(frames.pose(path))):
            found.data["initial"][names[path]] = start
    found.data["joints"] = {name: joints[name] for name in (*names.values(), *ends)}
    return carriers


def _met(
    links: Mapping[str, Any],
    frames: SdfFrames,
    body_of: Mapping[str, str],
    carriers: Mapping[str, tuple[str, bool]],
    named: Mapping[int, str],
) -> Iterator[Encounter]:
    """The collision shapes that may touch: not those of links that a joint joins, and in a model only if it says so.

    Of two coefficients of friction the smaller one counts.
    """
    model = {body: frames.at[path].scope for path, body in body_of.items()}
    collisions = [one for link in frames.links.values() for one in link.all("collision")]
    mu = {named[id(one)]: number(part, "mu") for one in collisions for part in one.walk() if "mu" in part.attributes}
    for one in encounters(colliders_of(links, body_of), carriers):
        own = model[one.a.body]
        if own != model[one.b.body] or is_true(frames.at[own].element, "self_collide"):
            smaller = min(mu.get(one.a.name, 1), mu.get(one.b.name, 1))
            yield replace(one, surface=replace(one.surface, friction=(smaller, *one.surface.friction[1:])))


def _note_unknown(top: XmlElement, notes: Notes) -> None:
    """Note elements that may be misspelt, or belong to another program."""
    waiting = [top]
    while waiting:
        element = waiting.pop()
        known = _KNOWN[element.tag].split()
        for child in element.children:
            if child.tag in _OTHERS or ":" in child.tag:
                notes.add("plugins, sensors, lights and the like", f"<{child.tag}> in {child.place}")
            else:
                notes.check_element(child, known)
        waiting += [child for child in element.children if child.tag in _KNOWN and child.tag in known]
