"""MJCF → `Model`: the bodies of the document become the data of a model, checked as those of every model file are.

A misspelt `dampng` would be a joint without damping, so that words that are not known are named in the warning. Source
of the words: the schema of MuJoCo 4.0 (`mj_printSchema`), and the words of older versions.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cardan.errors import Issue, ModelError
from cardan.errors import Path as KeyPath
from cardan.formats.mjcf.actuators import Actuators, JointOf
from cardan.formats.mjcf.bodies import WORLD, MjcfBody, bodies_of, world_parts
from cardan.formats.mjcf.contacts import colliders_of, met
from cardan.formats.mjcf.equalities import Equalities, Places
from cardan.formats.mjcf.geoms import geom_pose
from cardan.formats.mjcf.including import read_whole
from cardan.formats.mjcf.joints import is_free, joint_data, type_of
from cardan.formats.mjcf.keyframes import keyframe_of, start_of
from cardan.formats.mjcf.masses import body_data, shape_data
from cardan.formats.mjcf.meshes import Meshes
from cardan.formats.mjcf.settings import MAIN, MjcfSettings, settings_of
from cardan.formats.mjcf.springs import force_data
from cardan.formats.mjcf.tendons import cords, tendons_of
from cardan.formats.xml.description import Description, model_of
from cardan.formats.xml.meshes import MeshFiles
from cardan.formats.xml.names import unique
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.placing import placement, placement_data, tidy
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
    mesh_file = MeshFiles(path.parent, allow, "not drawn")
    notes = Notes(strict)

    def read() -> Description:
        top = read_whole(path, allow, notes)
        return _read(top, notes, mesh_file, stops=stops, contacts=contacts, keyframe=keyframe)

    return model_of(path, read, accept=accept, regularize=regularize)


def mjcf_lines(path: Path) -> Mapping[KeyPath, int]:
    """Line, from 1, of every body, joint and constraint of the model in an MJCF file."""
    notes = Notes()
    found = _read(
        read_whole(path, (), notes), notes, MeshFiles(path.parent, (), "not drawn"), stops=False, contacts=False
    )
    return found.lines


def _read(
    top: XmlElement,
    notes: Notes,
    mesh_file: Callable[[str], str],
    *,
    stops: bool,
    contacts: bool,
    keyframe: str | None = None,
) -> Description:
    _check_document(top)
    settings = settings_of(top)
    bodies = bodies_of(top, settings)
    if not bodies:
        raise top.fault("the file has no body", "add <body> to <worldbody>, with a joint and a geom")
    found = Description(
        {"name": top.attributes.get("model", ""), "gravity": _gravity(top, settings), "bodies": {}, "joints": {}},
        notes=notes,
    )
    found.data |= {
        section: {} for section in ("constraints", "forces", "motors", "parameters", "let", "inputs", "initial")
    }
    names = _Names(bodies, found.notes)
    meshes = Meshes(top, settings, mesh_file)
    world = world_parts(top, "geom", settings)
    colliders = colliders_of(world, bodies, names.body, settings) if contacts else {}
    issues: list[Issue] = []
    for k, body in enumerate(bodies):
        try:
            data = body_data(body, settings, meshes, found.notes.undrawn, colliders)
            _add(found, names, bodies, k, data, settings, stops=stops)
        except ModelError as error:
            issues += [
                Issue(f"body {names.body[k]!r}: {one.fault}", one.cure, line=one.line or body.element.line)
                for one in error.issues
            ]
    if issues:
        raise ModelError(issues)
    if settings.total_mass > 0:
        _scale(found.data["bodies"].values(), settings.total_mass)
    _add_gravcomp(found, bodies, names)
    _add_timed_springs(found, names, settings)
    places, tendons = _places(top, bodies, names, settings), tendons_of(top, settings)
    for name, data in cords(tendons, places, found.notes.add).items():
        (called,) = unique([name], [*names.taken, *found.data["forces"]])
        found.put("forces", called, data, tendons[name].line)
    key = keyframe_of(top, keyframe)
    if key is not None:
        found.data["initial"] |= start_of(
            key, [(one.name, type_of(one.element), one.ref) for one in names.joints(settings)], found.notes
        )
    _add_actuators(found, top, settings, names, places, tendons, key)
    equalities = Equalities(places, names.of_file, tendons)
    sections = [] if "equality" in settings.disabled else top.all("equality")
    for element in (settings.completed(one, MAIN, "equality") for section in sections for one in section.children):
        if element.attributes.get("active", "true") != "false":
            section, wished, entry = equalities.read(element)
            (name,) = unique([wished], [*found.data["joints"], *found.data["constraints"]])
            found.put(section, name, entry, element.line)
    if found.data["constraints"] or any("cut" in joint for joint in found.data["joints"].values()):
        start = found.data["initial"]
        found.data["initial"] = {
            key: {"guess": one} if key in found.data["joints"] else one for key, one in start.items()
        }
    if contacts:
        if shapes := shape_data(world, settings, meshes, found.notes.undrawn, colliders):
            found.data["bodies"][GROUND] = {"shapes": shapes}
        found.met += met(top, colliders, bodies, names.body, world, settings, found.notes)
    elif any(_may_touch(part.element) for body in bodies for part in body.parts["geom"]):
        found.notes.add("contacts of geoms, which contacts=True reads")
    _note_sections(top, found.notes)
    note_unknown(top, found.notes)
    return found


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


class _Names:
    """Names in the model of the bodies and joints of a file."""

    def __init__(self, bodies: Sequence[MjcfBody], notes: Notes) -> None:
        written = [body.element.attributes.get("name", "") for body in bodies]
        _check_unique(((name, body.element) for name, body in zip(written, bodies, strict=True)), "bodies")
        self.body = unique(name or f"body {k + 1}" for k, name in enumerate(written))
        joints = [(k, part.element) for k, body in enumerate(bodies) for part in body.parts["joint"]]
        given = [joint.attributes.get("name", "") for _, joint in joints]
        _check_unique(zip(given, (joint for _, joint in joints), strict=True), "joints")
        wished = [name or f"{self.body[k]} {type_of(joint)}" for name, (k, joint) in zip(given, joints, strict=True)]
        jointless = [k for k, body in enumerate(bodies) if not body.parts["joint"]]
        found = unique([*wished, *(f"{self.body[k]} fixed" for k in jointless)])
        self.joint = {id(joint): name for (_, joint), name in zip(joints, found, strict=False)}
        self.fixed = dict(zip(jointless, found[len(joints) :], strict=True))
        self.of_file = dict(zip(given, found, strict=False))
        self._joints = [(self.joint[id(joint)], joint) for _, joint in joints]
        several = [(k, part) for k, body in enumerate(bodies) for part in body.parts["joint"][:-1]]
        between = unique((f"{self.body[k]} {self.joint[id(part.element)]}" for k, part in several), self.body)
        self.between = {id(part.element): name for (_, part), name in zip(several, between, strict=True)}
        self.taken = (*self.body, *found, *self.between.values())  # names of bodies and joints in the model
        for old, new in (*zip(written, self.body, strict=True), *zip(given, found, strict=False)):
            if old and old != new:
                notes.rename(old, new)

    def joints(self, settings: MjcfSettings) -> list[JointOf]:
        """The joints in the order of the file."""
        units = {"hinge": settings.angle, "slide": 1.0}
        return [JointOf(name, one, units.get(type_of(one), 0.0) * number(one, "ref", 0)) for name, one in self._joints]


def _check_unique(named: Iterable[tuple[str, XmlElement]], what: str) -> None:
    """Refuse a name that two of them have; those without a name may be several."""
    first: dict[str, XmlElement] = {}
    for name, element in named:
        if name and first.setdefault(name, element) is not element:
            raise element.fault(f"there are two {what} {name!r}, the other one in {first[name].place}", "rename one")


def _add(
    found: Description,
    names: _Names,
    bodies: Sequence[MjcfBody],
    k: int,
    data: dict[str, Any],
    settings: MjcfSettings,
    *,
    stops: bool,
) -> None:
    """Add a body and the joints that carry it, one after the other with massless bodies between them."""
    body, name = bodies[k], names.body[k]
    note = partial(found.notes.add, where=name)
    parent = GROUND if body.parent == WORLD else names.body[body.parent]
    joints = body.parts["joint"]
    if body.element.attributes.get("mocap", "false") != "false":
        note("mocap")
    if not joints:
        place = placement(parent, body.T)
        found.put("joints", names.fixed[k], {"type": "fixed", "parent": place, "child": name}, body.element.line)
    T = body.T
    for joint in joints:
        element, own = joint.element, names.joint[id(joint.element)]
        child = name if joint is joints[-1] else names.between[id(element)]
        if child != name:
            found.put("bodies", child, {}, element.line)
        entry = joint_data(element, settings, partial(found.notes.add, where=own), stops=stops)
        if is_free(element):
            _check_free(body, joints)
            ends: dict[str, Any] = {"parent": GROUND, "child": name}
            if start := placement_data(T):
                found.data["initial"][own] = start
        else:
            A = np.eye(4)
            A[:3, 3] = joint.T[:3, :3] @ numbers(element, "pos", (0.0,) * 3) + joint.T[:3, 3]
            ends = {"parent": placement(parent, T @ A), "child": placement(child, A)}
        if "axis" in entry:
            entry["axis"] = tidy(joint.T[:3, :3] @ entry["axis"])
        entry |= ends
        found.put("joints", own, entry, element.line)
        if force := force_data(element, own, {**entry, "parent": placement(parent, T)} if is_free(element) else entry):
            (called,) = unique([f"{own} spring"], [*names.taken, *found.data["forces"]])
            found.put("forces", called, force, element.line)
        parent, T = child, np.eye(4)
    found.put("bodies", name, data, body.element.line)


def _check_free(body: MjcfBody, joints: Sequence[Any]) -> None:
    if body.parent != WORLD or len(joints) > 1:
        raise body.element.fault("a free joint stands alone in a body of the world", "move it, or take one joint out")


def _add_gravcomp(found: Description, bodies: Sequence[MjcfBody], names: _Names) -> None:
    """Forces at centres of mass against the weight, a share of it."""
    for name, body in zip(names.body, bodies, strict=True):
        share, data = number(body.element, "gravcomp", 0), found.data["bodies"][name]
        if share and data.get("mass") and any(found.data["gravity"]):
            value = [-share * data["mass"] * one for one in found.data["gravity"]]
            (called,) = unique([f"{name} gravcomp"], [*names.taken, *found.data["forces"]])
            entry = {"type": "force", "child": f"{name}.com", "value": value}
            found.put("forces", called, entry, body.element.line)


def _add_timed_springs(found: Description, names: _Names, settings: MjcfSettings) -> None:
    """Stiffness m/(T ζ)² and damping 2 m/T of joints with a time constant T and a ratio ζ; m is the inertia at rest."""
    timed = {one.name: all_numbers(one.element, "springdamper") for one in names.joints(settings)}
    timed = {name: given for name, given in timed.items() if len(given) == 2 and min(given) > 0}
    if not timed:
        return
    velocities, inverse = mobilities(found.data)
    for name, (T, zeta) in timed.items():
        if name not in velocities:
            found.notes.add("springdamper of joints of several motions", name)
            continue
        k = velocities.index(name)
        m = float(1 / inverse[k, k])
        found.data["joints"][name] |= {"stiffness": m / (T * zeta) ** 2, "damping": 2 * m / T}


def _add_actuators(
    found: Description,
    top: XmlElement,
    settings: MjcfSettings,
    names: _Names,
    places: Places,
    tendons: Mapping[str, XmlElement],
    key: XmlElement | None,
) -> None:
    """Add inputs, forces and motors of the actuators, which a keyframe tells a value."""
    if "actuator" in settings.disabled:
        return
    joints = {one.element.attributes.get("name", ""): one for one in names.joints(settings)}
    actuators = Actuators(settings, joints, tendons, places, found)
    told = () if key is None else all_numbers(key, "ctrl")
    listed = [one for section in top.all("actuator") for one in section.children]
    for element in listed:
        actuators.prepare(element)
    for k, element in enumerate(listed):
        actuators.read(element, told[k] if k < len(told) else 0)
    actuators.end()


def _places(top: XmlElement, bodies: Sequence[MjcfBody], names: _Names, settings: MjcfSettings) -> Places:
    """Where bodies and sites are, by their names in the file."""
    T_W: list[np.ndarray] = []  # pose of each body in the world while all coordinates are zero
    for body in bodies:
        T_W.append(body.T if body.parent == WORLD else T_W[body.parent] @ body.T)
    of_body = {"world": (GROUND, np.eye(4)), "": (GROUND, np.eye(4))}
    of_body |= {body.element.attributes.get("name", ""): (names.body[k], T_W[k]) for k, body in enumerate(bodies)}
    sites = [(GROUND, site) for site in world_parts(top, "site", settings)]
    sites += [(names.body[k], site) for k, body in enumerate(bodies) for site in body.parts["site"]]
    of_site = {
        site.element.attributes.get("name", ""): (body, site.T @ geom_pose(site.element, settings, back=True))
        for body, site in sites
    }
    return Places(of_body, of_site, dict(zip(names.body, T_W, strict=True)) | {GROUND: np.eye(4)})


def _scale(bodies: Iterable[dict[str, Any]], total: float) -> None:
    """Scale masses and inertias together, so that the masses add up to `total`."""
    moving = [body for body in bodies if "mass" in body]
    mass = sum(body["mass"] for body in moving)
    for body in moving:
        body["mass"] *= total / mass
        body["inertia"] = [entry * total / mass for entry in body.get("inertia", [0] * 3)]


def _may_touch(geom: XmlElement) -> bool:
    return any(number(geom, key, 1) for key in ("contype", "conaffinity"))


def _note_sections(top: XmlElement, notes: Notes) -> None:
    for element in (one for section in top.all("deformable") for one in section.children):
        note = notes.undrawn if element.tag == "skin" else notes.add
        note("skins, not drawn" if element.tag == "skin" else f"deformable {element.tag}", _called(element))
    for element in (one for section in top.all("extension") for one in section.children):
        notes.add("extension", _called(element))
    for option in top.all("option"):
        if number(option, "density", 0) or number(option, "viscosity", 0):
            notes.add("forces of the fluid around", option.place)


def _called(element: XmlElement) -> str:
    return element.attributes.get("name", element.place)


SECTIONS = (
    *("compiler", "option", "size", "visual", "statistic", "default", "custom", "extension", "asset", "worldbody"),
    *("contact", "deformable", "equality", "tendon", "actuator", "sensor", "keyframe"),
)
"""Elements of `<mujoco>`."""
_PLACE = ("pos", "quat", "axisangle", "xyaxes", "zaxis", "euler")
ATTRIBUTES: Mapping[str, frozenset[str]] = {
    tag: frozenset(words)
    for tag, words in {
        "compiler": (
            *("autolimits", "boundmass", "boundinertia", "settotalmass", "balanceinertia", "strippath", "coordinate"),
            *("angle", "fitaabb", "eulerseq", "meshdir", "texturedir", "assetdir", "discardvisual", "usethread"),
            *("fusestatic", "inertiafromgeom", "inertiagrouprange", "alignfree", "saveinertial", "convexhull"),
            *("exactmeshinertia", "conflict", "passthrough", "savecanonical", "savecompiled"),
        ),
        "body": (*_PLACE, "name", "childclass", "mocap", "gravcomp", "user", "sleep", "fuse", "simple"),
        "frame": (*_PLACE, "name", "childclass"),
        "inertial": (*_PLACE, "mass", "diaginertia", "fullinertia"),
        "freejoint": ("name", "group", "align"),
        "joint": (
            *("name", "class", "type", "group", "pos", "axis", "springdamper", "solreflimit", "solimplimit"),
            *("solreffriction", "solimpfriction", "stiffness", "range", "limited", "actuatorfrcrange", "springyield"),
            *("actuatorfrclimited", "actuatorgravcomp", "margin", "ref", "springref", "armature", "damping"),
            *("frictionloss", "user"),
        ),
        "geom": (
            *_PLACE,
            *("name", "class", "type", "contype", "conaffinity", "condim", "group", "priority", "size", "material"),
            *("friction", "mass", "density", "shellinertia", "solmix", "solref", "solimp", "margin", "gap", "fromto"),
            *("hfield", "mesh", "fitscale", "rgba", "fluidshape", "fluidcoef", "user", "adhesion", "surfacevel"),
            "castshadow",
        ),
    }.items()
}
"""Attributes of the elements that make bodies and joints, by element."""


def note_unknown(top: XmlElement, notes: Notes) -> None:
    """Note sections and attributes that MJCF does not know, with the known word that is nearest."""
    for section in top.children:
        notes.check_element(section, SECTIONS)
        if section.tag in ("compiler", "default", "worldbody"):
            for element in section.walk():
                if element.tag in ATTRIBUTES:
                    notes.check_attributes(element, ATTRIBUTES[element.tag])
