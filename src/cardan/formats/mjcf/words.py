"""The words that MJCF knows: sections, and attributes of what makes a mechanism. MuJoCo refuses all others.

A misspelt `dampng` would be a joint without damping, so that words that are not known are named in the warning. Source:
the schema of MuJoCo 4.0 (`mj_printSchema`), and the words of older versions.
"""

from collections.abc import Mapping

from cardan.formats.xml.notes import Notes
from cardan.formats.xml.tree import XmlElement

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
