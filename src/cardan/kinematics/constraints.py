"""Constraints of a mechanism: closed loops and further equations, with their Jacobian and γ.

Φ(q, t) = 0,  Φ̇ = Φq v + Φt = 0,  Φ̈ = Φq v̇ − γ = 0; equations on velocities enter at the second stage.
Source: docs/notation.md §8; Haug 1989, §9.1 (constraint equations), eq. 9.2.5 (γ)
"""

import operator
from collections.abc import Sequence
from dataclasses import field, replace
from functools import partial, reduce

import casadi as ca

from cardan.errors import Issue, ModelError, Path
from cardan.frozen import dataclass
from cardan.kinematics.motion import Motion, coordinate_rate, marker_motion, motion
from cardan.kinematics.relations.around import Around
from cardan.kinematics.relations.prescribed import followed_rates, motion_rows
from cardan.kinematics.scope import value
from cardan.kinematics.tree import Cut, Number, Tree
from cardan.model.joints.closure import Frames, Row
from cardan.numerics.entries import column
from cardan.spatial.rotations import skew
from cardan.spatial.transforms import pose, position, rotation


@dataclass(frozen=True)
class ConstraintRow:
    """One equation, with the joint or constraint it belongs to."""

    owner: str  # joint or constraint
    component: str  # the reaction that enforces it: "force along x"
    expression: Number  # Φ, or Φ̇ for an equation on velocities
    on_velocity: bool = False  # whether the equation is one of the velocities
    divisor: str = ""  # the multiplier is the component over this; empty where they are equal
    by_drives: bool = False  # whether drives on joints keep it, in place of a force between its own ends
    feedback: tuple[Number, Number] | None = None  # gains (kp, kd) that bring it back, where no projection does
    hidden: bool = False  # whether a motion implies it, and no effort is its multiplier


@dataclass(frozen=True)
class ConstraintTerms:
    """All equations of a mechanism, c of them, over n velocities."""

    Phi: Number  # (c,); zero for equations on velocities
    rate: Number  # Φ̇ (c,)
    Phi_q: Number  # (c, n)
    Phi_t: Number  # (c,): Φ̇ at v = 0
    gamma: Number  # (c,)


@dataclass(frozen=True)
class CarriedLoops:
    """Loops seen from the body that carries them: the motion of what lies inwards leaves their equations as they are.

    So Φ = R φ(q) with the axes R of that body and the coordinates q of the loop alone; R is a symbol here, held while
    φ is differentiated. On Φ = 0 nothing is missing: what R changes is R φ.
    """

    symbols: list[Number] = field(default_factory=list)  # of axes, as columns
    values: list[Number] = field(default_factory=list)  # what they stand for

    def frames(self, tree: Tree, state: Motion, cut: Cut) -> Frames:
        """Joint frames of a cut joint in the frame of the last link that carries both of its ends."""
        ends = cut.parent, cut.child
        inner, outer = (tree.path(end.link)[::-1] for end in ends)
        shared = sum(a == b for a, b in zip(inner, outer, strict=False))
        if not shared:
            return cut_frames(state, cut)
        a, b = (
            chained([state.joints[i].T_PL for i in path[shared:]], end.T_LM)
            for path, end in zip((inner, outer), ends, strict=True)
        )
        return Frames(
            rotation(a), position(a), rotation(b), position(b), self._held(rotation(state.T_WL[inner[shared - 1]]))
        )

    def _held(self, R: Number) -> Number:
        """R with symbols in place of entries that move."""
        R = ca.SX(R)
        entries, moving = R.nonzeros(), [k for k, entry in enumerate(R.nonzeros()) if not entry.is_constant()]
        symbols = ca.SX.sym("R", len(moving))
        self.symbols.append(symbols)
        self.values.append(ca.vertcat(ca.SX(0, 1), *(entries[k] for k in moving)))
        for i, k in enumerate(moving):
            entries[k] = symbols[i]
        return ca.SX(R.sparsity(), ca.vertcat(*entries))

    def moved(self, *results: Number) -> list[Number]:
        """The results with the axes that symbols stand for."""
        symbols, values = ca.vertcat(ca.SX(0, 1), *self.symbols), ca.vertcat(ca.SX(0, 1), *self.values)
        return list(ca.substitute([ca.SX(result) for result in results], [symbols], [values]))


def chained(steps: Sequence[Number], last: Number) -> Number:
    """Product of transforms (4×4)."""
    return reduce(operator.matmul, [*steps, last])


def constraint_rows(tree: Tree, state: Motion, carried: CarriedLoops | None = None) -> list[ConstraintRow]:
    """Equations of the cut joints in file order, then of the constraints, hidden ones, and prescribed motions."""
    frames_of = partial(cut_frames, state) if carried is None else partial(carried.frames, tree, state)
    out = [
        ConstraintRow(cut.joint, row.component, row.expression)
        for cut in tree.cuts
        for row in _closure(cut, frames_of(cut), tree.normal)
    ]
    around = Around(tree, state, value)
    for name, constraint in tree.constraints.items():
        rows = constraint.rows(around)
        on_velocity = constraint.on_velocity
        out += [ConstraintRow(name, row.component, row.expression, on_velocity, row.divisor) for row in rows]
    for one in tree.hidden:
        implied = one.law(state.q, state.v, state.t, tree.p)
        out.append(ConstraintRow(one.motion, "hidden relation", implied, one.on_velocity, by_drives=True, hidden=True))
    for name, equations in motion_rows(tree, state):
        gains = _feedback(tree, state, name)
        out += [
            ConstraintRow(name, row.component, row.expression, row.on_velocity, by_drives=True, feedback=gains)
            for row in equations
        ]
    return out


def _feedback(tree: Tree, state: Motion, name: str) -> tuple[Number, Number] | None:
    """Gains (kp, kd) of a program; None without feedback."""
    program = next(motion.program for motion in tree.motions if motion.name == name)
    if program is None or program.gains is None:
        return None
    kp, kd = (Around(tree, state, value).number(gain) for gain in program.gains)
    return kp, kd


def with_feedback(tree: Tree, state: Motion, terms: ConstraintTerms, gamma: Number) -> Number:
    """The accelerations γ (c,) that equations keep, where feedback sets those of its own equations.

    These are γ − kp Φ − kd Φ̇, or γ − kp Φ̇ of equations on velocities, whatever else brings the other equations back.
    """
    out: list[Number] = []
    for k, row in enumerate(constraint_rows(tree, state)):
        if row.feedback is None:
            out.append(gamma[k])
            continue
        kp, kd = row.feedback
        brought = kp * terms.rate[k] if row.on_velocity else kp * terms.Phi[k] + kd * terms.rate[k]
        out.append(terms.gamma[k] - brought)
    return column(out)


def cut_frames(state: Motion, cut: Cut) -> Frames:
    """Joint frames of a cut joint, world axes."""
    a, b = marker_motion(state, cut.parent), marker_motion(state, cut.child)
    return Frames(a.R, a.p, b.R, b.p)


def constraint_terms(tree: Tree, state: Motion, *, held: bool = False, kept: Sequence[int] = ()) -> ConstraintTerms:
    """Φ, Φ̇, Φq, Φt and γ; of `held` ones without those that rounding or feedback leaves out.

    A run may have come to solve other equations than at its start: all but the `kept` ones hold up to rounding then.
    """
    carried = CarriedLoops()
    rows = constraint_rows(tree, state, carried)
    if held:
        left = {one.row for one in tree.rounded}
        if left and kept:
            left = {k for k, row in enumerate(rows) if k not in kept and not row.by_drives}
        left |= {k for k, row in enumerate(rows) if row.feedback is not None}
        rows = [replace(row, expression=ca.DM(1, 1)) if k in left else row for k, row in enumerate(rows)]
    q, v, t = state.q, state.v, state.t
    q_dot, followed = coordinate_rate(tree, q, v), followed_rates(tree, state)

    def total_rate(x: Number) -> Number:
        by_time = ca.jacobian(x, t) if isinstance(t, ca.SX) and t.is_symbolic() else ca.DM(x.shape[0], 1)
        by_states = ca.jtimes(x, *followed) if tree.followed else ca.DM(x.shape[0], 1)
        return ca.jtimes(x, q, q_dot) + by_time + by_states

    Phi = ca.SX(column([ca.DM(1, 1) if row.on_velocity else row.expression for row in rows]))
    from_positions = total_rate(Phi)
    rate = ca.SX(column([row.expression if row.on_velocity else from_positions[i] for i, row in enumerate(rows)]))
    Phi_q = ca.jacobian(rate, v)
    return ConstraintTerms(*carried.moved(Phi, rate, Phi_q, rate - Phi_q @ v, -total_rate(rate)))


def link_wrenches(tree: Tree, state: Motion) -> list[Number]:
    """Per link, the rows (c×6) by which λ acts on it: moment about its origin and force, world axes.

    The virtual work of λ in a small displacement of one link alone (virtual work, Haug 1989, §11.3); for an
    equation on velocities, its virtual power in a small twist of one link alone (Jourdain).
    """
    moved = [ca.SX.sym("moved", 6) for _ in tree.links]
    frames = tuple(
        pose((ca.DM.eye(3) + skew(e[:3])) @ rotation(T), position(T) + e[3:])
        for e, T in zip(moved, state.T_WL, strict=True)
    )
    twists = tuple(
        V + ca.vertcat(rotation(T).T @ e[:3], rotation(T).T @ e[3:])
        for e, T, V in zip(moved, state.T_WL, state.V_L, strict=True)
    )
    displaced = constraint_rows(tree, replace(state, T_WL=frames))
    if any(row.on_velocity for row in displaced):
        turned = constraint_rows(tree, replace(state, V_L=twists))
        displaced = [b if b.on_velocity else a for a, b in zip(displaced, turned, strict=True)]
    x = ca.SX(column([ca.DM(1, 1) if row.by_drives else row.expression for row in displaced]))
    e = ca.vertcat(*moved)
    return ca.horzsplit(ca.substitute(ca.jacobian(x, e), e, ca.DM.zeros(e.shape[0], 1)), 6)


def follows_time(tree: Tree, state: Motion) -> bool:
    """Whether an equation can drive the mechanism: it contains t, or prescribes velocities."""
    return any(row.on_velocity for row in constraint_rows(tree, state)) or any(with_time(tree, state))


def with_time(tree: Tree, state: Motion) -> list[bool]:
    """For each equation, whether it contains t, or states that motions follow."""
    by_itself = ca.vertcat(ca.SX(state.t), followed_rates(tree, state)[0])
    return [bool(ca.depends_on(ca.SX(row.expression), by_itself)) for row in constraint_rows(tree, state)]


def check_linear(tree: Tree) -> None:
    """Check the user's equations: those on velocities are linear in them,
    those on positions depend on positions alone.
    """
    q, v = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    state = motion(tree, q, v, t=ca.SX.sym("t"), z=ca.SX.sym("z", len(tree.signals)))
    programs = {one.name: one.program for one in tree.motions if one.program is not None}
    equations = {**tree.constraints, **programs}
    for row in constraint_rows(tree, state):
        if row.owner not in equations or row.hidden or (row.by_drives and not row.expression.nnz()):
            continue  # an equation of a closing joint, or the empty one of a further drive
        key = equations[row.owner].equation_key
        path = ("constraints", row.owner) if key is None else ("constraints", row.owner, key)
        rate = ca.SX(row.expression)
        if row.on_velocity and ca.depends_on(ca.jacobian(rate, v), v):
            fault, cure = (
                "the equation is not linear in the velocities",
                "write sums of velocities with factors of position",
            )
            raise ModelError(Issue(fault, cure, path))
        if row.on_velocity and not ca.depends_on(rate, v):
            fault, cure = "no velocity stands in the equation", "write expression: in place of velocity:"
            raise ModelError(Issue(fault, cure, path))
        if not row.on_velocity and ca.depends_on(rate, v):
            fault, cure = "velocities stand in an equation on positions", "write velocity: in place of expression:"
            raise ModelError(Issue(fault, cure, path))
        if ca.depends_on(rate, state.z):
            fault, cure = "a current stands in the equation", "only coordinates, points, velocities and t are bound"
            raise ModelError(Issue(fault, cure, ("constraints", row.owner)))
        if not row.on_velocity and key is not None:
            _check_moving(rate, q, path)


def _check_moving(Phi: Number, q: Number, path: Path) -> None:
    """Refuse a user's equation Φ that no motion changes, or that only jumps."""
    if ca.sparsify(ca.jacobian(Phi, q)).nnz():
        return
    if ca.depends_on(Phi, q):
        fault, cure = "the equation only jumps, so that no force can hold it", "write the quantity that it judges"
    else:
        fault, cure = "nothing that moves stands in the equation", "write one of coordinates or points of moving bodies"
    raise ModelError(Issue(fault, cure, path))


def _closure(cut: Cut, frames: Frames, normal: Number | None) -> list[Row]:
    if normal is None:
        return cut.law.closure(frames)
    rows = cut.law.planar_closure(frames, normal)
    assert rows is not None, "planar models are checked when they are read"
    return rows
