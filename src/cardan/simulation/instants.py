"""The end of a run and the instants of its result, read from the arguments of the call."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cardan.errors import Issue, ModelError
from cardan.model.checks.arguments import check_unit, number
from cardan.model.model import Model
from cardan.model.quantities.scalar import Scalar

__all__ = ["INSTANT", "read_instants"]

INSTANT = 1.0  # span of the inputs of a run that is the instant t = 0 alone; nothing is integrated over it [s]
INSTANTS = 1001  # number of instants in the result if the call lists none; gives a smooth line on a page


def read_instants(
    model: Model, until: float | str | None, times: np.ndarray | None, values: Mapping[str, float]
) -> tuple[np.ndarray, float]:
    """Instants of the result (N,) [s] and the end of the run [s]; 0 if it is the initial state alone.

    Parameters
    ----------
    model : gives the end if the call does not.
    until : the end as the call gives it.
    times : the instants listed by the call [s].
    values : value of each parameter by name.

    Raises
    ------
    ModelError
        There is no end, or it is not after the start; the instants are not in order and within the run.
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
        return np.linspace(0, end, INSTANTS), end
    if not times[-1] <= end:
        raise ModelError(f"times= go on after the end of the run, {end:g} s", "give a later until=")
    return times, end
