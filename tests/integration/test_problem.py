"""A problem refuses what cannot be integrated, in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cardan.errors import SolveError
from cardan.integration import segments_between
from tests.integration.problems import functions, wave, wave_problem
from tests.selection import each

GOOD = wave_problem([0.0, 4.0])


NO_INPUTS = dict.fromkeys(("c0", "c1", "c2", "c3"))


@each(
    "change, text",
    [
        ({"x0": [1.0]}, r"x0 has shape \(1,\); the sizes given need \(2,\)"),
        ({"p": [1.0]}, "p has shape"),
        ({"c0": [[1.0, 2.0]]}, "c0 has shape"),
        ({"x0": [1.0, np.nan]}, r"x0\[1\] is not finite"),
        ({"c1": [[np.inf]]}, r"c1\[0, 0\] is not finite"),
        ({"a": [], "b": [], **NO_INPUTS}, "at least one"),
        ({"a": [4.0], "b": [0.0]}, "positive length"),
        (
            {"a": [0.0, 2.0], "b": [1.0, 4.0], **NO_INPUTS},
            "each starting where the last ends",
        ),
        ({"times": [1.0, 0.5]}, "must not decrease"),
        ({"times": [0.0, 5.0]}, "times reach from 0 to 5 s, the inputs from 0 to 4 s"),
        ({"rtol": 0.0}, "rtol must be positive"),
        ({"atol": [1e-8, 0.0]}, "atol must be positive"),
        ({"max_step": -1.0}, "max_step must be positive"),
        ({"first_step": -1.0}, "first_step"),
        ({"nw": 0, "w0": None}, "rhs maps 4 numbers to 3 with 0 lanes; the sizes given need 4, 2 and 0"),
    ],
)
def test_refusals(change, text):
    with pytest.raises(SolveError, match=text):
        replace(GOOD, **change)


def test_functions_for_lanes_are_refused_for_one_trajectory():
    with pytest.raises(SolveError, match="with 8 lanes"):
        replace(GOOD, rhs=functions(wave, 1, 2, 1, lanes=8)["rhs"])


def test_arrays_are_copies():
    start = np.array([1.0, 1.0])
    given = replace(GOOD, x0=start)
    start[0] = 7
    assert given.x0[0] == 1
    assert given.atol.shape == (2,)


def test_inputs_between_two_instants_are_the_same_polynomials():
    whole = replace(
        GOOD, a=[0.0, 2.0], b=[2.0, 4.0], c0=[[1.0], [2.0]], c1=[[0.5], [-1.0]], c2=[[-0.3], [0.2]], c3=[[0.1], [0.4]]
    )
    part = segments_between(whole, 1.25, 3.5)
    assert (part["a"].tolist(), part["b"].tolist()) == ([1.25, 2.0], [2.0, 3.5])
    for s, t in ((0, 1.7), (1, 3.1)):
        d, inner = t - whole.a[s], t - part["a"][s]
        assert sum(part[f"c{k}"][s, 0] * inner**k for k in range(4)) == pytest.approx(
            sum(getattr(whole, f"c{k}")[s, 0] * d**k for k in range(4)), rel=1e-14
        )


def test_other_instants_are_checked_and_nothing_else_changes():
    times = [0.0, 0.5, 3.0]
    other = GOOD.at(times)
    assert other.times.tolist() == times
    assert other.rows == replace(GOOD, times=times).rows
    assert other.x0 is GOOD.x0
    assert GOOD.times.tolist() == [0.0, 4.0]
    for wrong, text in (([1.0, 0.5], "must not decrease"), ([0.0, 5.0], "times reach"), ([np.nan], "not finite")):
        with pytest.raises(SolveError, match=text):
            GOOD.at(wrong)
