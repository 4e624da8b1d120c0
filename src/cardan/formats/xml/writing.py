"""What writers of descriptions share: the joints that carry bodies with their frames, and numbers as text."""

import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

import casadi as ca
import numpy as np

from cardan.formats.xml.notes import Notes
from cardan.formats.xml.placing import pose
from cardan.frozen import dataclass
from cardan.model.body import Body
from cardan.model.joints import Joint
from cardan.model.joints.friction import Friction
from cardan.model.model import Model
from cardan.model.place import GROUND, split
from cardan.model.quantities.scalar import Scalar
from cardan.model.topology import spanning_tree
from cardan.safety.writing import replacing

NO_TEXT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # characters that XML 1.0 has not
"""Characters that no XML document may have."""


@dataclass(frozen=True)
class Carrier:
    """A joint from a link to the next one away from the ground."""

    joint: str  # the joint
    parent: str  # the body nearer to the ground
    child: str  # the other body
    T_PL: np.ndarray  # frame of the child's link in that of the parent's at q = 0 (4×4)
    T_BL: np.ndarray  # frame of the child's link in the axes of its body (4×4)
    sign: int  # −1 where the model has the two bodies the other way round


def carriers(model: Model, number: Callable[[Scalar], float]) -> dict[str, Carrier]:
    """The joints that carry bodies, by name in the order of the model."""
    from cardan.analysis.run_results import frame_on_body

    link: dict[str, np.ndarray] = {GROUND: np.eye(4)}  # T_BL of the links that have been reached
    found: dict[str, Carrier] = {}
    for name in spanning_tree(model.joints, model.bodies).carrying:
        joint = model.joints[name]
        is_declared = split(joint.parent)[0] in link
        near, far = (joint.parent, joint.child) if is_declared else (joint.child, joint.parent)
        (parent, p, R), (child, p_far, R_far) = (frame_on_body(model, number, end) for end in (near, far))
        link[child] = pose(R_far, p_far)
        T_PL = np.linalg.inv(link[parent]) @ pose(R, p)
        found[name] = Carrier(name, parent, child, T_PL, link[child], 1 if is_declared else -1)
    return {name: found[name] for name in model.joints if name in found}


def plain_friction(joint: Joint, parameters: Collection[str]) -> Scalar | None:
    """The constant effort of a joint's friction that is given and nothing else; None without such friction."""
    friction = joint.friction
    effort = None if friction is None else friction.effort
    if friction is None or effort is None or friction != Friction(effort=effort) or friction.moving(parameters):
        return None
    return cast("Scalar", effort)


def inertia_in_link(body: Body, T_LB: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre (3,) and inertia about it, R_LB I R_LBᵀ (3×3), of a body with numbers in the axes of its link."""
    R = T_LB[:3, :3]
    c, I_C = np.array([float(one) for one in body.com]), np.array(ca.DM(body.inertia_matrix()), dtype=float)
    return float(body.mass), T_LB[:3, 3] + R @ c, R @ I_C @ R.T


def write_xml(top: ElementTree.Element, path: Path, notes: Notes) -> None:
    """Write a document, whole or not at all, with warnings of what is left out."""
    ElementTree.indent(top)
    with replacing(path) as stream:
        stream.write(ElementTree.tostring(top, encoding="utf-8", xml_declaration=True) + b"\n")
    notes.warn(path.name)


def rgba(color: str) -> str:
    """The numbers of a colour `#rrggbb` and its opacity; empty of one that has a name."""
    is_hex = re.fullmatch("#[0-9a-fA-F]{6}", color)
    return words([*(int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)), 1]) if is_hex else ""


def words(values: Iterable[Any]) -> str:
    """Numbers with spaces between them."""
    return " ".join(map(word, values))


def word(value: Any) -> str:
    """A number with all its digits, whole ones without a point; 0 has no sign."""
    return repr(float(value) + 0.0).removesuffix(".0")
