"""Rows to lanes and back, shares of threads, and that nothing outside the arrays is touched."""

import casadi as ca
import numpy as np
import pytest

from cardan.codegen import compile_function
from cardan.codegen.callables.batch import batch_of, many_states
from cardan.codegen.machine import engine
from cardan.codegen.machine.build import machine_code
from cardan.codegen.program.program import flatten
from tests.selection import each

GUARD = 16
"""Doubles on either side of an array: more than the widest load or store."""


def runner(function, lanes):
    code = machine_code(flatten(function), lanes)
    loaded = engine.load(code.code)
    return many_states(code, loaded), loaded


def guarded(shape):
    """An array of ones between guards of NaN, and the whole of it."""
    size = int(np.prod(shape))
    whole = np.full(size + 2 * GUARD, np.nan)
    inner = whole[GUARD : GUARD + size].reshape(shape)
    inner[...] = 1
    return inner, whole


@pytest.fixture(scope="module")
def rng():
    return np.random.default_rng(5)


@each("lanes", [0, 2, 3, 4, 8])
@each("columns", [1, 2, 3, 7, 8, 15, 16, 17, 31])
def test_every_entry_arrives_and_nothing_else_is_written(lanes, columns, rng):
    x, p = ca.SX.sym("x", columns), ca.SX.sym("p", columns)
    run, _keep = runner(ca.Function("f", [x, p], [x + p, 2 * x]), lanes)
    for count in range(max(lanes, 1), 2 * max(lanes, 1) + 2):
        states, parameters = guarded((count, columns))[0], guarded(columns)[0]
        states[...], parameters[...] = rng.normal(size=states.shape), rng.normal(size=columns)
        (total, whole), (twice, other) = guarded((count, columns)), guarded((count, columns))
        run([states, parameters], [True, False], [total, twice], count, 1)
        np.testing.assert_array_equal(total, states + parameters)
        np.testing.assert_array_equal(twice, 2 * states)
        for array in (whole, other):
            assert np.isnan(array[:GUARD]).all()
            assert np.isnan(array[-GUARD:]).all()


@each("lanes", [2, 3, 8])
@each("used", [[], [0], [8], [3, 5], [1, 7], [0, 8]])
def test_columns_that_are_read_arrive_from_both_kinds_of_inputs(lanes, used, rng):
    """Columns before the first and after the last that the program reads are not moved."""
    x, u, p = (ca.SX.sym(name, 9) for name in "xup")
    run, _keep = runner(ca.Function("f", [x, u, p], [ca.vertcat(1, *(x[k] + 10 * p[k] for k in used))]), lanes)
    count = 2 * lanes + 1
    states, parameters = rng.normal(size=(count, 9)), rng.normal(size=9)
    (total, _) = guarded((count, 1 + len(used)))
    run([states, states, parameters], [True, True, False], [total], count, 1)
    np.testing.assert_allclose(total[:, 1:], states[:, used] + 10 * parameters[used], rtol=0, atol=1e-14)


def test_readonly_and_permanent_inputs(rng):
    x, p = ca.SX.sym("x", 3), ca.SX.sym("p", 20)
    f = compile_function(ca.Function("f", [p, x], [x + ca.sum1(p)]))
    batch, parameters = rng.normal(size=(33, 3)), rng.integers(-9, 9, size=20)  # integers: the sum has no roundings
    batch.flags.writeable = False
    np.testing.assert_array_equal(f(parameters, batch), batch + parameters.sum())
    np.testing.assert_array_equal(f(np.tile(parameters, (33, 1)), batch), batch + parameters.sum())


def test_number_of_threads_is_checked_for_any_batch():
    x = ca.SX.sym("x", 3)
    f = compile_function(ca.Function("f", [x], [x + 1]))
    with pytest.raises(ValueError, match="number of threads is 0"):
        f(np.ones((5, 3)), threads=0)


@each(
    "shapes, expected",
    [
        (((5, 3), (2,)), ((5,), [True, False])),
        (((3,), (4, 5, 2)), ((4, 5), [False, True])),
        (((3,), (2,)), ((), [False, False])),
    ],
)
def test_batch_of_arrays_that_need_no_broadcasting(shapes, expected):
    assert batch_of([np.empty(shape) for shape in shapes], [(3,), (2,)]) == expected
