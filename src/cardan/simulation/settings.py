"""How a run is integrated, as the caller of `simulate` says it: method, tolerances and steps, judged in these words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import inf
from numbers import Real
from typing import Any

from cardan.errors import ModelError, nearest
from cardan.integration.device import EPSILON
from cardan.integration.methods import METHODS
from cardan.model.arguments import check_unit, number
from cardan.model.scalar import Scalar

__all__ = ["Settings", "read_settings"]

AUTO = "auto"  # not one method but a choice among them


@dataclass(frozen=True)
class Settings:
    """What the integrator is told."""

    method: str  # "auto" or a key of `METHODS`
    rtol: float  # relative tolerance of a step [-]
    atol: float  # absolute tolerance of a step [SI unit of each state]
    step: float | None  # of a fixed-step method; None for the others [s]
    max_step: float  # longest step of the others, infinite where there is no bound [s]

    @property
    def promised(self) -> float:
        """Relative accuracy of a step that is asked for; infinite where steps are fixed and no tolerance counts."""
        return self.rtol if self.step is None else inf

    def plain(self) -> dict[str, Any]:
        """The same as arguments of `simulate`, in values that every file can hold."""
        return vars(self) | {"max_step": self.max_step if self.max_step < inf else None}


def read_settings(
    *,
    method: Any,
    rtol: Any,
    atol: Any,
    step: Any,
    max_step: Any,
    end: float,
    parameters: Mapping[str, Scalar],
    values: Mapping[str, float],
) -> Settings:
    """Settings from the arguments of `simulate`.

    Parameters
    ----------
    method : name of a method.
    rtol, atol : tolerances.
    step, max_step : times as number or text with a unit; None where they are not given.
    end : of the run [s].
    parameters : their definitions, for the units of expressions.
    values : of the parameters.

    Raises
    ------
    ModelError
        The method is unknown, a tolerance or a step is no positive number, or a step does not go with the method.
    """
    if method not in (AUTO, *METHODS):
        raise ModelError(f"method={method!r} is not possible", nearest(str(method), (AUTO, *METHODS)))
    tolerances = {"rtol": _tolerance("rtol", rtol), "atol": _tolerance("atol", atol)}
    bounded = max_step is not None and max_step != inf
    fixed = method != AUTO and METHODS[method].fixed_step
    if fixed and step is None:
        raise ModelError(f"the method {method!r} takes fixed steps, and none is given", 'add a step, such as "1 ms"')
    if fixed and bounded:
        raise ModelError(f"the method {method!r} takes fixed steps, max_step has no part in it", "leave max_step out")
    if step is not None and not fixed:
        choices = " or ".join(f'"{name}"' for name, info in METHODS.items() if info.fixed_step)
        cure = f"leave step out, bound the steps with max_step, or choose method={choices}"
        raise ModelError(f"the method {method!r} chooses its steps itself, but a step is given", cure)
    time = partial(_time, end=end, parameters=parameters, values=values)
    return Settings(
        method,
        **tolerances,
        step=None if step is None else time("step", step),
        max_step=time("max_step", max_step) if bounded else inf,
    )


def _tolerance(name: str, given: Any) -> float:
    if not isinstance(given, Real) or isinstance(given, bool) or not 0 < float(given) < inf:
        raise ModelError(f"{name}={f'{given!r:.60}'} is not possible", "give a positive number, such as 1e-8")
    return float(given)


def _time(name: str, given: Any, end: float, parameters: Mapping[str, Scalar], values: Mapping[str, float]) -> float:
    """A positive time [s] that is `given` as number or text with a unit."""
    try:
        scalar = Scalar.read(given)
    except ModelError as error:
        raise error.under(name) from None
    check_unit(scalar, "s", parameters, (name,))
    seconds = number(scalar, values, (name,))
    if not 0 < seconds < inf:
        raise ModelError(f"{name}={f'{given!r:.60}'} is not possible", 'give a positive time, such as "1 ms"')
    if seconds < EPSILON * end:
        raise ModelError(f"{name}={f'{given!r:.60}'} is lost beside a run of {end:g} s", "give a longer one")
    return seconds
