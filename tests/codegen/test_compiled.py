"""Functions of arrays: one state, batches, threads, shapes, refusals."""

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import casadi as ca
import numpy as np
import pytest

from cardan.codegen import Native, compile_function, native
from cardan.codegen.callables.batch import number_of_threads
from tests.selection import each

from .programs import random_function


def affine():
    """y = A x + t, and t itself, with a matrix, a vector and a number going in."""
    A, x, t = ca.SX.sym("A", 2, 3), ca.SX.sym("x", 3), ca.SX.sym("t")
    function = ca.Function("affine", [A, x, t], [A @ x + t, t, 2 * A], ["A", "x", "t"], ["y", "same", "twice"])
    return compile_function(function, {"t": (), "same": ()})


@pytest.fixture(scope="module")
def rng():
    return np.random.default_rng(8)


@each("count", [1, 2, 3, 4, 5, 8, 9, 63, 64, 65])
@each("columns", [1, 2, 3, 4, 5, 7, 8, 9])
def test_batch_is_the_same_as_one_at_a_time(count, columns, rng):
    x = ca.SX.sym("x", columns)
    f = compile_function(ca.Function("f", [x], [ca.sin(x) * ca.sum1(x)]))
    batch = rng.normal(size=(count, columns))
    np.testing.assert_array_equal(f(batch), [f(state) for state in batch])


def test_one_state(rng):
    A, x = rng.normal(size=(2, 3)), rng.normal(size=3)
    y, same, twice = affine()(A, x, 0.5)
    np.testing.assert_allclose(y, A @ x + 0.5, rtol=0, atol=1e-14)  # four roundings of numbers of order one
    assert same.shape == ()
    assert same == 0.5
    np.testing.assert_array_equal(twice, 2 * A)


def test_results_are_new_arrays():
    f = compile_function(ca.Function("f", [x := ca.SX.sym("x", 2)], [2 * x]))
    first = f(np.array([1.0, 2.0]))
    f(np.array([5.0, 6.0]))
    np.testing.assert_array_equal(first, [2, 4])


@each("threads", [1, 3])
@each("leading", [((5, 1), (4,), (1,)), ((), (300, 2), (2,)), ((2000,), (), ()), ((1,), (), (1, 1))])
def test_leading_axes_are_broadcast(leading, threads, rng):
    a, b, c = leading
    A, x, t = rng.normal(size=(*a, 2, 3)), rng.normal(size=(*b, 3)), rng.normal(size=c)
    y, same, twice = affine()(A, x, t, threads=threads)
    batch = np.broadcast_shapes(a, b, c)
    assert (y.shape, same.shape, twice.shape) == ((*batch, 2), batch, (*batch, 2, 3))
    np.testing.assert_allclose(y, (A @ x[..., None])[..., 0] + t[..., None], rtol=0, atol=1e-13)
    np.testing.assert_array_equal(same, np.broadcast_to(t, batch))
    np.testing.assert_array_equal(twice, np.broadcast_to(2 * A, (*batch, 2, 3)))


def test_strided_and_readonly_batches(rng):
    f = compile_function(random_function(3))
    wide = rng.normal(size=(40, 8))
    wide.flags.writeable = False
    np.testing.assert_array_equal(f(wide[::2, ::2]), f(wide[::2, ::2].copy()))
    np.testing.assert_array_equal(f(wide[:, :4].T[..., None].swapaxes(0, 2)[0]), f(wide[:, :4].copy()))


def test_empty_batch():
    assert compile_function(random_function(3))(np.empty((0, 5, 4))).shape == (0, 5, 20)


def test_empty_ports():
    x, none = ca.SX.sym("x", 2), ca.SX.sym("none", 0)
    f = compile_function(ca.Function("f", [x, none], [x, ca.SX(0, 1)]))
    for leading in ((), (20,)):
        y, nothing = f(np.ones((*leading, 2)), np.ones((*leading, 0)))
        assert y.shape == (*leading, 2)
        assert nothing.shape == (*leading, 0)


def test_program_in_several_functions_with_threads(monkeypatch, rng):
    monkeypatch.setattr("cardan.codegen.machine.build.cache.remember", lambda material, make: make())
    monkeypatch.setattr("cardan.codegen.llvm.module.WHOLE", 20)
    monkeypatch.setattr("cardan.codegen.llvm.module.PIECE", 20)
    f = compile_function(random_function(4))
    batch = rng.normal(size=(2051, 4))
    np.testing.assert_array_equal(f(batch, threads=2), [f(state) for state in batch])


def test_threads_of_the_caller_do_not_disturb_each_other(rng):
    f = compile_function(random_function(6))
    states = rng.normal(size=(4, 4))
    expected = [f(state) for state in states]
    barrier = threading.Barrier(4)

    def run(i):
        barrier.wait()
        return all(np.array_equal(f(states[i]), expected[i]) for _ in range(300))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(run, range(4)))


def test_number_of_threads(monkeypatch):
    assert number_of_threads(None) == 1
    monkeypatch.setenv("CARDAN_NUM_THREADS", "3")
    assert number_of_threads(None) == 3
    assert number_of_threads(2) == 2
    with pytest.raises(ValueError, match="number of threads is 0"):
        number_of_threads(0)
    monkeypatch.setenv("CARDAN_NUM_THREADS", "many")
    with pytest.raises(ValueError, match="'many'; give 1 or more"):
        number_of_threads(None)


def test_travels_to_another_process():
    f = affine()
    A, x = np.ones((2, 3)), np.ones(3)
    g = pickle.loads(pickle.dumps(f))
    np.testing.assert_array_equal(f(A, x, 1.0)[0], g(A, x, 1.0)[0])
    assert g.input_names == ("A", "x", "t")
    assert g.output_shapes == ((2,), (), (2, 3))


def test_wrong_arrays_are_refused():
    f = affine()
    A, x = np.ones((2, 3)), np.ones(3)
    with pytest.raises(ValueError, match="2 arrays given, 3 expected: A, x, t"):
        f(A, x)
    with pytest.raises(ValueError, match=r"input 'x' has shape \(4,\); expected \(..., 3\)"):
        f(A, np.ones(4), 0.0)
    with pytest.raises(ValueError, match=r"cannot be broadcast against each other: A \(5,\), x \(3,\), t \(\)"):
        f(np.ones((5, 2, 3)), np.ones((3, 3)), 0.0)
    with pytest.raises(ValueError, match="input 'x' holds complex numbers; give floats"):
        f(A, 1j * x, 0.0)
    with pytest.raises(ValueError, match="input 'x' holds texts; give floats"):
        f(A, ["a", "b", "c"], 0.0)
    with pytest.raises(ValueError, match="input number 4 holds texts"):
        f(A, x, 0.0, "more")


def test_wrong_shapes_are_refused():
    x = ca.SX.sym("x", 3)
    function = ca.Function("f", [x], [x], ["position"], ["y"])
    with pytest.raises(ValueError, match="did you mean 'position'"):
        compile_function(function, {"positon": (3,)})
    with pytest.raises(ValueError, match=r"shape \(2, 2\) given for 'y', which has 3 entries"):
        compile_function(function, {"y": (2, 2)})


@each("count", [1, 2, 3, 4])
def test_one_state_with_the_last_inputs_fixed(count, rng):
    x = [ca.SX.sym(f"x{i}", 3) for i in range(count)]
    t = ca.SX.sym("t")
    f = compile_function(ca.Function("f", [*x, t], [sum(x) * t, t], [*"abcd"[:count], "t"], ["y", "r"]), {"t": ()})
    states = rng.normal(size=(count, 3))
    single = f.single_state(2.0)
    np.testing.assert_array_equal(single(*states)[0], f(*states, 2.0)[0])
    for wrong in (np.ones(1), 1.0, np.ones((1, 3)), np.ones(3, np.float32), np.ones(3, int), [1.0, 2.0, 3.0]):
        with pytest.raises((TypeError, ValueError)):
            single(*states[1:], wrong)
    with pytest.raises((TypeError, ValueError)):
        single(*states, 2.0)


def test_machine_code_is_loaded_where_jitlink_is_missing(monkeypatch, rng):
    monkeypatch.setattr("cardan.codegen.machine.build.cache.remember", lambda material, make: make())
    states = rng.normal(size=(9, 4))
    expected = compile_function(random_function(5))(states)
    monkeypatch.setattr("cardan.codegen.machine.engine._has_jitlink", lambda: False)
    np.testing.assert_array_equal(compile_function(random_function(5))(states), expected)


def test_native_is_frozen_and_stays_in_its_process():
    made = native(random_function(1), lanes=4)
    assert isinstance(made, Native)
    assert (made.n_in, made.n_out, made.lanes) == (4, 20, 4)
    with pytest.raises(AttributeError):
        made.lanes = 8
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(made)


def test_results_are_written_into_given_arrays(rng):
    A, x, t = rng.normal(size=(40, 2, 3)), rng.normal(size=(40, 3)), rng.normal(size=40)
    out = np.empty((40, 2)), np.empty(40), np.empty((40, 2, 3))
    found = affine()(A, x, t, out=out)
    assert all(mine is given for mine, given in zip(found, out, strict=True))
    for mine, expected in zip(out, affine()(A, x, t), strict=True):
        np.testing.assert_array_equal(mine, expected)
    f = compile_function(ca.Function("f", [y := ca.SX.sym("y", 2)], [2 * y]))
    one = np.empty(2)
    assert f([1.0, 2.0], out=one) is one
    np.testing.assert_array_equal(one, [2, 4])


def _frozen(array):
    array.flags.writeable = False
    return array


@each(
    "out, message",
    [
        (np.empty((20, 3)), r"'o0' is float64, \(20, 3\); give an array of float64 of shape \(20, 2\)"),
        (np.empty((20, 2), np.float32), r"is float32, \(20, 2\)"),
        ([[0.0, 0.0]] * 20, "is list"),
        (np.empty((20, 4))[:, ::2], "cannot be filled"),
        (_frozen(np.empty((20, 2))), "cannot be filled"),
        ((np.empty((20, 2)), np.empty((20, 2))), "out has 2 arrays; give 1: o0"),
    ],
)
def test_arrays_that_cannot_take_the_results_are_refused(out, message):
    f = compile_function(ca.Function("f", [x := ca.SX.sym("x", 2)], [2 * x]))
    with pytest.raises(ValueError, match=message):
        f(np.ones((20, 2)), out=out)


def test_results_cannot_overwrite_what_they_are_computed_from():
    f = compile_function(ca.Function("f", [x := ca.SX.sym("x", 2)], [2 * x]))
    x = np.ones((20, 2))
    with pytest.raises(ValueError, match="shares memory"):
        f(x, out=x)
    two = compile_function(ca.Function("f", [y := ca.SX.sym("y", 2)], [2 * y, 3 * y]))
    with pytest.raises(ValueError, match="shares memory"):
        two(np.ones((20, 2)), out=(x, x[:]))
