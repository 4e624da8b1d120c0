"""The end of an integration: a number that a kernel returns, or the reason for which the driver ended it."""

from __future__ import annotations

from enum import IntEnum


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
    STOPPED = 10  # by an event
    CHATTERING = 11  # events follow each other without progress of time
    ZENO = 12  # intervals between events shrink geometrically: they accumulate at one instant
    TOO_MANY_EVENTS = 13
    EVENT = 14  # a trajectory of a block meets an event: all of the block are continued alone
    TIMED_OUT = 15  # the steps have taken longer than the caller allows

    @property
    def ok(self) -> bool:
        """Whether the end was reached, or an event that stops."""
        return self in (Outcome.COMPLETED, Outcome.STOPPED)
