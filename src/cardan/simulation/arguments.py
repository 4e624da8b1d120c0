"""The arguments of a call as one record, before they are read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Unpack

import numpy as np

from cardan.errors import Issue, ModelError, nearest
from cardan.frozen import dataclass, replace
from cardan.kinematics.build import MotorModel
from cardan.model.checks.arguments import check_named
from cardan.model.events import read_event
from cardan.model.graphs import BondGraph
from cardan.model.initial import updated, with_equilibrium
from cardan.model.model import Model, check_model, with_graph
from cardan.model.names import carrying
from cardan.model.quantities.lets import reached
from cardan.model.records.plain import plain
from cardan.model.records.record import Record
from cardan.model.sampled.functions import SampledFunction
from cardan.model.signal import inline
from cardan.settings import DEFAULTS, Settings, check_names
from cardan.simulation.inputs import read_inputs
from cardan.simulation.motions.given import with_motions
from cardan.system.system import motor_model


@dataclass(frozen=True, eq=False)
class Arguments:
    """The arguments of a call."""

    model: Model  # the mechanism, with the motions and events of the call
    until: float | str | None  # end of the run [s]
    motors: MotorModel  # how motors are modelled
    settings: Settings  # all the others by name, motors, motions and events apart
    all_prescribed: bool = False  # whether motions must prescribe every freedom: in kineto-statics

    def __post_init__(self) -> None:
        settings: Settings = {**DEFAULTS, **self.settings}
        for name in ("inputs", "initial", "parameters"):
            check_named(name, settings[name])
        settings["initial"] = with_equilibrium(settings["initial"] or {})
        if settings["times"] is not None:
            settings["times"] = _instants(settings["times"])
        object.__setattr__(self, "settings", settings)

    @staticmethod
    def of(
        function: Callable[..., Any], model: Model | BondGraph, until: float | str | None, settings: Settings
    ) -> Arguments:
        """The arguments of a call of a function."""
        check_names(function, settings)
        whole = with_graph(model)
        check_model(whole)
        motors = motor_model(whole, settings.pop("motors", None))
        moved = with_motions(whole, settings.pop("motions", None))
        whole = with_events(moved, settings.pop("events", None))
        whole = without_notes(whole, whole.motors) if motors == "none" else whole
        return Arguments(whole, until, motors, settings)

    def unnoted(self) -> Arguments:
        """These arguments without events that are only noted, for calls that return no events."""
        return replace(self, model=without_notes(self.model))

    def updated(self, **settings: Unpack[Settings]) -> Arguments:
        """These arguments with other settings."""
        return replace(self, settings={**self.settings, **settings})

    def changed(
        self,
        initial: Mapping[str, Any] | None,
        parameters: Mapping[str, Any] | None,
        inputs: Mapping[str, Any] | None,
        times: Any,
    ) -> Arguments:
        """These arguments with some values by name replaced, and other instants."""
        old = self.settings
        return self.updated(
            initial=self._started(initial),
            parameters=_merged("parameters", old["parameters"], parameters),
            inputs=_merged("inputs", old["inputs"], inputs),
            times=old["times"] if times is None else times,
        )

    def _started(self, initial: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """The setting `initial` with new values in place of those of the same coordinates."""
        check_named("initial", initial)
        old = self.settings["initial"]
        return updated(old or {}, initial, carrying(self.model)) if initial else old

    def plain(self, name: str) -> dict[str, Any]:
        """One of the mappings in the form of a model file, tables with their samples; empty if the call omits it."""
        given = dict[str, Any](self.settings)[name]
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


def with_events(model: Model, events: Mapping[str, Any] | None) -> Model:
    """The model with further events; one of the same name replaces the model's, and None removes it."""
    check_named("events", events)
    if not events:
        return model
    together = dict(model.events)
    for name, event in events.items():
        known = together.pop(name, None)
        if event is None:
            if known is None:
                raise ModelError(Issue("there is no event to remove", nearest(name, model.events), ("events", name)))
            continue
        try:
            together[name] = read_event(event)
        except ModelError as error:
            raise error.under("events", name) from None
    return model.replace(events=together)


def without_notes(model: Model, motors: Collection[str] | None = None) -> Model:
    """The model without the events that are only noted, all of them or those about results of some motors."""
    notes = {name: event for name, event in model.events.items() if event.is_note}
    if motors is not None:
        known = {**model.outputs, **model.let}
        of = {name: {x.partition(".")[0] for x in reached(event.when.names, known)} for name, event in notes.items()}
        notes = {name: event for name, event in notes.items() if not of[name].isdisjoint(motors)}
    kept = {name: event for name, event in model.events.items() if name not in notes}
    return model.replace(events=kept) if notes else model
