"""The result of an integration: states at the instants, outcome, log of steps, cost."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardan.integration.events import EventLog
from cardan.integration.outcome import Outcome

Array = NDArray[np.float64]


class Statistics(NamedTuple):
    """The cost of a run."""

    steps: int  # accepted
    rejected: int  # tried and not accepted
    evaluations: int  # evaluations of the right-hand side
    jacobians: int  # evaluations of the Jacobian
    stiff: bool  # the explicit method found the problem stiff
    wall: float  # time of the steps [s]
    preparation: float  # rest of the time inside `integrate`: compiling or reading the kernel, checks, copies [s]


class Log(NamedTuple):
    """Ends of steps, kept beside the requested instants; empty if the problem keeps none."""

    t: Array  # (K,) instants, the first one included [s]
    x: Array  # (K, n) states
    w: Array  # (K, nw) quadratures
    nearness: Array  # (K,) distances from a singular position, as `project` of the problem returns them; 0 without it
    jump: float  # start of the first step whose projection turned the velocities; NaN: none did [s]
    modes: Array = np.zeros((0, 0))  # (K, nm) modes


class Solution(NamedTuple):
    """The motion that was computed, complete or up to a failure."""

    t: Array  # (N,) instants reached: the requested ones and, with a finite `gap`, ends of steps [s]
    x: Array  # (N, n) state
    w: Array  # (N, nw) quadratures
    outcome: Outcome  # how it ended
    t_end: float  # time reached [s]
    x_end: Array  # (n,) state at t_end
    w_end: Array  # (nw,) quadratures at t_end
    worst: int | None  # state with the largest error at a failure
    log: Log  # log of the ends of steps
    method: str  # method that took the last step
    statistics: Statistics  # what it has cost
    modes: Array = np.zeros((0, 0))  # (N, nm) modes at the instants
    events: EventLog = EventLog(np.zeros(0), np.zeros((0, 0), bool), np.zeros((0, 0)), np.zeros((0, 0)))
    accumulation: float = np.nan  # instant at which events accumulate, with Outcome.ZENO [s]
    crossing: int | None = None  # number of the crossing function whose event ended the run as Outcome.CHATTERING
