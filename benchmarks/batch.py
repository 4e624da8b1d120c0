"""Many states at once: forward and inverse dynamics against Pinocchio's own batch functions, in one thread.

The peer is called with preallocated results and arrays in its own memory order; Cardan with ordinary (states, joints) arrays,
whose conversion to lanes and back is part of its time, as is the making of the result.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import cardan

from .mechanisms import arm, crooked_arm, states
from .peers import pinocchio_model, require
from .table import Goal, Result, Row
from .timing import Effort, in_turns

__all__ = ["TITLE", "assert_equal", "batches", "measure"]

TITLE = "A batch of states, per state"

ROUNDING = 1e-10
"""Largest difference over largest value: the condition of the mass matrices, up to 10⁵ for a heavy arm with a small hand, times 10³ ε for two
different orders of some thousand operations."""


def measure(effort: Effort) -> Result:
    """Time per state of a batch.

    Parameters
    ----------
    effort : Effort
        How many states and rounds.
    """
    require("pinocchio")
    goal = Goal(ratio=40)
    rows = [*_rows("7-joint arm", arm(), effort, goal), *_rows("arm with crooked axes", crooked_arm(), effort, Goal())]
    return Result(tuple(rows))


def batches(model: cardan.Model, count: int) -> dict[str, tuple[Callable[[], np.ndarray], str, Callable[[], np.ndarray]]]:
    """Calls of both sides that return (count, n) arrays: name: (ours, name of the peer's function, the peer's).

    Parameters
    ----------
    model : Model
        A tree of revolute joints.
    count : int
        Number of states.
    """
    import pinocchio as pin

    dyn, peer = cardan.compile(model), pinocchio_model(model)
    pool = pin.ModelPool(peer, 1)
    q, v, effort = states(peer.nq, count)
    columns = [np.asfortranarray(array.T) for array in (q, v, effort)]
    result = np.zeros((peer.nv, count), order="F")

    def aba() -> np.ndarray:
        pin.abaInParallel(1, pool, *columns, result)
        return result.T

    def rnea() -> np.ndarray:
        pin.rneaInParallel(1, pool, *columns, result)
        return result.T

    return {
        "forward dynamics": (lambda: dyn.forward_dynamics(q, v, effort, threads=1), "abaInParallel", aba),
        "inverse dynamics": (lambda: dyn.inverse_dynamics(q, v, effort, threads=1), "rneaInParallel", rnea),
    }


def assert_equal(ours: np.ndarray, theirs: np.ndarray) -> None:
    """Nothing, if two results are equal up to rounding.

    Parameters
    ----------
    ours, theirs : ndarray
        Results of the same shape.
    """
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=ROUNDING * np.abs(theirs).max())


def _rows(name: str, model: cardan.Model, effort: Effort, goal: Goal) -> list[Row]:
    rows = []
    for function, (ours, peer_name, theirs) in batches(model, effort.batch).items():
        assert_equal(ours(), theirs())
        times = in_turns([ours, theirs], effort.rounds)
        what = f"{function}, {name}, {effort.batch} states"
        rows.append(Row(what, times[0].per(effort.batch), peer_name, times[1].per(effort.batch), goal))
    return rows
