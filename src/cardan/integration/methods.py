"""The integration methods by name: what a user chooses from, and what makes each ready for a problem."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from cardan.codegen.kernels import Kernel
from cardan.errors import SolveError, nearest
from cardan.frozen import dataclass
from cardan.integration import explicit, rosenbrock, rosenbrock_lanes, semi_implicit, tableaus
from cardan.integration.loop.advance import Stepper, kernel_of
from cardan.integration.loop.blocks import BlocksRecord, HybridBlocksRecord, blocks_kernel_of
from cardan.integration.loop.hybrid import hybrid_kernel_of
from cardan.integration.loop.method_record import MethodRecord
from cardan.integration.problem import Problem
from cardan.integration.tableaus import ExplicitTableau, RosenbrockTableau

Make = Callable[[Problem], Stepper]


@dataclass(frozen=True)
class MethodInfo:
    """What a user and the dispatch need to know about a method."""

    name: str
    summary: str  # order and use, in a line
    citation: str  # where it is published
    fixed_step: bool  # the user gives the step
    needs: str  # function of the problem that must be there: "", "tangent" or "velocity"
    record: type[MethodRecord]  # class of its record, which has a kernel of its own
    wide_record: type[MethodRecord]  # the same for several trajectories side by side
    evaluations: int  # evaluations of the right-hand side in a step with output
    make: Make  # problem → kernel and record, for one trajectory or for several


def find_method(name: str) -> MethodInfo:
    """Return a method by name."""
    if name not in METHODS:
        raise SolveError(f'method "{name}" is unknown; {nearest(name, METHODS)}')
    return METHODS[name]


def _explicit(name: str, summary: str, make: Callable[[], ExplicitTableau]) -> MethodInfo:
    """A row of the table for an explicit tableau; its record does not depend on the problem."""
    stepper = cache(lambda: explicit.make_stepper(make()))
    tableau = make()
    return MethodInfo(
        name,
        summary,
        tableau.citation,
        tableau.controller is None,
        "",
        explicit.ExplicitMethod,
        explicit.ExplicitMethod,
        tableau.c.size - 1,
        lambda problem: stepper(),
    )


def _rosenbrock(summary: str, make: Callable[[], RosenbrockTableau]) -> MethodInfo:
    """A row of the table for a Rosenbrock tableau."""
    tableau = make()
    return MethodInfo(
        tableau.name,
        summary,
        tableau.citation,
        tableau.controller is None,
        "tangent",
        rosenbrock.RosenbrockMethod,
        rosenbrock_lanes.LanesRosenbrockMethod,
        tableau.c.size + 1,
        lambda problem: (rosenbrock if problem.width == 1 else rosenbrock_lanes).make_stepper(tableau, problem),
    )


METHODS = {
    info.name: info
    for info in (
        _explicit("tsit5", "order 5(4), error control, medium accuracy", tableaus.tsit5),
        _explicit("dop853", "order 8(5,3), error control, high accuracy", tableaus.dop853),
        _rosenbrock("order 5(4), L-stable, for stiff problems", tableaus.rodas5p),
        _explicit("rk4", "order 4, fixed step", tableaus.rk4),
        MethodInfo(
            "semi_implicit_euler",
            "order 1, fixed step, symplectic for conservative trees",
            "E. Hairer, C. Lubich & G. Wanner, Geometric Numerical Integration (2006), I.1.2",
            True,
            "velocity",
            semi_implicit.SemiImplicitMethod,
            semi_implicit.SemiImplicitMethod,
            1,
            lambda problem: semi_implicit.make_stepper(),
        ),
        _rosenbrock("order 1, L-stable, fixed step, for stiff contacts", tableaus.linearly_implicit_euler),
    )
}


def kernels() -> tuple[Kernel, ...]:
    """Return the kernels of all methods, for one trajectory and for many, without events and with them."""
    records = {method.record for method in METHODS.values()}
    many = {method.wide_record for method in METHODS.values()}
    return (
        *(make(record) for record in records for make in (kernel_of, hybrid_kernel_of)),
        *(blocks_kernel_of(record, kind) for record in many for kind in (BlocksRecord, HybridBlocksRecord)),
    )


def warm() -> None:
    """Make the fastest machine code of every kernel, or read it from the cache: no later run compiles one."""
    for kernel in kernels():  # llvmlite lets only one thread at a time into LLVM
        kernel.improve()
