"""`prepare`: reads, checks, assembles and compiles a model once, for many runs."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np

from cardan.assembly.assembler import Velocities
from cardan.assembly.start import Start, branch_doubts, start
from cardan.errors import AssemblyError, ModelError, warn
from cardan.frozen import dataclass, replace
from cardan.integration import Progress
from cardan.model.graphs import BondGraph
from cardan.model.initial import angle_doubts, updated
from cardan.model.model import Model
from cardan.model.names import carrying, coordinates
from cardan.numerics.round_off import SIX_DIGITS
from cardan.results.trajectory import Trajectory
from cardan.settings import Settings, with_settings
from cardan.simulation.arguments import Arguments
from cardan.simulation.conditions import Conditions, read_conditions
from cardan.simulation.instants import read_instants
from cardan.simulation.runs import run
from cardan.simulation.starts.conditions import met
from cardan.simulation.task import Task, branch_of, make_task


@dataclass(frozen=True, eq=False)
class Setup:
    """A model ready to run; a run does not change it."""

    arguments: Arguments  # arguments of the call that made the setup
    conditions: Conditions  # conditions of a run, read from the arguments
    start: Start  # assembled initial state
    task: Task  # task of the first phase
    plain: Mapping[str, Any]  # the arguments in plain values, for files of runs

    @staticmethod
    def of(arguments: Arguments, conditions: Conditions | None = None, known: Task | None = None) -> Setup:
        """The setup for these arguments.

        Parameters
        ----------
        arguments : arguments of the call.
        conditions : conditions read from the arguments, if a caller has read them already.
        known : a task under these conditions; it is reused if it solves the equations that the initial state selects.

        Raises
        ------
        ModelError
            As `simulate` documents it.
        """
        if (solved := met(arguments, Setup.of)) is not None:
            return replace(Setup.of(solved), arguments=arguments)
        as_read = read_conditions(arguments) if conditions is None else conditions
        conditions, begin = _conditions_and_start(arguments, as_read)
        embedding = branch_of(conditions, begin.x)
        if known is not None and conditions is as_read and (known.choice, known.embedding) == (begin.choice, embedding):
            task = known
        else:
            task = make_task(conditions, begin.choice, embedding)
        return Setup(arguments, conditions, begin, task, {**conditions.plain, **arguments.plain("initial")})

    def changed(
        self,
        *,
        initial: Mapping[str, Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None,
        times: Any = None,
    ) -> Setup:
        """The setup with other values; it reuses the compiled functions.

        Parameters
        ----------
        initial, parameters, inputs : mapping, optional
            Values by name, as of `simulate`; names that are not given keep their values.
        times : array_like (N,), optional
            Instants to return [s].

        Raises
        ------
        ModelError
            As `simulate` documents it.
        """
        if initial is None and parameters is None and inputs is None and times is None:
            return self
        if times is not None and initial is None and parameters is None and inputs is None:
            return self.at(times)
        arguments = self.arguments.changed(initial, parameters, inputs, times)
        only_initial = parameters is None and inputs is None and times is None
        return Setup.of(arguments, self.conditions, self.task) if only_initial else Setup.of(arguments)

    def at(self, times: Any) -> Setup:
        """The setup with other instants of the result; it is read again only where the run ends at another one.

        Parameters
        ----------
        times : array_like (N,)
            Instants to return [s].

        Raises
        ------
        ModelError
            As `simulate` documents it.
        """
        arguments, conditions = self.arguments.changed(None, None, None, times), self.conditions
        listed = arguments.settings["times"]
        instants, end = read_instants(conditions.model, arguments.until, listed, conditions.values)
        if conditions.times is None or end != conditions.end:
            return Setup.of(arguments)
        plain = {"times": array("d", instants.tobytes())}
        return replace(
            self,
            arguments=arguments,
            conditions=replace(conditions, times=listed, instants=instants, plain={**conditions.plain, **plain}),
            task=replace(self.task, problem=self.task.problem.at(instants)),
            plain={**self.plain, **plain},
        )

    def run(
        self,
        *,
        initial: Mapping[str, Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None,
        times: Any = None,
        progress: Progress | None = None,
    ) -> Trajectory:
        """Motion of the model from t = 0, with the values given here in place of those of the setup.

        Parameters
        ----------
        initial, parameters, inputs : mapping, optional
            Values by name, as of `simulate`; names that are not given keep their values.
        times : array_like (N,), optional
            Instants to return [s].
        progress : callable, optional
            Called with the fraction done, a few times per second.

        Raises
        ------
        ModelError
            As `simulate` documents it.

        Warns
        -----
        ModelWarning
            As `simulate` documents it.

        Example
        -------
        >>> import cardan
        >>> setup = cardan.prepare(cardan.load("compound_pendulum"), until=1.0)
        >>> swings = [setup.run(initial={"pendulum": angle}) for angle in (0.1, 0.2)]
        >>> [str(swing.status) for swing in swings]
        ['completed', 'completed']
        """
        setup = self.changed(initial=initial, parameters=parameters, inputs=inputs, times=times)
        velocities = setup.start.velocities
        for notice in (
            *setup.conditions.notices,
            *setup._angle_warnings,
            *_velocity_warnings(velocities),
            *branch_doubts(velocities),
            *filter(None, [setup.start.notice]),
        ):
            warn(notice)
        x0 = np.array(setup.start.x)
        plain = {name: _copy(x) if isinstance(x, dict | list | array) else x for name, x in setup.plain.items()}
        return run(setup.conditions, setup.task, x0, plain, progress)

    @property
    def _angle_warnings(self) -> tuple[str, ...]:
        """The warnings about angles of the call that are probably degrees."""
        units = coordinates(carrying(self.conditions.model))
        return tuple(issue.one_line() for issue in angle_doubts(self.arguments.settings["initial"] or {}, units))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arguments; another process prepares again and finds the compiled functions on disk."""
        return Setup.of, (self.arguments,)

    def __repr__(self) -> str:
        """Name the model, the method and the end of the run."""
        conditions = self.conditions
        name, method = conditions.model.name or "model without a name", conditions.settings.method
        return f"<Setup of {name!r}: {method}, until {conditions.end:g} s, motors {conditions.motors}>"


@with_settings
def prepare(model: Model | BondGraph, until: float | str | None = None, **settings: Unpack[Settings]) -> Setup:
    """A model ready to run: it is read, assembled and compiled once; `Setup.run` then integrates it many times.

    Parameters
    ----------
    model : Model
        The mechanism.
    until : float or str, optional
        End of the runs, as of `simulate`.
    **settings : as of `Settings`

    Raises
    ------
    ModelError
        As `simulate` documents it.

    Example
    -------
    >>> import cardan
    >>> setup = cardan.prepare(cardan.load("overhead_crane"), until=1.0)
    >>> run = setup.run(parameters={"L": "0.9 m"})
    >>> run.ok
    True
    """
    return Setup.of(Arguments.of(prepare, model, until, settings))


def with_met_conditions(
    model: Model, initial: Mapping[str, Any] | None, parameters: Mapping[str, Any] | None
) -> tuple[Model, Mapping[str, Any] | None, Mapping[str, Any] | None]:
    """The model, the initial values and the parameters of a call with values that meet the conditions on the start."""
    settings: Settings = {"initial": initial, "parameters": parameters}
    solved = met(Arguments.of(prepare, model, None, settings), Setup.of)
    if solved is None:
        return model, initial, parameters
    return solved.model, solved.settings["initial"], solved.settings["parameters"]


def _conditions_and_start(arguments: Arguments, conditions: Conditions) -> tuple[Conditions, Start]:
    """The conditions of the run and its assembled initial state.

    Without stabilization, a start that violates the relation of a program is kept as given, so that its drift shows:
    the conditions are then those of the mechanism without this relation among its loop equations.
    """
    fault: AssemblyError | None = None
    try:
        begin = _assembled(arguments, conditions)
        if not _velocity_warnings(begin.velocities):
            return conditions, begin
    except AssemblyError as error:
        fault = error
    constraints = arguments.model.constraints
    unheld = {name: one.unheld for name, one in constraints.items() if one.unheld is not one}
    if arguments.settings["stabilization"] == "none" and unheld:
        try:
            model = arguments.model.replace(constraints={**constraints, **unheld})
            free = read_conditions(replace(arguments, model=model))
            left = ", ".join(repr(name) for name in unheld)
            begin = _assembled(arguments, free)
            text = f"the start does not meet the relation of {left}; without stabilization it is kept, and drifts"
            return replace(free, notices=(*free.notices, text)), begin
        except ModelError:  # feedback, with gains of zero too, is for relations on which the drives act at once
            pass
    if fault is not None:
        raise fault
    return conditions, begin


def _assembled(arguments: Arguments, conditions: Conditions) -> Start:
    """The assembled initial state."""
    initial = updated(conditions.model.initial, arguments.settings["initial"], carrying(conditions.model))
    return start(
        conditions.system, conditions.assembly, initial, conditions.values, all_prescribed=arguments.all_prescribed
    )


def _copy(x: Any) -> Any:
    """Plain values with copies of lists, arrays and mappings: writing into one run never changes another."""
    if isinstance(x, dict):
        return {name: _copy(entry) for name, entry in x.items()}
    if isinstance(x, array):
        return x[:]
    return [_copy(entry) for entry in x] if isinstance(x, list) else x


def _velocity_warnings(velocities: Velocities) -> tuple[str, ...]:
    """The warning about initial velocities that the constraints do not allow; empty if they allow all."""
    largest = float(np.max(np.abs(velocities.v), initial=0.0))  # slow mechanisms have a scale of their own

    def is_lost(given: float, used: float) -> bool:
        return abs(used - given) > 10 * SIX_DIGITS * min(1 + abs(given), largest)

    lost = [entry for entry in velocities.changed if is_lost(*entry[1:])]
    if not lost:
        return ()
    listed = ", ".join(f"{name} = {used:.6g} instead of {given:.6g}" for name, given, used in lost)
    cure = "give one per degree of freedom, the others follow"
    return (f"the constraints do not allow the initial velocities; the run starts with {listed}; {cure}",)
