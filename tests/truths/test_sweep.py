"""Singular positions under many settings: a representative part of `python -m tests.truths.sweep`."""

from __future__ import annotations

import numpy as np
import pytest

from tests.truths.sweep import METHODS, WAYS, judge, options, sweep


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("way", ["embedded", "projection"])
def test_states_on_their_constraints_are_right_at_every_setting(n, method, way):
    counts, statuses, wrong = sweep(n, method, way, 12)
    assert not wrong
    assert counts == {"right": 12}
    assert statuses == {"completed": 12}


@pytest.mark.parametrize("method", ["dop853", "rk4"])
@pytest.mark.parametrize("way", ["embedded", "projection"])
@pytest.mark.exhaustive
def test_forty_loops(method, way):
    for setting, arguments in list(options(method, 7))[2:6:3]:
        outcome = judge(40, method, setting, **WAYS[way], **arguments)
        assert outcome.kind == "right", outcome


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("way", ["baumgarte", "none"])
def test_without_projection_what_comes_back_is_right(method, way):
    """Where drift has let go of the branch, or has pushed the mechanism along it, the run ends there and says so."""
    _, _, wrong = sweep(1, method, way, 8)
    assert not wrong


def test_energy_tells_of_a_push_that_neither_drift_nor_branch_shows():
    """The cranks stay together and the loops closed, but drift in line has pushed: 0.04 rad and more after 10 s."""
    pushed = [1.27e-8, 4.12e-8, 7.44e-8]
    outcomes = [judge(1, "dop853", x, stabilization="baumgarte", rtol=x, atol=x / 100) for x in pushed]
    assert {outcome.kind for outcome in outcomes} <= {"right", "honest"}


def test_a_push_of_fixed_steps_is_seen():
    """They promise nothing, but make next to no energy elsewhere: it was off by 0.01 rad when it ended."""
    setting, arguments = list(options("rk4", 200))[130]
    outcome = judge(1, "rk4", setting, stabilization="none", **arguments)
    assert outcome.kind == "honest", outcome


def test_a_crank_that_folds_back_and_stays_beside_the_singular_position_is_seen():
    """The distance has its minimum later, where nothing bends any more."""
    setting, arguments = list(options("rodas5p", 200))[79]
    outcome = judge(2, "rodas5p", setting, stabilization="none", **arguments)
    assert outcome.kind == "honest", outcome


def test_none_says_that_it_lost_the_branch():
    _, statuses, _ = sweep(1, "tsit5", "none", 6)
    assert statuses["completed"] < 2
    assert np.isin(list(statuses), ["completed", "branch_lost", "constraints_lost"]).all()
