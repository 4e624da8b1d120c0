"""The absolute tolerance follows the relative one, and what the states reach, unless it is given."""

import numpy as np
import pytest
from tests.selection import each

import cardan

ROD = "compound_pendulum"  # a uniform rod of 0.8 m about its end
FREQUENCY = np.sqrt(3 * 9.81 / (2 * 0.8))  # of small oscillations [rad/s]
TIMES = np.linspace(0, 2, 301)


def error(x, amplitude):
    """The largest difference to small oscillations from rest, over their amplitude.

    The period of a pendulum is longer than theirs by amplitude²/16: 5e-9 over this time for 1e-4 rad.
    """
    exact = np.stack([np.cos(FREQUENCY * TIMES), -FREQUENCY * np.sin(FREQUENCY * TIMES)], axis=1)
    return np.max(np.abs(x / amplitude - exact)) / FREQUENCY


@each("method", ["auto", "tsit5", "rodas5p"])
@each("amplitude", [1e-4, 1e-6])
def test_small_motions_are_as_accurate_as_large_ones(method, amplitude):
    """In units of their own size: some ten to a hundred steps of an error of 1e-8 each."""
    run = cardan.simulate(cardan.load(ROD), times=TIMES, initial={"pendulum": amplitude}, method=method)
    assert error(run.x, amplitude) < 50 * 1e-8


def test_so_they_are_side_by_side_in_a_sweep():
    amplitudes = np.geomspace(1e-6, 1e-4, 12)
    model, names = cardan.load(ROD), ["pendulum.q", "pendulum.v"]
    found = cardan.sweep(model, initial={"pendulum": amplitudes}, times=TIMES, outputs=names)
    for row, amplitude in enumerate(amplitudes):
        assert error(np.stack([found[name][row] for name in names], axis=1), amplitude) < 50 * 1e-8


def test_a_tolerance_that_is_given_is_used_as_it_is():
    """1e-10 is a thousandth of a motion of 1e-7 rad: no more than that is promised."""
    run = cardan.simulate(cardan.load(ROD), times=TIMES, initial={"pendulum": 1e-7}, atol=1e-10)
    assert error(run.x, 1e-7) > 1e-5
    assert run.provenance.atol == run.provenance.settings["atol"] == 1e-10


@each("rtol, atol", [(1e-8, 1e-10), (1e-5, 1e-7), (1e-13, 64 * 2.0**-52)])
def test_it_is_a_hundredth_and_round_off_at_least(rtol, atol):
    setup = cardan.prepare(cardan.load(ROD), rtol=rtol)
    assert setup.task.problem.follows
    np.testing.assert_allclose(setup.task.problem.atol, atol, rtol=1e-12)
    assert setup.run().provenance.atol == pytest.approx(atol, rel=1e-12)


def test_a_smaller_rtol_alone_is_enough():
    """The crane with simplified motors, against a run with tolerances of 1e-13 by another method."""
    model, times = cardan.load("overhead_crane"), np.linspace(0, 5, 501)
    exact = cardan.simulate(model, motors="simplified", times=times, method="tsit5", rtol=1e-13, atol=1e-15)
    size = np.abs(exact.x).max(axis=0)
    for rtol in (1e-8, 1e-10, 1e-12):
        run = cardan.simulate(model, motors="simplified", times=times, rtol=rtol)
        assert (
            np.max(np.abs(run.x - exact.x) / size) < 50 * rtol + 2e-10
        )  # of the other run, which has some thousand steps
