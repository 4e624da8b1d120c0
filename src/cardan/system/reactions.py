"""Wrenches that joints and constraints transmit, from the accelerations and multipliers of a state.

Source: docs/notation.md §8; Haug 1989, §11.3 (reactions from multipliers)
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from cardan.formulations import newton_euler
from cardan.formulations.applied import wrench_sum
from cardan.kinematics import loads
from cardan.kinematics.constraints import constraint_rows, link_wrenches
from cardan.kinematics.motion import Motion, marker_motion
from cardan.kinematics.reversed import Reversed
from cardan.kinematics.tree import GROUND, Number, Place, Tree
from cardan.model.constraints import PlaceConstraint
from cardan.model.forces import Wrench
from cardan.spatial.rotations import skew
from cardan.spatial.transforms import position, rotation

__all__ = ["constraint_forces", "joint_wrenches"]


def joint_wrenches(tree: Tree, motion: Motion, a: Number, lam: Number) -> dict[str, Wrench]:
    """Wrench of each joint's parent on its child: moment about the child marker's origin, world axes.

    Parameters
    ----------
    a : accelerations (nv,).
    lam : multipliers of all equations (c,).
    """
    acting = loads.wrenches(tree, motion)
    rows = link_wrenches(tree, motion)
    closing = tuple(_in_link(T_WL, J.T @ lam) for T_WL, J in zip(motion.T_WL, rows, strict=True)) if lam.shape[0] else ()
    wrenches = wrench_sum(acting.conservative, acting.other, *([closing] if closing else []))
    forces = newton_euler.link_forces(tree, motion, a, wrenches)
    out = {}
    for index, link in enumerate(tree.links):
        R_WL = rotation(motion.T_WL[index])
        wrench = Wrench(R_WL @ forces[index][:3], R_WL @ forces[index][3:])
        out[link.joint] = _on_child(tree, motion, index, wrench) if isinstance(link.law, Reversed) else wrench
    owners = [row.owner for row in constraint_rows(tree, motion)]
    for cut in tree.cuts:
        out[cut.joint] = _on_place(tree, motion, cut.child, rows, lam, _indices(owners, cut.joint), cut.parent)
    return out


def constraint_forces(tree: Tree, motion: Motion, lam: Number) -> dict[str, Number]:
    """Force of each constraint between two markers on its child (3,) [N], world axes."""
    rows = link_wrenches(tree, motion)
    owners = [row.owner for row in constraint_rows(tree, motion)]
    return {
        name: _on_place(
            tree, motion, tree.places[record.child], rows, lam, _indices(owners, name), tree.places[record.parent]
        ).f
        for name, record in tree.constraints.items()
        if isinstance(record, PlaceConstraint)
    }


def _indices(owners: Sequence[str], name: str) -> list[int]:
    return [i for i, owner in enumerate(owners) if owner == name]


def _on_place(
    tree: Tree, motion: Motion, child: Place, rows: list[Number], lam: Number, own: list[int], parent: Place
) -> Wrench:
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

