"""The data of a body: its mass, from its own inertia or from its geoms, and what it looks like."""

from collections.abc import Iterable, Mapping
from typing import Any

import casadi as ca
import numpy as np

from cardan.formats.mjcf.bodies import MjcfBody, MjcfFile, MjcfPart
from cardan.formats.mjcf.geoms import MASSLESS, geom_masses, geom_pose, geom_shape
from cardan.formats.mjcf.settings import MjcfSettings, pose_of
from cardan.formats.xml.colliders import Collider
from cardan.formats.xml.meshes import NotDrawnError
from cardan.formats.xml.placing import entries, inertia_data, placement_data, tidy
from cardan.formats.xml.tree import number, numbers
from cardan.frozen import replace
from cardan.model.solids import MassProperties, assembled
from cardan.spatial.inertia import symmetric


def body_data(body: MjcfBody, file: MjcfFile, colliders: Mapping[int, Collider]) -> dict[str, Any]:
    """The data of a body; its shapes have the names of the `colliders` of their geoms, if they have any."""
    settings, meshes = file.settings, file.meshes
    geoms = [(part.element, part.T @ geom_pose(part.element, settings)) for part in body.parts["geom"]]
    own = body.parts["inertial"]
    if len(own) > 1:
        raise own[1].element.fault("the body has two elements <inertial>", "keep one of them")
    from_geoms = settings.compiler.attributes["inertiafromgeom"]
    if own and from_geoms != "true":
        masses = _inertial(own[0], settings)
    elif from_geoms == "false":
        masses = MASSLESS
    else:
        first, last = numbers(settings.compiler, "inertiagrouprange", (0, 5))
        masses = _sum(geom_masses(geom, T, meshes) for geom, T in geoms if first <= number(geom, "group", 0) <= last)
    shapes = shape_data(body.parts["geom"], file, colliders)
    if not masses.mass:  # in MuJoCo 4.0 the centre is shifted from the origin by the place of the body, once again
        masses = replace(masses, com=body.T[:3, 3])
    return _mass_data(_bounded(masses, settings)) | ({"shapes": shapes} if shapes else {})


def shape_data(geoms: Iterable[MjcfPart], file: MjcfFile, colliders: Mapping[int, Collider]) -> list[dict[str, Any]]:
    """The data of the shapes of geoms; one that cannot be drawn is noted."""
    shapes = []
    for part in geoms:
        collider = colliders.get(id(part.element))
        try:
            shape = geom_shape(part.element, file.meshes) | ({"name": collider.name} if collider else {})
        except NotDrawnError as reason:
            file.found.notes.undrawn(reason.what, reason.which)
            continue
        shapes.append(shape | placement_data(part.T @ geom_pose(part.element, file.settings)))
    return shapes


def _inertial(part: MjcfPart, settings: MjcfSettings) -> MassProperties:
    """Mass, centre and inertia of `<inertial>`: principal moments in turned axes, or six entries in the body's."""
    element = part.element
    T = part.T @ pose_of(element, settings)
    mass, R = number(element, "mass"), T[:3, :3]
    if "fullinertia" in element.attributes:
        moments = np.array(ca.DM(symmetric(*numbers(element, "fullinertia", (0.0,) * 6))))
    else:
        moments = np.diag(numbers(element, "diaginertia", (0.0,) * 3))
    return MassProperties(mass, T[:3, 3], R @ moments @ R.T)


def _sum(parts: Iterable[MassProperties]) -> MassProperties:
    """Several masses as one."""
    heavy = [replace(one, com=ca.DM(one.com), tensor=ca.DM(one.tensor)) for one in parts if one.mass]
    if not sum(one.mass for one in heavy):
        return MASSLESS
    found = assembled(heavy)
    return MassProperties(float(found.mass), found.com.full()[:, 0], found.tensor.full())


def _bounded(masses: MassProperties, settings: MjcfSettings) -> MassProperties:
    """Masses with the bounds of the compiler: of the mass and of the principal moments of inertia."""
    compiler = settings.compiler
    masses = replace(masses, mass=max(masses.mass, number(compiler, "boundmass", 0)))
    least, balances = number(compiler, "boundinertia", 0), compiler.attributes.get("balanceinertia") == "true"
    if not (least or balances):
        return masses
    moments, R = np.linalg.eigh(masses.tensor)
    moments = np.maximum(moments, least)
    if balances and moments[0] + moments[1] < moments[2]:
        moments[:] = moments.mean()
    return replace(masses, tensor=R @ np.diag(moments) @ R.T)


def _mass_data(masses: MassProperties) -> dict[str, Any]:
    data: dict[str, Any] = {"mass": tidy([masses.mass])[0]} if masses.mass else {}
    if masses.mass and masses.com.any():
        data["com"] = tidy(masses.com)
    return data | inertia_data(tidy(entries(masses.tensor)))
