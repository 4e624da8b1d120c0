"""Singular positions under many settings: a representative part of `python -m tests.truths.sweep`."""

from __future__ import annotations

import numpy as np
import pytest

from tests.truths.sweep import METHODS, judge, options, sweep


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 2])
def test_projection_is_right_at_every_setting(n, method):
    verdicts, statuses, wrong = sweep(n, method, "projection", 12)
    assert not wrong
    assert verdicts == {"right": 12}
    assert statuses == {"completed": 12}


@pytest.mark.parametrize("method", ["dop853", "rk4"])
def test_forty_loops(method):
    for setting, arguments in list(options(method, 7))[2:6:3]:
        outcome = judge(40, method, setting, stabilization="projection", **arguments)
        assert outcome.verdict == "right", outcome


@pytest.mark.parametrize("method", ["tsit5", "rodas5p", "rk4", "semi_implicit_euler"])
@pytest.mark.parametrize("stabilization", ["baumgarte", "none"])
def test_without_projection_no_run_leaves_its_branch_unnoticed(method, stabilization):
    """What comes back is on the branch; where drift has let go of it, the run ends there and says so."""
    for setting, arguments in options(method, 8):
        outcome = judge(1, method, setting, stabilization=stabilization, **arguments)
        assert outcome.apart < 0.05, (setting, outcome)


def test_none_says_that_it_lost_the_branch():
    _, statuses, _ = sweep(1, "tsit5", "none", 6)
    assert statuses["completed"] < 2
    assert np.isin(list(statuses), ["completed", "branch_lost", "constraints_lost"]).all()
