"""Laws and contact forces of joints whose friction is an unknown while they slide.

Source: docs/friction.md
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca

from cardan.formulations.joint_wrenches import hidden_count, wrenches_in_joints
from cardan.kinematics.constraints import constraint_rows
from cardan.kinematics.loads import PointForce
from cardan.kinematics.motion import Motion, marker_motion
from cardan.kinematics.motion import motion as motion_of
from cardan.kinematics.relations.moving_axes import moving_axes
from cardan.kinematics.scope import value
from cardan.kinematics.tree import Number, Tree
from cardan.loads.reactions import labels, reactions
from cardan.spatial.transforms import rotation
from cardan.system.contacts.friction import JointFriction, acting_motions
from cardan.system.contacts.load_equations import Rub, Rubbing


def rubbing(
    tree: Tree,
    motion: Motion,
    blocks: Sequence[tuple[JointFriction, Number]],
    applied: Sequence[PointForce],
    stresses: Number | None = None,
) -> Rubbing | None:
    """Friction whose effort is an unknown while it slides, in one state of motion; None if no joint has it.

    Of a closed loop in a planar model only loads in the plane count: it does not know the others.
    """
    unknown = [(block, z) for block, z in blocks if block.is_unknown]
    if not unknown:
        return None
    joints = {link.joint: link.law.declared for link in tree.links} | {cut.joint: cut.law for cut in tree.cuts}
    laws = {block.name: joints[block.owner] for block, _ in unknown if block.section == "joints"}
    hidden, acting = ca.SX.sym("hidden", hidden_count(tree)), acting_motions(block for block, _ in blocks)

    def contacts(a: Number, lam: Number, efforts: Mapping[int, Number]) -> dict[int, Sequence[Number]]:
        out: dict[int, Sequence[Number]] = {block.velocity: () for block, _ in unknown}
        loaded = [block for block, _ in unknown if block.law.follows_load]
        forces = [*applied, *(one.force(motion, efforts[k]) for k, one in acting.items() if k in efforts)]
        if stresses is not None:
            lam = _least_norm(tree, motion, a, lam, stresses, forces)
        in_joints = any(block.name in laws and block.law.gear is None for block in loaded)
        found = wrenches_in_joints(tree, motion, a, lam, hidden, forces) if in_joints else {}
        for block in loaded:
            if block.law.gear is not None:
                z = next(own for each, own in unknown if each is block)
                out[block.velocity] = [_passed_on(tree, block, motion, z, a, efforts[block.velocity])]
                continue
            if block.name not in laws:
                out[block.velocity] = [_normal_force(tree, motion, block, lam)]
                continue
            f, n = found[block.owner].f, found[block.owner].n
            if ca.depends_on(ca.SX(ca.vertcat(f, n)), hidden):
                normal = _normal(tree, block.owner)
                f, n = (ca.substitute(ca.SX(x), hidden, ca.DM.zeros(*hidden.shape)) for x in (f, n))
                f, n = f - normal * ca.dot(normal, f), normal * ca.dot(normal, n)
            if block.pin is not None:
                R = _pin_axes(tree, motion, block.owner, block.pin)
                f, n = R.T @ f, R.T @ n
            out[block.velocity] = laws[block.name].contact_forces(f, n, efforts[block.velocity])
        return out

    own = {block.name: laws[block.name] for block, _ in unknown if block.name in laws and block.law.gear is None}
    arms = {block.name: own[block.name].contact_arm if block.name in own else 1 for block, _ in unknown}
    rubs = {block.velocity: _rub(tree, block, motion, z, arms[block.name]) for block, z in unknown}
    return Rubbing(rubs, contacts)


def _least_norm(
    tree: Tree, motion: Motion, a: Number, lam: Number, stresses: Number, applied: Sequence[PointForce]
) -> Number:
    """Multipliers (c,) of the same motion whose reactions have the least norm (docs/decisions/0007-shared-loads).

    λ + N s gives the same motion for every s, with the self-stresses N. The reactions w + W N s of all joints and
    constraints have the least norm at (W N)ᵀ (W N) s = −(W N)ᵀ w.
    """
    hidden = ca.SX.sym("hidden", hidden_count(tree))
    sizes = [label.size * [label.counted] for label in labels(tree)]
    counted = [each for size in sizes for each in size]
    w = ca.SX(ca.vertcat(*reactions(tree, motion, a, lam, hidden, applied=applied)))
    seen = [not each for each in ca.which_depends(w, hidden, 1, True)] if hidden.shape[0] else [True] * len(counted)
    rows = [i for i, each in enumerate(counted) if each and seen[i]]
    changes = [ca.vertcat(*reactions(tree, motion, None, stresses[:, i])) for i in range(stresses.shape[1])]
    WN = ca.horzcat(*changes)[rows, :]
    return lam - stresses @ ca.solve(WN.T @ WN, WN.T @ w[rows])


def _passed_on(tree: Tree, block: JointFriction, motion: Motion, z: Number, a: Number, effort: Number) -> Number:
    """Torque that the teeth of a gear pass on, with the `effort` of their friction or, at rest, of all friction."""
    law, acceleration = block.law_at(motion), block.slip(tree, motion).accelerations(a)[0]
    gear = law.gear
    assert gear is not None, "asked for gears with losses only"
    speed = ca.fabs(block.speed(motion))
    in_front = gear.effort + gear.viscous * speed
    if law.prescribed:  # the effort is that of all friction
        sign, rubs = block.prescribed_slip_sign(block.speed(motion), acceleration), in_front - law.sliding(speed)
    else:
        sign, rubs = block.slip_sign(motion, z), in_front
    return gear.torque - gear.inertia * acceleration - sign * rubs + effort


def _pin_axes(tree: Tree, motion: Motion, joint: str, pin: int) -> Number:
    """Axes (3×3) whose third one is a pin of a joint with two, as the wrench of the joint is written."""
    S = {link.joint: own.S for link, own in zip(tree.links, motion.joints, strict=True)}
    for cut in (cut for cut in tree.cuts if cut.joint == joint):
        R_WP, R_WC = marker_motion(motion, cut.parent).R, marker_motion(motion, cut.child).R
        S[joint] = cut.law.subspace_between(R_WP.T @ R_WC)
    z, x = S[joint][:3, pin], S[joint][:3, 1 - pin]  # at right angles to each other
    return ca.horzcat(x, ca.cross(z, x), z)


def _normal_force(tree: Tree, motion: Motion, block: JointFriction, lam: Number) -> Number:
    """Components of the force of a constraint across its path, from all multipliers (c,)."""
    own = [k for k, row in enumerate(constraint_rows(tree, motion)) if row.owner == block.owner]
    axes = moving_axes(tree, motion, block.owner, value)
    assert axes is not None, "paths are checked when the system is built"
    across = axes.R[:, 1:] if tree.normal is None else axes.R[:, 1]
    return across.T @ axes.gradients @ lam[own]


def _rub(tree: Tree, block: JointFriction, motion: Motion, z: Number, arm: Number) -> Rub:
    """The law of one joint in one state of motion."""
    law, own = block.law_at(motion), block.speed(motion)
    speed = ca.fabs(own)

    def slip_sign(a: Number) -> Number:
        if block.has_bristle:
            return ca.SX(1)  # bristles give a friction over load with its sign
        return block.prescribed_slip_sign(own, a) if law.prescribed else block.slip_sign(motion, z)

    ratio = 0
    if law.gear is not None:
        gear, behind = law.gear, law.holding - law.gear.static
        ratio, reverse = gear.ratios
        given = law.sliding(speed) if law.prescribed else 0
        slip = block.slip(tree, motion)
        return Rub(slip_sign, given, ratio, law.holding, 0, 0, slip, reverse, lambda phi: gear.most(phi, behind))
    if law.follows_load:
        ratio = arm * (law.bristle_effort(own, z[0]) if block.has_bristle else law.sliding_coefficient(speed))
    return Rub(
        slip_sign,
        given=law.sliding(speed) if law.prescribed else 0,
        ratio=ratio,
        given_limit=0 if law.follows_load else law.holding,
        holding=law.holding_coefficient * arm if law.follows_load else 0,
        preload=0 if law.preload is None else law.preload,
        slip=block.slip(tree, motion),
    )


def _normal(tree: Tree, joint: str) -> Number:
    """Normal of the plane of a planar model (3,) in the axes of a joint, in all positions."""
    still = motion_of(tree, ca.DM(tree.neutral), ca.DM(tree.nv, 1))
    axes = {link.joint: rotation(T_WL) for link, T_WL in zip(tree.links, still.T_WL, strict=True)}
    axes |= {cut.joint: marker_motion(still, cut.child).R for cut in tree.cuts}
    return axes[joint].T @ tree.normal
