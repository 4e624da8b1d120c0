"""Laws and contact forces of joints whose friction is an unknown while they slide.

Source: docs/friction.md
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca

from cardan.formulations.joint_wrenches import hidden_count, wrenches_in_joints
from cardan.kinematics.loads import PointForce
from cardan.kinematics.motion import Motion
from cardan.kinematics.motion import motion as motion_of
from cardan.kinematics.tree import Number, Tree
from cardan.spatial.transforms import rotation
from cardan.system.friction.block import JointFriction
from cardan.system.friction.coupled import Rub, Rubbing
from cardan.system.friction.least_norm import least_norm

__all__ = ["rubbing"]


def rubbing(
    tree: Tree,
    motion: Motion,
    blocks: Sequence[tuple[JointFriction, Number]],
    applied: Sequence[PointForce],
    stresses: Number | None = None,
) -> Rubbing | None:
    """Friction whose effort is an unknown while it slides, in one state of motion; None if no joint has it.

    Of a closed loop in a planar model only loads in the plane count: it does not know the others.

    Parameters
    ----------
    tree : the mechanism with each body's own inertia, not the regrouped one.
    motion : its state.
    blocks : friction of its joints, each with its states.
    applied : forces on the links beside those of the tree, of ports of bond graphs.
    stresses : self-stresses (c, r) with which loads that are not unique become the smallest ones; none if absent.
    """
    unknown = [(block, z) for block, z in blocks if block.is_unknown]
    if not unknown:
        return None
    laws = {link.joint: link.law.declared for link in tree.links}
    hidden = ca.SX.sym("hidden", hidden_count(tree))

    def contacts(a: Number, lam: Number, efforts: Mapping[int, Number]) -> dict[int, Sequence[Number]]:
        out: dict[int, Sequence[Number]] = {block.velocity: () for block, _ in unknown}
        loaded = [block for block, _ in unknown if block.law.follows_load]
        if stresses is not None:
            lam = least_norm(tree, motion, a, lam, stresses, applied)
        found = wrenches_in_joints(tree, motion, a, lam, hidden, applied) if loaded else {}
        for block in loaded:
            f, n = found[block.name].f, found[block.name].n
            if ca.depends_on(ca.SX(ca.vertcat(f, n)), hidden):
                normal = _normal(tree, block.name)
                f, n = (ca.substitute(ca.SX(x), hidden, ca.DM.zeros(*hidden.shape)) for x in (f, n))
                f, n = f - normal * ca.dot(normal, f), normal * ca.dot(normal, n)
            out[block.velocity] = laws[block.name].contact_forces(f, n, efforts[block.velocity])
        return out

    rubs = {block.velocity: _rub(block, motion, z, laws[block.name].contact_arm) for block, z in unknown}
    return Rubbing(rubs, contacts)


def _rub(block: JointFriction, motion: Motion, z: Number, arm: Number) -> Rub:
    """The law of one joint in one state of motion."""
    law, speed = block.law, ca.fabs(motion.v[block.velocity])

    def way(a: Number) -> Number:
        return block.prescribed_way(motion.v, a) if law.prescribed else block.way(motion, z)

    return Rub(
        way,
        given=law.sliding(speed) if law.prescribed else 0,
        ratio=law.sliding_coefficient(speed) * arm if law.follows_load else 0,
        given_limit=0 if law.follows_load else law.holding,
        holding=law.holding_coefficient * arm if law.follows_load else 0,
        preload=0 if law.preload is None else law.preload,
    )


def _normal(tree: Tree, joint: str) -> Number:
    """Normal of the plane of a planar model (3,) in the axes of a joint, in all positions."""
    still = motion_of(tree, ca.DM(tree.neutral), ca.DM(tree.nv, 1))
    index = next(k for k, link in enumerate(tree.links) if link.joint == joint)
    return rotation(still.T_WL[index]).T @ tree.normal
