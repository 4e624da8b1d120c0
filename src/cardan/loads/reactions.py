"""Wrenches that joints and constraints transmit, from the accelerations and multipliers of a state.

Source: docs/notation.md §8; Haug 1989, §11.3 (reactions from multipliers)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import casadi as ca

from cardan.formulations import newton_euler
from cardan.formulations.applied import wrench_sum
from cardan.kinematics import loads
from cardan.kinematics.constraints import constraint_rows, link_wrenches
from cardan.kinematics.motion import Motion, marker_motion
from cardan.kinematics.tree import GROUND, End, Number, Place, Tree
from cardan.model.forces import Frame, Wrench
from cardan.spatial.rotations import skew
from cardan.spatial.transforms import position, rotation

__all__ = ["FRAMES", "Frame", "Label", "hidden_count", "labels", "reactions"]

FRAMES: tuple[Frame, ...] = get_args(Frame)
"""Axes in which a reaction may be written."""
_XYZ = ("x", "y", "z")


@dataclass(frozen=True)
class Label:
    """A force, moment or multiplier that a joint or constraint transmits, as a result with a name."""

    name: str  # `hinge.reaction_moment`, `hinge.reaction_force.child`, `rod.force`
    unit: str  # "N" or "N*m"; empty for a multiplier, whose unit depends on its equation
    description: str  # a few words: on what, about which point, in which axes
    components: tuple[str, ...]  # x, y, z of a vector; empty for a number
    counted: bool  # whether a minimum-norm distribution includes it in the norm

    @property
    def size(self) -> int:
        """Number of components."""
        return len(self.components) or 1


def labels(tree: Tree, frame: Frame = "world") -> list[Label]:
    """Labels of the results of `reactions`, in their order: joints in file order, then constraints.

    Parameters
    ----------
    tree : the mechanism.
    frame : axes of the vectors; scalars are listed with "world" only.
    """
    at, seen = ("", "") if frame == "world" else (f".{frame}", f", {frame} marker's axes")
    out = []
    for joint in tree.ends:
        out += [
            _vector(f"{joint}.reaction_force{at}", "N", f"force of the parent on the child{seen}", frame),
            _vector(f"{joint}.reaction_moment{at}", "N*m", f"moment about the child marker{seen}", frame),
        ]
    for name, record in tree.constraints.items():
        if record.ends is not None:
            out.append(_vector(f"{name}.force{at}", "N", f"force on the child{seen}", frame))
            if frame == "world":
                out += [Label(f"{name}.{x.name}", x.unit, x.description, (), False) for x in record.measures]
        elif frame == "world":
            words = "multiplier of the equation: energy per unit of it" + (" and time" if record.on_velocity else "")
            out.append(Label(f"{name}.force", "", words, (), True))
    return out


def reactions(
    tree: Tree,
    motion: Motion,
    a: Number | None,
    lam: Number,
    hidden: Number | None = None,
    frame: Frame = "world",
    applied: Sequence[loads.PointForce] = (),
) -> list[Number]:
    """Reactions of all joints and constraints: vectors (3,), or numbers (1,) for scalar reactions.

    Parameters
    ----------
    tree : the mechanism with each body's own inertia, not the regrouped one.
    motion : its state.
    a : accelerations (nv,); None for the parts that `lam` and `hidden` alone cause.
    lam : multipliers of all equations (c,).
    hidden : loads of closed loops out of the plane of a planar model (`hidden_count`,); zero if absent.
    frame : axes of the vectors.
    applied : forces on the links beside those of the tree, of ports of bond graphs.
    """
    unseen = _hidden_wrenches(tree, motion, ca.DM(hidden_count(tree), 1) if hidden is None else hidden)
    rows = link_wrenches(tree, motion)
    owners = [row.owner for row in constraint_rows(tree, motion)]
    wrenches = _joint_wrenches(tree, motion, a, lam, rows, owners, unseen, applied)
    out = []
    for joint, ends in tree.ends.items():
        wrench, R = wrenches[joint], _axes(tree, motion, ends, frame)
        out += [R.T @ wrench.f, R.T @ wrench.n]
    for name, record in tree.constraints.items():
        own = _indices(owners, name)
        if record.ends is not None:
            parent, child = (tree.place(end) for end in record.ends)
            force = _with(_on_place(motion, child, rows, lam, own, parent), unseen.get(name)).f
            out.append(_axes(tree, motion, record.ends, frame).T @ force)
            if frame == "world":
                a_end, b_end = marker_motion(motion, parent), marker_motion(motion, child)
                out += [x.law(force, a_end, b_end) for x in record.measures]
        elif frame == "world":
            out.append(lam[own])
    return out


def hidden_count(tree: Tree) -> int:
    """Number of load components out of the plane of a planar model that its loops transmit; no equation gives them."""
    return sum(_hidden_size(closing) for closing in _closings(tree))


def _vector(name: str, unit: str, description: str, frame: Frame) -> Label:
    return Label(name, unit, description, _XYZ, frame == "world")


def _joint_wrenches(
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
    closing = _on_links(tree, motion, rows, lam, unseen)
    if a is None:
        forces = newton_euler.gathered(tree, motion, [-wrench for wrench in closing])
    else:
        acting = loads.wrenches(tree, motion)
        beside = [loads.point_wrenches(tree, motion, applied)] if applied else []
        wrenches = wrench_sum(
            acting.conservative, acting.other, *beside, *([closing] if lam.shape[0] or unseen else [])
        )
        forces = newton_euler.link_forces(tree, motion, a, wrenches)
    out = {}
    for index, link in enumerate(tree.links):
        R_WL = rotation(motion.T_WL[index])
        wrench = Wrench(R_WL @ forces[index][:3], R_WL @ forces[index][3:])
        out[link.joint] = _on_child(tree, motion, index, wrench) if link.reversed else wrench
    for cut in tree.cuts:
        own = _indices(owners, cut.joint)
        out[cut.joint] = _with(_on_place(motion, cut.child, rows, lam, own, cut.parent), unseen.get(cut.joint))
    return out


def _axes(tree: Tree, motion: Motion, ends: tuple[End, End], frame: Frame) -> Number:
    """Axes of the frame in the world (3×3), of the markers `ends` on parent and child."""
    if frame == "world":
        return ca.DM.eye(3)
    return marker_motion(motion, tree.place(ends[frame == "child"])).R


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
    """Wrenches of all closing joints and constraints on the links at their origins, link axes."""
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
