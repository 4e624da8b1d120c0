"""Wrenches that joints and constraints transmit, from the accelerations and multipliers of a state.

Source: docs/notation.md §8; Haug 1989, §11.3 (reactions from multipliers)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from cardan.formulations import newton_euler
from cardan.formulations.applied import wrench_sum
from cardan.kinematics import loads
from cardan.kinematics.constraints import constraint_rows, link_wrenches
from cardan.kinematics.motion import Motion, marker_motion
from cardan.kinematics.reversed import Reversed
from cardan.kinematics.tree import GROUND, Number, Place, Tree
from cardan.model.constraints import PlaceConstraint, PointOnLine
from cardan.model.forces import Wrench
from cardan.spatial.rotations import skew
from cardan.spatial.transforms import position, rotation

__all__ = ["Reaction", "hidden_count", "reactions"]


@dataclass(frozen=True)
class Reaction:
    """A force or moment that a joint or constraint transmits, as a result with a name."""

    name: str  # `hinge.reaction_moment`, `hinge.reaction_force.child`, `rod.force`
    unit: str  # "N" or "N*m"
    description: str  # a few words: on what, about which point, in which axes
    vector: Number  # (3,)
    frame: str = "world"  # or "parent", "child": the marker's axes in which it is written


def reactions(tree: Tree, motion: Motion, a: Number, lam: Number, hidden: Number | None = None) -> list[Reaction]:
    """Reactions of all joints, the tree's first, and of the constraints between markers; in all three frames.

    Parameters
    ----------
    tree : the mechanism; with all inertial parameters where they belong, not the regrouped one.
    motion : its state.
    a : accelerations (nv,).
    lam : multipliers of all equations (c,).
    hidden : what closed loops transmit out of the plane of a planar model (`hidden_count`,); zero if absent.
    """
    unseen = _hidden_wrenches(tree, motion, ca.DM(hidden_count(tree), 1) if hidden is None else hidden)
    out = []
    for name, wrench in _joint_wrenches(tree, motion, a, lam, unseen).items():
        for frame, R in {"world": None, **_axes(tree, motion, name)}.items():
            n, f = (wrench.n, wrench.f) if R is None else (R.T @ wrench.n, R.T @ wrench.f)
            at = "" if R is None else f".{frame}"
            seen = "" if R is None else f", {frame} marker's axes"
            out += [
                Reaction(f"{name}.reaction_force{at}", "N", f"force of the parent on the child{seen}", f, frame),
                Reaction(f"{name}.reaction_moment{at}", "N*m", f"moment about the child marker{seen}", n, frame),
            ]
    forces = _constraint_forces(tree, motion, lam, unseen)
    return [*out, *(Reaction(f"{name}.force", "N", "force on the child", f) for name, f in forces.items())]


def hidden_count(tree: Tree) -> int:
    """Components that loops transmit out of the plane of a planar model, where no equation of its own sees them."""
    return sum(_hidden_size(closing) for closing in _closings(tree))


def _joint_wrenches(
    tree: Tree, motion: Motion, a: Number, lam: Number, unseen: Mapping[str, Wrench]
) -> dict[str, Wrench]:
    """Wrench of each joint's parent on its child: moment about the child marker's origin, world axes."""
    acting = loads.wrenches(tree, motion)
    rows = link_wrenches(tree, motion)
    closing = _on_links(tree, motion, rows, lam, unseen)
    wrenches = wrench_sum(acting.conservative, acting.other, *([closing] if lam.shape[0] or unseen else []))
    forces = newton_euler.link_forces(tree, motion, a, wrenches)
    out = {}
    for index, link in enumerate(tree.links):
        R_WL = rotation(motion.T_WL[index])
        wrench = Wrench(R_WL @ forces[index][:3], R_WL @ forces[index][3:])
        out[link.joint] = _on_child(tree, motion, index, wrench) if isinstance(link.law, Reversed) else wrench
    owners = [row.owner for row in constraint_rows(tree, motion)]
    for cut in tree.cuts:
        own = _indices(owners, cut.joint)
        out[cut.joint] = _with(_on_place(motion, cut.child, rows, lam, own, cut.parent), unseen.get(cut.joint))
    return out


def _constraint_forces(tree: Tree, motion: Motion, lam: Number, unseen: Mapping[str, Wrench]) -> dict[str, Number]:
    """Force of each constraint between two markers on its child (3,) [N], world axes."""
    rows = link_wrenches(tree, motion)
    owners = [row.owner for row in constraint_rows(tree, motion)]
    out = {}
    for name, record in tree.constraints.items():
        if isinstance(record, PlaceConstraint):
            child, parent = tree.places[record.child], tree.places[record.parent]
            known = _on_place(motion, child, rows, lam, _indices(owners, name), parent)
            out[name] = _with(known, unseen.get(name)).f
    return out


def _axes(tree: Tree, motion: Motion, joint: str) -> dict[str, Number]:
    """Axes of the two markers of a joint in the world (3×3)."""
    parent, child = (tree.places[end] for end in tree.ends[joint])
    return {"parent": marker_motion(motion, parent).R, "child": marker_motion(motion, child).R}


@dataclass(frozen=True)
class _Closing:
    """A joint or constraint that closes a loop of a planar model."""

    name: str
    parent: Place
    child: Place
    moments: bool  # whether it transmits moments as well


def _closings(tree: Tree) -> list[_Closing]:
    """What closes loops and would transmit something out of the plane if its model were spatial."""
    if tree.normal is None:
        return []
    joints = [_Closing(cut.joint, cut.parent, cut.child, True) for cut in tree.cuts if cut.law.nv < 6]
    lines = [
        _Closing(name, tree.places[record.parent], tree.places[record.child], False)
        for name, record in tree.constraints.items()
        if isinstance(record, PointOnLine)
    ]
    return [*joints, *lines]


def _hidden_size(closing: _Closing) -> int:
    return 3 if closing.moments else 1


def _hidden_wrenches(tree: Tree, motion: Motion, hidden: Number) -> dict[str, Wrench]:
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
    """What closes the loops, as wrenches on the links at their origins, link axes."""
    total = [J.T @ lam for J in rows]
    for closing in _closings(tree):
        wrench, p_W = unseen[closing.name], marker_motion(motion, closing.child).p
        for place, sign in ((closing.child, 1), (closing.parent, -1)):
            if place.link != GROUND:
                r = p_W - position(motion.T_WL[place.link])
                total[place.link] += sign * ca.vertcat(wrench.n + skew(r) @ wrench.f, wrench.f)
    return tuple(_in_link(T_WL, f) for T_WL, f in zip(motion.T_WL, total, strict=True))


def _with(wrench: Wrench, more: Wrench | None) -> Wrench:
    return wrench if more is None else Wrench(wrench.n + more.n, wrench.f + more.f)


def _indices(owners: Sequence[str], name: str) -> list[int]:
    return [i for i, owner in enumerate(owners) if owner == name]


def _on_place(motion: Motion, child: Place, rows: list[Number], lam: Number, own: list[int], parent: Place) -> Wrench:
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
