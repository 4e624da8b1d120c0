"""The end of an integration: a number that a kernel returns, or the reason for which the driver ended it."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Outcome"]


class Outcome(IntEnum):
    """Why an integration stopped."""

    RUNNING = 0  # the budget of steps is used up
    COMPLETED = 1
    STEP_TOO_SMALL = 2
    NON_FINITE = 3
    CONSTRAINTS_LOST = 4
    BRANCH_LOST = 5
    SINGULAR = 6
    STIFF = 7  # the kernel hands over to a stiff method
    INTERRUPTED = 8  # by Ctrl-C
    TOO_MANY_STEPS = 9

    @property
    def ok(self) -> bool:
        """Whether the end was reached."""
        return self is Outcome.COMPLETED
