"""`mobility`: degrees of freedom, redundant constraints, singular positions, and which reactions are unique.

Source: Grübler's count and the count by rank: Gogu 2005, Mech. Mach. Theory 40:1068; neighbours that distinguish
redundancy from singularity: docs/notation.md §8
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca
import numpy as np

from cardan.analysis.assembly import assembled_system
from cardan.assembly.assembler import Assembler
from cardan.displays import shown
from cardan.errors import Issue, ModelError, few, nearest
from cardan.frozen import dataclass, replace
from cardan.kinematics.build import velocity_of
from cardan.kinematics.constraints import cut_frames
from cardan.kinematics.motion import motion
from cardan.kinematics.tree import Tree
from cardan.loads.uniqueness import Answer, numbers, uniqueness
from cardan.model.model import Model, check_bodies, check_model
from cardan.singular.singularity import Singularity, distances
from cardan.system.constrained import has_constraints
from cardan.system.drives import drive_velocities, loop_rows


@dataclass(frozen=True)
class Redundancy:
    """An equation that the others imply; other equations of the same loop could be named redundant instead."""

    owner: str  # joint or constraint
    component: str  # the reaction that enforces it: "moment about y"

    def __str__(self) -> str:
        """`hinge2: moment about y`."""
        return f"{self.owner}: {self.component}"


@dataclass(frozen=True)
class Mobility:
    """What a mechanism can do in an assembled position and around it."""

    q: Mapping[str, float]  # the position: coordinates by name [m, rad, -]
    grubler: int  # Grübler's count: velocities less equations, in the plane for planar models
    degrees_of_freedom: int  # number of velocities less the rank of Φq in the neighbours of the position, motions aside
    remaining: int  # degrees of freedom that no motion prescribes
    instantaneous: int  # number of velocities less the rank of Φq in the position itself: larger if it is singular
    cut: tuple[str, ...]  # joints that close the loops
    loops: Mapping[str, tuple[str, ...]]  # the other joints of each loop, by the joint that closes it
    redundant: tuple[Redundancy, ...]  # equations that others imply
    distances: tuple[Singularity, ...]  # distances to each kind of singularity that can occur
    unique: Mapping[str, tuple[bool, ...]]  # whether each component of a reaction is unique: `hinge1.reaction_moment`
    unknown: Mapping[str, tuple[bool, ...]]  # whether each component is unknown because the model is planar
    prescribed: bool  # whether a constraint depends on time: such a mechanism can move with zero degrees of freedom

    @property
    def singularities(self) -> tuple[Singularity, ...]:
        """The kinds in which the position is singular; empty for a regular position."""
        return tuple(entry for entry in self.distances if entry.here)

    @property
    def singular(self) -> bool:
        """Whether the position is singular in any kind."""
        return bool(self.singularities)

    def __repr__(self) -> str:
        """The result in three lines: degrees of freedom, loops and redundant equations, singularities."""
        plural = "" if self.degrees_of_freedom == 1 else "s"
        taken = self.degrees_of_freedom - self.remaining
        prescribed = f", {taken} of them prescribed" if taken else ""
        closed = f"loops are closed by {few(self.cut)}" if self.cut else "no loops"
        here = [entry.kind for entry in self.singularities if entry.here]
        freedoms = f"{self.degrees_of_freedom} degree{plural} of freedom{prescribed}"
        lines = [
            f"Mobility: {freedoms} (Grübler's count: {self.grubler})",
            f"{closed}; {len(self.redundant) or 'no'} redundant equation{'' if len(self.redundant) == 1 else 's'}",
            f"singular position: {', '.join(here)}" if here else "regular position",
        ]
        return "\n  ".join(lines)

    def _repr_html_(self) -> str | None:
        """Show the mobility in a notebook, with a table of unique reactions."""
        return shown(self)

    @property
    def advice(self) -> str:
        """Advice for a mechanism that cannot move; else empty."""
        if self.degrees_of_freedom > 0 or self.prescribed:
            return ""
        return (
            "the mechanism cannot move: leave a constraint out, give a joint of a loop more freedom, or let a "
            "coordinate follow time"
        )


def mobility(
    model: Model,
    initial: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    *,
    output: Sequence[str] | None = None,
) -> Mobility:
    """Mobility of a mechanism in its assembled position; `singular_positions` searches for singular positions.

    If Φq loses rank in the position and in all its neighbours, constraints are redundant; if it loses rank in the
    position only, the position is singular.

    Parameters
    ----------
    model : Model
        The mechanism.
    initial : mapping, optional
        Coordinates in addition to the model's or in place of them, as for `assemble`.
    parameters : mapping, optional
        Other values of parameters: SI, or text with a unit.
    output : sequence of str, optional
        Velocities of the output, such as `["slide"]`, for singularities of type 1; by default all velocities that no
        motor drives.

    Raises
    ------
    ModelError
        A name is unknown, or the model has no bodies.
    AssemblyError
        The loops cannot be closed.

    Example
    -------
    >>> import cardan
    >>> report = cardan.mobility(cardan.load("planar_manipulator"))
    >>> report.degrees_of_freedom, report.unique["elbow.reaction_moment"]
    (2, (True, True, True))
    """
    from cardan.assembly.failures import loop_joints

    check_model(model)
    check_bodies(model)
    system, assembler, x, _ = assembled_system(model, initial, parameters)
    tree, q = system.tree, x[: system.tree.nq]
    places = assembler.neighbours(q) if has_constraints(tree) else [q]
    own = len(loop_rows(tree, len(assembler.functions.labels)))
    every = [assembler.at(place)[1] for place in places]
    kept, jacobians = assembler.most_rows(q, every, range(own)), [J[:own] for J in every]
    driven, moved = driven_velocities(model, tree), _output(tree, output)
    found = distances(jacobians, len(kept), driven, moved)
    still = numbers(replace(tree, motions=(), hidden=()), assembler.p, places)
    answers = uniqueness(*still, len(kept), tree.rounding)
    return Mobility(
        q={entry.name: float(value) for entry, value in zip(tree.coordinates, q, strict=True)},
        grubler=tree.nv - own,
        degrees_of_freedom=tree.nv - len(kept),
        remaining=tree.nv - len(assembler.most_rows(q, every)),
        instantaneous=tree.nv - len(kept) + sum(entry.lost for entry in found if entry.kind == "branch"),
        cut=tuple(cut.joint for cut in tree.cuts),
        loops={cut.joint: loop_joints(tree, cut.joint) for cut in tree.cuts},
        redundant=_redundant(assembler, q, kept, own),
        distances=found,
        unique={name: _are(answers[name], "yes") for name in answers},
        unknown={name: _are(answers[name], "unknown") for name in answers},
        prescribed=assembler.functions.follows_time,
    )


def driven_velocities(model: Model, tree: Tree) -> list[int]:
    """Velocities that motors drive; without motors, those that drive the prescribed motions."""
    names = [entry.name for entry in tree.velocities]
    motors = {names.index("".join(velocity_of(motor, model.joints))) for motor in model.motors.values()}
    return sorted(motors or drive_velocities(tree))


def _output(tree: Tree, names: Sequence[str] | None) -> list[int] | None:
    if names is None:
        return None
    known = [entry.name for entry in tree.velocities]
    for name in names:
        if name not in known:
            raise ModelError(Issue(f"there is no velocity {name!r}", nearest(name, known), ("output",)))
    return [known.index(name) for name in names]


def _redundant(assembler: Assembler, q: np.ndarray, kept: Sequence[int], own: int) -> tuple[Redundancy, ...]:
    """The first `own` equations that are not kept, each with its joint and the reaction that enforces it."""
    labels = assembler.functions.labels[:own]
    left: dict[str, list[str]] = {}
    for i, (owner, component) in enumerate(labels):
        if i not in set(kept):
            left.setdefault(owner, []).append(component)
    axes = joint_axes(assembler, q) if left else {}
    return tuple(
        Redundancy(owner, words)
        for owner, components in left.items()
        for words in components_in_words(axes, owner, components)
    )


def _are(answers: Sequence[Answer], what: Answer) -> tuple[bool, ...]:
    return tuple(answer == what for answer in answers)


JointAxes = Mapping[str, tuple[np.ndarray, np.ndarray]]
"""Axes of the parent's and of the child's joint frame in the world (3×3 each), of every joint that closes a loop."""

_OWN = re.compile(r"(?P<what>force along|moment about) (?P<axis>z × x|[xyz]) of the joint")
_COLUMNS = {"x": 0, "y": 1, "z": 2}


def joint_axes(assembler: Assembler, q: np.ndarray) -> JointAxes:
    """Axes of the joints that close loops, at a position."""
    tree = assembler.tree
    symbols = ca.SX.sym("q", tree.nq)
    state = motion(tree, symbols, ca.DM(tree.nv, 1))
    frames = [cut_frames(state, cut) for cut in tree.cuts]
    outputs = [ca.densify(ca.SX(ca.horzcat(pair.R_P, pair.R_C))) for pair in frames]
    found = (np.array(axes) for axes in ca.Function("frames", [symbols, tree.p], outputs).call([q, assembler.p]))
    return {cut.joint: (axes[:, :3], axes[:, 3:]) for cut, axes in zip(tree.cuts, found, strict=True)}


def components_in_words(axes: JointAxes, owner: str, components: Sequence[str]) -> list[str]:
    """The reaction components of equations: "moment about y", "force along (0.6, 0, 0.8)".

    Two components that span a coordinate plane of the world are named by the world's axes in that plane, even if the
    joint's own axes are turned within it.
    """
    found = [_OWN.fullmatch(component) for component in components]
    if owner not in axes or not any(found):
        return list(components)
    own = {(m["what"], m["axis"]): _axis(*axes[owner], m["axis"]) for m in found if m is not None}
    for what in {what for what, _ in own}:
        if {(what, "x"), (what, "y")} <= own.keys() and _direction(_axis(*axes[owner], "z")) in ("x", "y", "z"):
            own[what, "x"], own[what, "y"] = _plane(own[what, "x"], own[what, "y"])
    return [
        component if m is None else f"{m['what']} {_direction(own[m['what'], m['axis']])}"
        for m, component in zip(found, components, strict=True)
    ]


def _axis(R_WP: np.ndarray, R_WC: np.ndarray, name: str) -> np.ndarray:
    """An axis of the joint's parent frame in the world; z × x is that of a universal joint's cross."""
    if name in _COLUMNS:
        return R_WP[:, _COLUMNS[name]]
    cross = np.cross(R_WP[:, 2], R_WC[:, 0])
    return cross / np.linalg.norm(cross)


def _plane(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The world's axes in the plane of x and y, the one nearer to x first."""
    normal = int(np.argmax(np.abs(np.cross(x, y))))
    first, second = sorted((k for k in range(3) if k != normal), key=lambda k: -abs(x[k]))
    return np.eye(3)[first], np.eye(3)[second]


def _direction(axis: np.ndarray) -> str:
    """x, y or z of the world, or three numbers; a direction and its opposite are one."""
    k = int(np.argmax(np.abs(axis)))
    if abs(axis[k]) > 1 - 1e-9:
        return "xyz"[k]
    numbers = axis * np.sign(axis[k])
    return f"({', '.join(f'{x:.3g}' for x in np.where(np.abs(numbers) < 1e-9, 0, numbers))})"
