"""The integration methods by name: which kernel runs which tableau, and what each needs of a problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from cardan.codegen.kernels import Cells
from cardan.errors import SolveError, nearest
from cardan.integration import tableaus
from cardan.integration.problem import Problem

__all__ = ["METHODS", "MethodInfo", "Runner", "find_method", "make_runner"]


@dataclass(frozen=True)
class MethodInfo:
    """What a user and the dispatch need to know about a method."""

    name: str
    summary: str  # order and use, in a line
    citation: str  # where it is published
    fixed_step: bool  # the user gives the step
    needs: str  # function of the problem that must be there: "", "jacobian" or "velocity"


@dataclass(frozen=True)
class Runner:
    """A kernel bound to a tableau."""

    advance: Callable[..., int]  # (*records, budget) → status number
    records: tuple[Cells, ...]  # records before model and memory
    stages: int  # rows of K
    keep: Any  # what the records point to


METHODS = {
    info.name: info
    for info in (
        MethodInfo("tsit5", "order 5(4), error control, medium accuracy", tableaus.tsit5().citation, False, ""),
        MethodInfo("dop853", "order 8(5,3), error control, high accuracy", tableaus.dop853().citation, False, ""),
        MethodInfo(
            "rodas5p", "order 5(4), L-stable, for stiff problems", tableaus.rodas5p().citation, False, "jacobian"
        ),
        MethodInfo("rk4", "order 4, fixed step", tableaus.rk4().citation, True, ""),
        MethodInfo(
            "semi_implicit_euler",
            "order 1, fixed step, symplectic for conservative trees",
            "E. Hairer, C. Lubich & G. Wanner, Geometric Numerical Integration (2006), I.1.2",
            True,
            "velocity",
        ),
    )
}


def find_method(name: str) -> MethodInfo:
    """Return a method by name.

    Raises
    ------
    SolveError
        Where there is no such method; the message names the nearest one.
    """
    if name not in METHODS:
        raise SolveError(f'method "{name}" is unknown; {nearest(name, METHODS)}')
    return METHODS[name]


def make_runner(name: str, problem: Problem, patience: float = np.inf) -> Runner:
    """Return the kernel of a method, compiled or loaded from the cache on first use.

    Parameters
    ----------
    name : str
    problem : Problem
        Gives the sizes of what the stiff method stores.
    patience : float
        Remaining steps beyond which an explicit method hands a stiff problem over [-].
    """
    if name == "rodas5p":
        from cardan.integration import rosenbrock

        implicit = tableaus.rodas5p()
        method, linear, keep = rosenbrock.make_method(implicit), *rosenbrock.make_linear(problem)
        return Runner(rosenbrock.advance, (method, linear), implicit.c.size + rosenbrock.EXTRA_ROWS, (implicit, keep))
    if name == "semi_implicit_euler":
        from cardan.integration import semi_implicit

        euler, dense = semi_implicit.make_method()
        return Runner(semi_implicit.advance, (euler,), semi_implicit.STAGES, dense)
    return _explicit(name, patience)


@lru_cache
def _explicit(name: str, patience: float) -> Runner:
    from cardan.integration import explicit

    tableau = _EXPLICIT[name]()
    return Runner(explicit.advance, (explicit.make_method(tableau, patience),), tableau.c.size, tableau)


_EXPLICIT: dict[str, Callable[[], tableaus.ExplicitTableau]] = {
    "tsit5": tableaus.tsit5,
    "dop853": tableaus.dop853,
    "rk4": tableaus.rk4,
}
