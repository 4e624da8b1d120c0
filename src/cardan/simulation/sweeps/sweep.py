"""`sweep`: many runs of one model, over a grid of parameters, inputs and initial values, as one dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray

from cardan.assembly.start import system_of
from cardan.errors import AssemblyError, Issue, ModelError
from cardan.model.checks.arguments import check_size, check_unit
from cardan.model.checks.start_conditions import start_conditions
from cardan.model.graphs import BondGraph
from cardan.model.initial import EQUILIBRIUM
from cardan.model.model import Model
from cardan.model.quantities.scalar import Scalar
from cardan.results.advance import Advance
from cardan.results.status import ENDINGS
from cardan.settings import Settings, with_settings
from cardan.simulation.arguments import Arguments
from cardan.simulation.motions.kinetostatics import following
from cardan.simulation.setup import Setup
from cardan.simulation.starts.conditions import met
from cardan.simulation.sweeps.axes import SweepGrid, Varied, read_grid
from cardan.simulation.sweeps.blocks import VARYING, SweepBlocks, SweepRequest
from cardan.simulation.sweeps.dataset import dimensions_of
from cardan.simulation.sweeps.members import check_values
from cardan.simulation.sweeps.study import Study, computed, stored
from cardan.system.constrained import has_constraints
from cardan.system.contacts.stops import BeyondStopError

if TYPE_CHECKING:
    from distributed import Client

STARTS = 20  # number of runs of which one has to be assembled


@with_settings
def sweep(
    model: Model | BondGraph,
    until: float | str | None = None,
    *,
    outputs: Sequence[str] | Mapping[str, str] | None = None,
    kinetostatics: bool = False,
    threads: int | None = None,
    run_limit: float | str | None = None,
    client: Client | str | None = None,
    store: str | Path | None = None,
    resume: bool = False,
    retry: bool = False,
    progress: Callable[[Advance], None] | None = None,
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
    kinetostatics : bool
        Whether the runs are those of `cardan.kinetostatics`, as for many payloads: the model follows its motions, and
        `initial` guesses its position.
    threads : int, optional
        Threads that share the runs; by default `$CARDAN_NUM_THREADS`, or one for each processor. Workers of a cluster
        use their own.
    run_limit : float or str, optional
        Time that the steps of one run may take; a run that takes longer has the status "timed_out". A number in seconds
        or text with a unit.
    client : dask.distributed.Client or str, optional
        Cluster that makes the runs: "local" or "local:4" for processes of this machine, the address of a scheduler
        such as "tcp://host:8786", or a client. Runs that raise errors or end their workers have the status "failed".
    store : str or Path, optional
        Zarr folder in which runs are kept as they are done; the dataset then reads its values when they are needed.
    resume : bool
        Whether a store goes on that is there already, which is for the same model, settings, outputs and axes. With a
        longer `run_limit`, runs that have timed out are made again.
    retry : bool
        Whether runs of the store that failed or timed out are made again.
    progress : callable, optional
        Called with the fraction done, a number that also has `done`, `count`, `failed`, `rate` [1/s] and `left` [s].
    **settings : as of `Settings`

    Returns
    -------
    xarray.Dataset
        With one axis for each list, and `time` for what is not reduced; the variables as written in `outputs`, with
        units; `status` and `t_end` of each run, and the `message` of one that did not end as it should. Values are NaN
        where a run has ended before, as are reductions of a run that failed; those of a run that an event stopped are
        of its motion until then. A run whose loops cannot be closed, or that starts beyond an end stop, has the status
        "not_assembled". After Ctrl-C the runs that are not done are "interrupted".

    Raises
    ------
    ModelError
        As of `simulate`; nothing varies, axes do not fit together, there is no such result; the cluster does not
        answer, or the store is of another study.

    Example
    -------
    >>> import cardan
    >>> crane = cardan.load("overhead_crane")
    >>> found = cardan.sweep(crane, 1.0, parameters={"L": [0.5, 0.7, 0.9]}, outputs=["max(drive.current)", "swing.q"])
    >>> dict(found.sizes), list(found.data_vars)
    ({'L': 3, 'time': 1001}, ['max(drive.current)', 'swing.q', 't_end', 'status', 'message'])
    """
    arguments = Arguments.of(sweep, model, until, settings).unnoted()
    model, given = arguments.model, arguments.settings
    conditions = start_conditions(model, {**model.initial, **(given["initial"] or {})})
    _check_threads(threads)
    if resume and store is None:
        raise ModelError("resume=True without a store", 'give store="study.zarr"')
    if retry and not resume:
        raise ModelError("retry=True without resume=True", "runs are made again in a store that goes on: give both")
    system, _ = system_of(model, arguments.motors)
    if conditions and not kinetostatics and (EQUILIBRIUM not in conditions or has_constraints(system.tree)):
        cure = "give values that single runs have found, or call cardan.simulate for each"
        raise ModelError(Issue("a sweep does not solve conditions on the start", cure, ("initial", *[*conditions][:1])))
    grid = read_grid(system, {name: dict(given)[name] for name in VARYING})
    if not grid.varied:
        raise ModelError("nothing varies", 'give a list for something: parameters={"L": [0.5, 0.7]}')
    if kinetostatics:
        arguments, grid = _following(arguments, grid)
    elif conditions:
        arguments, grid = _at_rest(arguments, grid)
    arguments = arguments.updated(parameters=None, inputs=None, initial=None)
    start, setup = _first_setup(arguments, grid)
    texts = None if outputs is None else _texts(outputs)
    request = SweepRequest(arguments, grid.fixed, grid.member(start), texts, grid.size, _seconds(run_limit))
    blocks = SweepBlocks.of(request, threads, setup)
    _check_names(blocks, grid)
    check_values(arguments, grid)
    study = Study(request, blocks, grid)
    if store is None:
        _check_size(blocks, grid)
    if (client is not None or store is not None) and setup.task.plan.calls:
        fault = "a Python function cannot be sent to other processes, or kept in a store"
        raise ModelError(fault, "write its law as an expression, or leave client= and store= out")
    if store is None:
        return computed(study, client, progress)
    return stored(study, Path(store), resume, client, progress, retry=retry)


def _following(arguments: Arguments, grid: SweepGrid) -> tuple[Arguments, SweepGrid]:
    """The runs that follow the motions of the model, from the positions that guesses lead to."""
    if guessed := [entry.name for entry in grid.varied if entry.argument == "initial"]:
        fault = "a guess of the position varies, which chooses a branch and no load"
        raise ModelError(Issue(fault, "give one value", ("initial", guessed[0])))
    first, last = (following(arguments.updated(**grid.member(k)._asdict()))[0] for k in (0, grid.size - 1))
    if first.until != last.until:
        raise ModelError("the end of the motions follows a parameter that varies", "give until= or times=")
    return first, replace(grid, fixed={**grid.fixed, "initial": first.settings["initial"] or {}})


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


def _seconds(given: float | str | None) -> float | None:
    """A positive time [s]."""
    if given is None:
        return None
    scalar = Scalar.read(given)
    check_unit(scalar, "s", {}, ("run_limit",))
    if scalar.value is None or not scalar.value > 0:
        raise ModelError(
            Issue(f"run_limit={given!r} is not a time", 'give a positive one, such as "30 s"', ("run_limit",))
        )
    return float(scalar.value)


def _texts(outputs: Any) -> Any:
    """The outputs that a caller wants, in plain values."""
    return dict(outputs) if isinstance(outputs, Mapping) else outputs if isinstance(outputs, str) else list(outputs)


def _first_setup(arguments: Arguments, grid: SweepGrid) -> tuple[int, Setup]:
    """The first run that can be assembled, of some over the whole grid: its number and its setup."""
    fault: AssemblyError | BeyondStopError | None = None
    for member in np.unique(np.linspace(0, grid.size - 1, STARTS).astype(int)).tolist():
        try:
            setup = Setup.of(arguments.updated(**grid.member(member)._asdict()))
        except (AssemblyError, BeyondStopError) as error:
            fault = fault or error
        else:
            return member, setup
    assert fault is not None
    raise fault


def _check_names(blocks: SweepBlocks, grid: SweepGrid) -> None:
    """Refuse an output or axis whose name something else in the dataset has."""
    used = {"time", *ENDINGS}
    for name in grid.axes:
        if name in used:
            raise ModelError(f"an axis has the name {name!r}, which the dataset needs itself", "give it another name")
    used |= {*grid.axes, *(entry.label for entry in grid.varied)}
    used |= {name for output in blocks.outputs for name in dimensions_of(output)}
    for output in blocks.outputs:
        if output.name in used:
            cure = f'give the output a name of its own: outputs={{"own name": "{output.name}"}}'
            raise ModelError(f"the output {output.name!r} has the name of an axis, or of what every sweep has", cure)


def _check_size(blocks: SweepBlocks, grid: SweepGrid) -> None:
    """Refuse a dataset that would not fit into memory."""
    instants = len(blocks.axis)
    numbers = sum((1 if output.reduction else instants) * max(1, len(output.components)) for output in blocks.outputs)
    cure = 'reduce the outputs, such as "max(drive.current)", give fewer times, or keep them in a store='
    check_size("runs", grid.size, numbers, cure)
