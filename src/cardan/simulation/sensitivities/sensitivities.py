"""`sensitivities`: derivatives of a run by parameters and initial values."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cardan.channels.functions import channel_functions
from cardan.errors import Issue, ModelError, nearest
from cardan.integration import RESOLUTION, Events, Log, Outcome, Problem, Progress, Solution, integrate
from cardan.kinematics.relations.prescribed import refuse_followed
from cardan.model.model import Model, check_model
from cardan.model.quantities.parameters import units
from cardan.model.quantities.scalar import ZERO
from cardan.numerics.round_off import DIFFERENCE, EPSILON
from cardan.results.status import Status
from cardan.settings import Settings
from cardan.simulation.arguments import Arguments
from cardan.simulation.conditions import read_conditions
from cardan.simulation.linear.linearize import with_outputs
from cardan.simulation.reselection import is_chosen, reselection_due
from cardan.simulation.sensitivities.record import Sensitivities
from cardan.simulation.sensitivities.starts import start_derivatives
from cardan.simulation.sensitivities.variational import Chosen, Variational, equations_of
from cardan.simulation.setup import Setup
from cardan.system.input_segments import values_at

Array = NDArray[np.float64]


def sensitivities(
    model: Model,
    until: float | str | None = None,
    *,
    parameters: Sequence[str] | Mapping[str, Any],
    outputs: Sequence[str] | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Sensitivities:
    """Derivatives of a run by parameters and initial values, exact, integrated beside its state.

    The variational equations Ṡ = f_x S + f_p are made by directional derivatives of the laws that move the state, and
    the error control judges S, times the size of its parameter, as it judges the state. Events that change the state or
    the law, and jumps in time, change S as their instants move.

    Parameters
    ----------
    model : Model
        The mechanism.
    until : float or str, optional
        End of the run, as of `simulate`.
    parameters : sequence of str, or mapping
        Names of parameters, and of states whose initial values count: `["k", "swing", "swing.v"]`. A mapping gives the
        values at which the derivatives are taken, `{"k": 30}`; else they are those of the model.
    outputs : sequence of str, optional
        Expressions as of the model's `outputs`, besides the states; by default the model's outputs.
    progress : callable, optional
        Called with the fraction done, a few times per second.
    **settings : inputs, initial, motors, motions, events, times, method, rtol, atol, step, max_step, stabilization
        As of `simulate`.

    Returns
    -------
    Sensitivities
        `found["swing", "k"]` over time, `found["swing"]` by all parameters, with values and units.

    Raises
    ------
    ModelError
        A name is unknown; a stop is rigid, a Python function is called, or a parameter moves samples, so that
        derivatives are not made here; the start does not say how it follows a parameter; as `simulate`.
    AssemblyError
        The loops cannot be closed.

    Example
    -------
    >>> import cardan
    >>> found = cardan.sensitivities(cardan.load("compound_pendulum"), times=[0.0, 0.5], parameters=["l", "pendulum"])
    >>> found["pendulum", "l"].shape, round(float(found["pendulum", "pendulum"][0]), 6)
    ((2,), 1.0)
    """
    check_model(model)
    asked = model if outputs is None else with_outputs(model, outputs)
    names, values = _read(parameters), dict(parameters) if isinstance(parameters, Mapping) else {}
    own = {name: x for name, x in values.items() if name in model.parameters}
    initial = {**(settings.get("initial") or {}), **{name: x for name, x in values.items() if name not in own}}
    given = cast("Settings", {**settings, "parameters": own, "initial": initial, "embed": False})
    setup = Setup.of(Arguments.of(sensitivities, asked, until, given).unnoted())
    _check_names(names, setup)
    _check_smooth(names, setup)
    written = {name: ZERO if name in own or x.expression is None else x for name, x in model.parameters.items()}
    chosen = Chosen(names, tuple(written.items()))
    equations, whole = equations_of(setup, chosen)
    sizes = np.array([abs(setup.conditions.values.get(name, 1.0)) or 1.0 for name in names])
    found = _integrated(setup, equations, sizes, progress)
    labels = tuple(asked.outputs if outputs is None else outputs)
    return _result(setup, whole, found, sizes, labels)


def _integrated(setup: Setup, equations: Variational, sizes: Array, progress: Progress | None) -> Solution:
    """The solution in y; where the selected constraints become dependent it ends."""
    conditions, x0, names = setup.conditions, setup.start.x, equations.chosen.names
    problem = _problem(setup, equations, _moving_instants(setup, names) * sizes)
    y0 = np.concatenate([x0, start_derivatives(setup, equations.chosen).T.ravel(), np.zeros(len(names) + 1)])

    def lost(log: Log) -> Outcome | None:
        due = reselection_due(conditions, setup.task, log._replace(x=log.x[:, : x0.size]))
        return Outcome.CONSTRAINTS_LOST if due else None

    return integrate(
        problem,
        conditions.settings.method,
        x0=y0,
        p=setup.task.parameters(np.zeros(1), x0[None], conditions.p[None])[0],
        step=conditions.settings.step,
        progress=progress,
        watch=lost if is_chosen(conditions, setup.task) else None,
    )


def _result(setup: Setup, whole: Variational, found: Solution, sizes: Array, labels: tuple[str, ...]) -> Sensitivities:
    """The record of a solution in y, with outputs of these names."""
    names, system, nx = whole.chosen.names, setup.conditions.system, setup.start.x.size
    x, S = found.x[:, :nx], found.x[:, nx : -len(names) - 1]
    u = values_at(setup.conditions.segments, found.t)
    y, dy = whole.outputs(found.t, x, u, setup.conditions.p, S)
    S, dy = (part.reshape(found.t.size, len(names), -1).transpose(0, 2, 1) / sizes for part in (S, dy))
    last = slice(y.shape[1] - len(labels), None)  # those of the call come after those of the model
    known = {**{name: system.state_units[k] for name, k in system.places.items()}, **units(system.model.parameters)}
    shown = [*channel_functions(whole.functions).families["outputs"].values()][last]
    status = Status[found.outcome.name]
    return Sensitivities(
        t=found.t,
        parameters=names,
        results=(*system.state_names, *labels),
        values=np.hstack([x, y[:, last]]),
        derivatives=np.concatenate([S, dy[:, last]], axis=1),
        units=(*system.state_units, *(channel.unit for channel in shown)),
        parameter_units=tuple(known[name] for name in names),
        sizes=sizes,
        status=status,
        message=status.describe(found.t_end),
        statistics={"method": found.method, **found.statistics._asdict()},
    )


def _read(parameters: Any) -> tuple[str, ...]:
    """The names of the quantities to differentiate by."""
    is_list = isinstance(parameters, Sequence | Mapping) and not isinstance(parameters, str)
    if not is_list or not all(isinstance(name, str) for name in parameters) or not parameters:
        fault = f"parameters={f'{parameters!r:.60}'} are no names"
        raise ModelError(fault, 'give one or more, such as ["k", "swing"], or values by name')
    if twice := [name for k, name in enumerate(parameters) if name in list(parameters)[:k]]:
        raise ModelError(Issue(f"{twice[0]!r} is there twice", "keep one", ("parameters",)))
    return tuple(parameters)


def _check_names(names: Sequence[str], setup: Setup) -> None:
    """Refuse names that are neither parameters nor states with an initial value of their own."""
    model, system = setup.arguments.model, setup.conditions.system
    for name in names:
        if name in model.parameters:
            continue
        if name not in system.places:
            cure = nearest(name, [*model.parameters, *system.places])
            raise ModelError(Issue(f"there is no parameter and no state {name!r}", cure, ("parameters",)))
        if system.state_units[system.places[name]] == "1" or name in system.tree.followed:
            cure = "choose coordinates of their own, or parameters that the attitude follows"
            raise ModelError(Issue(f"{name!r} cannot change by itself", cure, ("parameters",)))


def _check_smooth(names: Sequence[str], setup: Setup) -> None:
    """Refuse what has no derivatives here: impacts at stops, Python functions, samples that move."""
    conditions, system = setup.conditions, setup.conditions.system
    refuse_followed(system.tree)
    for block in (one for one in system.stops if one.is_rigid):
        cure = "give the stop a stiffness, or leave it out"
        fault = "derivatives through impacts, at an end stop or in a freewheel, are not made"
        raise ModelError(Issue(fault, cure, ("joints", block.joint, "limits")))
    moving = {*names} & conditions.delaying
    for sample in conditions.plan.sampled:
        if sample.is_called:
            cure = "write its law as an expression"
            raise ModelError(Issue("a Python function has no derivatives", cure, sample.path))
        moving |= {*names} & sample.every.names
    if moving:
        cure = "leave it out, or make the law continuous"
        raise ModelError(Issue(f"the instants of samples follow {min(moving)!r}", cure, ("parameters",)))
    if conditions.settings.method == "semi_implicit_euler":
        raise ModelError('method="semi_implicit_euler" splits the state, not its derivatives', 'choose "auto" or "rk4"')


def _moving_instants(setup: Setup, names: Sequence[str]) -> Array:
    """Derivatives (S, k) of the instants at which segments begin, by central differences: ten digits."""
    conditions = setup.conditions
    starts, out = conditions.segments.a, np.zeros((conditions.segments.a.size, len(names)))
    for j, name in enumerate(names):
        if name not in conditions.values or starts.size == 1:
            continue
        h = DIFFERENCE * (abs(conditions.values[name]) or 1.0)
        low, high = (_starts_at(setup, {name: conditions.values[name] + sign * h}) for sign in (-1, 1))
        if not low.size == high.size == starts.size:
            fault = f"the number of jumps within the run changes with {name!r}"
            raise ModelError(Issue(fault, "choose a run in which no jump is at its begin or its end", ("parameters",)))
        out[:, j] = (high - low) / (2 * h)
    return out


def _starts_at(setup: Setup, values: Mapping[str, float]) -> Array:
    """Instants (S,) at which segments begin, with other values of parameters and the same end."""
    old = setup.arguments.settings["parameters"] or {}
    arguments = replace(setup.arguments, until=setup.conditions.end).updated(parameters={**old, **values})
    return np.array(read_conditions(arguments).segments.a)


def _problem(setup: Setup, equations: Variational, instants: Array) -> Problem:
    """The problem of (x, S); derivatives (S, k) of instants are inputs, constant on each segment."""
    own, settings, k = setup.task.problem, setup.conditions.settings, instants.shape[1]
    ends = own.a + RESOLUTION * np.maximum(own.a, EPSILON * own.t_end)
    least = settings.atol / (own.t_end - own.a)  # as the integrator judges whether a switching changes the law
    more = np.hstack([instants, ends[:, None], least[:, None]])
    parts: dict[str, Any] = {c: np.hstack([getattr(own, c), 0 * more]) for c in ("c0", "c1", "c2", "c3")}
    parts["c0"][:, own.m :] = more
    return replace(
        own,
        rhs=equations.native("derivative"),
        tangent=lambda: equations.native("tangent", None),
        project=equations.native("projection") if own.project is not None else None,
        project_lanes=None,
        nz=own.nz + own.n * k + k + 1,
        nw=0,
        w0=None,
        m=own.m + k + 2,
        x0=None,
        **parts,
        atol=settings.atol,
        judges_works=False,
        events=_events(own.events, equations, instants),
    )


def _events(own: Events | None, equations: Variational, instants: Array) -> Events | None:
    """The events of (x, S): those of x, and jumps in time whose instants move."""
    moving = np.array(instants.any(axis=1), dtype=float)
    if own is None and not moving.any():
        return None
    events = own or Events()
    ticks = np.zeros((len(moving), 0)) if events.ticks is None else np.asarray(events.ticks)
    return replace(
        events,
        crossings=None if events.crossings is None else equations.native("crossings", apart=True),
        complementarity=None if events.complementarity is None else equations.native("complementarity"),
        reset=equations.native("reset"),
        returns_events=True,
        ticks=np.hstack([ticks, moving[:, None]]),
    )
