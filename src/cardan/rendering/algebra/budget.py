"""How long simplifying may go on: a time, or a number of steps where a result must not depend on the machine."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from cardan.frozen import dataclass


@dataclass(frozen=True)
class Budget:
    """A bound on the effort for one set of matrices; what it does not reach stays as derived."""

    seconds: float = math.inf  # processor time of the calling thread [s]
    steps: float = math.inf  # number of products of two terms: the same entries are simplified on every machine
    clock: Callable[[], float] = time.thread_time  # the time that has passed [s]

    def begun(self) -> Allowance:
        """What is left, counted from now."""
        return Allowance(self)


class Allowance:
    """What is left of a budget."""

    def __init__(self, budget: Budget) -> None:
        self._clock = budget.clock
        self._end = budget.clock() + budget.seconds
        self._steps = budget.steps

    def pays(self, steps: int, free: int = 0) -> bool:
        """Whether so many steps may be done, and subtracts them; `free` steps may be done at any time."""
        if steps > free and (steps > self._steps or self._clock() >= self._end):
            return False
        self._steps -= steps
        return True


BUDGET = 5.0
"""Default time for simplifying one set of matrices [s]."""
