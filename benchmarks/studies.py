"""A study of a million slider-cranks: in one process, by workers of a Dask cluster on this machine, and into a store.

The torque on the crank varies; the crank's angle and speed at the end are kept, which takes so little time for each run
that the cost of sending and writing shows most. A study is made twice, and the second time counts: cluster and model
are ready then. Where a row says so, times are those of the processors, of the calling process, scheduler and workers
together, so that others on the machine disturb less; else they are elapsed time on two cores. All ways give the same
bits. The peers make forty of the runs: a pool of two processes that loop over `cardan.simulate`, and MuJoCo's
`rollout` in two threads. Errors are the largest ones of the angle at the end [rad]; the study's is at most MuJoCo's.
Memory is the largest of a process that makes the study by two workers and gets the dataset. For the last row the
calling process is killed (kill -9) in the middle of a study with a store: blocks that were ready and not in the store,
and one for each worker that may have been at work, are made again.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import cardan

from .loop_problems import ANGLE, TORQUE, slider_crank_problem, slider_crank_rates
from .peers import mujoco_model, require
from .table import Goal, Result, Row
from .timing import Effort, Times, on_all_cores

__all__ = ["TITLE", "measure"]

TITLE = "A study of a million runs, per run"

ROOT = Path(__file__).parents[1]
END = 10.0  # of all runs [s]
SINGLE = 40  # runs of the peers, at most
STEP = 2.5e-3  # of MuJoCo's Runge-Kutta method [s]
CLOSE = 2e-6  # largest error of Cardan's angles, which grow to 65 rad [rad]
TOLERANCES = {"rtol": 3e-7, "atol": 3e-9}
OUTPUTS = ["final(crank.q)", "final(crank.v)"]


Side = Callable[[np.ndarray], np.ndarray]  # angles at the end, by torque


def study(torques: np.ndarray, **how: Any) -> Any:
    """The dataset of slider-cranks with these torques.

    Parameters
    ----------
    torques : np.ndarray
        On the crank [N m].
    **how
        Arguments of `cardan.sweep` in addition.
    """
    given = {"motors": "none", "until": END, "outputs": OUTPUTS, **TOLERANCES, **how}
    return cardan.sweep(slider_crank_problem().model, inputs={"crank": torques}, **given)


def torques(count: int) -> np.ndarray:
    """The torques of so many runs [N m].

    Parameters
    ----------
    count : int
        Number of runs.
    """
    return np.linspace(0.8 * TORQUE, 1.2 * TORQUE, count)


def measure(effort: Effort) -> Result:
    """Times, memory and what a kill costs.

    Parameters
    ----------
    effort : Effort
        How many runs.
    """
    require("distributed", "zarr", "mujoco", "scipy")
    from cardan.blocks.cluster import connected

    count, few = effort.study, torques(min(SINGLE, effort.study))
    with on_all_cores(), TemporaryDirectory() as folder, ProcessPoolExecutor(2, get_context("spawn")) as pool:
        loop_of, rolled = partial(_simulated, pool), _rollout()
        errors = _errors(few, loop_of, rolled)
        given, store = torques(count), Path(folder) / "study.zarr"
        expected, times = _measured(given, None, threads=1)
        kept, stored = _measured(given, None, threads=1, store=store)
        with connected("local:1") as client:
            by_one, one = _measured(given, client)
        with connected("local:2") as client:
            by_two, two = _measured(given, client)
            memory, lost = _memory(count, client), _killed(max(64, count // 8), client, Path(folder))
        loop, rollout = Times((_elapsed(loop_of, few),)), Times((_elapsed(rolled, few),))
        for found in (kept, by_one, by_two):
            assert all(np.array_equal(found[name].values, expected[name].values) for name in OUTPUTS)
    what = f"{count} runs of {END:g} s"
    simulating, rolling = f"simulate in two processes, error {errors[1]:.0e}", f"rollout, error {errors[2]:.0e}"
    return Result(
        (
            Row(f"{what}, processor, two workers", two.processor, "one process", times.processor, Goal(ratio=0.95)),
            Row(f"{what}, processor, with a store", stored.processor, "without", times.processor, Goal(ratio=0.9)),
            Row(f"{what}, two workers", two.elapsed, "one worker", one.elapsed),
            Row(f"{what}, two workers, error {errors[0]:.0e}", two.elapsed, simulating, loop),
            Row(f"{what}, two workers, error {errors[0]:.0e}", two.elapsed, rolling, rollout),
            Row(f"{what}, memory of the client", Times((memory,)), goal=Goal(limit=400e6), show=_bytes),
            Row("kill -9, blocks made again", Times((lost,)), goal=Goal(limit=2), show=lambda x: f"{x:.0f} blocks"),
        )
    )


@dataclass(frozen=True)
class _Cost:
    """What a study costs for each run."""

    elapsed: Times
    processor: Times  # of the calling process, the scheduler and the workers


def _measured(given: np.ndarray, client: Any, **how: Any) -> tuple[Any, _Cost]:
    """The dataset of a study that is made twice, and the cost of the second time, when all have prepared the model."""
    study(given, client=client, **({} if client else {"threads": 1}))
    begin, used = time.perf_counter(), _used(client)
    found = study(given, client=client, **how)
    spent = time.perf_counter() - begin, _used(client) - used
    assert (found["status"] == "completed").all()
    return found, _Cost(*(Times((seconds / len(given),)) for seconds in spent))


def _used(client: Any) -> float:
    """Time that this process, the scheduler and the workers have computed [s]."""
    here = time.process_time()
    if client is None:
        return here
    return here + sum(client.run(time.process_time).values()) + client.run_on_scheduler(time.process_time)


def _errors(few: np.ndarray, *peers: Side) -> tuple[float, float, float]:
    """Largest errors [rad] of a study, of single runs and of MuJoCo; at one torque the equation by hand is solved."""
    from scipy.integrate import solve_ivp

    from cardan.model.quantities.parameters import resolve

    given = {name: float(value) for name, value in resolve(slider_crank_problem().model.parameters).items()}
    by_hand = solve_ivp(slider_crank_rates(given)[0], (0, END), [ANGLE, 0.0], "DOP853", rtol=1e-13, atol=1e-14).y[0, -1]
    exact = study(few, rtol=1e-12, atol=1e-14)[OUTPUTS[0]].values
    assert abs(study(np.array([TORQUE]), rtol=1e-12, atol=1e-14)[OUTPUTS[0]].values[0] - by_hand) < 1e-10
    ours, pool, theirs = (
        float(np.abs(side(few) - exact).max()) for side in (lambda given: study(given)[OUTPUTS[0]].values, *peers)
    )
    assert pool <= CLOSE, f"the error of `simulate` is {pool:.1e} rad"
    assert ours <= min(CLOSE, theirs), f"errors are {ours:.1e} and {theirs:.1e} rad"
    return ours, pool, theirs


def _elapsed(side: Side, few: np.ndarray) -> float:
    """Elapsed time of a run [s]."""
    begin = time.perf_counter()
    side(few * (1 + 1e-9))  # `simulate` remembers earlier calls, which no loop of a user repeats
    return (time.perf_counter() - begin) / len(few)


def _single(torque: float) -> float:
    """The angle at the end of one run [rad]."""
    fixed = {"motors": "none", "times": [END], **TOLERANCES}
    return float(cardan.simulate(slider_crank_problem().model, inputs={"crank": torque}, **fixed).array("crank.q")[-1])


def _simulated(pool: ProcessPoolExecutor, few: np.ndarray) -> np.ndarray:
    """Angles at the end, by the processes of a pool."""
    return np.array([*pool.map(_single, few.tolist(), chunksize=max(1, len(few) // 8))])


def _rollout() -> Side:
    """What gives angles at the end by MuJoCo, in two threads."""
    import mujoco
    from mujoco import rollout

    problem = slider_crank_problem()
    peer = mujoco_model(problem.model, STEP)
    data = [mujoco.MjData(peer) for _ in range(2)]
    order = [peer.joint(i).name for i in range(peer.njnt)]
    data[0].qpos = [problem.q[name] for name in order]
    everything = mujoco.mjtState.mjSTATE_FULLPHYSICS
    start, crank = np.zeros(mujoco.mj_stateSize(peer, everything)), order.index(problem.crank)
    mujoco.mj_getState(peer, data[0], start, everything)
    spec = int(mujoco.mjtState.mjSTATE_QFRC_APPLIED)

    def angles(few: np.ndarray) -> np.ndarray:
        control = np.zeros((len(few), round(END / STEP), peer.nv))
        control[:, :, crank] = few[:, None]
        state, _ = rollout.rollout(peer, data, np.tile(start, (len(few), 1)), control, control_spec=spec)
        return np.asarray(state[:, -1, 1 + crank])  # behind the time

    return angles


_HEAD = "from benchmarks.studies import study, torques\nimport sys\n"


def _child(script: str, *words: object, **how: Any) -> subprocess.Popen[str]:
    """A process of its own, whose output is read."""
    command = [sys.executable, "-c", _HEAD + script, *map(str, words)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, **how)


def _memory(count: int, client: Any) -> float:
    """Largest memory of a process that gets a study from the workers of a client [bytes]."""
    script = (
        "found = study(torques(int(sys.argv[1])), client=sys.argv[2])\n"
        "assert (found['status'] == 'completed').all()\n"
        "print(open('/proc/self/status').read())"  # the memory of a parent process would count in `resource`
    )
    with _child(script, count, client.scheduler.address) as process:
        assert process.stdout is not None
        return 1024 * float(re.search(r"VmHWM:\s*(\d+)", process.stdout.read())[1])


def _killed(count: int, client: Any, folder: Path) -> float:
    """Blocks that are made again after the calling process has been killed in the middle of a study, at most."""
    from cardan.results.storage.study_store import open_store

    script = (
        "given = torques(int(sys.argv[1]))\n"
        "how = {'client': sys.argv[2], 'store': sys.argv[3], 'resume': True}\n"
        "study(given, **how, progress=lambda done: print(done, flush=True))"
    )
    path, known = folder / "killed.zarr", [(0, 0)]
    for part in (0.0, 0.5):  # the first time, blocks are made to measure their duration, too
        with _child(script, count, client.scheduler.address, path, stderr=subprocess.DEVNULL) as process:
            assert process.stdout is not None
            any(float(line) > part for line in process.stdout)
            os.kill(process.pid, signal.SIGKILL)
        store = open_store(path)
        known.append((client.run_on_scheduler(_ready), len(store.blocks) - len(store.missing())))
    ready, done = np.diff(known[1:], axis=0)[0]
    return float(ready - done + len(client.nthreads()))


def _ready(dask_scheduler: Any) -> int:
    """Blocks that workers have computed so far."""
    return int(dask_scheduler.task_prefixes["run_block"].state_counts["memory"])


def _bytes(value: float) -> str:
    return f"{value / 1e6:.0f} MB"
