"""How a run ended: a status that is its own text, where and when it happened, and what to try.

A run that fails raises no error; the part computed before the failure is returned with its status.
"""

from enum import StrEnum, auto

ENDINGS = "t_end", "status", "message"
"""Variables of every sweep, which say how its runs have ended."""


class Status(StrEnum):
    """Outcome of a run; equal to its text, so that `run.status == "completed"` holds."""

    COMPLETED = auto()
    INTERRUPTED = auto()
    STEP_TOO_SMALL = auto()
    NON_FINITE = auto()
    TOO_MANY_STEPS = auto()
    CONSTRAINTS_LOST = auto()
    BRANCH_LOST = auto()
    DEAD_END = auto()
    DRIVE_LOST = auto()
    FRICTION_INDETERMINATE = auto()
    OUTSIDE_TABLE = auto()
    LOCKED = auto()
    SINGULAR = auto()
    NOT_ASSEMBLED = auto()
    UNREACHABLE = auto()
    STOPPED = auto()
    CHATTERING = auto()
    ZENO = auto()
    TOO_MANY_EVENTS = auto()
    TIMED_OUT = auto()
    FAILED = auto()

    @property
    def ok(self) -> bool:
        """Whether the run reached its end, or an event that stops it."""
        return self in (Status.COMPLETED, Status.STOPPED)

    @property
    def advice(self) -> str:
        """What happened and what to try, without time and place."""
        return _ADVICE[self]

    def describe(self, t: float, state: str | None = None, cause: str = "") -> str:
        """Return one sentence on when and where the run ended, followed by the advice.

        Examples
        --------
        >>> Status.COMPLETED.describe(5.0)
        'completed at t = 5 s'
        """
        where = f", decided by {state}" if state is not None and not self.ok else ""
        head = f"{self.value.replace('_', ' ')} at t = {t:.9g} s{where}"
        return f"{head}: {cause or self.advice}" if cause or self.advice else head


_ADVICE = {
    Status.COMPLETED: "",
    Status.STOPPED: "",
    Status.CHATTERING: (
        "a condition of the motion switches back and forth there without progress of time, as dry friction written "
        "with sign does at rest, or an integrator that an if stops at a limit; round it off, such as tanh(v/v0), give "
        "it a hysteresis, or feed back to the integrator what the limit cuts off"
    ),
    Status.ZENO: (
        "events follow each other in intervals that shrink geometrically, as the bounces of a ball do; the results up "
        "to this instant are complete; end the run before, or let the motion rest there"
    ),
    Status.TOO_MANY_EVENTS: (
        "a run keeps 20 000 events; end it before, or give an event that fires again and again a hysteresis, a "
        "direction, or do: stop"
    ),
    Status.TIMED_OUT: "the run took longer than run_limit=; give it more time, or look for what makes its steps short",
    Status.FAILED: (
        "computing the run raised an error or ended its process, on several workers; simulate the model with these "
        "values to see why"
    ),
    Status.INTERRUPTED: "stopped on request; the results up to this instant are complete",
    Status.STEP_TOO_SMALL: (
        "no step is small enough for the tolerances; look for a stop, a jump or a singular position there; if rtol is "
        "above 1e-4 take a smaller one, since fast vibrations, such as those of rods without damping, grow in loose "
        'tolerances, else a larger one; or try method="rodas5p"'
    ),
    Status.NON_FINITE: (
        "the accelerations are not finite there; look for a division by zero, a singular position, such as two axes in "
        "line with no inertia between them, a zero distance between two markers, a motion that "
        "grows without bound, or fixed steps that are too long for a stiff contact or spring"
    ),
    Status.TOO_MANY_STEPS: (
        'the steps are too many or too short for the end; try method="rodas5p" if the problem is stiff, a shorter run '
        "or looser tolerances; where a force jumps with the motion, as dry friction does, round it off"
    ),
    Status.CONSTRAINTS_LOST: (
        "the state cannot be brought back onto the constraints, or has drifted away from them; look for a loop that "
        'comes apart, take smaller steps (max_step= or step=) or tighter tolerances, or stabilization="projection"'
    ),
    Status.BRANCH_LOST: (
        "the errors of the run, such as the drift of its loops, are too large to separate its branch of motion from "
        'others that are near or meet it there; take stabilization="projection", smaller steps (max_step= or step=) or '
        "tighter tolerances"
    ),
    Status.DEAD_END: (
        "the loops cannot follow any further what motions, programs and equations prescribe, and no position nearby "
        "closes them; prescribe less, change a length, or end the run before"
    ),
    Status.DRIVE_LOST: (
        "the drives cannot keep their motion any further; name another joint in by:, choose another realize:, or end "
        "the run before"
    ),
    Status.OUTSIDE_TABLE: "the motion leaves a table of measurements, beyond which nothing is known",
    Status.FRICTION_INDETERMINATE: (
        "friction there is so large that it changes its own load by more than this load (Painlevé's paradox): rigid "
        "bodies have several motions or none; or drives of other joints reverse the effect of friction on its joint; "
        "or a given part grows too steeply with the ideal part for Newton's method; lower the coefficient (of a gear: "
        "raise its reverse efficiency, or the inertia in front of it), lengthen the guide, let something be elastic, "
        "or drive it by other joints"
    ),
    Status.LOCKED: (
        "the position is singular and no motion leads on from it with the velocity that it is reached with; "
        "change a length, or end the run before"
    ),
    Status.SINGULAR: (
        'the linear system of the stiff method has no solution at any step size; try method="dop853", '
        "and look for infinite derivatives there"
    ),
    Status.UNREACHABLE: (
        "no position nearby follows the motions and closes the loops any further; shorten the way, change a length, or "
        "start on another branch"
    ),
    Status.NOT_ASSEMBLED: (
        "no position closes the loops with these values, or a joint starts beyond its stop; assemble or simulate the "
        "model with them to see which, and its gap"
    ),
}
