"""The words of MJCF: a misspelt `dampng` would be a joint without damping, so that the warning names unknown words.

Source: the schema of MuJoCo 4.0 (`mj_printSchema`), and the words of older versions.
"""

from collections.abc import Mapping

from cardan.formats.xml.notes import Notes
from cardan.formats.xml.tree import XmlElement, number

SECTIONS = (
    *("compiler", "option", "size", "visual", "statistic", "default", "custom", "extension", "asset", "worldbody"),
    *("contact", "deformable", "equality", "tendon", "actuator", "sensor", "keyframe"),
)
"""Elements of `<mujoco>`."""
_PLACE = "pos quat axisangle xyaxes zaxis euler"
ATTRIBUTES: Mapping[str, frozenset[str]] = {
    tag: frozenset(words.split())
    for tag, words in {
        "compiler": "autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle fitaabb "
        "eulerseq meshdir texturedir assetdir discardvisual usethread fusestatic inertiafromgeom inertiagrouprange "
        "alignfree saveinertial convexhull exactmeshinertia conflict passthrough savecanonical savecompiled",
        "body": f"{_PLACE} name childclass mocap gravcomp user sleep fuse simple",
        "frame": f"{_PLACE} name childclass",
        "inertial": f"{_PLACE} mass diaginertia fullinertia",
        "freejoint": "name group align",
        "joint": "name class type group pos axis springdamper solreflimit solimplimit solreffriction solimpfriction "
        "stiffness range limited actuatorfrcrange springyield actuatorfrclimited actuatorgravcomp margin ref springref "
        "armature damping frictionloss user",
        "geom": f"{_PLACE} name class type contype conaffinity condim group priority size material friction mass "
        "density shellinertia solmix solref solimp margin gap fromto hfield mesh fitscale rgba fluidshape fluidcoef "
        "user adhesion surfacevel castshadow",
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


def note_sections(top: XmlElement, notes: Notes) -> None:
    """Note what models do not hold: bodies that bend, plugins and fluids."""
    for section in (*top.all("deformable"), *top.all("extension")):
        for element in section.children:
            name = element.attributes.get("name", element.place)
            if (section.tag, element.tag) == ("deformable", "skin"):
                notes.undrawn("skins, not drawn", name)
            else:
                notes.add("extension" if section.tag == "extension" else f"deformable {element.tag}", name)
    for option in top.all("option"):
        if number(option, "density", 0) or number(option, "viscosity", 0):
            notes.add("forces of the fluid around", option.place)
