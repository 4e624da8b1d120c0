"""Loops in quick machine code give the bits of loops in the best: with events, and for many trajectories as well."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from cardan.codegen.kernels import run
from cardan.integration import METHODS, integrate
from cardan.integration.ensemble import integrate_ensemble
from tests.integration.test_ensemble import INPUTS, LANES, ONE, PARAMETERS, STARTS
from tests.integration.test_events import ball, settings


@pytest.fixture
def both(monkeypatch):
    """Function that calls another one with quick code in all loops, then with the best; the pair of results."""

    def call(function):
        results = []
        for quick in (True, False):
            monkeypatch.setattr(run, "_load", cache(lambda kernel, quick=quick: run._made(kernel, quick=quick)))
            results.append(function())
        return results

    return call


@pytest.mark.parametrize("method", METHODS)
def test_a_run_with_events(both, method):
    quick, best = both(lambda: integrate(ball(3.0), method, **settings(method)))
    assert len(best.events.t) > 2
    for one, other in ((quick.t, best.t), (quick.x, best.x), (quick.events.t, best.events.t)):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("method", METHODS)
def test_many_trajectories(both, method):
    step = 0.01 if METHODS[method].fixed_step else None
    quick, best = both(
        lambda: integrate_ensemble(ONE, LANES, STARTS, p=PARAMETERS, c0=INPUTS, method=method, step=step)
    )
    for name in ("x", "w", "lowest", "highest", "t_end", "nearest"):
        np.testing.assert_array_equal(getattr(quick, name), getattr(best, name))
