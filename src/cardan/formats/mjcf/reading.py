"""MJCF → `Model`: the bodies of the document become the data of a model, checked as those of every model file are.

A misspelt `dampng` would be a joint without damping, so that words that are not known are named in the warning. Source
of the words: the schema of MuJoCo 4.0 (`mj_printSchema`), and the words of older versions.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from cardan.errors import Issue, ModelError
from cardan.errors import Path as KeyPath
from cardan.formats.mjcf.bodies import WORLD, MjcfBody, bodies_of, world_geoms
from cardan.formats.mjcf.contacts import colliders_of, met
from cardan.formats.mjcf.equalities import Equalities
from cardan.formats.mjcf.including import read_whole
from cardan.formats.mjcf.joints import is_free, joint_data, type_of
from cardan.formats.mjcf.masses import body_data, shape_data
from cardan.formats.mjcf.placing import placement, placement_data, tidy
from cardan.formats.mjcf.settings import MAIN, MjcfSettings, settings_of
from cardan.formats.xml.description import Description, model_of
from cardan.formats.xml.meshes import MeshFiles, NotDrawnError
from cardan.formats.xml.names import unique
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.tree import XmlElement, number, numbers
from cardan.model.model import Model
from cardan.model.place import GROUND

_LEFT_OUT = ("actuator", "tendon", "keyframe", "extension")
"""Sections that drive a mechanism or act on it, whose content the warning counts."""
_REFUSED = ("deformable",)


def load_mjcf(
    path: Path,
    allow: Sequence[Path] = (),
    *,
    stops: bool = False,
    contacts: bool = False,
    strict: bool = False,
    accept: Sequence[str] = (),
    regularize: Any = None,
) -> Model:
    """The model in an MJCF file; warnings say what of the file is changed and left out."""
    mesh_file = MeshFiles(path.parent, allow)
    notes = Notes(strict)

    def read() -> Description:
        return _read(read_whole(path, allow, notes), notes, mesh_file, stops=stops, contacts=contacts)

    return model_of(path, read, accept=accept, regularize=regularize)


def mjcf_lines(path: Path) -> Mapping[KeyPath, int]:
    """Line, from 1, of every body, joint and constraint of the model in an MJCF file."""
    notes = Notes()
    found = _read(read_whole(path, (), notes), notes, MeshFiles(path.parent, ()), stops=False, contacts=False)
    return found.lines


def _read(
    top: XmlElement, notes: Notes, mesh_file: Callable[[str], str], *, stops: bool, contacts: bool
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
    found.data |= {"constraints": {}, "initial": {}}
    names = _Names(bodies, found.notes)
    mesh_data = meshes_of(top, settings, mesh_file)
    world = world_geoms(top, settings)
    colliders = colliders_of(world, bodies, names.body, settings) if contacts else {}
    issues: list[Issue] = []
    for k, body in enumerate(bodies):
        try:
            data = body_data(body, settings, mesh_data, partial(found.notes.add, where=names.body[k]), colliders)
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
    body_of = {body.element.attributes.get("name", ""): k for k, body in enumerate(bodies)}
    equalities = Equalities(_at_rest(bodies), body_of, names.body, names.of_file)
    sections = [] if "equality" in settings.disabled else top.all("equality")
    for element in (settings.completed(one, MAIN, "equality") for section in sections for one in section.children):
        if element.attributes.get("active", "true") != "false":
            section, wished, entry = equalities.read(element)
            (name,) = unique([wished], [*found.data["joints"], *found.data["constraints"]])
            found.put(section, name, entry, element.line)
    if contacts:
        note = partial(found.notes.add, where="world")
        if shapes := shape_data(world, settings, mesh_data, note, colliders):
            found.data["bodies"][GROUND] = {"shapes": shapes}
        found.met += met(top, colliders, bodies, names.body, world, settings, found.notes)
    elif any(body.parts["geom"] for body in bodies):
        found.notes.add("contacts of geoms, which load(…, contacts=True) reads")
    _note_sections(top, found.notes)
    note_unknown(top, found.notes)
    return found


def _check_document(top: XmlElement) -> None:
    if top.tag != "mujoco":
        is_urdf = top.tag == "robot"
        what = "a URDF file" if is_urdf else f"a file with the outermost element <{top.tag}>"
        cure = "give it the extension .urdf" if is_urdf else "an MJCF file begins with <mujoco>"
        raise top.fault(f"this is {what}, not an MJCF file", cure)
    for element in top.children:
        if element.tag in _REFUSED:
            cure = "save the compiled model in MuJoCo (mj_saveLastXML), which writes it out"
            raise element.fault(f"<{element.tag}> is not read", cure)


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
        several = [(k, part) for k, body in enumerate(bodies) for part in body.parts["joint"][:-1]]
        between = unique((f"{self.body[k]} {self.joint[id(part.element)]}" for k, part in several), self.body)
        self.between = {id(part.element): name for (_, part), name in zip(several, between, strict=True)}
        for old, new in (*zip(written, self.body, strict=True), *zip(given, found, strict=False)):
            if old and old != new:
                notes.rename(old, new)


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
    for key in ("mocap", "gravcomp"):
        if body.element.attributes.get(key, "0").strip("0.") not in ("", "false"):
            note(key)
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
        found.put("joints", own, {**entry, **ends}, element.line)
        parent, T = child, np.eye(4)
    found.put("bodies", name, data, body.element.line)


def _check_free(body: MjcfBody, joints: Sequence[Any]) -> None:
    if body.parent != WORLD or len(joints) > 1:
        raise body.element.fault("a free joint stands alone in a body of the world", "move it, or take one joint out")


def _at_rest(bodies: Sequence[MjcfBody]) -> list[np.ndarray]:
    """Pose T (4×4) of each body in the world while all coordinates are zero."""
    found: list[np.ndarray] = []
    for body in bodies:
        found.append(body.T if body.parent == WORLD else found[body.parent] @ body.T)
    return found


def _scale(bodies: Iterable[dict[str, Any]], total: float) -> None:
    """Scale masses and inertias together, so that the masses add up to `total`."""
    moving = [body for body in bodies if "mass" in body]
    mass = sum(body["mass"] for body in moving)
    for body in moving:
        body["mass"] *= total / mass
        body["inertia"] = [entry * total / mass for entry in body.get("inertia", [0] * 3)]


def _note_sections(top: XmlElement, notes: Notes) -> None:
    for tag in _LEFT_OUT:
        for section in top.all(tag):
            for element in section.children:
                notes.add(tag, element.attributes.get("name", element.place))
    for option in top.all("option"):
        if number(option, "density", 0) or number(option, "viscosity", 0):
            notes.add("forces of the fluid around", option.place)


def meshes_of(
    top: XmlElement, settings: MjcfSettings, mesh_file: Callable[[str], str]
) -> Callable[[str], dict[str, Any]]:
    """A function that gives the data of a mesh for its name; it raises `NotDrawnError` where it cannot be drawn."""
    meshes = [settings.completed(mesh, MAIN) for asset in top.all("asset") for mesh in asset.all("mesh")]
    found = {_name(mesh): mesh for mesh in meshes}

    def data(name: str) -> dict[str, Any]:
        mesh = found.get(name)
        file = "" if mesh is None else mesh.attributes.get("file", "")
        if mesh is None or not file:
            raise NotDrawnError(f"the mesh {name}, which is in no file")
        x, y, z = numbers(mesh, "scale", (1.0,) * 3)
        if not x == y == z > 0 or "refpos" in mesh.attributes or "refquat" in mesh.attributes:
            raise NotDrawnError(f"the mesh {file}, which is mirrored, moved or scaled by direction")
        path = mesh_file(str(PurePosixPath(settings.mesh_folder, file)))
        return {"type": "mesh", "file": path} | ({} if x == 1 else {"scale": x})

    return data


def _name(mesh: XmlElement) -> str:
    """Its name; without one that of its file without folder and extension."""
    return mesh.attributes.get("name") or PurePosixPath(mesh.attributes.get("file", "")).stem


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
