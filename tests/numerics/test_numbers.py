"""CasADi functions of numpy arrays give what CasADi gives."""

import casadi as ca
import numpy as np

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
