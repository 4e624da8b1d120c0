"""A function that is interpreted first gives what its machine code gives, and becomes machine code when that pays."""

import casadi as ca
import numpy as np
import pytest

from cardan.codegen import Gradual, compile_function
from cardan.codegen.callables import gradual

ROUND_OFF = 1e-14  # of numbers of size 1: machine code may reassociate


@pytest.fixture
def function():
    t, x, u, p = ca.SX.sym("t"), ca.SX.sym("x", 3), ca.SX.sym("u", 0), ca.SX.sym("p", 2)
    return ca.Function("f", [t, x, u, p], [ca.sin(t) * x * p[1], ca.sumsqr(x) + p[0]], list("txup"), ["a", "b"])


def rows(count):
    rng = np.random.default_rng(1)
    return rng.random(count), rng.random((count, 3)), np.empty((count, 0)), np.array([2.0, 3.0])


@pytest.mark.parametrize("count", [0, 1, 2, 3, 50])
def test_interpreted_and_compiled_agree(function, count):
    """Also where there are as many states as parameters."""
    given = rows(count)
    a, b = Gradual(function, {"t": ()})(*given)
    expected = compile_function(function, {"t": ()})(*given)
    np.testing.assert_allclose(a, expected[0], rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(b, expected[1], rtol=0, atol=ROUND_OFF)
    assert (a.shape, b.shape) == ((count, 3), (count, 1))


def test_machine_code_is_made_when_it_has_paid(function, monkeypatch):
    made = []
    monkeypatch.setattr(gradual, "compile_function", lambda *given: made.append(1) or compile_function(*given))
    monkeypatch.setattr(gradual, "PAYS", 100)
    slow = Gradual(function, {"t": ()})
    before = slow(*rows(60))
    assert not made
    after = slow(*rows(60))
    assert made == [1]
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=ROUND_OFF)


def test_one_row_in_memory_may_stand_for_all(function, monkeypatch):
    """As `np.broadcast_to` makes it; machine code reads it once."""
    monkeypatch.setattr(gradual, "PAYS", 0)
    t, x, u, p = rows(20)
    same = np.broadcast_to(x[:1], x.shape)
    for one, other in zip(
        Gradual(function, {"t": ()})(t, same, u, p), Gradual(function, {"t": ()})(t, same.copy(), u, p), strict=True
    ):
        np.testing.assert_array_equal(one, other)
