"""Bounds on intervals against CasADi's own values at random points in them."""

import casadi as ca
import numpy as np
import pytest

from cardan.codegen.program.instruction import NAMES
from cardan.codegen.program.operations import OPERATIONS as ALL
from cardan.codegen.targets.interval_target import OPERATIONS, bounds_of
from tests.selection import each

LIBRARY = 4 * np.finfo(float).eps  # relative difference between the elementary functions of NumPy and CasADi
OPEN = {"OP_FMOD"}  # in no expression of a model


def intervals(rng, count=2000):
    """Intervals of all widths, many of them at whole numbers or of no width."""
    ends = rng.normal(size=(2, count)) * 10 ** rng.uniform(-2, 1, count)
    ends[:, ::3] = np.round(ends[:, ::3])
    ends[1, ::7] = ends[0, ::7]
    return np.sort(ends, axis=0)


def points(rng, low, high):
    """A random point in each interval, or one of its ends."""
    share = rng.choice([0, 1, *rng.uniform(size=4)], low.size)
    return np.clip(low + share * (high - low), low, high)


@pytest.mark.parametrize("op", OPERATIONS, ids=NAMES.get)
def test_values_lie_within_their_bounds(op):
    """Operands run through different intervals, all of them functions of one argument: x and 1.5 − 2 x."""
    rng = np.random.default_rng(op)
    x, law = ca.SX.sym("x"), ca.SX.unary if ALL[op].arity == 1 else ca.SX.binary
    operands = [x, 1.5 - 2 * x][: ALL[op].arity]
    if op == ca.OP_CONSTPOW:
        operands[1] = ca.SX(3.0)
    function = ca.Function("f", [x], [law(op, *operands)])
    low, high = intervals(rng)
    ((least, most),) = bounds_of(function)(low, high)
    for _ in range(20):
        at = points(rng, low, high)
        value = np.array(function(at[None])).ravel()
        exists = np.isfinite(value)
        slack = LIBRARY * np.abs(value[exists])
        assert (least[exists] - slack <= value[exists]).all()
        assert (value[exists] <= most[exists] + slack).all()
    assert np.isfinite(least).any()
    assert exists.any()


@each("law", [ca.logic_and, ca.logic_or])
def test_conditions_that_are_joined_lie_within_their_bounds(law):
    """Bounds of two comparisons are those of their truth: surely false, surely true, or open."""
    x = ca.SX.sym("x")
    low, high = intervals(np.random.default_rng(2))
    ((least, most),) = bounds_of(ca.Function("f", [x], [law(x < 0.3, x > -0.4)]))(low, high)
    first, second = [(high < 0.3, low < 0.3), (low > -0.4, high > -0.4)]  # surely true, may be true
    join = np.logical_and if law is ca.logic_and else np.logical_or
    np.testing.assert_array_equal(least, join(first[0], second[0]))
    np.testing.assert_array_equal(most, join(first[1], second[1]))


@each("exponent", [-3.0, -2.0, -1.0, 0.5, 2.0, 3.0, 4.0])
def test_powers_of_intervals_around_zero(exponent):
    x = ca.SX.sym("x")
    function = ca.Function("f", [x], [ca.SX.binary(ca.OP_CONSTPOW, x, ca.SX(exponent))])
    rng = np.random.default_rng(1)
    low, high = intervals(rng)
    ((least, most),) = bounds_of(function)(low, high)
    value = np.array(function(points(rng, low, high)[None])).ravel()
    known = ~np.isnan(value)
    assert ((least <= value * (1 + LIBRARY)) | (least <= value * (1 - LIBRARY)))[known].all()
    assert ((value * (1 - LIBRARY) <= most) | (value * (1 + LIBRARY) <= most))[known].all()


def test_bounds_of_a_sine_are_narrow():
    """Over less than a period its bounds are those of its values, also far from zero."""
    x = ca.SX.sym("x")
    bounds = bounds_of(ca.Function("f", [x], [ca.sin(x)]))
    for start in (0.0, 1e3, 1e6, 1e9):
        low = start + np.linspace(0, 7, 200)
        for width in (0.1, 1.0, 4.0):
            ((least, most),) = bounds(low, low + width)
            values = np.sin(low[:, None] + np.linspace(0, width, 2001))
            np.testing.assert_allclose(least, values.min(axis=1), atol=(width / 2000) ** 2)
            np.testing.assert_allclose(most, values.max(axis=1), atol=(width / 2000) ** 2)


def test_every_operation_of_the_grammar_has_bounds():
    assert {NAMES[op] for op in ALL} - {NAMES[op] for op in OPERATIONS} - {"OP_LOW", "OP_GETNONZEROS_PARAM"} == OPEN


def test_what_is_not_known_is_unbounded():
    x = ca.SX.sym("x")
    low, high = np.array([-1.0]), np.array([2.0])
    for law in (1 / x, ca.fmod(x, 2)):
        ((least, most),) = bounds_of(ca.Function("f", [x], [law]))(low, high)
        assert (least[0], most[0]) == (-np.inf, np.inf)


def test_a_table_is_bounded_by_its_entries():
    x = ca.SX.sym("x")
    table = ca.interpolant("table", "linear", [[0.0, 1.0, 2.0]], [3.0, 5.0, 4.0])
    ((least, most),) = bounds_of(ca.Function("f", [x], [table(x)]))(np.array([0.0]), np.array([2.0]))
    assert least[0] <= 3.0
    assert most[0] >= 5.0
    ((least, most),) = bounds_of(ca.Function("f", [x], [table(x)]))(np.array([0.25, 1.5]), np.array([0.26, 1.51]))
    assert (least <= [3.5, 4.49]).all()
    assert (most >= [3.52, 4.5]).all()
    assert (most - least <= 0.01 * (5 + 5)).all()  # between knots: the width times the sum of the two entries


def test_a_result_that_is_structurally_zero():
    x = ca.SX.sym("x")
    (bounds,) = bounds_of(ca.Function("f", [x], [ca.SX(1, 1)]))(np.array([0.0]), np.array([1.0]))
    assert [float(end[0]) for end in bounds] == [0.0, 0.0]
