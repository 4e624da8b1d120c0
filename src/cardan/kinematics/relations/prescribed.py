"""Prescribed motions over a tree: the equations Φm(q, t) = 0, and the velocities whose efforts keep them.

Source: docs/motions.md
"""

from collections.abc import Mapping
from functools import partial

import casadi as ca

from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.kinematics.motion import Motion, marker_motion
from cardan.kinematics.relations.around import Around
from cardan.kinematics.scope import evaluate, parameter_value, value
from cardan.kinematics.tree import Coordinate, Number, Prescribed, Tree
from cardan.model.model import Model
from cardan.model.motions import PrescribedMotion
from cardan.model.motions.targets import MotionTarget
from cardan.model.names import Names
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.entries import column
from cardan.spatial.rotations import from_rpy


@dataclass(frozen=True)
class MotionRow:
    """One equation of a motion; empty, 0 = 0, for a drive beyond the number of components."""

    component: str  # the effort that keeps it
    expression: Number  # value − law [m] or [rad], or the relation of a program
    on_velocity: bool = False  # whether it is a relation of velocities


def prescribed(
    model: Model, coordinates: tuple[Coordinate, ...], velocities: tuple[Coordinate, ...]
) -> tuple[Prescribed, ...]:
    """The motions of a model."""
    names, out = Names(model), []
    q_of = {entry.name: k for k, entry in enumerate(coordinates)}
    v_of = {entry.name: k for k, entry in enumerate(velocities)}
    for name, record in model.motions.items():
        target = names.target(name)
        assert target is not None, "motions are checked when the model is read"
        is_coordinate = target.kind == "coordinate"
        by = record.by or (target.name,)
        law = record.replace(by=None) if is_coordinate and by == (target.name,) else record
        index = q_of[target.name] if is_coordinate else -1
        out.append(Prescribed(name, law, target, index, tuple(v_of[joint] for joint in by)))
    for name, program in model.constraints.items():
        if program.drives:
            drives = tuple(v_of[joint] for joint in program.drives)
            out.append(Prescribed(name, None, MotionTarget("relation", name), -1, drives, program))
    return tuple(out)


def motion_rows(tree: Tree, state: Motion) -> list[tuple[str, list[MotionRow]]]:
    """Name and equations of every motion, in the order of the file."""
    records = _laws(tree)
    return [(motion.name, _rows(tree, state, motion, records)) for motion in tree.motions]


def laws(tree: Tree, t: Number, z: Number | None = None) -> list[tuple[str, list[Number]]]:
    """Name and values of every motion with a law of time at the instant t [s], in the order of the file."""
    records = _laws(tree)
    return [(name, _values(tree, t, z, name, records)) for name in records]


def prescribed_rates(tree: Tree, t: Number) -> dict[int, Number]:
    """Rate of every motion of a coordinate by its own drive, at the instant t [s], by the index of its velocity."""
    values = dict(laws(tree, t))
    return {
        motion.drives[0]: ca.jacobian(ca.SX(values[motion.name][0]), t) for motion in tree.motions if motion.is_direct
    }


def refuse_followed(tree: Tree) -> None:
    """Refuse motions that follow states, for uses that know no states."""
    for name in tree.followed:
        fault = f"a motion follows the state {name!r}, whose values only a run knows"
        raise ModelError(Issue(fault, "write the motion as an expression of t here", ("motions",)))


def followed_rates(tree: Tree, state: Motion) -> tuple[Number, Number]:
    """Symbols of the states that motions follow (k,), and their rates (k,) in a state of motion."""
    symbols = [state.z[tree.signals.index(name)] for name in tree.followed]
    rates = [evaluate(equation.rate, partial(value, tree, state)) for equation in tree.followed.values()]
    return column(symbols), column(rates)


def _laws(tree: Tree) -> dict[str, PrescribedMotion]:
    """Motions with a law of time by name: all but the relations of programs."""
    return {motion.name: motion.record for motion in tree.motions if motion.record is not None}


def _rows(tree: Tree, state: Motion, motion: Prescribed, records: Mapping[str, PrescribedMotion]) -> list[MotionRow]:
    wanted = _values(tree, state.t, state.z, motion.name, records) if motion.name in records else []
    gaps, on_velocity = _gaps(tree, state, motion, wanted), motion.on_velocity
    gaps += [ca.DM(1, 1)] * (len(motion.drives) - len(gaps))
    efforts = [f"effort of {tree.velocities[k].name}" for k in motion.drives]
    return [MotionRow(effort, gap, on_velocity) for effort, gap in zip(efforts, gaps, strict=True)]


def gaps(tree: Tree, state: Motion, wanted: Mapping[str, list[Number]]) -> list[Number]:
    """Actual minus wanted value of every component of all motions in the order of the file; programs come last."""
    return [gap for motion in tree.motions for gap in _gaps(tree, state, motion, wanted.get(motion.name, []))]


def _gaps(tree: Tree, state: Motion, motion: Prescribed, wanted: list[Number]) -> list[Number]:
    """Actual minus wanted value of each component; the value of a relation."""
    if motion.program is not None:
        return [row.expression for row in motion.program.rows(Around(tree, state, value))]
    if motion.coordinate >= 0:
        return [state.q[motion.coordinate] - wanted[0]]
    place = marker_motion(state, tree.places[motion.target.name])
    if motion.target.kind == "position":
        return [place.p[k] - value for k, value in zip(motion.target.components, wanted, strict=True)]
    if motion.target.kind == "angle":
        return [turned(tree, place.R, wanted[0])]
    return _rotation_vector(from_rpy(ca.vertcat(*wanted)), place.R)


def _values(
    tree: Tree, t: Number, z: Number | None, name: str, records: Mapping[str, PrescribedMotion]
) -> list[Number]:
    """Values of a law at the instant t; other prescribed coordinates in it are replaced by their own laws."""

    def lookup(other: str) -> Number:
        if other == "t":
            return t
        if other in records:
            return _values(tree, t, z, other, records)[0]
        if other in tree.followed:
            if isinstance(z, ca.SX):
                return z[tree.signals.index(other)]
            refuse_followed(tree)
        return parameter_value(tree.parameters, tree.p, other)

    def number(scalar: Scalar) -> Number:
        return evaluate(scalar, lookup)

    return records[name].values(number, t)


def turned(tree: Tree, R: Number, angle: Number) -> Number:
    """Angle of a frame R (3×3) about the normal of the plane of the `tree`, minus `angle` [rad], between −π and π."""
    n = tree.normal
    assert n is not None, "angles belong to planar models"
    axes = [k for k in range(3) if not float(n[k])]
    i, j = axes if float(n[0]) or float(n[2]) else reversed(axes)  # so that turning i to j is positive about n
    c, s = R[i, i], R[j, i]
    return ca.atan2(s * ca.cos(angle) - c * ca.sin(angle), c * ca.cos(angle) + s * ca.sin(angle))


def _rotation_vector(R_wanted: Number, R: Number) -> list[Number]:
    """What the frame R is turned against the wanted one, to first order (3,), in the axes of the wanted one."""
    E = R_wanted.T @ R
    return [0.5 * (E[a, b] - E[b, a]) for a, b in ((2, 1), (0, 2), (1, 0))]
