"""Contacts of an MJCF file: the geoms that may touch, their surfaces, and the pairs that the file names or excludes."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from cardan.formats.mjcf.bodies import MjcfFile
from cardan.formats.mjcf.geoms import type_of
from cardan.formats.mjcf.settings import MAIN, MjcfSettings
from cardan.formats.xml.colliders import PLAIN, Collider, Encounter, Surface, encounters
from cardan.formats.xml.names import unique
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.tree import XmlElement, all_numbers, first_numbers, look_up, number, text
from cardan.model.records.section import FUNCTIONS

_NOTED = ("margin", "gap", "adhesion", "surfacevel")


def colliders_of(file: MjcfFile) -> dict[int, Collider]:
    """The shapes that may touch, by the ids of their geoms."""
    bodies = (*file.bodies, file.world)
    owned = [(body.name, part.element) for body in bodies for part in body.parts["geom"]]
    wished = (geom.attributes.get("name") or f"{body} {type_of(geom)}" for body, geom in owned)
    found = {}
    for (body, geom), name in zip(owned, unique(wished, allowed=FUNCTIONS), strict=True):
        kind = "mesh" if "mesh" in geom.attributes else type_of(geom)
        contype, conaffinity = (int(number(geom, key, 1)) for key in ("contype", "conaffinity"))
        found[id(geom)] = Collider(body, name, kind, contype, conaffinity, surface_of(geom, file.settings))
    return found


def surface_of(element: XmlElement, settings: MjcfSettings) -> Surface:
    """The surface that a geom or a pair gives; a pair does not inherit that of its geoms."""
    condim = int(number(element, "condim", PLAIN.condim))
    if condim not in (1, 3, 4, 6):
        raise element.fault(f"condim of <{element.tag}> is {condim}", "write 1, 3, 4 or 6")
    solref = first_numbers(element, "solref", PLAIN.solref)
    if not solref[0] or (solref[1] <= 0 if solref[0] > 0 else solref[1] > 0):
        cure = "write a time and a damping ratio, both positive, or stiffness and damping, both negative"
        raise element.fault(f"solref of <{element.tag}> is {solref[0]:g} {solref[1]:g}", cure)
    if solref[0] > 0 and "refsafe" not in settings.disabled:  # not below two steps, which are 2 ms long if not given
        solref = (max(solref[0], 2 * number(settings.option, "timestep", 0.002)), solref[1])
    friction = first_numbers(element, "friction", PLAIN.friction)
    if min(friction) < 0:
        raise element.fault(f"friction of <{element.tag}> is {min(friction):g}", "it has to be positive")
    impedance = first_numbers(element, "solimp", (0.9, PLAIN.impedance))[1]
    mix, priority = number(element, "solmix", PLAIN.solmix), int(number(element, "priority", PLAIN.priority))
    pyramid = 0 if settings.option.attributes.get("cone") == "elliptic" else number(settings.option, "impratio", 1)
    return Surface(condim, friction, solref, impedance, mix, priority, pyramid)  # type: ignore[arg-type]


def met(file: MjcfFile, colliders: Mapping[int, Collider]) -> list[Encounter]:
    """The pairs of geoms that may touch: those that `<pair>` names, and those that MuJoCo's rules leave."""
    settings, notes = file.settings, file.found.notes
    if "contact" in settings.disabled:
        return []
    geoms = [part.element for body in (file.world, *file.bodies) for part in body.parts["geom"]]
    for geom, key in product(geoms, _NOTED):
        if any(all_numbers(geom, key)):
            notes.add(f"{key} of geoms", colliders[id(geom)].name)
    by_name = {geom.name: colliders[id(geom)] for geom in geoms}
    carriers = {body.name: (body.carrier.name, body.joints[0].kind == "fixed") for body in file.bodies if body.carrier}
    children = [child for section in file.top.all("contact") for child in section.children]
    pairs = [_named(one, ("body1", "body2"), file.body_named) for one in children if one.tag == "exclude"]
    excluded = {frozenset((a.name, b.name)) for a, b in pairs}
    named = [_pair(settings.completed(one, MAIN), by_name, settings, notes) for one in children if one.tag == "pair"]
    given = {frozenset((one.a.name, one.b.name)) for one in named}
    neighbours = "filterparent" in settings.disabled
    rest = encounters(list(colliders.values()), carriers, excluded, neighbours=neighbours)
    return [*named, *(one for one in rest if frozenset((one.a.name, one.b.name)) not in given)]


def _named(element: XmlElement, keys: tuple[str, str], known: Mapping[str, Any]) -> list[Any]:
    return [look_up(element, text(element, key), known, key.rstrip("12")) for key in keys]


def _pair(element: XmlElement, geoms: Mapping[str, Collider], settings: MjcfSettings, notes: Notes) -> Encounter:
    """A pair that the file names: its friction has five numbers, two of sliding, one of spinning, two of rolling."""
    a, b = _named(element, ("geom1", "geom2"), geoms)
    slide, spin, roll = PLAIN.friction
    x, y, turn, along, across = first_numbers(element, "friction", (slide, slide, spin, roll, roll))
    if x != y or along != across:
        notes.add("friction that differs by direction, in place of which the first number holds", a.name)
    three = replace(element, attributes={**element.attributes, "friction": f"{x!r} {turn!r} {along!r}"})
    return Encounter(a, b, surface_of(three, settings))
