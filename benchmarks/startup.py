"""Start-up: what a user waits for in a fresh interpreter, with an empty cache of machine code and with a filled one.

Every time is that of a new process. "Beyond imports": all modules that the script will load were imported before the
clock started.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import cardan

from .comparison import assert_equal
from .mechanisms import ARM, arm, states
from .table import Goal, Result, Row
from .timing import Effort, Times

__all__ = ["TITLE", "measure"]

TITLE = "Start-up"

CONDITION = 1e4  # of the arm's mass matrix, rounded up; computed by the peers in the other sections

STATE = [array[0].tolist() for array in states(7, 1)]
ACCELERATION = f"""
import cardan
print(cardan.compile(cardan.load({str(ARM)!r})).forward_dynamics(*{STATE}).tolist())
"""
SIMULATION = f"""
import cardan
print(cardan.simulate(cardan.load({str(ARM)!r})).status)
"""
CLOCK = """
import contextlib, json, sys, time
for name in json.loads(sys.argv[1]):
    with contextlib.suppress(ImportError):
        __import__(name)
start = time.perf_counter()
{code}
print(time.perf_counter() - start)
print(json.dumps([name for name in sys.modules if name != "__main__"]))
"""


def measure(effort: Effort) -> Result:
    """Times of fresh processes.

    Parameters
    ----------
    effort : Effort
        How many processes per row.
    """
    _assert_right_acceleration()
    rows = [Row("import cardan", _import_time(effort), goal=Goal(limit=0.15))]
    rows += _rows("model file to first acceleration", ACCELERATION, effort, cold=Goal(limit=1.0), warm=Goal(limit=0.05))
    rows += _rows("model file to a run of 5 s", SIMULATION, effort, cold=Goal(), warm=Goal())
    return Result(tuple(rows))


def _import_time(effort: Effort) -> Times:
    with TemporaryDirectory() as folder:
        return Times(tuple(_process("import cardan", Path(folder), [])[0] for _ in range(effort.processes)))


def _rows(what: str, code: str, effort: Effort, cold: Goal, warm: Goal) -> list[Row]:
    beyond_cold, whole_cold = _repeated(code, effort, cold=True)
    beyond_warm, whole_warm = _repeated(code, effort, cold=False)
    return [
        Row(f"{what}, empty cache, whole process", whole_cold, goal=cold),
        Row(f"{what}, empty cache, beyond imports", beyond_cold),
        Row(f"{what}, filled cache, whole process", whole_warm),
        Row(f"{what}, filled cache, beyond imports", beyond_warm, goal=warm),
    ]


def _repeated(code: str, effort: Effort, cold: bool) -> tuple[Times, Times]:
    """Times of `code` beyond its imports, and of whole processes that import as they go."""
    beyond, whole = [], []
    with TemporaryDirectory() as folder:
        _, _, modules = _process(code, Path(folder) / "first", [])
        for i in range(effort.processes):
            caches = [Path(folder) / (f"{i}.{k}" if cold else "first") for k in range(2)]
            beyond.append(_process(code, caches[0], modules)[0])
            whole.append(_process(code, caches[1], [])[1])
    return Times(tuple(beyond)), Times(tuple(whole))


def _process(code: str, cache: Path, modules: list[str]) -> tuple[float, float, list[str]]:
    """Time of the code, time of the process [s], and the modules that were loaded in the end."""
    environment = {**os.environ, "CARDAN_CACHE_DIR": str(cache)}
    script = CLOCK.replace("{code}", code)
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", script, json.dumps(modules)], check=True, capture_output=True, text=True, env=environment
    )
    whole = time.perf_counter() - start
    *_, spent, names = done.stdout.splitlines()
    return float(spent), whole, json.loads(names)


def _assert_right_acceleration() -> None:
    """A fresh process with an empty cache gives the numbers of a batch in this one, which is other machine code."""
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "CARDAN_CACHE_DIR": folder}
        command = [sys.executable, "-c", ACCELERATION]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    batch = cardan.compile(arm()).forward_dynamics(*(np.repeat(array, 8, axis=0) for array in states(7, 1)))
    assert_equal(np.array(json.loads(done.stdout)), batch[0], CONDITION)
