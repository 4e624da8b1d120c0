"""Sine and cosine against exact values, and against the C library for huge angles."""

import platform

import casadi as ca
import mpmath
import numpy as np
import pytest

from cardan.codegen.llvm.elementary import LIMIT
from cardan.codegen.machine import engine
from tests.selection import each

from .programs import evaluate, run_all

X = ca.SX.sym("x")
SINCOS = ca.Function("sincos", [X], [ca.vertcat(ca.sin(X), ca.cos(X))])


def angles():
    """Random angles of every size up to the limit of the inline code, and neighbours of multiples of π/2."""
    rng = np.random.default_rng(20)
    sizes = 2.0 ** rng.uniform(-1074, 30, 400)
    common = rng.uniform(-7, 7, 1500)
    whole = np.concatenate([np.arange(1, 60), rng.integers(60, 2**29, 400)])
    near = [float(mpmath.mpf(int(k)) * mpmath.pi / 2) for k in whole]
    return np.concatenate([sizes, -sizes, common, near, np.nextafter(near, np.inf), [np.nextafter(LIMIT, 0), LIMIT]])


def errors(got, exact):
    """Distance in units of the last place of the exact value."""
    unit = np.maximum(np.spacing(np.abs(np.array([float(e) for e in exact]))), 5e-324)
    return np.array([float(abs(mpmath.mpf(float(g)) - e)) for g, e in zip(got, exact, strict=True)]) / unit


@pytest.fixture(autouse=True)
def _precision():
    with mpmath.workprec(250):  # 30 bits of a large angle's turns, 62 of cancellation, 53 of a double, and to spare
        yield


@each("lanes", [0, 4])
def test_within_two_units_in_the_last_place(lanes):
    x = angles()
    got = run_all(SINCOS, x[None], lanes)
    exact = [mpmath.mpf(float(value)) for value in x]
    assert errors(got[0], [mpmath.sin(e) for e in exact]).max() <= 2.0
    assert errors(got[1], [mpmath.cos(e) for e in exact]).max() <= 2.0


@each("lanes", [0, 4])
def test_beyond_the_limit_as_the_c_library(lanes):
    """Its error reaches 8 units at the last angle, the double nearest to a multiple of π/2 (Muller 2016, §11.1)."""
    x = 2.0 ** np.random.default_rng(21).uniform(30, 1024, 300)
    x = np.concatenate([x, -x, [np.nextafter(LIMIT, np.inf), 6381956970095103.0 * 2.0**797]])[None]
    np.testing.assert_array_equal(run_all(SINCOS, x, lanes), evaluate(SINCOS, x))


@each("lanes", [0, 2, 4, 8])
def test_special_values(lanes):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1.0])
    sine, cosine = run_all(SINCOS, x[None], lanes)
    assert np.isnan(sine[2:5]).all()
    assert np.isnan(cosine[2:5]).all()
    np.testing.assert_array_equal(sine[[0, 1, 5, 6]], x[[0, 1, 5, 6]])
    np.testing.assert_array_equal(np.signbit(sine[:2]), [False, True])
    np.testing.assert_array_equal(cosine[[0, 1, 5, 6]], 1.0)


def test_one_rare_lane_leaves_the_others_alone():
    x = np.array([0.3, 1e22, -2.0, 0.1, np.inf, 7.0, -1e300, 3.0])
    alone, together = run_all(SINCOS, x[None], 0), run_all(SINCOS, x[None], 8)
    np.testing.assert_array_equal(alone, together)


def test_lanes_agree_with_one_number_bit_for_bit():
    x = angles()[None]
    np.testing.assert_array_equal(run_all(SINCOS, x, 0), run_all(SINCOS, x, 4))


@each("count", [2, 4, 5, 9])
def test_angles_of_one_state_agree_with_one_angle_bit_for_bit(count):
    """They are made several at a time; one that the C library makes, or NaN, leaves the others alone."""
    x = ca.SX.sym("x", count)
    only_sine = ca.sin(x[0])
    function = ca.Function("all", [x], [ca.vertcat(only_sine, ca.sin(x[1:]), ca.cos(x[1:]))])
    columns = np.random.default_rng(24).permutation(angles())[: 100 * count].reshape(count, 100)
    columns[np.arange(100) % count, np.arange(100)] = np.tile([1e300, np.inf, np.nan, 3 * LIMIT], 25)
    one = run_all(SINCOS, columns.reshape(1, -1), 0).reshape(2, count, 100)
    np.testing.assert_array_equal(run_all(function, columns, 0), np.concatenate([one[0], one[1, 1:]]))


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="names a processor of another kind")
def test_processor_without_fused_multiply_add(monkeypatch):
    x = angles()[None]
    expected = run_all(SINCOS, x, 4)
    triple = engine.HOST[0]
    monkeypatch.setattr(engine, "HOST", (triple, "x86-64", ""))
    monkeypatch.setattr("cardan.codegen.machine.build.cache.remember", lambda material, make: make())
    for lanes in (0, 4):
        np.testing.assert_array_equal(run_all(SINCOS, x, lanes), expected)
