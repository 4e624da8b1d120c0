"""The arguments of `simulate` and `prepare` as one record, before they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from cardan.errors import ModelError
from cardan.frozen import dataclass
from cardan.kinematics.build import MotorModel
from cardan.model.checks.arguments import check_named
from cardan.model.initial import updated
from cardan.model.model import Model
from cardan.model.names import carrying
from cardan.model.records.plain import plain
from cardan.model.records.record import Record
from cardan.model.signal import inline
from cardan.simulation.inputs import read_inputs
from cardan.simulation.sampled.functions import SampledFunction

__all__ = ["Arguments", "Stabilization"]

Stabilization = Literal["projection", "baumgarte", "none"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Arguments:
    """The arguments of a call; `simulate` documents each field."""

    model: Model  # the mechanism
    until: float | str | None = None  # end of the run [s]
    motors: MotorModel | None = None  # how motors are modelled
    inputs: Mapping[str, Any] | None = None  # signals by name of the input
    given: Mapping[str, Any] | None = None  # sampled functions of given parts of reactions by name of the constraint
    initial: Mapping[str, Any] | None = None  # initial values by name of the state
    parameters: Mapping[str, Any] | None = None  # values by name of the parameter
    times: Any = None  # instants to return [s]
    rtol: float = 1e-8  # relative tolerance of a step [-]
    atol: float | None = None  # absolute tolerance of a step [SI unit of each state]; None: it follows `rtol`
    method: str = "auto"  # integration method
    step: float | str | None = None  # fixed step [s]
    max_step: float | str | None = None  # longest step of a method with error control [s]
    stabilization: Stabilization = "projection"  # what keeps loops closed
    alpha: float | None = None  # Baumgarte's α [1/s]
    beta: float | None = None  # Baumgarte's β [1/s]
    embed: bool = True  # whether to integrate independent coordinates alone where the others are linear in them
    all_prescribed: bool = False  # whether motions must prescribe every freedom: in kineto-statics

    def __post_init__(self) -> None:
        for name in ("inputs", "initial", "parameters"):
            check_named(name, getattr(self, name))
        if self.times is not None:
            object.__setattr__(self, "times", _instants(self.times))

    def changed(
        self,
        initial: Mapping[str, Any] | None,
        parameters: Mapping[str, Any] | None,
        inputs: Mapping[str, Any] | None,
        times: Any,
    ) -> Arguments:
        """These arguments with some values replaced."""
        return replace(
            self,
            initial=self._started(initial),
            parameters=_merged("parameters", self.parameters, parameters),
            inputs=_merged("inputs", self.inputs, inputs),
            times=self.times if times is None else times,
        )

    def _started(self, initial: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """The argument `initial` with new values in place of those of the same coordinates."""
        check_named("initial", initial)
        return updated(self.initial or {}, initial, carrying(self.model)) if initial else self.initial

    def plain(self, name: str) -> dict[str, Any]:
        """One of the mappings in the form of a model file, tables with their samples; empty if the call omits it."""
        given = getattr(self, name)
        if not given:
            return {}
        if name == "inputs":
            signals = read_inputs(given).items()
            return {name: {key: x.plain() if isinstance(x, SampledFunction) else inline(x) for key, x in signals}}
        return {name: {key: plain(x) if isinstance(x, Record) else getattr(x, "source", x) for key, x in given.items()}}


def _merged(name: str, old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """The argument `name` with new values in place of old ones."""
    check_named(name, new)
    return {**(old or {}), **new} if new else old


def _instants(times: Any) -> np.ndarray:
    """The instants that the call lists, as an array (N,) [s] that nothing changes; such an array is not copied."""
    if isinstance(times, np.ndarray) and times.ndim == 1 and times.flags.owndata and not times.flags.writeable:
        return times.astype(float, copy=False)
    try:
        given = np.atleast_1d(np.array(times, dtype=float))
    except (TypeError, ValueError):
        raise ModelError(f"times={f'{times!r:.60}'} are not numbers", "give a list of instants in seconds") from None
    if given.ndim > 1:
        raise ModelError(f"times have shape {given.shape}", "give one list of instants")
    given.flags.writeable = False
    return given
