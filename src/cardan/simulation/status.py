"""How a run ended: a status, where and when it happened, and what to try.

A run that fails raises nothing; the part computed before the failure is returned with its status.
"""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Status"]


class Status(IntEnum):
    """Outcome of an integration. The numbers are what the kernels return."""

    RUNNING = 0  # the kernel has used its budget of steps; never the status of a result
    COMPLETED = 1
    INTERRUPTED = 2
    STEP_TOO_SMALL = 3
    NON_FINITE = 4
    TOO_MANY_STEPS = 5
    CONSTRAINTS_LOST = 6
    SINGULAR = 7
    STIFF = 8  # the kernel hands over to a stiff method; never the status of a result

    @property
    def ok(self) -> bool:
        """True if the run reached its end."""
        return self is Status.COMPLETED

    @property
    def advice(self) -> str:
        """What happened and what to try, without time and place."""
        return _ADVICE[self]

    def describe(self, t: float, state: str | None = None, cause: str = "") -> str:
        """Return one sentence on when and where the run ended, followed by the advice.

        Parameters
        ----------
        t : float
            Time reached [s].
        state : str, optional
            Name of the state that decided it.
        cause : str, optional
            What is known of it, with its own advice; takes the place of the general one.

        Examples
        --------
        >>> Status.COMPLETED.describe(5.0)
        'completed at t = 5 s'
        """
        where = f", decided by {state}" if state is not None and not self.ok else ""
        head = f"{self.name.lower().replace('_', ' ')} at t = {t:.9g} s{where}"
        return f"{head}: {cause or self.advice}" if cause or self.advice else head


_ADVICE = {
    Status.RUNNING: "",
    Status.COMPLETED: "",
    Status.INTERRUPTED: "stopped on request; the results up to this instant are complete",
    Status.STEP_TOO_SMALL: (
        "no step is small enough for the tolerances; look for a stop, a jump or a singular position there, "
        'loosen rtol and atol, or try method="rodas5p"'
    ),
    Status.NON_FINITE: (
        "the accelerations are not finite there; look for a division by zero, a singular position, "
        "a zero distance between two markers, or a motion that grows without bound"
    ),
    Status.TOO_MANY_STEPS: (
        'the steps are too many or too short for the end; try method="rodas5p" if the problem is stiff, a shorter run '
        "or looser tolerances; where a force jumps with the motion, as dry friction does, round it off"
    ),
    Status.CONSTRAINTS_LOST: (
        "the state cannot be brought back onto the constraints; look for a singular position or a loop that comes "
        "apart, or take smaller steps (max_step or step)"
    ),
    Status.SINGULAR: (
        'the linear system of the stiff method has no solution at any step size; try method="dop853", '
        "and look for infinite derivatives there"
    ),
    Status.STIFF: "",
}
