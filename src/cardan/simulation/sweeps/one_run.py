"""The results of one run that a sweep needs: of a `Trajectory`, or of a solution that began in SIMD lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from cardan.channels.run_channels import RunChannels, of_run
from cardan.frozen import dataclass, replace
from cardan.integration import Solution
from cardan.results.status import Status
from cardan.results.trajectory import Trajectory
from cardan.simulation.checks.extremes import Extremes, ResultFormula
from cardan.simulation.setup import Setup
from cardan.simulation.sweeps.outputs import Output
from cardan.simulation.sweeps.time_mean import time_mean
from cardan.system.input_segments import values_at

Values = Mapping[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class OneRun:
    """The motion of one run, with results on demand."""

    t: np.ndarray  # its instants (N,), with ends of steps and events [s]
    status: Status  # how it ended
    message: str  # the same in a sentence
    t_end: float  # time reached [s]
    arrays: Callable[[Iterable[str]], Values]  # values (N, …) of results, by name
    search: Extremes | None  # finds extremes between the instants; None where these alone are known

    def reduced(
        self,
        outputs: Sequence[Output],
        parameters: Mapping[str, np.ndarray],
        rtol: float,
        in_steps: Callable[[], tuple[OneRun, np.ndarray]] | None,
    ) -> dict[str, np.ndarray]:
        """Largest, smallest and mean values (…) over the whole motion, by the name of the output.

        A mean that may be wrong by more than `rtol` of the largest value is summed over the run `in_steps`, with the
        weights of its instants.
        """
        every = {output.name: ResultFormula(output.needs, partial(output.of_run, parameters)) for output in outputs}
        sought = {output.name: every[output.name] for output in outputs if output.reduction != "mean"}
        extents = self.search([], sought) if self.search is not None and sought else {}
        found = self.arrays(sorted({name for name in every if name not in extents for name in every[name].needs}))
        out, doubtful = {}, []
        for output in outputs:
            if output.name in extents:
                out[output.name] = extents[output.name][output.reduction == "max"]
                continue
            y = every[output.name].values(self.t, found)
            if output.reduction == "mean":
                out[output.name], error = time_mean(self.t, y)
                if in_steps is not None and np.any(error > rtol * np.max(np.abs(y), axis=0)):
                    doubtful.append(output.name)
            else:
                out[output.name] = (np.max if output.reduction == "max" else np.min)(y, axis=0)
        if in_steps is not None and doubtful:
            finer, weights = in_steps()
            found = finer.arrays(sorted({needed for name in doubtful for needed in every[name].needs}))
            for name in doubtful:
                out[name] = np.tensordot(weights, every[name].values(finer.t, found), axes=1)
        return out


def of_trajectory(run: Trajectory) -> OneRun:
    """The run of a trajectory."""
    search = run.find_extremes if isinstance(run.find_extremes, Extremes) else None
    return OneRun(run.t, run.status, run.message, run.statistics["reached"], run.arrays, search)


def of_solution(
    setup: Setup, solution: Solution, x0: np.ndarray, p: np.ndarray, c0: np.ndarray, columns: Mapping[str, int]
) -> OneRun:
    """The run of a solution that lanes began and that was integrated alone from its first event on."""
    channels = channels_of(setup, solution.t, solution.x, x0, p, c0)
    found = np.hstack([solution.x, solution.w])

    def arrays(names: Iterable[str]) -> Values:
        wanted = list(names)
        others = [name for name in wanted if name not in columns]
        computed = channels.evaluate(others) if others else {}
        return {name: found[:, columns[name]] if name in columns else computed[name] for name in wanted}

    search = extremes_of(setup, channels, solution.w, x0, p, c0)
    status = Status[solution.outcome.name]
    return OneRun(solution.t, status, status.describe(solution.t_end), solution.t_end, arrays, search)


def channels_of(
    setup: Setup, t: np.ndarray, x: np.ndarray, x0: np.ndarray, p: np.ndarray, c0: np.ndarray
) -> RunChannels:
    """The channels of one run at instants t (N,) in states x (N, nx)."""
    task, pieces = setup.task, setup.conditions.segments
    inputs, q0 = partial(values_at, replace(pieces, c0=c0)), x0[: task.functions.system.tree.nq]
    return of_run(task.functions, t, x, inputs, p, pieces.b, position=q0, projected=task.projects)


def extremes_of(
    setup: Setup, channels: RunChannels, w: np.ndarray, x0: np.ndarray, p: np.ndarray, c0: np.ndarray
) -> Extremes:
    """The search for the smallest and largest values of one run."""
    task = setup.task
    (whole,) = task.parameters(np.zeros(1), x0[None], p[None])
    task_of_run = replace(task, problem=replace(task.problem, p=whole, c0=c0))
    return Extremes(setup.conditions, task_of_run, channels, w)
