"""The joints that carry bodies, in the order in which a writer of a description has them, and what stands in them."""

from collections.abc import Callable, Collection

import casadi as ca
import numpy as np

from cardan.formats.xml.placing import pose
from cardan.frozen import dataclass
from cardan.model.body import Body
from cardan.model.joints import Joint
from cardan.model.joints.friction import Friction
from cardan.model.model import Model
from cardan.model.place import GROUND, split
from cardan.model.quantities.scalar import Scalar
from cardan.model.topology import spanning_tree


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
    friction, effort = joint.friction, getattr(joint.friction, "effort", None)
    is_plain = effort is not None and friction == Friction(effort=effort) and not friction.moving(parameters)
    return effort if is_plain else None


def inertia_in_link(body: Body, T_LB: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre (3,) and inertia about it, R_LB I R_LBᵀ (3×3), of a body with numbers in the axes of its link."""
    R = T_LB[:3, :3]
    c, I_C = np.array([float(one) for one in body.com]), np.array(ca.DM(body.inertia_matrix()), dtype=float)
    return float(body.mass), T_LB[:3, 3] + R @ c, R @ I_C @ R.T
