"""The end of a run and the instants of its result, read from the arguments of the call."""

from collections.abc import Mapping

import numpy as np

from cardan.errors import Issue, ModelError
from cardan.model.checks.arguments import check_unit, number
from cardan.model.model import Model
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.distinct import distinct
from cardan.numerics.round_off import GAP

INSTANT = 1.0  # span of the inputs of a run that is the instant t = 0 alone; nothing is integrated over it [s]
INSTANTS = 1001  # number of instants in the result if the call lists none; gives a smooth line on a page
FINEST = 20_000  # largest number of ends of steps that a run returns or logs in addition, and of sides of jumps


def read_instants(
    model: Model, until: float | str | None, times: np.ndarray | None, values: Mapping[str, float]
) -> tuple[np.ndarray, float]:
    """Instants that the call lists (N,) [s], none if it lists none, and the end of the run [s].

    The end is 0 if the run is the initial state alone.
    """
    if times is not None and not (times.size and np.isfinite(times).all() and (np.diff(times) >= 0).all()):
        raise ModelError("times= must be finite and in order, and at least one", "give instants such as 0, 0.5, 2")
    if times is not None and times[0] < 0:
        raise ModelError(f"times= begin at {times[0]:g} s", "a run begins at t = 0; give instants from there on")
    end = None if times is None else float(times[-1])
    path = ("until",) if until is not None else ("simulate", "until")
    stated = until if until is not None else model.simulate.until if end is None else None
    if stated is not None:
        scalar = Scalar.read(stated)
        check_unit(scalar, "s", model.parameters, path)
        end = number(scalar, values, path)
    if times is not None and times.size and until is None and not times.any():  # the initial state alone
        return times, 0.0
    if end is None or not (np.isfinite(end) and end > 0):
        shown = "no end is given" if end is None else f"the run would end at t = {end:g} s"
        raise ModelError(Issue(shown, "give until=, a time greater than 0", path))
    if times is None:
        return np.zeros(0), end
    if not times[-1] <= end:
        raise ModelError(f"times= go on after the end of the run, {end:g} s", "give a later until=")
    return times, end


def evenly(end: float) -> np.ndarray:
    """Evenly spaced instants (N,) up to the `end` of a run [s]; one if that is 0."""
    return np.linspace(0, end, INSTANTS) if end else np.zeros(1)


def whole_motion(end: float, jumps: np.ndarray) -> np.ndarray:
    """Instants (N,) of the result of a call that lists none [s]: evenly spaced ones, and both sides of every jump."""
    even, aside = evenly(end), GAP * np.spacing(jumps)
    sides = np.concatenate([jumps - aside, jumps + aside])
    if not (end and 0 < sides.size <= FINEST):  # of more jumps the ends of steps show one side
        return even
    return distinct(np.concatenate([even, sides[(sides > 0) & (sides < end)]]))
