"""Sources of bare CasADi Functions, for tests of what writes source code."""

import casadi as ca

from cardan.codegen.targets.source import Argument, Listing, Routine, Source


def routine_of(name: str, function: ca.Function) -> Routine:
    """A routine with the names and shapes of the function's ports."""
    inputs = tuple(Argument(function.name_in(i), _shape(function.size_in(i)), "") for i in range(function.n_in()))
    outputs = tuple(Argument(function.name_out(i), _shape(function.size_out(i)), "") for i in range(function.n_out()))
    return Routine.of(name, f"Test {name}.", function, inputs, outputs)


def _shape(size: tuple[int, int]) -> tuple[int, ...]:
    """Columns are arrays of one axis."""
    return size[:1] if size[1] == 1 else size


def source_of(functions: dict[str, ca.Function], listings: tuple[Listing, ...] = (), about: str = "a test") -> Source:
    """A source of functions by name."""
    return Source("made", (about,), listings, tuple(routine_of(name, f) for name, f in functions.items()))
