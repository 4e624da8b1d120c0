"""Linear look-up tables: what a CasADi `interpolant` becomes in a program.

CasADi keeps an interpolant inside an SX Function as an opaque call. Here it is lowered to two operations that every
target can write, LOW (the interval of a grid that holds x) and READ (entry of a table at a computed index), and
ordinary arithmetic, one axis after the other, so that knots and level parts have their values without round-off:

    f = F_low + α_j (F_high − F_low),    α_j = (x_j − g_j[i_j]) / (g_j[i_j+1] − g_j[i_j]),   i_j = LOW(x_j, g_j)

Outside the grid the outermost interval is continued.   Source of both: CasADi, `casadi_interpn`
and `casadi_interpn_grad`, which sum over all corners.
"""

import itertools
import math
import re
from collections.abc import Callable

import casadi as ca

from cardan.errors import SolveError
from cardan.frozen import dataclass

LOW = ca.OP_LOW
READ = ca.OP_GETNONZEROS_PARAM

_CALL = re.compile(
    r"casadi_interpn(?P<gradient>_grad)?\(res\[0\], *\d+, *casadi_(?P<grid>c\d+), *casadi_(?P<offset>s\d+),"
    r" *casadi_(?P<values>c\d+), *arg\[0\], *casadi_s\d+, *(?P<width>\d+), *iw, *w\)"
)
_ARRAY = re.compile(r"casadi_(\w\d+)\[\d+\] *=\s*\{([^}]*)\}")


@dataclass(frozen=True, slots=True)
class Interpolant:
    """A linear interpolant, or its Jacobian."""

    grids: tuple[tuple[float, ...], ...]  # increasing knots along each axis
    values: tuple[float, ...]  # value of component c at knot (i, j, …): position c + width (i + size_i (j + …))
    width: int  # number of components
    gradient: bool  # true for the Jacobian, width × number of axes, column by column


def read_lookup(function: ca.Function) -> Interpolant | None:
    """The interpolant behind a CasADi Function; None if the function is something else.

    CasADi gives no access to the numbers except through the C code it generates.
    """
    if not function.class_name().startswith("LinearInterpolant"):
        return None
    generator = ca.CodeGenerator("lookup.c")
    generator.add(function)
    code = generator.dump()
    call = _CALL.search(code)
    if call is None:
        raise SolveError(f"interpolant {function.name()!r}: only tables with fixed knots and values can be compiled")
    arrays = dict(_ARRAY.findall(code))
    knots = _numbers(arrays[call["grid"]])
    bounds = [int(number) for number in _numbers(arrays[call["offset"]])]
    grids = tuple(knots[start:end] for start, end in itertools.pairwise(bounds))
    return Interpolant(grids, _numbers(arrays[call["values"]]), int(call["width"]), call["gradient"] is not None)


def level_samples(lookup: Interpolant) -> tuple[float, ...] | None:
    """x0, y0, x1, y1, … of a table over one variable that is level outside them; None for any other table.

    Two neighbouring floats are one place, at which the table jumps.
    """
    y = lookup.values
    if len(lookup.grids) != 1 or lookup.width != 1 or len(y) < 4 or y[0] != y[1] or y[-1] != y[-2]:
        return None
    x = lookup.grids[0][1:-1]
    places = (b if math.nextafter(a, math.inf) == b else a for a, b in itertools.zip_longest(x, x[1:], fillvalue=x[-1]))
    return tuple(number for pair in zip(places, y[1:-1], strict=True) for number in pair)


def lookup_values(lookup: Interpolant, x: list[int], make: Callable[..., int]) -> list[int]:
    """Numbers of the values of all components (column by column for a Jacobian)."""
    one = make(ca.OP_CONST, value=1.0)
    index, fraction, slope = [], [], []
    for xj, grid in zip(x, lookup.grids, strict=True):
        i = make(LOW, xj, table=grid)
        left, right = make(READ, i, table=grid), make(READ, make(ca.OP_ADD, i, one), table=grid)
        width = make(ca.OP_SUB, right, left)
        index.append(i)
        fraction.append(make(ca.OP_DIV, make(ca.OP_SUB, xj, left), width))
        slope.append(make(ca.OP_INV, width))
    entries = _corners(lookup, index, make)

    def total(axis: int | None, component: int) -> int:
        found = entries[component]
        for j in reversed(range(len(x))):
            changes = [make(ca.OP_SUB, high, low) for low, high in zip(found[::2], found[1::2], strict=True)]
            parts = [make(ca.OP_MUL, slope[j] if j == axis else fraction[j], change) for change in changes]
            found = parts if j == axis else list(map(make, itertools.repeat(ca.OP_ADD), found[::2], parts))
        return found[0]

    axes: list[int | None] = list(range(len(x))) if lookup.gradient else [None]
    return [total(axis, component) for axis in axes for component in range(lookup.width)]


def _corners(lookup: Interpolant, index: list[int], make: Callable[..., int]) -> list[list[int]]:
    """For each component, the numbers of the values at the corners of the cell; the last axis goes up first."""
    strides = [lookup.width]
    for grid in lookup.grids[:-1]:
        strides.append(strides[-1] * len(grid))
    start = make(ca.OP_CONST, value=0.0)
    for i, stride in zip(index, strides, strict=True):
        start = make(ca.OP_ADD, start, make(ca.OP_MUL, i, make(ca.OP_CONST, value=float(stride))))
    components: list[list[int]] = []
    for component in range(lookup.width):
        entries = []
        for corner in itertools.product((0, 1), repeat=len(index)):
            shift = component + sum(stride for up, stride in zip(corner, strides, strict=True) if up)
            position = make(ca.OP_ADD, start, make(ca.OP_CONST, value=float(shift)))
            entries.append(make(READ, position, table=lookup.values))
        components.append(entries)
    return components


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(number) for number in text.split(","))
