"""MJCF → `Model`: the bodies of the document become the data of a model, checked as those of every model file are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cardan.errors import Issue, ModelError
from cardan.errors import Path as KeyPath
from cardan.formats.mjcf.actuators import Actuators
from cardan.formats.mjcf.bodies import WORLD, MjcfBody, MjcfFile, MjcfNames, bodies_of, world_parts
from cardan.formats.mjcf.contacts import colliders_of, met
from cardan.formats.mjcf.equalities import Equalities, Places
from cardan.formats.mjcf.geoms import geom_pose
from cardan.formats.mjcf.including import read_whole
from cardan.formats.mjcf.joints import force_data, joint_data
from cardan.formats.mjcf.keyframes import keyframe_of, start_of
from cardan.formats.mjcf.masses import body_data, shape_data
from cardan.formats.mjcf.meshes import Meshes
from cardan.formats.mjcf.settings import MAIN, MjcfSettings, settings_of
from cardan.formats.mjcf.tendons import cords, tendons_of
from cardan.formats.mjcf.words import note_sections, note_unknown
from cardan.formats.xml.colliders import Collider
from cardan.formats.xml.description import Description, model_of
from cardan.formats.xml.meshes import MeshFiles
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.placing import placement, placement_data, pose, tidy
from cardan.formats.xml.resting import mobilities
from cardan.formats.xml.tree import XmlElement, all_numbers, number, numbers
from cardan.model.model import Model
from cardan.model.place import GROUND


def load_mjcf(
    path: Path,
    allow: Sequence[Path] = (),
    *,
    stops: bool = False,
    contacts: bool = False,
    strict: bool = False,
    accept: Sequence[str] = (),
    regularize: Any = None,
    keyframe: str | None = None,
) -> Model:
    """The model in an MJCF file; warnings say what of the file is changed and left out."""
    read = partial(_read, path, allow, Notes(strict), stops, contacts, keyframe)
    return model_of(path, read, accept=accept, regularize=regularize)


def mjcf_lines(path: Path) -> Mapping[KeyPath, int]:
    """Line, from 1, of every body, joint and constraint of the model in an MJCF file."""
    return _read(path, (), Notes()).lines


def _read(
    path: Path,
    allow: Sequence[Path],
    notes: Notes,
    stops: bool = False,
    contacts: bool = False,
    keyframe: str | None = None,
) -> Description:
    file = _file(read_whole(path, allow, notes), notes, MeshFiles(path.parent, allow, "not drawn"))
    top, found = file.top, file.found
    colliders = colliders_of(file) if contacts else {}
    _add_bodies(file, colliders, stops=stops)
    _add_gravcomp(file)
    _add_timed_springs(file)
    places, tendons = _places(file), tendons_of(top, file.settings)
    for name, data in cords(tendons, places, notes.add).items():
        found.put("forces", found.free(name), data, tendons[name].line)
    key = keyframe_of(top, keyframe)
    if key is not None:
        found.data["initial"] |= start_of(key, file.names.joints(), notes)
    _add_actuators(file, places, tendons, key)
    _add_equalities(file, Equalities(places, file.names.of_file(), tendons))
    if contacts:
        if shapes := shape_data(file.world, file, colliders):
            found.data["bodies"][GROUND] = {"shapes": shapes}
        found.met += met(file, colliders)
    elif any(number(part.element, key, 1) for body in file.bodies for part in body.parts["geom"] for key in _BITS):
        notes.add("contacts of geoms, which contacts=True reads")
    note_sections(top, notes)
    note_unknown(top, notes)
    return found


_FILLED = ("bodies", "joints", "constraints", "forces", "motors", "parameters", "let", "inputs", "initial")
"""Sections of a model to which a file adds."""
_BITS = ("contype", "conaffinity")


def _file(top: XmlElement, notes: Notes, mesh_file: Callable[[str], str]) -> MjcfFile:
    """A document with its settings, bodies and names, and a description that has none of them yet."""
    _check_document(top)
    settings = settings_of(top)
    bodies = bodies_of(top, settings)
    if not bodies:
        raise top.fault("the file has no body", "add <body> to <worldbody>, with a joint and a geom")
    names = MjcfNames(bodies, settings, notes)
    data = {"name": top.attributes.get("model", ""), "gravity": _gravity(top, settings)}
    found = Description({**data, **{key: {} for key in _FILLED}}, notes=notes, reserved=names.taken)
    world, meshes = world_parts(top, "geom", settings), Meshes(top, settings, mesh_file)
    return MjcfFile(top, settings, names.named(bodies), world, names, meshes, found)


def _check_document(top: XmlElement) -> None:
    if top.tag != "mujoco":
        is_urdf = top.tag == "robot"
        what = "a URDF file" if is_urdf else f"a file with the outermost element <{top.tag}>"
        cure = "give it the extension .urdf" if is_urdf else "an MJCF file begins with <mujoco>"
        raise top.fault(f"this is {what}, not an MJCF file", cure)


def _gravity(top: XmlElement, settings: MjcfSettings) -> list[float]:
    gravity: tuple[float, ...] = (0.0, 0.0, -9.81)
    for option in top.all("option"):
        gravity = numbers(option, "gravity", gravity)
    return [0, 0, 0] if "gravity" in settings.disabled else tidy(gravity)


def _add_bodies(file: MjcfFile, colliders: Mapping[int, Collider], *, stops: bool) -> None:
    """Add all bodies and the joints that carry them; the faults of all in one error."""
    found, settings, issues = file.found, file.settings, []
    for body in file.bodies:
        try:
            data = body_data(body, file, colliders)
            _add_joints(file, body, stops=stops)
            found.put("bodies", body.name, data, body.element.line)
        except ModelError as error:
            where = f"body {body.name!r}: "
            issues += [Issue(where + one.fault, one.cure, line=one.line or body.element.line) for one in error.issues]
    if issues:
        raise ModelError(issues)
    if settings.total_mass > 0:
        _scale(found.data["bodies"].values(), settings.total_mass)


def _add_joints(file: MjcfFile, body: MjcfBody, *, stops: bool) -> None:
    """Add the joints that carry a body, one after the other with massless bodies between them."""
    found, names = file.found, file.names
    name, joints, parent = body.name, body.parts["joint"], body.carrier
    if body.element.attributes.get("mocap", "false") != "false":
        found.notes.add("mocap", name)
    if not joints:
        entry = {"type": "fixed", "parent": placement(parent, body.T), "child": name}
        found.put("joints", names.fixed[name], entry, body.element.line)
    T = body.T
    if body.slides:
        starts = zip(joints, (*tidy(T[:3, 3]), placement_data(pose(T[:3, :3]))), strict=True)
        found.data["initial"] |= {names.joint[id(one.element)]: value for one, value in starts if value}
        T = np.eye(4)
    for joint in joints:
        element, own = joint.element, names.joint[id(joint.element)]
        child = name if joint is joints[-1] else names.between[id(element)]
        if child != name:
            found.put("bodies", child, {}, element.line)
        entry = joint_data(element, file.settings, partial(found.notes.add, where=own), stops=stops)
        is_free = entry["type"] == "free"
        A = pose(p=joint.T[:3, :3] @ numbers(element, "pos", (0.0,) * 3) + joint.T[:3, 3])
        if is_free:
            _check_free(body, joints)
            entry |= {"parent": GROUND, "child": name}
            found.data["initial"] |= {own: start} if (start := placement_data(T)) else {}
        else:
            entry |= {"parent": placement(parent, T @ A), "child": placement(child, A)}
        if "axis" in entry:
            entry["axis"] = tidy(joint.T[:3, :3] @ entry["axis"])
        found.put("joints", own, entry, element.line)
        turned = T if is_free else pose(body.T[:3, :3]) if body.slides else T @ A
        rest = placement(parent, turned)
        if force := force_data(element, own, {**entry, "parent": rest}):
            found.put("forces", found.free(f"{own} spring"), force, element.line)
        parent, T = child, np.eye(4)


def _check_free(body: MjcfBody, joints: Sequence[Any]) -> None:
    if body.parent != WORLD or len(joints) > 1:
        raise body.element.fault("a free joint stands alone in a body of the world", "move it, or take one joint out")


def _add_gravcomp(file: MjcfFile) -> None:
    """Forces at centres of mass against the weight, a share of it."""
    found = file.found
    for body in file.bodies:
        name, share = body.name, number(body.element, "gravcomp", 0)
        data = found.data["bodies"][name]
        if share and data.get("mass") and any(found.data["gravity"]):
            value = [-share * data["mass"] * one for one in found.data["gravity"]]
            entry = {"type": "force", "child": f"{name}.com", "value": value}
            found.put("forces", found.free(f"{name} gravcomp"), entry, body.element.line)


def _add_timed_springs(file: MjcfFile) -> None:
    """Stiffness m/(T ζ)² and damping 2 m/T of joints with a time constant T and a ratio ζ; m is the inertia at rest."""
    timed = {one.name: all_numbers(one.element, "springdamper") for one in file.names.joints()}
    timed = {name: given for name, given in timed.items() if len(given) == 2 and min(given) > 0}
    velocities, inverse = mobilities(file.found.data) if timed else ([], np.eye(0))
    for name, (T, zeta) in timed.items():
        if name not in velocities:
            file.found.notes.add("springdamper of joints of several motions", name)
            continue
        k = velocities.index(name)
        m = float(1 / inverse[k, k])
        file.found.data["joints"][name] |= {"stiffness": m / (T * zeta) ** 2, "damping": 2 * m / T}


def _add_actuators(file: MjcfFile, places: Places, tendons: Mapping[str, XmlElement], key: XmlElement | None) -> None:
    """Add inputs, forces and motors of the actuators, which a keyframe tells a value."""
    if "actuator" in file.settings.disabled:
        return
    actuators = Actuators(file.settings, file.names.of_file(), tendons, places, file.found)
    told = () if key is None else all_numbers(key, "ctrl")
    listed = [one for section in file.top.all("actuator") for one in section.children]
    for element in listed:
        actuators.prepare(element)
    for k, element in enumerate(listed):
        actuators.read(element, told[k] if k < len(told) else 0)
    actuators.end()


def _add_equalities(file: MjcfFile, equalities: Equalities) -> None:
    """Add joints that close loops, and constraints; where there are some, the start is a guess."""
    found, data = file.found, file.found.data
    sections = [] if "equality" in file.settings.disabled else file.top.all("equality")
    for element in (file.settings.completed(one, MAIN, "equality") for part in sections for one in part.children):
        if element.attributes.get("active", "true") != "false":
            section, wished, entry = equalities.read(element)
            found.put(section, found.free(wished), entry, element.line)
    if data["constraints"] or any("cut" in joint for joint in data["joints"].values()):
        data["initial"] = {
            key: {"guess": one} if key in data["joints"] else one for key, one in data["initial"].items()
        }


def _places(file: MjcfFile) -> Places:
    """Where bodies and sites are, by their names in the file."""
    T_W: list[np.ndarray] = []  # pose of each body in the world while all coordinates are zero
    for body in file.bodies:
        T_W.append(body.T if body.parent == WORLD else T_W[body.parent] @ body.T)
    of_body = {"world": (GROUND, np.eye(4)), "": (GROUND, np.eye(4))}
    of_body |= {body.element.name: (body.name, T) for body, T in zip(file.bodies, T_W, strict=True)}
    sites = [(GROUND, site) for site in world_parts(file.top, "site", file.settings)]
    sites += [(body.name, site) for body in file.bodies for site in body.parts["site"]]
    of_site = {
        site.element.name: (body, site.T @ geom_pose(site.element, file.settings, back=True)) for body, site in sites
    }
    return Places(of_body, of_site, {GROUND: np.eye(4)} | dict(zip(file.names.body, T_W, strict=True)))


def _scale(bodies: Iterable[dict[str, Any]], total: float) -> None:
    """Scale masses and inertias together, so that the masses add up to `total`."""
    moving = [body for body in bodies if "mass" in body]
    mass = sum(body["mass"] for body in moving)
    for body in moving:
        body["mass"] *= total / mass
        body["inertia"] = [entry * total / mass for entry in body.get("inertia", [0] * 3)]
