"""Settings of the integration, read from the arguments: method, tolerances, steps and stabilization of loops."""

from collections.abc import Mapping
from functools import partial
from math import inf
from numbers import Real
from typing import Any, get_args

from cardan.errors import ModelError, nearest, warn
from cardan.frozen import dataclass
from cardan.integration import METHODS, MOST_STEPS
from cardan.model.checks.arguments import check_unit, number
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.round_off import absolute_tolerance
from cardan.settings import DEFAULTS, Settings, Stabilization

AUTO = "auto"  # stands for the method that the integrator chooses
GAIN = 20.0  # default of Baumgarte's α and β [1/s]: a constraint error decays in 1/20 s
DECAY = 1.0  # largest product α·step [-] for which every fixed-step method resolves the decay of a constraint error


@dataclass(frozen=True)
class IntegrationSettings:
    """How a run is integrated."""

    method: str  # "auto" or a key of `METHODS`
    rtol: float  # relative tolerance of a step [-]
    atol: float  # absolute tolerance of a step, of states that have reached 1 [SI unit of each state]
    follows: bool  # whether it was not given: states that stay below 1 then get less
    step: float | None  # step of a fixed-step method; None for methods with step control [s]
    max_step: float  # longest step of a method with step control, infinite if there is no bound [s]
    stabilization: Stabilization  # what keeps loops closed
    alpha: float | None  # Baumgarte's α; None for the other stabilizations [1/s]
    beta: float | None  # Baumgarte's β; None for the other stabilizations [1/s]
    embed: bool  # whether to integrate independent coordinates alone where the others are linear in them

    def plain(self) -> dict[str, Any]:
        """The settings as arguments of `simulate`, in plain values for files of runs; some defaults are left out."""
        plain = vars(self) | {"max_step": self.max_step if self.max_step < inf else None}
        if plain.pop("follows"):
            plain["atol"] = None
        if self.embed:
            del plain["embed"]
        if self.alpha is None:
            del plain["alpha"], plain["beta"]
        return plain


def read_settings(
    given: Settings, *, end: float, parameters: Mapping[str, Scalar], values: Mapping[str, float]
) -> IntegrationSettings:
    """The settings of the integration, from those of a call."""
    _check_stabilization(given)
    method, step = given["method"], given["step"]
    if method not in (AUTO, *METHODS):
        raise ModelError(f"method={method!r} is not possible", nearest(str(method), (AUTO, *METHODS)))
    rtol, follows = _tolerance("rtol", given["rtol"]), given["atol"] is None
    atol = absolute_tolerance(rtol) if follows else _tolerance("atol", given["atol"])
    bounded = given["max_step"] is not None and given["max_step"] != inf
    _check_steps(method, step is not None, bounded)
    tolerances = [name for name, chosen in (("rtol", rtol != DEFAULTS["rtol"]), ("atol", not follows)) if chosen]
    if step is not None and tolerances:
        warn(f"{method} takes fixed steps, whose error does not follow {' and '.join(tolerances)}; only step= decides")
    time = partial(_time, end=end, parameters=parameters, values=values)
    seconds = None if step is None else time("step", step)
    alpha, beta = _gains(given, seconds)
    return IntegrationSettings(
        method=method,
        rtol=rtol,
        atol=atol,
        follows=follows,
        step=seconds,
        max_step=time("max_step", given["max_step"]) if bounded else inf,
        stabilization=given["stabilization"],
        alpha=alpha,
        beta=beta,
        embed=given["embed"],
    )


def _check_steps(method: str, given: bool, bounded: bool) -> None:
    """Refuse a fixed-step method without `step` or with `max_step`, and `step` for a method with step control."""
    fixed = method != AUTO and METHODS[method].fixed_step
    if fixed and not given:
        raise ModelError(
            f"the method {method!r} takes fixed steps, and none is given", 'give step="1 ms" or another one'
        )
    if fixed and bounded:
        raise ModelError(f"the method {method!r} takes fixed steps, so max_step has no effect", "leave max_step out")
    if given and not fixed:
        choices = " or ".join(f'"{name}"' for name, info in METHODS.items() if info.fixed_step)
        cure = f"leave step= out, bound the steps with max_step, or choose method={choices}"
        raise ModelError(f"the method {method!r} chooses its steps itself, but a step is given", cure)


def _check_stabilization(given: Settings) -> None:
    name = given["stabilization"]
    if name not in get_args(Stabilization):
        choices = ", ".join(f'"{choice}"' for choice in get_args(Stabilization))
        raise ModelError(f"stabilization={name!r} is not possible", f"write one of {choices}")
    embed = given["embed"]
    if not isinstance(embed, bool):
        raise ModelError(f"embed={f'{embed!r:.60}'} is not possible", "write True or False")
    for gain, x in (("alpha", given["alpha"]), ("beta", given["beta"])):
        if x is None:
            continue
        if name != "baumgarte":
            fault = f"{gain}= is a gain of Baumgarte's stabilization, which stabilization={name!r} does not use"
            raise ModelError(fault, f'leave {gain}= out, or choose stabilization="baumgarte"')
        if not isinstance(x, Real) or isinstance(x, bool) or not 0 <= float(x) < inf:
            raise ModelError(f"{gain}={f'{x!r:.60}'} is not possible", "give a number from 0 on [1/s], such as 20")
        if not float(x) * float(x) < inf:
            raise ModelError(
                f"{gain}={f'{x!r:.60}'} is too large to be squared", "give a smaller one [1/s], such as 20"
            )


def _gains(given: Settings, step: float | None) -> tuple[float | None, float | None]:
    """Baumgarte's α and β [1/s]: as given, else 20/s or 1/step if that is less; None for other stabilizations."""
    if given["stabilization"] != "baumgarte":
        return None, None
    usual = GAIN if step is None else min(GAIN, DECAY / step)
    alpha, beta = (usual if x is None else float(x) for x in (given["alpha"], given["beta"]))
    return alpha, beta


def _tolerance(name: str, given: Any) -> float:
    most = 1 if name == "rtol" else inf  # a relative error of 1 says nothing
    if not isinstance(given, Real) or isinstance(given, bool) or not 0 < float(given) < most:
        what = "a positive number below 1" if name == "rtol" else "a positive number"
        raise ModelError(f"{name}={f'{given!r:.60}'} is not possible", f"give {what}, such as 1e-8")
    return float(given)


def _time(name: str, given: Any, end: float, parameters: Mapping[str, Scalar], values: Mapping[str, float]) -> float:
    """A positive time [s], `given` as a number or as text with a unit."""
    try:
        scalar = Scalar.read(given)
    except ModelError as error:
        raise error.under(name) from None
    check_unit(scalar, "s", parameters, (name,))
    seconds = number(scalar, values, (name,))
    if not 0 < seconds < inf:
        raise ModelError(f"{name}={f'{given!r:.60}'} is not possible", 'give a positive time, such as "1 ms"')
    if seconds * MOST_STEPS < end:
        fault = f"{name}={f'{given!r:.60}'} makes more than {MOST_STEPS:.0e} steps in a run of {end:g} s"
        raise ModelError(fault, "give a longer one")
    return seconds
