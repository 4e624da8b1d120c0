"""Matrices of a CasADi Function as a person writes them."""

from collections.abc import Mapping, Sequence

import casadi as ca

from cardan.codegen.program.program import flatten
from cardan.frozen import dataclass
from cardan.rendering.algebra.budget import BUDGET, Budget
from cardan.rendering.algebra.expression import Expression, Head
from cardan.rendering.algebra.quotients import cancel_quotients
from cardan.rendering.algebra.rules import canonical, sums_of_parameters
from cardan.rendering.algebra.shortest import Writer

_RANKS = {"p": 0, "q": 2}


@dataclass(frozen=True)
class Matrix:
    """Entries of a matrix, row by row."""

    rows: tuple[tuple[Expression, ...], ...]  # rows of expressions
    columns: int  # their number, also where there are no rows
    rough: frozenset[tuple[int, int]] = frozenset()  # (row, column) of entries that the budget was too small for

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return len(self.rows), self.columns

    @property
    def vanishes(self) -> bool:
        """Whether it has no entry but zeros."""
        return all(entry.kind == Head.NUMBER and not entry.number for row in self.rows for entry in row)


def readable(
    function: ca.Function, symbols: Mapping[str, Sequence[str]], budget: Budget | None = None
) -> dict[str, Matrix]:
    """Matrices of all outputs of a function, by name, each entry in a short form."""
    program = flatten(function, whole_tables=True)
    names = [name for port in program.inputs for name in symbols[port.name]]
    ranks = [_RANKS.get(port.name, 1) for port in program.inputs for _ in symbols[port.name]]
    allowance = (budget or Budget(seconds=BUDGET)).begun()
    state = canonical(program, names, allowance)
    states = [state]
    kept = sums_of_parameters(state, {k for k, rank in enumerate(ranks) if rank == 0})
    if kept:
        states.append(canonical(program, names, allowance, kept.get))
    for one in states:
        cancel_quotients(one, program.results)
    writer = Writer(states, ranks)
    entries = writer.write(program.results)
    out, start = {}, 0
    for port in program.outputs:
        places = [(row, column) for row in range(port.rows) for column in range(port.columns)]
        values = program.results[start : start + port.size]
        rough = frozenset(place for place, i in zip(places, values, strict=True) if i in writer.rough)
        written = entries[start : start + port.size]
        rows = tuple(tuple(written[r * port.columns : (r + 1) * port.columns]) for r in range(port.rows))
        out[port.name] = Matrix(rows, port.columns, rough)
        start += port.size
    return out
