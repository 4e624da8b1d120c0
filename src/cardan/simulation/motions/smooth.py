"""Refuses motions and programs that jump in position or velocity, or in further derivatives on which drives act."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import casadi as ca
import numpy as np

from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.kinematics.constraints import constraint_rows
from cardan.kinematics.motion import motion, normalised
from cardan.kinematics.relations.prescribed import laws
from cardan.kinematics.tree import Number, Tree
from cardan.system.timing import GAP, JUMP

__all__ = ["check_smooth"]

_NAMES = ("position", "velocity", "acceleration", "jerk")
_PROGRAM_NAMES = ("value", "rate", "second derivative", "third derivative")
_WORDS = ("no", "one", "two", "three", "four")


@dataclass(frozen=True)
class _Law:
    """A function of time that has to be smooth."""

    path: tuple[str, ...]  # its place in the model
    words: str  # its name in messages: "motion 'x'"
    names: tuple[str, ...]  # names of its value and of its derivatives
    y: Number  # values
    given: tuple[Number, ...]  # symbols of positions and velocities in it
    points: Sequence[tuple[np.ndarray, ...]]  # values of these symbols at which it is evaluated
    count: int  # number of functions, it and its first derivatives, that must not jump


def check_smooth(tree: Tree, p: np.ndarray, instants: np.ndarray) -> None:
    """Refuse motions and programs that jump in position or velocity.

    Parameters
    ----------
    tree : the mechanism.
    p : values of the parameters.
    instants : the first instants after which an expression of t, or a derivative of a motion, may have switched [s].

    Raises
    ------
    ModelError
        A motion or program jumps; the message names it and the instant.
    """
    t = ca.SX.sym("t")
    count = 2 + max((1 if one.on_velocity else 2 for one in tree.hidden), default=0)
    for law in (*_motions(tree, t, count), *_programs(tree, t, count)):
        if ca.depends_on(law.y, t):
            _check(tree, law, t, p, instants)


def _motions(tree: Tree, t: Number, count: int) -> Iterator[_Law]:
    """The laws of time of the motions."""
    for name, components in laws(tree, t):
        y = ca.SX(ca.vertcat(*components))
        yield _Law(("motions", name), f"motion {name!r}", _NAMES, y, (), [()], count)


def _programs(tree: Tree, t: Number, count: int) -> Iterator[_Law]:
    """The relations of programs without feedback, at random positions and velocities; feedback follows a jump."""
    held = {one.name for one in tree.motions if one.program is not None and not one.is_fed_back}
    if not held:
        return
    q, v = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    rng, points = np.random.default_rng(0), []
    for _ in range(2):  # a jump that is zero at one of two random points is not zero at the other
        position = np.array(tree.neutral) + rng.standard_normal(tree.nq)
        points.append((np.array(normalised(tree, ca.DM(position))).ravel(), rng.standard_normal(tree.nv)))
    for row in constraint_rows(tree, motion(tree, q, v, t=t)):
        if row.owner in held and not row.hidden:
            words, less = f"relation of the program {row.owner!r}", int(row.on_velocity)
            y = ca.SX(row.expression)
            yield _Law(("constraints", row.owner), words, _PROGRAM_NAMES, y, (q, v), points, count - less)


def _check(tree: Tree, law: _Law, t: Number, p: np.ndarray, instants: np.ndarray) -> None:
    """Refuse a law that jumps at an instant."""
    derivatives = [law.y]
    for _ in range(law.count):
        derivatives.append(ca.jacobian(derivatives[-1], t))
    values = ca.Function("law", [t, *law.given, tree.p], derivatives)
    for instant in (0.0, *instants):
        before = max(instant - GAP * np.spacing(instant), 0.0)
        for point in law.points:
            old, new = (np.array(values(at, *point, p)) for at in (before, instant))
            if law.given and not (np.isfinite(new).all() and np.isfinite(old).all()):
                continue  # without a value at a random point it can have one along the run
            if not np.isfinite(new).all():
                cure = f"write an expression with a value and {_WORDS[law.count]} derivatives at all times"
                fault = f"the {law.words} or one of its derivatives is not finite at t = {instant:.6g} s"
                raise ModelError(Issue(fault, cure, law.path))
            for k, what in enumerate(law.names[: law.count]):
                allowed = JUMP * (1 + np.abs(new[k])) + 2 * np.abs(new[k + 1]) * (instant - before)
                if np.any(np.abs(new[k] - old[k]) > allowed):
                    fault = f"the {what} of the {law.words} jumps at t = {instant:.6g} s, which takes an impulse"
                    cure = "let it change over some time, such as by a profile"
                    if k > 1:
                        cure = "its drives act on higher derivatives only: choose profile: nonic"
                        cure += ", for a path along an arc or lines, or a smooth expression"
                    raise ModelError(Issue(fault, cure, law.path))
