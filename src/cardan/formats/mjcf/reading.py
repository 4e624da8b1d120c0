"""MJCF → `Model`: the bodies of the document become the data of a model, checked as those of every model file are."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cardan.errors import Path as KeyPath
from cardan.formats.mjcf.actuators import add_actuators
from cardan.formats.mjcf.bodies import MjcfBody, MjcfFile
from cardan.formats.mjcf.contacts import colliders_of, met
from cardan.formats.mjcf.equalities import add_equalities
from cardan.formats.mjcf.including import read_whole
from cardan.formats.mjcf.joints import joint_data, spring_data
from cardan.formats.mjcf.keyframes import keyframe_of, start_of
from cardan.formats.mjcf.masses import body_data, shape_data
from cardan.formats.mjcf.tendons import add_cords
from cardan.formats.mjcf.words import note_sections, note_unknown
from cardan.formats.xml.colliders import Collider
from cardan.formats.xml.description import Description, model_of
from cardan.formats.xml.meshes import MeshFiles
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.placing import placement, placement_data, pose, tidy
from cardan.formats.xml.resting import mobilities
from cardan.formats.xml.tree import XmlElement, all_numbers, number, numbers, read_each
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
    top = read_whole(path, allow, notes)
    _check_document(top)
    file = MjcfFile(top, notes, MeshFiles(path.parent, allow, "not drawn"))
    found, colliders = file.found, colliders_of(file) if contacts else {}
    _add_bodies(file, colliders, stops=stops)
    _add_gravcomp(file)
    _add_timed_springs(file)
    add_cords(file)
    key = keyframe_of(top, keyframe)
    if key is not None:
        found.data["initial"] |= start_of(key, file.joints, notes)
    add_actuators(file, () if key is None else all_numbers(key, "ctrl"))
    add_equalities(file)
    if contacts:
        if shapes := shape_data(file.world.parts["geom"], file, colliders):
            found.data["bodies"][GROUND] = {"shapes": shapes}
        found.met += met(file, colliders)
    elif any(number(part.element, key, 1) for body in file.bodies for part in body.parts["geom"] for key in _BITS):
        notes.add("contacts of geoms, which contacts=True reads")
    note_sections(top, notes)
    note_unknown(top, notes)
    return found


_BITS = ("contype", "conaffinity")


def _check_document(top: XmlElement) -> None:
    if top.tag != "mujoco":
        is_urdf = top.tag == "robot"
        what = "a URDF file" if is_urdf else f"a file with the outermost element <{top.tag}>"
        cure = "give it the extension .urdf" if is_urdf else "an MJCF file begins with <mujoco>"
        raise top.fault(f"this is {what}, not an MJCF file", cure)


def _add_bodies(file: MjcfFile, colliders: Mapping[int, Collider], *, stops: bool) -> None:
    """Add all bodies and the joints that carry them; masses and inertias scaled together where their sum is given."""
    bodies = {body.name: body for body in file.bodies}

    def add(name: str, element: XmlElement) -> None:
        data = body_data(bodies[name], file, colliders)
        _add_joints(file, bodies[name], stops=stops)
        file.found.put("bodies", name, data, element.line)

    read_each({name: body.element for name, body in bodies.items()}, add)
    heavy = [data for data in file.found.data["bodies"].values() if "mass" in data]
    total, mass = number(file.settings.compiler, "settotalmass", -1), sum(data["mass"] for data in heavy)
    for data in heavy if total > 0 else ():
        data["mass"] *= total / mass
        data["inertia"] = [entry * total / mass for entry in data.get("inertia", [0] * 3)]


def _add_joints(file: MjcfFile, body: MjcfBody, *, stops: bool) -> None:
    """Add the joints that carry a body, one after the other with massless bodies between them."""
    found, parent, T = file.found, GROUND if body.carrier is None else body.carrier.name, body.T
    if body.element.attributes.get("mocap", "false") != "false":
        found.notes.add("mocap", body.name)
    if body.flies:  # its coordinates begin in the axes of the world
        whole, turned = placement_data(T), placement_data(pose(T[:3, :3]))
        starts = [whole] if len(body.joints) == 1 else [*tidy(T[:3, 3]), turned]
        found.data["initial"] |= {one.name: start for one, start in zip(body.joints, starts, strict=True) if start}
        T = np.eye(4)
    for joint in body.joints:
        if joint.child != body.name:
            found.put("bodies", joint.child, {}, joint.element.line)
        p = joint.T[:3, :3] @ numbers(joint.element, "pos", (0.0,) * 3) + joint.T[:3, 3]
        A = pose(p=0 if body.flies else p)
        entry = joint_data(joint, file.settings, partial(found.notes.add, where=joint.name), stops=stops)
        entry |= {"parent": placement(parent, T @ A), "child": placement(joint.child, A)}
        found.put("joints", joint.name, entry, joint.element.line)
        at = pose(body.T[:3, :3], body.T[:3, 3] if joint.kind == "free" else 0) if body.flies else T @ A
        if force := spring_data(joint, entry, placement(parent, at)):
            found.put("forces", found.free(f"{joint.name} spring"), force, joint.element.line)
        parent, T = joint.child, np.eye(4)


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
    timed = {one.name: all_numbers(one.element, "springdamper") for one in file.joints}
    timed = {name: given for name, given in timed.items() if len(given) == 2 and min(given) > 0}
    velocities, inverse = mobilities(file.found.data) if timed else ([], np.eye(0))
    for name, (T, zeta) in timed.items():
        if name not in velocities:
            file.found.notes.add("springdamper of joints of several motions", name)
            continue
        k = velocities.index(name)
        m = float(1 / inverse[k, k])
        file.found.data["joints"][name] |= {"stiffness": m / (T * zeta) ** 2, "damping": 2 * m / T}
