"""Wrenches that joints and constraints transmit, from the accelerations and multipliers of a state.

Source: docs/notation.md §8; Haug 1989, §11.3 (reactions from multipliers)
"""

from collections.abc import Sequence
from typing import Literal, get_args

import casadi as ca

from cardan.formulations.joint_wrenches import (
    combined,
    hidden_count,
    hidden_wrenches,
    joint_wrenches,
    on_place,
    rows_of,
    transmitted,
)
from cardan.frozen import dataclass
from cardan.kinematics import loads
from cardan.kinematics.constraints import constraint_rows, link_wrenches
from cardan.kinematics.motion import Motion, marker_motion
from cardan.kinematics.relations.moving_axes import has_path, moving_axes
from cardan.kinematics.scope import value
from cardan.kinematics.tree import End, Number, Tree
from cardan.model.constraints import Constraint
from cardan.model.forces import MarkerFrame

__all__ = ["FRAMES", "Frame", "Label", "hidden_count", "labels", "reactions"]

Frame = Literal["world", "parent", "child", "path"]
"""Axes of a reaction: the world's, those of a marker, or the moving ones of a constraint's path."""
FRAMES: tuple[Frame, ...] = get_args(MarkerFrame)
"""Axes in which the reaction of a joint may be written."""
_XYZ = ("x", "y", "z")
_TNB = ("t", "n", "b")


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
    """Labels of the results of `reactions`, in their order: joints in file order, then constraints."""
    if frame == "path":
        words = "force on the child: along tangent, normal and binormal of the path"
        return [Label(f"{name}.force.path", "N", words, _TNB, False) for name in _on_paths(tree)]
    at, seen = ("", "") if frame == "world" else (f".{frame}", f", {frame} marker's axes")
    out = []
    for joint in tree.ends:
        out += [
            _vector(f"{joint}.reaction_force{at}", "N", f"force of the parent on the child{seen}", frame),
            _vector(f"{joint}.reaction_moment{at}", "N*m", f"moment about the child marker{seen}", frame),
        ]
    for name, record in _acting(tree).items():
        if record.places is not None:
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
    """Reactions of all joints and constraints: vectors (3,), or numbers (1,) for scalar reactions."""
    unseen = hidden_wrenches(tree, motion, ca.DM(hidden_count(tree), 1) if hidden is None else hidden)
    rows = link_wrenches(tree, motion)
    owners = [row.owner for row in constraint_rows(tree, motion)]
    wrenches = joint_wrenches(tree, motion, a, lam, rows, owners, unseen, applied)
    out = []
    for joint, ends in tree.ends.items() if frame != "path" else ():
        wrench, R = wrenches[joint], _axes(tree, motion, ends, frame)
        out += [R.T @ wrench.f, R.T @ wrench.n]
    given = {load.name: load for load in tree.loads if load.given} if a is not None else {}
    for name, record in (_on_paths(tree) if frame == "path" else _acting(tree)).items():
        its_rows = rows_of(owners, name)
        if record.places is not None:
            parent, child = (tree.place(end) for end in record.places)
            force = combined(on_place(motion, child, rows, lam, its_rows, parent), unseen.get(name)).f
            if name in given:
                force = force + loads.load_wrench(tree, motion, given[name]).f
            if (friction := transmitted(applied, name)) is not None:
                force = force + friction.f
            if frame == "path":
                axes = moving_axes(tree, motion, name, value)
                assert axes is not None, "only constraints with a path are listed"
                out.append(axes.R.T @ force)
                continue
            out.append(_axes(tree, motion, record.places, frame).T @ force)
            if frame == "world":
                a_end, b_end = marker_motion(motion, parent), marker_motion(motion, child)
                out += [x.law(force, a_end, b_end) for x in record.measures]
        elif frame == "world":
            out.append(lam[its_rows])
    return out


def _acting(tree: Tree) -> dict[str, Constraint]:
    """Constraints with a reaction of their own, by name: drives keep programs, which have their given part alone."""
    programs = {motion.name: motion.program for motion in tree.motions if motion.program is not None}
    return {**tree.constraints, **{name: one for name, one in programs.items() if one.places is not None}}


def _on_paths(tree: Tree) -> dict[str, Constraint]:
    """Those of `_acting` that leave their point a path with a tangent."""
    return {name: record for name, record in _acting(tree).items() if has_path(tree, name, value)}


def _vector(name: str, unit: str, description: str, frame: Frame) -> Label:
    return Label(name, unit, description, _XYZ, frame == "world")


def _axes(tree: Tree, motion: Motion, ends: tuple[End, End], frame: Frame) -> Number:
    """Axes of the frame in the world (3×3), of the markers `ends` on parent and child."""
    if frame == "world":
        return ca.DM.eye(3)
    return marker_motion(motion, tree.place(ends[frame == "child"])).R
