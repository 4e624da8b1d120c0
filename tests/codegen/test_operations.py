"""The table of operations; machine code for numbers and for lanes: the contract of all targets."""

from contextlib import suppress
from typing import ClassVar

import casadi as ca
import numpy as np
import pytest

from cardan.codegen.program.instruction import FREE, IDENTITY
from cardan.codegen.program.operations import OPERATIONS
from cardan.codegen.program.tables import LOW, READ
from tests.contracts.target_contract import ULP, TargetContract

from .programs import run_all


class TestNumbers(TargetContract):
    lanes = 0
    tolerance: ClassVar = {
        ca.OP_SIN: 2 * ULP,  # promised: 2 ulp
        ca.OP_COS: 2 * ULP,
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


def test_the_table_has_every_operation_that_casadi_makes_of_numbers():
    """Every operation that occurs in a function of SX has a row, computes nothing, or stands in no law."""
    x = ca.SX.sym("x")
    made = set()
    for name, code in vars(ca).items():
        if name.startswith("OP_") and code not in IDENTITY | FREE | {ca.OP_OUTPUT, ca.OP_CALL, ca.OP_PARAMETER}:
            for expression in _scalar(code, x):
                function = ca.Function("f", [x], [expression])
                made |= {function.instruction_id(k) for k in range(function.n_instructions())}
    in_no_law = {ca.OP_ERF, ca.OP_ERFINV, ca.OP_COPYSIGN, ca.OP_REMAINDER}
    assert made - {ca.OP_OUTPUT} - FREE - IDENTITY - in_no_law == set(OPERATIONS) - {LOW, READ}


def _scalar(code, x):
    """The expressions that CasADi makes of an operation, if it is one of numbers."""
    for make, operands in ((ca.SX.unary, (x,)), (ca.SX.binary, (x, 2 * x + 1)), (ca.SX.binary, (x, 7.3))):
        with suppress(RuntimeError):
            yield make(code, *operands)


@pytest.mark.parametrize("code", OPERATIONS)
def test_every_template_has_the_operands_of_its_operation(code):
    operation = OPERATIONS[code]
    for entry in (operation.llvm, operation.c, operation.numpy):
        if entry:  # sine and cosine have no template in LLVM
            assert "{a}" in entry
            assert ("{b}" in entry) == (operation.arity == 2)
    assert (operation.written is None) == (operation.sympy is None)


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
