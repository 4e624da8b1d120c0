"""`sweep`: many runs of one model, over a grid of parameters, inputs and initial values, as one dataset."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import xarray

import cardan
from cardan.assembly.start import system_of
from cardan.errors import AssemblyError, Issue, ModelError
from cardan.integration import Progress
from cardan.model.checks.arguments import check_size
from cardan.model.checks.start_conditions import start_conditions
from cardan.model.graphs import BondGraph
from cardan.model.initial import EQUILIBRIUM
from cardan.model.model import Model
from cardan.model.quantities.parameters import dimensions
from cardan.model.quantities.parameters import units as parameter_units
from cardan.results.status import Status
from cardan.results.trajectory import Trajectory
from cardan.safety.text import visible
from cardan.settings import Settings, with_settings
from cardan.simulation.arguments import Arguments
from cardan.simulation.instants import evenly
from cardan.simulation.setup import Setup
from cardan.simulation.starts.conditions import met
from cardan.simulation.sweeps.axes import SweepGrid, Varied, read_grid
from cardan.simulation.sweeps.members import read_members
from cardan.simulation.sweeps.outputs import Output, read_outputs
from cardan.simulation.sweeps.runs import Runs
from cardan.system.constrained import has_constraints
from cardan.system.contacts.stops import BeyondStopError
from cardan.system.system import System

STARTS = 20  # number of runs of which one has to be assembled


@with_settings
def sweep(
    model: Model | BondGraph,
    until: float | str | None = None,
    *,
    outputs: Sequence[str] | Mapping[str, str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    **settings: Unpack[Settings],
) -> xarray.Dataset:
    """Runs of a model for all combinations of some values, as one dataset.

    Runs that solve the same equations are integrated side by side, in SIMD lanes and threads; nothing is compiled for
    each of them.

    Parameters
    ----------
    model : Model
        The mechanism.
    until : float or str, optional
        End of the runs, as of `simulate`.
    parameters, inputs, initial : mapping, optional
        Values by name as of `simulate`, of which lists vary: a list of numbers or texts with a unit is an axis of its
        own name (`initial.swing.v` for a state that is also a result); `xarray.DataArray`s that share an axis vary
        together, as lists of random draws do.
    times : array_like (N,), optional
        Instants of values over time [s]; by default 1001 evenly spaced ones. Reductions are those of the whole motion,
        whatever instants are listed; if both are wanted, the runs are made twice.
    outputs : sequence of str or mapping from str to str, optional
        Variables of the dataset: results by name (`swing.q`, `payload.position`), reductions of them over time
        (`max(drive.current)`, `min(…)`, `mean(…)`, `final(…)`), expressions of them (`max(abs(drive.voltage *
        drive.current))`), or such texts under names of your own. By default the states.
    threads : int, optional
        Threads that share the runs; by default `$CARDAN_NUM_THREADS`, or one for each processor.
    progress : callable, optional
        Called with the fraction done.
    **settings : as of `Settings`

    Returns
    -------
    xarray.Dataset
        With one axis for each list, and `time` for what is not reduced; the variables as written in `outputs`, with
        units, and `status` and `t_end` of each run. Values are NaN where a run has ended before, as are reductions of a
        run that failed; those of a run that an event stopped are of its motion until then. A run whose loops cannot be
        closed, or that starts beyond an end stop, has the status "not_assembled". After Ctrl-C the runs that are not
        done are "interrupted".

    Raises
    ------
    ModelError
        As of `simulate`; nothing varies, axes do not fit together, there is no such result.

    Example
    -------
    >>> import cardan
    >>> crane = cardan.load("overhead_crane")
    >>> found = cardan.sweep(crane, 1.0, parameters={"L": [0.5, 0.7, 0.9]}, outputs=["max(drive.current)", "swing.q"])
    >>> dict(found.sizes), list(found.data_vars)
    ({'L': 3, 'time': 1001}, ['max(drive.current)', 'swing.q', 'status', 't_end'])
    """
    arguments = Arguments.of(sweep, model, until, settings).unnoted()
    model, given = arguments.model, arguments.settings
    conditions = start_conditions(model, {**model.initial, **(given["initial"] or {})})
    _check_threads(threads)
    system, _ = system_of(model, arguments.motors)
    if conditions and (EQUILIBRIUM not in conditions or has_constraints(system.tree)):
        cure = "give values that single runs have found, or call cardan.simulate for each"
        raise ModelError(Issue("a sweep does not solve conditions on the start", cure, ("initial", *[*conditions][:1])))
    units = _units(system)
    varying = {"parameters": given["parameters"], "inputs": given["inputs"], "initial": given["initial"]}
    grid = read_grid(system, units, varying)
    if not grid.varied:
        raise ModelError("nothing varies", 'give a list for something: parameters={"L": [0.5, 0.7]}')
    if conditions:
        arguments, grid = _at_rest(arguments, grid)
    arguments = arguments.updated(parameters=None, inputs=None, initial=None)
    setup = _first_setup(arguments, grid)
    first = setup.run()
    if first.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    wanted = read_outputs(
        first.state_names if outputs is None else outputs, first.channels, dimensions(model.parameters)
    )
    _check_names(wanted, grid)
    _check_size(wanted, grid, setup)
    apart = setup.conditions.times is not None and setup.conditions.end > 0
    reduced = [output for output in wanted if output.reduction and apart]
    others = [output for output in wanted if output not in reduced]
    parts = [(_runs(arguments, setup, first, grid, others, threads), others)] if others else []
    if reduced:  # of the whole motion, whatever instants are listed
        whole = replace(arguments, until=setup.conditions.end if until is None else until).updated(times=None)
        own = _first_setup(whole, grid)
        parts.append((_runs(whole, own, own.run(), grid, reduced, threads), reduced))
    return _dataset(parts, wanted, units, progress)


def _runs(
    arguments: Arguments,
    setup: Setup,
    first: Trajectory,
    grid: SweepGrid,
    wanted: Sequence[Output],
    threads: int | None,
) -> Runs:
    """All runs of a sweep, for some of its outputs."""
    needed = {name: first.channels[name] for output in wanted for name in sorted(output.needs)}
    reduced = [output for output in wanted if output.reduction not in ("", "final")]
    return Runs(setup, first, grid, read_members(setup, arguments, grid), needed, reduced, threads)


def _at_rest(arguments: Arguments, grid: SweepGrid) -> tuple[Arguments, SweepGrid]:
    """The runs of an open chain with the starts at rest that each of them has alone."""
    solved = [one for k in range(grid.size) if (one := met(arguments.updated(**grid.member(k)._asdict()), Setup.of))]
    starts = [dict(one.settings["initial"] or {}) for one in solved]
    known = {entry.name for entry in grid.varied if entry.argument == "initial"} | {EQUILIBRIUM}
    fixed, varied = dict[str, Any](), list(grid.varied)
    for name in [name for name in starts[0] if name not in known]:
        values = [x["guess"] if isinstance(x, dict) else x for x in (start[name] for start in starts)]
        if all(isinstance(x, float) for x in values):
            places = np.array(values, dtype=float).reshape(grid.shape)
            varied.append(Varied("initial", name, f"initial.{name}", tuple(grid.axes), places, {}))
        else:
            fixed[name] = starts[0][name]
    grid = replace(grid, varied=tuple(varied), fixed={**grid.fixed, "initial": fixed})
    return replace(arguments, model=solved[0].model), grid


def _check_threads(threads: int | None) -> None:
    if threads is not None and (not isinstance(threads, int | np.integer) or threads < 1):
        raise ModelError(f"threads={threads!r} is not a number of threads", "give 1 or more")


def _units(system: System) -> dict[str, dict[str, str]]:
    """SI unit of every input and state, by argument and name."""
    states = {name: system.state_units[k] for name, k in system.places.items()}
    return {"inputs": dict(zip(system.input_names, system.input_units, strict=True)), "initial": states}


def _first_setup(arguments: Arguments, grid: SweepGrid) -> Setup:
    """The setup of the first run that can be assembled, of some over the whole grid."""
    fault: AssemblyError | BeyondStopError | None = None
    for member in np.unique(np.linspace(0, grid.size - 1, STARTS).astype(int)).tolist():
        try:
            given = grid.member(member)
            setup = Setup.of(arguments.updated(**given._asdict()))
        except (AssemblyError, BeyondStopError) as error:
            fault = fault or error
        else:
            return setup
    assert fault is not None
    raise fault


def _check_names(wanted: Sequence[Output], grid: SweepGrid) -> None:
    """Refuse an output or axis whose name something else in the dataset has."""
    used = {"time", "status", "t_end"}
    for name in grid.axes:
        if name in used:
            raise ModelError(f"an axis has the name {name!r}, which the dataset needs itself", "give it another name")
    used |= {*grid.axes, *(entry.label for entry in grid.varied)}
    used |= {name for output in wanted for name in _dimensions(output)}
    for output in wanted:
        if output.name in used:
            cure = f'give the output a name of its own: outputs={{"own name": "{output.name}"}}'
            raise ModelError(f"the output {output.name!r} has the name of an axis, or of what every sweep has", cure)


def _check_size(wanted: Sequence[Output], grid: SweepGrid, setup: Setup) -> None:
    """Refuse a dataset that would not fit into memory."""
    instants = len(evenly(setup.conditions.end) if setup.conditions.times is None else setup.conditions.times)
    numbers = sum((1 if output.reduction else instants) * max(1, len(output.components)) for output in wanted)
    check_size("runs", grid.size, numbers, 'reduce the outputs, such as "max(drive.current)", or give fewer times')


def _dataset(
    parts: Sequence[tuple[Runs, Sequence[Output]]],
    wanted: Sequence[Output],
    units: Mapping[str, Mapping[str, str]],
    progress: Progress | None,
) -> xarray.Dataset:
    """The dataset of all runs, which are made once for each part of the outputs."""
    runs = parts[0][0]
    grid, t = runs.grid, runs.axis
    status, t_end = np.full(grid.size, "", dtype=object), np.zeros(grid.size)
    values = {
        output.name: np.full((grid.size, *(() if output.reduction else (len(t),)), *_shape(output)), np.nan)
        for output in wanted
    }
    done = 0
    try:
        for of_part, outputs in parts:
            status[:] = ""
            for part in of_part.parts():
                parameters = {name: x[part.members] for name, x in runs.members.parameters.items()}
                for output in outputs:
                    values[output.name][part.members] = output.values(
                        len(part.members), t, part.found, part.reduced, part.ends, parameters
                    )
                status[part.members], t_end[part.members] = part.status, part.t_end
                done += len(part.members)
                if progress is not None:
                    progress(done / (grid.size * len(parts)))
    except KeyboardInterrupt:  # what is done is not lost
        status[status == ""] = str(Status.INTERRUPTED)
    axes = tuple(grid.axes)
    variables: dict[str, Any] = {}
    for output in wanted:
        dims = (*axes, *(() if output.reduction else ("time",)), *_dimensions(output))
        shape = (*grid.shape, *values[output.name].shape[1:])
        variables[output.name] = (dims, values[output.name].reshape(shape), {"units": output.unit})
    variables["status"] = (axes, status.reshape(grid.shape).astype(str))
    variables["t_end"] = (axes, t_end.reshape(grid.shape), {"units": "s", "long_name": "time reached"})
    return xarray.Dataset(variables, _coordinates(runs, wanted, units), _attributes(runs))


def _shape(output: Output) -> tuple[int, ...]:
    return (len(output.components),) if output.components else ()


def _dimensions(output: Output) -> tuple[str, ...]:
    return (output.channel.dimension,) if output.channel is not None and output.components else ()


def _coordinates(runs: Runs, wanted: Sequence[Output], units: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Values of what varies along its axes, instants, and names of components."""
    model = runs.setup.conditions.model
    out: dict[str, Any] = {}
    known = parameter_units(model.parameters)
    for entry in runs.grid.varied:
        unit = (
            known.get(entry.name, "") if entry.argument == "parameters" else units[entry.argument].get(entry.name, "")
        )
        out |= {name: ((name,), labels) for name, labels in entry.coords.items()}
        out[entry.label] = (entry.dims, entry.values, {"units": unit, "long_name": entry.name})
    if any(not output.reduction for output in wanted):
        out["time"] = (("time",), runs.axis, {"units": "s", "long_name": "time"})
    for output in wanted:
        out |= {name: list(output.components) for name in _dimensions(output)}
    return out


def _attributes(runs: Runs) -> dict[str, str]:
    """Where the runs come from: enough to do them again, with the values along the axes."""
    first: Trajectory = runs.first
    settings = {
        name: x for name, x in first.provenance.settings.items() if name not in ("parameters", "inputs", "initial")
    }
    settings |= {name: runs.setup.arguments.plain(name).get(name, {}) for name in ("parameters", "inputs", "initial")}
    for entry in runs.grid.varied:
        settings[entry.argument].pop(entry.name, None)
    return {
        "title": visible(first.provenance.model),
        "source": f"Cardan {cardan.__version__}",
        "model": first.provenance.source,
        "settings": json.dumps({name: x for name, x in settings.items() if name != "times"}, default=float),
    }
