"""Settings of a run: one table of names, types, defaults and meanings.

`simulate`, `prepare` and `sweep` take these settings, their help lists them, and the command line makes its options of
them. The table knows no mechanism and no integrator.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypedDict, TypeVar, cast

from cardan.errors import nearest

Motors = Literal["full", "simplified", "none"]
Method = Literal["auto", "tsit5", "dop853", "rodas5p", "rk4", "semi_implicit_euler", "linearly_implicit_euler"]
Stabilization = Literal["projection", "baumgarte", "none"]


class Settings(TypedDict, total=False):
    """Settings of a run by name, all optional.

    Parameters
    ----------
    parameters : mapping, optional
        Other values of parameters: numbers in SI units, or text with a unit.
    inputs : mapping, optional
        Signals by motor in place of the model's: a number, text with a unit, an expression, a `Table` or its keys, or a
        Python function that is called at multiples of a period: `{"every": "10 ms", "of": ["swing"], "value": f}`.
    initial : mapping, optional
        Initial values in place of the model's, for `swing`, `swing.v`, `drive.current` or a state `e`; otherwise zero.
        A spherical or free joint `ball` takes an attitude, such as `{"rpy": [0, 0, "30 deg"]}`, as in a model file.
    motors : "full", "simplified" or "none", optional
        How motors are modelled. By default full if the model has motors, else none. "full": inputs are voltages and
        currents are states; "simplified": inputs are voltages and L di/dt = 0; "none": inputs are efforts on joints.
    motions : mapping, optional
        Prescribed motions by name, in place of the model's or beside them, as in a model file; None removes one.
    events : mapping, optional
        Events by name, in place of the model's or beside them: `{"landed": {"when": "load.z", "do": "stop"}}`; None
        removes one.
    given : mapping, optional
        Given parts of the reactions of constraints, by name: Python functions as of `inputs`, which return the three
        components [N] in the axes of `frame` (docs/non_ideal_constraints.md).
    trust : bool
        Whether programs that the model names, functional mock-up units, may run: they can do whatever you can.
    times : array_like (N,), optional
        Instants of the result [s], exactly these, `[0.0]` for the initial state alone. By default 1001 evenly spaced
        ones and up to 20 000 ends of steps between them, so that short events are not missed.
    method : "auto", "tsit5", "dop853", "rodas5p", "rk4", "semi_implicit_euler" or "linearly_implicit_euler"
        The integrator; the last three need `step`. "auto" takes the cheapest of the next three, and can change it along
        the run (docs/work_precision.md compares them). "linearly_implicit_euler" is for contacts that are stiff against
        the step (docs/contacts.md).
    rtol : float
        Relative tolerance of a step.
    atol : float, optional
        Absolute tolerance, in the SI unit of each state. By default `rtol`/100, less for small states: in proportion
        while no position or velocity has reached 1, and likewise for all other states together. Give it where small
        and large motions stand in one model.
    step : float or str, optional
        Step of the fixed-step methods. A number in seconds or text with a unit.
    max_step : float or str, optional
        Longest step of the other methods. A number in seconds or text with a unit.
    stabilization : "projection", "baumgarte" or "none"
        What keeps loops closed. "projection" corrects positions and velocities after each step, "baumgarte" solves
        Φ̈ + 2α Φ̇ + β² Φ = 0 in place of Φ̈ = 0, "none" solves Φ̈ = 0 alone and does not normalise quaternions either;
        it keeps a start that does not meet the relation of a program, so that its drift shows.
    alpha : float, optional
        Baumgarte's gain of velocities, 1/s. By default 20, or 1/`step` if less. Only with stabilization="baumgarte".
    beta : float, optional
        Baumgarte's gain of positions, 1/s. By default 20, or 1/`step` if less. Only with stabilization="baumgarte".
    embed : bool
        Integrate few coordinates where all others are linear in them, as in parallelograms. Loops then stay closed
        exactly. Only with stabilization="projection".
    """

    parameters: Mapping[str, Any] | None
    inputs: Mapping[str, Any] | None
    initial: Mapping[str, Any] | None
    motors: Motors | None
    motions: Mapping[str, Any] | None
    events: Mapping[str, Any] | None
    given: Mapping[str, Any] | None
    trust: bool
    times: Any
    method: Method
    rtol: float
    atol: float | None
    step: float | str | None
    max_step: float | str | None
    stabilization: Stabilization
    alpha: float | None
    beta: float | None
    embed: bool


_CHOSEN = {"trust": False, "method": "auto", "rtol": 1e-8, "stabilization": "projection", "embed": True}
DEFAULTS = cast("Settings", dict.fromkeys(Settings.__annotations__) | _CHOSEN)
"""Values of the settings that a call omits."""

_ENTRY = re.compile(r"^(\w+(?:, \w+)*) : .*\n(?: {4}.*\n)+", re.MULTILINE)
MEANINGS: Mapping[str, str] = {
    found[1]: found[0] for found in _ENTRY.finditer(inspect.cleandoc(Settings.__doc__ or ""))
}
"""Entry of each setting in a docstring."""

_Function = TypeVar("_Function", bound=Callable[..., Any])


def with_settings(function: _Function) -> _Function:
    """The function, with the settings in place of `**settings` in its signature and its docstring.

    Settings that the docstring has entries for itself keep these.
    """
    own = inspect.signature(function)
    taken = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind.__forward_arg__)
        for (name, kind), default in zip(Settings.__annotations__.items(), DEFAULTS.values(), strict=True)
    ]
    vars(function)["__signature__"] = own.replace(parameters=[*[*own.parameters.values()][:-1], *taken])
    text = inspect.cleandoc(function.__doc__ or "")
    told = {name for entry in _ENTRY.finditer(text) for name in entry[1].split(", ")}
    rest = "".join(entry for name, entry in MEANINGS.items() if name not in told)
    function.__doc__ = text.replace("**settings : as of `Settings`\n", rest)
    return function


def check_names(function: Callable[..., Any], settings: Settings) -> None:
    """Refuse a setting that the function does not take."""
    for name in settings.keys() - DEFAULTS.keys():
        fault = f"{function.__name__}() got an unexpected keyword argument {name!r}"
        raise TypeError(f"{fault}; {nearest(name, inspect.signature(function).parameters, most=None)}")
