"""Why a kernel has stopped, as the number that it returns."""

from __future__ import annotations

from enum import IntEnum

from cardan.results.status import Status

__all__ = ["Outcome"]


class Outcome(IntEnum):
    """What a kernel returns: that it is not done yet, or the `Status` of the result."""

    RUNNING = 0  # the budget of steps is used up
    COMPLETED = 1
    STEP_TOO_SMALL = 2
    NON_FINITE = 3
    CONSTRAINTS_LOST = 4
    BRANCH_LOST = 5
    SINGULAR = 6
    STIFF = 7  # the kernel hands over to a stiff method

    @property
    def status(self) -> Status:
        """The same as a result says it; there is none for RUNNING and STIFF."""
        return Status[self.name]
