"""A trajectory of a block that goes on by itself from the last step that the whole block has taken.

Nothing that a block has done counts as an event: a block ends before the step in which one of its trajectories meets
one. So it leaves no more behind than any run does at the end of a step.
"""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import NDArray

from cardan.integration.loop.run_memory import RunMemory
from cardan.integration.problem import Problem

NUMBERS = (
    *("t", "h", "h_free", "error_old", "started", "segment", "requested", "outputs", "logged"),
    *("steps", "rejected", "evaluations", "jacobians", "part", "substep", "substeps"),
    *("jumped", "t_jump", "nearness", "nearness_new"),
)
"""Fields of a `RunRecord` that a trajectory takes over; the others belong to the step that the block has given up."""


class BlockLane(NamedTuple):
    """One trajectory of a block."""

    memory: RunMemory  # of the block
    width: int  # trajectories of the block
    lane: int  # number of this one


def go_on(begun: BlockLane, memory: RunMemory, problem: Problem) -> None:
    """Write what a block has reached in one lane into the memory of a run, which then goes on from there.

    Quadratures that the block has left out are NaN.
    """
    wide, n, record = begun.memory, problem.n, memory.record
    for name in NUMBERS:
        record[name] = wide.record[name]
    state = _of_lane(begun, wide.x)
    memory.x[:n], memory.x[n:] = state[:n], _quadratures(state[n:])
    for name in ("side", "noise"):
        memory.array(name)[:] = _of_lane(begun, wide.array(name))
    memory.array("atol")[:n] = _of_lane(begun, wide.array("atol"))[:n]
    rows, logged = record["outputs"], record["logged"]
    memory.T[:rows], memory.X[:rows] = wide.T[:rows], _of_lane(begun, wide.X[:rows])
    memory.W[:rows] = _quadratures(_of_lane(begun, wide.W[:rows]))
    for name in ("log_t", "log_nearness"):
        memory.array(name)[:logged] = wide.array(name)[:logged]
    states, log = _of_lane(begun, wide.array("log_x")[:logged]), memory.array("log_x")[:logged]
    log[:, :n], log[:, n:] = states[:, :n], _quadratures(states[:, n:])
    memory.array("modes")[:rows] = memory.array("log_modes")[:logged] = memory.mode
    record["rows_with_mode"], record["logged_with_mode"] = rows, logged


def _of_lane(begun: BlockLane, array: NDArray) -> NDArray:
    """The entries (…, size) of one lane of (…, size × width)."""
    return array[..., begun.lane :: begun.width]


def _quadratures(w: NDArray) -> NDArray | float:
    """Quadratures (…, nw), NaN if a block has left them out."""
    return w if w.shape[-1] else float("nan")
