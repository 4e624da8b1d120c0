"""CasADi functions of numpy arrays give what CasADi gives."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import casadi as ca
import numpy as np
import pytest

from cardan.numerics.numbers import Numbers


def test_values_and_shapes_are_those_of_casadi():
    x, A = ca.SX.sym("x", 3), ca.SX.sym("A", 3, 2)
    function = ca.Function("f", [x, A], [A.T @ x, ca.densify(A * x[0]), ca.SX.zeros(0, 1)])
    given = np.array([1.0, 2.0, 3.0]), np.arange(6.0).reshape(3, 2)
    results = Numbers(function)(given[0], given[1].ravel(order="F"))
    for ours, theirs in zip(results, function(*given), strict=True):
        np.testing.assert_array_equal(ours, np.array(theirs))


def test_results_of_one_call_are_not_overwritten_by_the_next():
    x = ca.SX.sym("x", 2)
    twice = Numbers(ca.Function("f", [x], [2 * x]))
    first = twice(np.array([1.0, 2.0]))[0]
    twice(np.array([5.0, 6.0]))
    np.testing.assert_array_equal(first.ravel(), [2, 4])


def test_threads_do_not_write_into_each_others_arrays():
    x = ca.SX.sym("x", 50)
    twice = Numbers(ca.Function("f", [x], [2 * x]))

    def right(k):
        given = np.full(50, float(k))
        return all(np.array_equal(twice(given)[0].ravel(), 2 * given) for _ in range(200))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(right, range(16)))


def test_the_function_travels_after_calls():
    x = ca.SX.sym("x", 2)
    twice = Numbers(ca.Function("f", [x], [2 * x]))
    twice(np.array([1.0, 2.0]))
    again = pickle.loads(pickle.dumps(twice))
    np.testing.assert_array_equal(again(np.array([5.0, 6.0]))[0].ravel(), [10, 12])


def test_an_argument_of_another_size_is_refused():
    x = ca.SX.sym("x", 2)
    with pytest.raises(ValueError, match="reshape"):
        Numbers(ca.Function("f", [x], [2 * x]))(np.array([1.0]))
