"""The data of a body: its mass, from its own inertia or from its geoms, and what it looks like."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from cardan.formats.mjcf.bodies import MjcfBody, MjcfPart
from cardan.formats.mjcf.geoms import Masses, geom_masses, geom_pose, geom_shape
from cardan.formats.mjcf.meshes import Meshes
from cardan.formats.mjcf.settings import MjcfSettings, pose_of
from cardan.formats.xml.colliders import Collider
from cardan.formats.xml.meshes import NotDrawnError
from cardan.formats.xml.placing import placement_data, tidy
from cardan.formats.xml.tree import number, numbers

_ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def body_data(
    body: MjcfBody,
    settings: MjcfSettings,
    meshes: Meshes,
    note: Callable[[str, str], None],
    colliders: Mapping[int, Collider],
) -> dict[str, Any]:
    """The data of a body; its shapes have the names of the `colliders` of their geoms, if they have any."""
    geoms = [(part.element, part.T @ geom_pose(part.element, settings)) for part in body.parts["geom"]]
    own = body.parts["inertial"]
    if len(own) > 1:
        raise own[1].element.fault("the body has two elements <inertial>", "keep one of them")
    if own and settings.inertia_from_geoms is not True:
        masses = _inertial(own[0], settings)
    elif settings.inertia_from_geoms is False:
        masses = _sum([])
    else:
        first, last = settings.groups
        masses = _sum(geom_masses(geom, T, meshes) for geom, T in geoms if first <= number(geom, "group", 0) <= last)
    shapes = shape_data(body.parts["geom"], settings, meshes, note, colliders)
    if not masses[0]:  # in MuJoCo 4.0 the centre is shifted from the origin by the place of the body, once again
        masses = (0.0, body.T[:3, 3], masses[2])
    return _mass_data(_bounded(masses, settings)) | ({"shapes": shapes} if shapes else {})


def shape_data(
    geoms: Iterable[MjcfPart],
    settings: MjcfSettings,
    meshes: Meshes,
    note: Callable[[str, str], None],
    colliders: Mapping[int, Collider],
) -> list[dict[str, Any]]:
    """The data of the shapes of geoms; one that cannot be drawn is noted."""
    shapes = []
    for part in geoms:
        collider = colliders.get(id(part.element))
        try:
            shape = geom_shape(part.element, meshes) | ({"name": collider.name} if collider else {})
        except NotDrawnError as reason:
            note(reason.what, reason.which)
            continue
        shapes.append(shape | placement_data(part.T @ geom_pose(part.element, settings)))
    return shapes


def _inertial(part: MjcfPart, settings: MjcfSettings) -> Masses:
    """Mass, centre and inertia of `<inertial>`: principal moments in turned axes, or six entries in the body's."""
    element = part.element
    T = part.T @ pose_of(element, settings)
    mass, R = number(element, "mass"), T[:3, :3]
    if "fullinertia" in element.attributes:
        xx, yy, zz, xy, xz, yz = numbers(element, "fullinertia", (0.0,) * 6)
        moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        moments = np.diag(numbers(element, "diaginertia", (0.0,) * 3))
    return mass, T[:3, 3], R @ moments @ R.T


def _sum(parts: Iterable[Masses]) -> Masses:
    """Several masses as one; Steiner's theorem moves the inertias to the common centre."""
    listed = list(parts)
    mass = sum(m for m, _, _ in listed)
    if not mass:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    c = sum((m * one for m, one, _ in listed), np.zeros(3)) / mass
    I_C = np.zeros((3, 3))
    for m, one, inertia in listed:
        d = one - c
        I_C += inertia + m * (d @ d * np.eye(3) - np.outer(d, d))
    return mass, c, I_C


def _bounded(masses: Masses, settings: MjcfSettings) -> Masses:
    """Masses with the bounds of the compiler: of the mass and of the principal moments of inertia."""
    mass, c, I_C = masses
    mass = max(mass, settings.least_mass)
    if not (settings.least_inertia or settings.balances):
        return mass, c, I_C
    moments, R = np.linalg.eigh(I_C)
    moments = np.maximum(moments, settings.least_inertia)
    if settings.balances and moments[0] + moments[1] < moments[2]:
        moments[:] = moments.mean()
    return mass, c, R @ np.diag(moments) @ R.T


def _mass_data(masses: Masses) -> dict[str, Any]:
    mass, c, I_C = masses
    data: dict[str, Any] = {"mass": tidy([mass])[0]} if mass else {}
    if mass and c.any():
        data["com"] = tidy(c)
    if I_C.any():
        entries = tidy(I_C[at] for at in _ENTRIES)
        data["inertia"] = entries if any(entries[3:]) else entries[:3]
    return data
