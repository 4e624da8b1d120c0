"""The conditions of a run: mechanism, parameters, inputs over time and settings, without the initial state."""

from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np

from cardan.assembly.functions import AssemblyFunctions
from cardan.assembly.start import system_of
from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.kinematics.build import MotorModel
from cardan.model.model import Model
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.model_text import source_of
from cardan.model.sampled.delays import Delays
from cardan.model.sampled.functions import read_given
from cardan.model.sampled.held import hold
from cardan.numerics.round_off import ROUND_OFF
from cardan.simulation.arguments import Arguments
from cardan.simulation.call_values import check_hidden, check_units, notices, parameter_values, signals_of
from cardan.simulation.checks.effort_limits import EffortLimit, effort_limits
from cardan.simulation.hybrid.contacts.kinds import contact_words
from cardan.simulation.hybrid.contacts.turning import OPEN
from cardan.simulation.hybrid.event_functions import Plan
from cardan.simulation.instants import read_instants
from cardan.simulation.model_source import bare_mechanism
from cardan.simulation.programs import programs_of
from cardan.simulation.settings import IntegrationSettings, read_settings
from cardan.simulation.timed_expressions import moving_inputs, switchings
from cardan.system.blocks.circuits import check_inductances
from cardan.system.input_segments import Segments, Signal
from cardan.system.system import System


@dataclass(frozen=True, eq=False)
class Conditions:
    """Everything that determines a run except its initial state."""

    model: Model  # the mechanism
    motors: MotorModel  # how motors are modelled
    system: System  # the mechanism with its motors, before independent constraints are selected
    assembly: AssemblyFunctions  # functions that assemble the mechanism
    signals: Mapping[str, Signal]  # signal of each input by name, in the order of the inputs
    values: Mapping[str, float]  # value of each parameter by name
    p: np.ndarray  # values of the parameters (k,)
    segments: Segments  # the inputs over time
    times: np.ndarray | None  # instants listed by the call; None if it lists none [s]
    instants: np.ndarray  # instants that the result contains in any case [s]
    whole: np.ndarray  # those of a call that lists none: they show the whole motion, with both sides of jumps [s]
    end: float  # end of the run [s]
    settings: IntegrationSettings  # settings of the integration
    limits: tuple[EffortLimit, ...]  # effort limits of the joints
    plain: Mapping[str, Any]  # the call's arguments except initial values, in plain values for files of runs
    source: str  # the model as text that loads without other files
    notices: tuple[str, ...]  # texts of the warnings that every run gives
    plan: Plan  # what happens at events
    ticks: np.ndarray | None  # (S, r) samples at the starts of the segments
    delaying: frozenset[str]  # names of the parameters that lengths of delays follow

    @property
    def expressions(self) -> tuple[tuple[str, Scalar], ...]:
        """Names and expressions of the inputs that depend on t or on the state; the functions contain them."""
        return moving_inputs(self.signals, self.values)


def read_conditions(arguments: Arguments) -> Conditions:
    """The conditions that the arguments of a call describe."""
    mechanism, motors, given = arguments.model, arguments.motors, arguments.settings
    times = given["times"]
    values = parameter_values(mechanism, given["parameters"])
    unheld = signals_of(mechanism, motors, given["inputs"] or {}, values)
    functions = read_given(mechanism, given["given"])
    delays = Delays(values)
    held = hold(*delays.of(mechanism, unheld), functions, programs_of(mechanism, values, trust=given["trust"]))
    model, signals = held.model, held.signals
    listed, end = read_instants(model, arguments.until, times, values)
    _check_motions(model, end)
    settings = read_settings(given, end=end, parameters=model.parameters, values=values)
    system, assembly = system_of(bare_mechanism(model), motors)
    check_hidden(system, signals)
    check_inductances(model, motors, values)
    check_units(system, unheld)
    moving = switchings(held, system, values, end, turning=settings.step is None)
    turning = any(block.sticks_in_several_directions for block in system.frictions)
    plain_arguments = {"motors": motors, "until": end, **settings.plain()}
    if functions:
        plain_arguments["given"] = {one.constraint: one.law.plain() | dict(one.places) for one in functions}
    if times is not None:
        plain_arguments["times"] = array("d", listed.tobytes())
    return Conditions(
        model=model,
        motors=motors,
        system=system,
        assembly=assembly,
        signals=signals,
        values=values,
        p=np.array(list(values.values())),
        segments=moving.segments,
        times=times,
        instants=moving.whole if times is None else listed,
        whole=moving.whole,
        end=end,
        settings=settings,
        limits=effort_limits(model, values),
        plain=plain_arguments | arguments.plain("inputs") | arguments.plain("parameters"),
        source=source_of(mechanism),
        notices=(*moving.notices, *notices(model, system, values, given["parameters"])),
        plan=Plan(
            events=tuple(model.events.items()),
            sampled=held.sampled,
            contacts=contact_words(system),
            rest=OPEN * system.nx**0.5 * settings.atol if turning else 0.0,
        ),
        ticks=moving.ticks,
        delaying=frozenset(delays.followed),
    )


def _check_motions(model: Model, end: float) -> None:
    """Refuse a run that goes on after the table of a motion has ended."""
    for name, motion in model.motions.items():
        last = motion.last()
        if last is not None and end > last * (1 + ROUND_OFF):
            cure = f"end the run at {last:g} s, or give a longer table"
            raise ModelError(Issue(f"the table ends at {last:g} s, the run at {end:g} s", cure, ("motions", name)))
