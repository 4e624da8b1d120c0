"""Blocks of a sweep: what computes the runs of a block, and the plain data of which a worker makes it.

A worker reads, assembles and compiles the model once, as the calling process does: from the run that the caller has
found to be the first one that can be assembled. A block has the values of what varies, and nothing else.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cardan.blocks import Arrays, Piece
from cardan.channels.channels import Channels
from cardan.codegen import expecting
from cardan.errors import ModelWarning
from cardan.frozen import dataclass, replace
from cardan.model.model import Model
from cardan.model.quantities.parameters import dimensions
from cardan.model.records.model_text import source_of
from cardan.results.channel import Channel
from cardan.results.status import Status
from cardan.results.trajectory import Trajectory
from cardan.simulation.arguments import Arguments
from cardan.simulation.setup import Setup
from cardan.simulation.sweeps.axes import Member, SweepGrid, Varied
from cardan.simulation.sweeps.members import read_members
from cardan.simulation.sweeps.outputs import Output, read_outputs
from cardan.simulation.sweeps.runs import Part, Runs, axis_of, columns_of, most_runs, uninterrupted

VARYING = "parameters", "inputs", "initial"
"""The arguments that differ between runs."""

STATUS = f"U{max(map(len, Status))}"  # type of the statuses in arrays


@dataclass(frozen=True, eq=False)
class SweepRequest:
    """What is wanted of the runs of a sweep."""

    arguments: Arguments  # without those that differ between runs
    fixed: Mapping[str, Mapping[str, Any]]  # those that differ, as far as they are the same for all runs
    start: Member  # arguments of a run that can be assembled
    outputs: Mapping[str, str] | None  # texts by the names of the variables; None for the states
    count: int  # number of runs
    run_limit: float | None  # time that a run may take [s]; None for any

    def text(self) -> str:
        """The request as JSON, of which `read_request` makes it again."""
        arguments, settings = self.arguments, dict[str, Any](self.arguments.settings)
        if settings["times"] is not None:
            settings["times"] = settings["times"].tolist()
        plain = {
            "model": json.loads(source_of(arguments.model)),
            "until": arguments.until,
            "motors": arguments.motors,
            "all_prescribed": arguments.all_prescribed,
            "settings": {name: x for name, x in settings.items() if x is not None},
            "fixed": _plain(arguments, self.fixed),
            "start": _plain(arguments, self._start),
            "outputs": self.outputs,
            "count": self.count,
            "run_limit": self.run_limit,
        }
        return json.dumps(plain, default=lambda x: x.tolist() if isinstance(x, np.ndarray) else float(x))

    @property
    def _start(self) -> dict[str, dict[str, Any]]:
        """What varies, in the run that can be assembled."""
        return {
            name: {key: x for key, x in entries.items() if key not in self.fixed[name]}
            for name, entries in self.start._asdict().items()
        }


def _plain(arguments: Arguments, given: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Those arguments that differ between runs, in the form of a model file."""
    return {name: arguments.updated(**dict[str, Any]({name: x})).plain(name).get(name, {}) for name, x in given.items()}


def read_request(text: str) -> SweepRequest:
    """The request that a text describes."""
    plain = json.loads(text)
    arguments = Arguments(Model(**plain["model"]), plain["until"], plain["motors"], plain["settings"])
    arguments = replace(arguments, all_prescribed=plain["all_prescribed"])
    fixed = plain["fixed"]
    start = Member(**{name: {**fixed[name], **plain["start"][name]} for name in VARYING})
    return SweepRequest(arguments, fixed, start, plain["outputs"], plain["count"], plain["run_limit"])


@dataclass(frozen=True, eq=False)
class Pass:
    """Runs that are made once, for some outputs."""

    arguments: Arguments  # without those that differ between runs
    setup: Setup  # of a run that can be assembled
    first: Trajectory  # that run
    outputs: Sequence[Output]


@dataclass(frozen=True, eq=False)
class SweepBlocks:
    """The function that computes blocks of runs."""

    passes: Sequence[Pass]  # the last one says how runs have ended
    outputs: Sequence[Output]  # of all passes
    fixed: Mapping[str, Mapping[str, Any]]  # arguments that are the same for all runs
    instants: int  # of all runs of the sweep together
    threads: int | None  # number of threads that share the runs; None for one on each processor
    longest: float  # time that a run may take [s]

    @staticmethod
    def of(request: SweepRequest, threads: int | None, setup: Setup | None = None) -> SweepBlocks:
        """The function for a request, of which `setup` may be known; it makes the run that can be assembled."""
        arguments, start = request.arguments, request.start._asdict()
        setup = setup or Setup.of(arguments.updated(**start))
        first = uninterrupted(setup.run())
        names = first.state_names if request.outputs is None else request.outputs
        wanted = read_outputs(names, first.channels, dimensions(arguments.model.parameters))
        apart = setup.conditions.times is not None and setup.conditions.end > 0
        reduced = [output for output in wanted if output.reduction and apart]
        others = [output for output in wanted if output not in reduced]
        passes = [Pass(arguments, setup, first, others)] if others or not reduced else []
        if reduced:  # of the whole motion, whatever instants are listed
            until = setup.conditions.end if arguments.until is None else arguments.until
            whole = replace(arguments, until=until).updated(times=None)
            own = Setup.of(whole.updated(**start))
            passes.append(Pass(whole, own, uninterrupted(own.run()), reduced))
        passes = [_without_instants(one, start) for one in passes]
        instants = request.count * max(len(one.setup.conditions.instants) for one in passes)
        longest = math.inf if request.run_limit is None else request.run_limit
        return SweepBlocks(passes, wanted, request.fixed, instants, threads, longest)

    @property
    def setup(self) -> Setup:
        """The setup of a run that can be assembled, with the instants of values over time."""
        return self.passes[0].setup

    @property
    def first(self) -> Trajectory:
        """That run."""
        return self.passes[0].first

    @property
    def axis(self) -> np.ndarray:
        """Instants (N,) of values over time [s]."""
        return axis_of(self.setup)

    @property
    def most(self) -> int:
        """Number of runs whose states and results memory holds."""
        return min(most_runs(one.setup, len(_needed(one))) for one in self.passes)

    def pieces(self, rows: Arrays) -> Iterator[Piece]:
        """Values of the outputs by name, and `status` and `t_end`, of some runs after the other."""
        grid = _grid(rows, self.fixed)
        with expecting(self.instants):
            for one in self.passes:
                runs = _runs(one, grid, self.threads, self.longest)
                for part in runs.parts():
                    values = _values(one, runs, part)
                    if one is self.passes[-1]:
                        values |= {"status": np.array(part.status, dtype=STATUS), "t_end": np.asarray(part.t_end)}
                        values["message"] = np.array(part.message, dtype=object)
                    yield part.members, values

    def lost(self, count: int, why: str) -> Arrays:
        """Statuses of so many runs that cannot be computed, without values."""
        shapes = {x.name: (() if x.reduction else self.axis.shape) + shape_of(x) for x in self.outputs}
        values = {name: np.full((count, *shape), np.nan) for name, shape in shapes.items()}
        values |= {"status": np.full(count, Status.FAILED, dtype=STATUS), "t_end": np.zeros(count)}
        return {**values, "message": np.full(count, why, dtype=object)}


def _without_instants(one: Pass, start: Mapping[str, Any]) -> Pass:
    """The pass with the ends of the motion alone, where values there are all that is wanted.

    Not where an event may end runs before, where results depend on the instants before them, or where Python functions
    would be called once more.
    """
    setup, model = one.setup, one.arguments.model
    channels, states = Channels(setup.task.functions), columns_of(setup)
    results = {name for output in one.outputs for name in output.needs if name not in states}
    if (
        any(output.reduction != "final" for output in one.outputs)
        or any(event.do == "stop" for event in model.events.values())
        or any(channels.is_continued(name) for name in results)
        or one.arguments.all_prescribed
        or setup.task.plan.calls
        or not setup.conditions.end > 0
    ):
        return one
    arguments = one.arguments.updated(times=np.array([0.0, setup.conditions.end]))
    own = Setup.of(arguments.updated(**start))
    return Pass(arguments, own, uninterrupted(own.run()), one.outputs)


def _needed(one: Pass) -> dict[str, Channel]:
    """The results that the outputs of a pass need, by name."""
    return {name: one.first.channels[name] for output in one.outputs for name in sorted(output.needs)}


def _runs(one: Pass, grid: SweepGrid, threads: int | None, longest: float) -> Runs:
    """The runs of a block in one pass."""
    reduced = [output for output in one.outputs if output.reduction not in ("", "final")]
    members = read_members(one.setup, one.arguments, grid)
    return Runs(one.setup, one.first, grid, members, _needed(one), reduced, threads, longest)


def make(text: str, threads: int) -> SweepBlocks:
    """The function that computes the blocks of a request, in a worker."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # the calling process has given them
        return SweepBlocks.of(read_request(text), threads)


def rows_of(grid: SweepGrid) -> Callable[[range], Arrays]:
    """What varies between the runs of a block, by argument and name."""
    return lambda items: {f"{entry.argument}:{entry.name}": x for entry, x in grid.rows(items)}


def _grid(rows: Arrays, fixed: Mapping[str, Mapping[str, Any]]) -> SweepGrid:
    """The runs of a block as a sweep along one axis."""
    named = [(key.split(":", 1), x) for key, x in rows.items()]
    varied = [Varied(argument, name, name, ("run",), x, {}) for (argument, name), x in named]
    return SweepGrid({"run": len(varied[0].values)}, tuple(varied), fixed)


def _values(one: Pass, runs: Runs, part: Part) -> dict[str, np.ndarray]:
    """Values (b, …) of the outputs of a pass."""
    parameters = {name: x[part.members] for name, x in runs.members.parameters.items()}
    given = len(part.members), runs.axis, part.found, part.reduced, part.ends, parameters
    return {output.name: output.values(*given) for output in one.outputs}


def shape_of(output: Output) -> tuple[int, ...]:
    """Shape of an output at one instant."""
    return (len(output.components),) if output.components else ()
