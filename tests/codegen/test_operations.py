"""Machine code for numbers and for lanes: the contract of all targets, and how quotients are written."""

from typing import ClassVar

import casadi as ca
import numpy as np

from cardan.codegen.instruction import BINARY, UNARY
from cardan.codegen.operations import OPERATIONS
from cardan.codegen.tables import LOW, READ
from tests.contracts.target_contract import ULP, TargetContract

from .programs import run_all


class TestNumbers(TargetContract):
    lanes = 0
    tolerance: ClassVar = {
        ca.OP_SIN: 2 * ULP,  # promised: 2 ulp
        ca.OP_COS: 2 * ULP,
        ca.OP_ERFINV: 8 * ULP,  # a handful of roundings, which CasADi's compiler may contract differently
    }

    @classmethod
    def build(cls, functions, folder):
        def outputs(function):
            return lambda columns: run_all(function, columns, cls.lanes)

        return {name: outputs(function) for name, function in functions.items()}


class TestFourLanes(TestNumbers):
    lanes = 4


class TestEightLanes(TestNumbers):
    lanes = 8


def test_table_has_every_operation_and_no_other():
    assert set(OPERATIONS) == (UNARY | BINARY | {LOW, READ}) - {ca.OP_SIN, ca.OP_COS}


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
