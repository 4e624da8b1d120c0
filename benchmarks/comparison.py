"""Two functions that should give the same numbers: check that they do, then time them in turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .table import Goal, Row
from .timing import in_turns

__all__ = ["ROUNDING", "Pair", "assert_equal", "compare"]

ROUNDING = 100 * np.finfo(float).eps
"""Error of a backward-stable result over its size and the condition of the problem: some thousand operations, whose
rounding mostly cancels. Measured here: up to 40 ε."""


@dataclass(frozen=True)
class Pair:
    """The same computation by Cardan and by a peer; both return arrays whose last axis is one result."""

    what: str
    ours: Callable[[], np.ndarray]
    peer_name: str  # the peer's function
    theirs: Callable[[], np.ndarray]
    condition: float  # how much the problem magnifies rounding


def compare(pair: Pair, rounds: int, *, states: int = 1, goal: Goal = Goal()) -> Row:  # noqa: B008 - a frozen record
    """Times of both sides per state, after they have given equal results.

    Parameters
    ----------
    pair : Pair
        What is compared.
    rounds : int
        Turns of each side.
    states : int
        States that one call computes.
    goal : Goal
        What Cardan should reach.

    Raises
    ------
    AssertionError
        The results differ by more than rounding.
    """
    assert_equal(pair.ours(), pair.theirs(), pair.condition)
    ours, theirs = (times.per(states) for times in in_turns([pair.ours, pair.theirs], rounds))
    return Row(pair.what, ours, pair.peer_name, theirs, goal)


def assert_equal(ours: np.ndarray, theirs: np.ndarray, condition: float) -> None:
    """Nothing, if results are equal up to rounding.

    Parameters
    ----------
    ours, theirs : ndarray (…, n)
        Results of n entries each; an error is measured by the largest of them.
    condition : float
        How much the problem magnifies rounding.

    Raises
    ------
    AssertionError
        They are not.
    """
    error = np.abs(ours - theirs).max(axis=-1) / np.abs(theirs).max(axis=-1)
    worst, allowed = np.max(error), ROUNDING * condition
    assert worst <= allowed, f"results differ by {worst:.1e} of their size; rounding explains {allowed:.1e}"
