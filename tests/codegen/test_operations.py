"""Every operation against CasADi's evaluator, at corner values and pairs of them."""

import casadi as ca
import numpy as np
import pytest

from cardan.codegen.instruction import BINARY, NAMES, UNARY
from cardan.codegen.operations import OPERATIONS
from cardan.codegen.tables import LOW, READ

from .programs import CORNERS, evaluate, run_all

ULP = 2.0**-52
TOLERANCE = {
    ca.OP_SIN: 2 * ULP,  # promised: 2 ulp
    ca.OP_COS: 2 * ULP,
    ca.OP_ERFINV: 8 * ULP,  # a handful of roundings, which CasADi's compiler may contract differently
}


def function_of(op):
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    made = ca.SX.binary(op, x, y) if op in BINARY else ca.SX.unary(op, x)
    return ca.Function("f", [x, y], [made])


def assert_same(op, got, expected):
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        close = np.abs(got - expected) <= TOLERANCE.get(op, 0.0) * np.abs(expected)
    assert np.all(same | close), NAMES[op]
    if op not in (ca.OP_FMIN, ca.OP_FMAX):  # the sign of fmin(+0, -0) is open in IEC 60559
        zero = (got == 0) & (expected == 0)
        assert np.array_equal(np.signbit(got[zero]), np.signbit(expected[zero])), NAMES[op]


@pytest.mark.parametrize("lanes", [0, 4, 8])
@pytest.mark.parametrize("op", sorted(UNARY | BINARY), ids=NAMES.get)
def test_operation_means_what_casadi_evaluates(op, lanes):
    first, second = np.meshgrid(CORNERS, CORNERS if op in BINARY else (0.0,))
    columns = np.stack([first.ravel(), second.ravel()])
    function = function_of(op)
    assert_same(op, run_all(function, columns, lanes), evaluate(function, columns))


def test_table_has_every_operation_and_no_other():
    assert set(OPERATIONS) == (UNARY | BINARY | {LOW, READ}) - {ca.OP_SIN, ca.OP_COS}


def test_constant_power():
    x = ca.SX.sym("x")
    powers = ca.vertcat(*(x**k for k in (-3, -2, -1, 0.5, 1.5, 2, 3, 4, 7.3)))
    function = ca.Function("f", [x], [powers])
    columns = np.array([CORNERS])
    np.testing.assert_array_equal(run_all(function, columns, 4), evaluate(function, columns))


def test_one_division_stays_a_division():
    x = ca.SX.sym("x", 2)
    function = ca.Function("f", [x], [x[0] / x[1]])
    columns = np.random.default_rng(1).normal(size=(2, 64))
    np.testing.assert_array_equal(run_all(function, columns, 4)[0], columns[0] / columns[1])


def test_quotients_of_one_divisor_keep_their_accuracy():
    x = ca.SX.sym("x", 4)
    function = ca.Function("f", [x], [x[:3] / x[3]])
    columns = np.random.default_rng(2).normal(size=(4, 256))
    got, exact = run_all(function, columns, 4), columns[:3] / columns[3]
    assert np.max(np.abs(got / exact - 1)) <= 1.5 * ULP  # reciprocal and product round by half a unit each
