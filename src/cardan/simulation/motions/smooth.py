"""Refuses motions and programs that jump in position or velocity, or in further derivatives on which drives act."""

from collections.abc import Iterator, Sequence

import casadi as ca
import numpy as np

from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.kinematics.constraints import constraint_rows
from cardan.kinematics.motion import coordinate_rate, motion, normalised
from cardan.kinematics.relations.prescribed import followed_rates, laws
from cardan.kinematics.tree import Number, Tree
from cardan.numerics.round_off import GAP, NEGLIGIBLE

_NAMES = ("position", "velocity", "acceleration", "jerk")
_PROGRAM_NAMES = ("value", "rate", "second derivative", "third derivative")
_JUMPS = {ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_SIGN, ca.OP_FLOOR, ca.OP_CEIL, ca.OP_FMOD}
_WORDS = ("no", "one", "two", "three", "four")


@dataclass(frozen=True)
class _Law:
    """A function of time that has to be smooth."""

    path: tuple[str, ...]  # its place in the model
    words: str  # its name in messages: "motion 'x'"
    names: tuple[str, ...]  # names of its value and of its derivatives
    y: Number  # values
    given: tuple[Number, ...]  # symbols of positions and velocities, or of a state of motion, in it
    points: Sequence[tuple[np.ndarray, ...]]  # values of these symbols at which it is evaluated
    count: int  # number of functions, it and its first derivatives, that must not jump
    along: tuple[Number, Number] | None = None  # symbols in it beside t that change with time, and their rates


def check_smooth(tree: Tree, p: np.ndarray, instants: np.ndarray) -> None:
    """Refuse motions and programs that jump in position or velocity."""
    t = ca.SX.sym("t")
    count = 2 + max((1 if one.on_velocity else 2 for one in tree.hidden), default=0)
    for law in (*_motions(tree, t, count), *_programs(tree, t, count)):
        if law.along is not None or ca.depends_on(law.y, t):
            _check(tree, law, t, p, instants)


def _motions(tree: Tree, t: Number, count: int) -> Iterator[_Law]:
    """The laws of time of the motions; those that follow states at random states of motion."""
    q, v, z = (ca.SX.sym(name, n) for name, n in (("q", tree.nq), ("v", tree.nv), ("z", len(tree.signals))))
    symbols, rates = followed_rates(tree, motion(tree, q, v, t=t, z=z))
    along = ca.vertcat(symbols, q), ca.vertcat(rates, coordinate_rate(tree, q, v))
    for name, components in laws(tree, t, z):
        y = ca.SX(ca.vertcat(*components))
        path, words = ("motions", name), f"motion {name!r}"
        if not ca.depends_on(y, z):
            yield _Law(path, words, _NAMES, y, (), [()], count)
            continue
        law = _Law(path, words, _NAMES, y, (q, v, z), _points(tree), count, along)
        if _switches(ca.Function("velocity", [z, q, t, tree.p], [_rate(law, t)])):
            fault = "the velocity of the motion switches with a state, which takes an impulse"
            raise ModelError(Issue(fault, "let it switch in the rate of a second state: states: {x: v, v: …}", path))
        yield law


def _rate(law: _Law, t: Number, y: Number | None = None) -> Number:
    """Rate of `y`, by default of the law itself."""
    y = law.y if y is None else y
    by_time = ca.jacobian(y, t)
    return by_time if law.along is None else by_time + ca.jtimes(y, *law.along)


def _switches(function: ca.Function) -> bool:
    """Whether a comparison of its first two arguments decides about a value of a function."""
    moves = dict[int, bool]()
    for k in range(function.n_instructions()):
        op, given = function.instruction_id(k), function.instruction_input(k)
        is_moving = given[0] < 2 if op == ca.OP_INPUT else any(moves[i] for i in given if op != ca.OP_CONST)
        if op in _JUMPS and is_moving:
            return True
        if op != ca.OP_OUTPUT:
            moves |= dict.fromkeys(function.instruction_output(k), is_moving)
    return False


def _points(tree: Tree) -> list[tuple[np.ndarray, ...]]:
    """Positions, velocities and signals drawn at random: a jump that is zero at one of the two is not at the other."""
    rng, out = np.random.default_rng(0), []
    for _ in range(2):
        position = np.array(tree.neutral) + rng.standard_normal(tree.nq)
        moving = (rng.standard_normal(n) for n in (tree.nv, len(tree.signals)))
        out.append((np.array(normalised(tree, ca.DM(position))).ravel(), *moving))
    return out


def _programs(tree: Tree, t: Number, count: int) -> Iterator[_Law]:
    """The relations of programs without feedback, at random positions and velocities; feedback follows a jump."""
    held = {one.name for one in tree.motions if one.program is not None and not one.is_fed_back}
    if not held:
        return
    q, v, z = (ca.SX.sym(name, n) for name, n in (("q", tree.nq), ("v", tree.nv), ("z", len(tree.signals))))
    points = [point[:2] for point in _points(tree)]
    for row in constraint_rows(tree, motion(tree, q, v, t=t, z=z)):
        if row.owner in held and not row.hidden:
            words, less = f"relation of the program {row.owner!r}", int(row.on_velocity)
            y = ca.SX(row.expression)
            yield _Law(("constraints", row.owner), words, _PROGRAM_NAMES, y, (q, v), points, count - less)


def _check(tree: Tree, law: _Law, t: Number, p: np.ndarray, instants: np.ndarray) -> None:
    """Refuse a law that jumps at an instant."""
    derivatives = [law.y]
    for _ in range(law.count):
        derivatives.append(_rate(law, t, derivatives[-1]))
    values = ca.Function("law", [t, *law.given, tree.p], derivatives)
    for instant in (0.0, *instants):
        gap = GAP * np.spacing(instant)  # t > 1 switches after its instant, t >= 1 at it
        before, after = max(instant - gap, 0.0), instant + gap
        for point in law.points:
            old, new = (np.array(values(at, *point, p)) for at in (before, after))
            if law.given and not (np.isfinite(new).all() and np.isfinite(old).all()):
                continue  # without a value at a random point it can have one along the run
            if not np.isfinite(new).all():
                cure = f"write an expression with a value and {_WORDS[law.count]} derivatives at all times"
                fault = f"the {law.words} or one of its derivatives is not finite at t = {instant:.6g} s"
                raise ModelError(Issue(fault, cure, law.path))
            for k, what in enumerate(law.names[: law.count]):
                allowed = NEGLIGIBLE * (1 + np.abs(new[k])) + 2 * np.abs(new[k + 1]) * (after - before)
                if np.any(np.abs(new[k] - old[k]) > allowed):
                    fault = f"the {what} of the {law.words} jumps at t = {instant:.6g} s, which takes an impulse"
                    cure = "let it change over some time, such as by a profile"
                    if k > 1:
                        cure = "its drives act on higher derivatives only: choose profile: nonic"
                        cure += ", for a path along an arc or lines, or a smooth expression"
                    raise ModelError(Issue(fault, cure, law.path))
