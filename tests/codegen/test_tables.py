"""Linear interpolants inside functions: values, continuation outside, derivatives."""

import casadi as ca
import numpy as np
import pytest

from cardan.codegen.program.program import flatten
from cardan.errors import SolveError
from tests.selection import each

from .programs import evaluate, run_all

ROUNDING = 1e-13  # a dozen roundings of numbers of order ten; weights are formed as CasADi forms them
GRID = [0.0, 1.0, 2.5, 4.0]
SIDE = [-1.0, 0.0, 3.0]


def line(mode="linear"):
    return ca.interpolant("line", "linear", [GRID], [0.5, -1.0, 4.0, 9.0], {"lookup_mode": [mode]})


def surface(width=1):
    values = np.random.default_rng(3).normal(size=width * len(GRID) * len(SIDE))
    return ca.interpolant("surface", "linear", [GRID, SIDE], values)


def compare(function, columns):
    for lanes in (0, 4):
        got = run_all(function, columns, lanes)
        np.testing.assert_allclose(got, evaluate(function, columns), rtol=ROUNDING, atol=ROUNDING)


POINTS = np.array([[-3, -0.0, 0, 0.3, 1, 1.7, 2.5, 3, 4, 9, 1e9, np.nan]])


@each("mode", ["linear", "binary"])
def test_line(mode):
    x = ca.SX.sym("x")
    compare(ca.Function("f", [x], [line(mode)(2 * x) + x]), POINTS)


def test_level_parts_and_knots_have_no_round_off():
    """A limit that a table keeps is met exactly, and never passed by a rounding."""
    x = ca.SX.sym("x")
    table = ca.interpolant("t", "linear", [[0, 0.1, 3, 4, 5]], [0.3, 0.8, 0.8, 0.1, 0.1])
    columns = np.append(np.random.default_rng(6).uniform(0.1, 3, 200), [0.1, 3, 4, 4.7, 9])[None]
    got = run_all(ca.Function("f", [x], [table(x)]), columns, 0)
    np.testing.assert_array_equal(np.ravel(got), [0.8] * 202 + [0.1] * 3)


def test_equally_spaced_table():
    x = ca.SX.sym("x")
    table = ca.interpolant("t", "linear", [[0, 1, 2, 3]], [1, 2, 0, 5], {"lookup_mode": ["exact"]})
    compare(ca.Function("f", [x], [table(x)]), POINTS)


@each("width", [1, 3])
def test_surface(width):
    x = ca.SX.sym("x", 2)
    columns = np.random.default_rng(4).uniform(-3, 6, (2, 60))
    compare(ca.Function("f", [x], [surface(width)(x)]), columns)


@each("width", [1, 2])
def test_derivatives(width):
    x = ca.SX.sym("x", 2)
    table = surface(width)
    columns = np.random.default_rng(5).uniform(-3, 6, (2, 40))
    slopes = ca.vec(ca.jacobian(table(x), x))
    compare(ca.Function("f", [x], [slopes, ca.jtimes(table(x), x, ca.sin(x))]), columns)


def test_table_with_values_as_inputs_is_refused():
    x, values = ca.SX.sym("x"), ca.SX.sym("v", 4)
    table = ca.interpolant("t", "linear", [GRID], 1)
    with pytest.raises(SolveError, match="fixed knots and values"):
        flatten(ca.Function("f", [x, values], [table(x, values)]))


def test_splines_are_refused():
    x = ca.SX.sym("x")
    table = ca.interpolant("t", "bspline", [[0, 1, 2, 3, 4, 5]], [0, 1, 4, 2, 5, 6])
    with pytest.raises(SolveError, match="only linear interpolants"):
        flatten(ca.Function("f", [x], [table(x)]))
