"""Wrenches that joints transmit, from accelerations and the multipliers of closed loops.

Source: docs/notation.md §8; Haug 1989, §11.3 (reactions from multipliers)
"""

from collections.abc import Mapping, Sequence
from functools import reduce

import casadi as ca

from cardan.formulations import newton_euler
from cardan.formulations.applied import wrench_sum
from cardan.frozen import dataclass
from cardan.kinematics import loads
from cardan.kinematics.constraints import constraint_rows, link_wrenches
from cardan.kinematics.motion import Motion, marker_motion
from cardan.kinematics.tree import GROUND, Number, Place, Tree
from cardan.model.forces import Wrench
from cardan.spatial.rotations import skew
from cardan.spatial.transforms import inverse, position, rotation


def joint_wrenches(
    tree: Tree,
    motion: Motion,
    a: Number | None,
    lam: Number,
    rows: list[Number],
    owners: Sequence[str],
    unseen: Mapping[str, Wrench],
    applied: Sequence[loads.PointForce],
) -> dict[str, Wrench]:
    """Wrench of each joint's parent on its child: moment about the child marker's origin, world axes."""
    forces = _link_forces(tree, motion, a, lam, rows, unseen, applied)
    out = {}
    for index, link in enumerate(tree.links):
        R_WL = rotation(motion.T_WL[index])
        wrench = Wrench(R_WL @ forces[index][:3], R_WL @ forces[index][3:])
        wrench = _on_child(tree, motion, index, wrench) if link.reversed else wrench
        out[link.joint] = combined(wrench, transmitted(applied, link.joint))
    for cut in tree.cuts:
        own = rows_of(owners, cut.joint)
        wrench = combined(on_place(motion, cut.child, rows, lam, own, cut.parent), unseen.get(cut.joint))
        out[cut.joint] = combined(wrench, transmitted(applied, cut.joint))
    return out


def transmitted(applied: Sequence[loads.PointForce], name: str) -> Wrench | None:
    """Wrench of the forces that a joint or constraint transmits beside its equations; None if there are none."""
    own = [Wrench(force.n, force.f) for force in applied if force.through == name]
    return reduce(combined, own) if own else None


def wrenches_in_joints(
    tree: Tree, motion: Motion, a: Number, lam: Number, hidden: Number, applied: Sequence[loads.PointForce]
) -> dict[str, Wrench]:
    """Wrench of each joint's parent on its child, by joint: about the child marker, in a joint frame.

    Its z is the joint's axis; its x and y are those of the parent or the child. Friction of joints of the tree with
    several motions is left out: it is at right angles to the forces where they touch.
    """
    rows, unseen = link_wrenches(tree, motion), hidden_wrenches(tree, motion, hidden)
    forces = _link_forces(tree, motion, a, lam, rows, unseen, applied)
    out = {}
    for link, joint, wrench in zip(tree.links, motion.joints, forces, strict=True):
        n, f = wrench[:3], wrench[3:]
        if link.reversed:
            r = position(inverse(joint.T_J))
            n, f = skew(r) @ f - n, -f
        out[link.joint] = Wrench(n, f)
    owners = [row.owner for row in constraint_rows(tree, motion)] if tree.cuts else []
    for cut in tree.cuts:
        own, R_CW = rows_of(owners, cut.joint), marker_motion(motion, cut.child).R.T
        whole = combined(on_place(motion, cut.child, rows, lam, own, cut.parent), unseen.get(cut.joint))
        whole = combined(whole, transmitted(applied, cut.joint))
        out[cut.joint] = Wrench(R_CW @ whole.n, R_CW @ whole.f)
    return out


def _link_forces(
    tree: Tree,
    motion: Motion,
    a: Number | None,
    lam: Number,
    rows: list[Number],
    unseen: Mapping[str, Wrench],
    applied: Sequence[loads.PointForce],
) -> tuple[Number, ...]:
    """Wrench (6,) that each link gets through its joint, at the link origin in link axes, moment first."""
    closing = _on_links(tree, motion, rows, lam, unseen)
    if a is None:
        return newton_euler.gathered(tree, motion, [-wrench for wrench in closing])
    acting = loads.wrenches(tree, motion)
    beside = [loads.point_wrenches(tree, motion, applied)] if applied else []
    wrenches = wrench_sum(acting.conservative, acting.other, *beside, *([closing] if lam.shape[0] or unseen else []))
    return newton_euler.link_forces(tree, motion, a, wrenches)


@dataclass(frozen=True)
class _Closing:
    """A joint or constraint that closes a loop of a planar model."""

    name: str
    parent: Place
    child: Place
    moments: bool  # whether it transmits moments as well


def _closings(tree: Tree) -> list[_Closing]:
    """Joints and constraints of a planar model that would transmit loads out of the plane if the model were spatial."""
    if tree.normal is None:
        return []
    joints = [_Closing(cut.joint, cut.parent, cut.child, True) for cut in tree.cuts if cut.law.nv < 6]
    lines = [
        _Closing(name, tree.place(record.ends[0]), tree.place(record.ends[1]), False)
        for name, record in tree.constraints.items()
        if record.ends is not None and record.carries_out_of_plane
    ]
    return [*joints, *lines]


def hidden_count(tree: Tree) -> int:
    """Number of load components out of the plane of a planar model that its loops transmit; no equation gives them."""
    return sum(_hidden_size(closing) for closing in _closings(tree))


def _hidden_size(closing: _Closing) -> int:
    return 3 if closing.moments else 1


def hidden_wrenches(tree: Tree, motion: Motion, hidden: Number) -> dict[str, Wrench]:
    """Wrench of every closing out of the plane: force along the normal, moments across it about the child marker."""
    out = {}
    start = 0
    for closing in _closings(tree):
        assert tree.normal is not None
        across = [ca.DM.eye(3)[:, i] for i in range(3) if not float(tree.normal[i])]
        f = tree.normal * hidden[start]
        n = across[0] * hidden[start + 1] + across[1] * hidden[start + 2] if closing.moments else ca.DM(3, 1)
        out[closing.name] = Wrench(n, f)
        start += _hidden_size(closing)
    return out


def _on_links(
    tree: Tree, motion: Motion, rows: list[Number], lam: Number, unseen: Mapping[str, Wrench]
) -> tuple[Number, ...]:
    """Wrenches of all closing joints and constraints on the links at their origins, link axes."""
    total = [J.T @ lam for J in rows]
    for closing in _closings(tree):
        wrench, p_W = unseen[closing.name], marker_motion(motion, closing.child).p
        for place, sign in ((closing.child, 1), (closing.parent, -1)):
            if place.link != GROUND:
                r = p_W - position(motion.T_WL[place.link])
                total[place.link] += sign * ca.vertcat(wrench.n + skew(r) @ wrench.f, wrench.f)
    return tuple(_in_link(T_WL, f) for T_WL, f in zip(motion.T_WL, total, strict=True))


def combined(wrench: Wrench, more: Wrench | None) -> Wrench:
    """The sum of two wrenches."""
    return wrench if more is None else Wrench(wrench.n + more.n, wrench.f + more.f)


def rows_of(owners: Sequence[str], name: str) -> list[int]:
    """Indices of the equations of one joint or constraint."""
    return [i for i, owner in enumerate(owners) if owner == name]


def on_place(motion: Motion, child: Place, rows: list[Number], lam: Number, own: list[int], parent: Place) -> Wrench:
    """Wrench of some equations on their child at its marker; from the parent's side where the child is the ground."""
    p_W = marker_motion(motion, child).p
    link, sign = (child.link, 1) if child.link != GROUND else (parent.link, -1)
    f = sign * rows[link][own, :].T @ lam[own]
    r = position(motion.T_WL[link]) - p_W
    return Wrench(f[:3] + skew(r) @ f[3:], f[3:])


def _on_child(tree: Tree, motion: Motion, index: int, wrench: Wrench) -> Wrench:
    """The opposite wrench about the child marker, for a link that is its joint's parent."""
    link = tree.links[index]
    T_WP = ca.DM.eye(4) if link.parent == GROUND else motion.T_WL[link.parent]
    r = position(motion.T_WL[index]) - position(T_WP @ link.T)
    return Wrench(-(wrench.n + skew(r) @ wrench.f), -wrench.f)


def _in_link(T_WL: Number, f: Number) -> Number:
    """A wrench about the link origin in world axes (6,), in link axes."""
    R_LW = rotation(T_WL).T
    return ca.vertcat(R_LW @ f[:3], R_LW @ f[3:])
