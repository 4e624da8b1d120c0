"""What every target satisfies that computes: a class with `build`, and `class TestC(TargetContract)`."""

from collections.abc import Callable, Mapping
from typing import ClassVar

import casadi as ca
import numpy as np
import pytest

from cardan.codegen.program.instruction import NAMES
from cardan.codegen.program.operations import OPERATIONS
from cardan.codegen.program.tables import LOW, READ
from tests.codegen.programs import CORNERS, evaluate, random_function
from tests.selection import each

ULP = 2.0**-52
SCALAR = sorted(set(OPERATIONS) - {LOW, READ})
ROUNDING = 2 * 200 * 4 * ULP
"""Twice 200 steps, none of which amplifies errors, each of up to four operations that are rounded in other ways."""
TABLES = 1e-13  # a dozen roundings of numbers of order ten; weights are formed as CasADi forms them
GRID, SIDE = [0.0, 1.0, 2.5, 4.0], [-1.0, 0.0, 3.0]

Outputs = Callable[[np.ndarray], np.ndarray]
"""Outputs (n_out, n) for n columns of the concatenated inputs."""


def of_operation(op: int) -> ca.Function:
    """Function of x and y that is one operation."""
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    return ca.Function("f", [x, y], [ca.SX.binary(op, x, y) if OPERATIONS[op].arity == 2 else ca.SX.unary(op, x)])


def of_constants() -> ca.Function:
    """Function whose results take no computing: inputs, constants, zeros of both signs, structural zeros."""
    x = ca.SX.sym("x", 2)
    return ca.Function("f", [x], [ca.vertcat(x[1], 3.5, -0.0, x[1], x[0], np.inf, -np.inf, np.nan), ca.SX(2, 1)])


def of_powers() -> ca.Function:
    """Function of constant powers."""
    x = ca.SX.sym("x")
    return ca.Function("f", [x], [ca.vertcat(*(x**k for k in (-3, -2, -1, 0.5, 1.5, 2, 3, 4, 7.3)))])


def of_negative_constants() -> ca.Function:
    """Function in which the sign of a constant stands beside an operator."""
    x = ca.SX.sym("x")
    return ca.Function("f", [x], [ca.vertcat(x - (-2.0), -(-3.0 * x), x / -0.5, -1e-300 * x, x + -1e22)])


def of_table() -> ca.Function:
    """Function that looks up a line and a surface, and their slopes."""
    x = ca.SX.sym("x", 2)
    line = ca.interpolant("line", "linear", [GRID], [0.5, -1.0, 4.0, 9.0])
    surface = ca.interpolant("surface", "linear", [GRID, SIDE], np.random.default_rng(3).normal(size=12))
    found = ca.vertcat(line(2 * x[0]) + x[1], surface(x))
    return ca.Function("f", [x], [ca.vertcat(found, ca.jtimes(found, x, ca.sin(x)))])


def of_many_steps() -> ca.Function:
    """Function of 3000 random steps, whose results need values from both ends of it."""
    x = ca.SX.sym("x", 4)
    parts = [random_function(seed)(x) for seed in range(15)]
    return ca.Function("f", [x], [ca.vertcat(*(a + b for a, b in zip(parts, reversed(parts), strict=True)))])


WHOLE = {
    "constants": of_constants(),
    "powers": of_powers(),
    "signs": of_negative_constants(),
    "table": of_table(),
    "random": random_function(5),
    "long": of_many_steps(),
}


class TargetContract:
    """The meaning of CasADi's evaluator, for every operation and for whole functions."""

    tolerance: ClassVar[Mapping[int, float]] = {}  # relative, for operations that are not the same to the last bit
    powers: ClassVar[float] = 0.0  # the same for powers

    @classmethod
    def build(cls, functions: Mapping[str, ca.Function], folder) -> dict[str, Outputs]:
        """The functions in this target; a folder is there for what it writes."""
        raise NotImplementedError

    @pytest.fixture(scope="class")
    @classmethod
    def operations(cls, tmp_path_factory) -> dict[str, Outputs]:
        """All operations, each as a function."""
        functions = {NAMES[op]: of_operation(op) for op in SCALAR}
        return cls.build(functions, tmp_path_factory.mktemp("operations"))

    @pytest.fixture(scope="class")
    @classmethod
    def whole(cls, tmp_path_factory) -> dict[str, Outputs]:
        """Whole functions."""
        return cls.build(WHOLE, tmp_path_factory.mktemp("whole"))

    @each("op", SCALAR)
    def test_operation_means_what_casadi_evaluates(self, operations, op):
        first, second = np.meshgrid(CORNERS, CORNERS if OPERATIONS[op].arity == 2 else (0.0,))
        columns = np.stack([first.ravel(), second.ravel()])
        got, expected = operations[NAMES[op]](columns), evaluate(of_operation(op), columns)
        same = (got == expected) | (np.isnan(got) & np.isnan(expected))
        with np.errstate(invalid="ignore"):
            close = np.abs(got - expected) <= self.tolerance.get(op, 0.0) * np.abs(expected)
        assert np.all(same | close), columns[:, ~(same | close)[0]]
        if op not in (ca.OP_FMIN, ca.OP_FMAX):  # the sign of fmin(+0, -0) is open in IEC 60559
            zero = (got == 0) & (expected == 0)
            np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(expected[zero]))

    def test_constants_inputs_and_structural_zeros_as_results(self, whole):
        columns = np.random.default_rng(0).normal(size=(2, 5))
        expected = evaluate(WHOLE["constants"], columns)
        got = whole["constants"](columns)
        np.testing.assert_array_equal(got, expected)
        np.testing.assert_array_equal(np.signbit(got), np.signbit(expected))

    def test_constant_powers(self, whole):
        columns = np.array([CORNERS])
        np.testing.assert_allclose(whole["powers"](columns), evaluate(WHOLE["powers"], columns), rtol=self.powers)

    def test_signs_of_constants(self, whole):
        columns = np.array([CORNERS])
        np.testing.assert_array_equal(whole["signs"](columns), evaluate(WHOLE["signs"], columns))

    def test_tables(self, whole):
        points = np.array([-3, -0.0, 0, 0.3, 0.5, 0.85, 1.25, 1.5, 2, 4.5, 1e9, np.nan])
        columns = np.stack([x.ravel() for x in np.meshgrid(points, points)])
        expected = evaluate(WHOLE["table"], columns)
        np.testing.assert_allclose(whole["table"](columns), expected, rtol=TABLES, atol=TABLES)

    @each("name", ["random", "long"])
    def test_random_functions(self, whole, name):
        columns = np.random.default_rng(1).normal(size=(4, 20))
        expected = evaluate(WHOLE[name], columns)
        np.testing.assert_allclose(whole[name](columns), expected, rtol=ROUNDING, atol=ROUNDING)

    @each("name", ["random", "long"])
    def test_what_is_not_a_number_stays_visible(self, whole, name):
        columns = np.random.default_rng(2).normal(size=(4, 3))
        columns[:, 1] = np.nan
        got, expected = whole[name](columns), evaluate(WHOLE[name], columns)
        np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
        assert np.isnan(got[:, 1]).any()
