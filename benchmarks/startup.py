"""Start-up: what a user waits for in a fresh interpreter, with an empty cache of machine code and with a filled one.

Every time is that of a new process, whose modules an earlier one has compiled to bytecode, as their installation does.
"Beyond imports": all modules that the script will load were imported before the clock started.

The program as a whole, `cardan simulate slider_crank`, stands beside a process that imports the libraries of Cardan and
does nothing else, in turns. Goals: 0.43 and 0.68 s, with a filled cache and an empty one, on a machine whose imports
take 0.28 s.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
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
LIBRARIES = "import numpy, casadi, llvmlite.binding, pydantic, pint, rich, typer"
PROGRAM = ["-m", "cardan", "simulate", "slider_crank", "-q"]
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
    with TemporaryDirectory() as name:
        bytecode = Path(name) if effort.first_turns else None  # none: that of this installation
        rows = [Row("import cardan", _import_time(effort, bytecode), goal=Goal(limit=0.15))]
        goals = Goal(limit=1.0), Goal(limit=0.05)
        rows += _rows("file to first acceleration", ACCELERATION, _check_acceleration, effort, goals, bytecode)
        rows += _rows("file to a run of 5 s", SIMULATION, _check_status, effort, (Goal(), Goal()), bytecode)
        rows += _program_rows(effort, bytecode)
    return Result(tuple(rows))


def _import_time(effort: Effort, bytecode: Path | None) -> Times:
    with TemporaryDirectory() as name:
        count = effort.processes + effort.first_turns
        processes = [_process("import cardan", bytecode, Path(name), []) for _ in range(count)]
        return Times(tuple(process.code for process in processes[effort.first_turns :]))


def _rows(
    what: str, code: str, check: Callable[[str], None], effort: Effort, goals: tuple[Goal, Goal], bytecode: Path | None
) -> list[Row]:
    """Four rows: empty and filled cache, whole processes that import as they go, and `code` beyond its imports."""
    cold_goal, warm_goal = goals
    with TemporaryDirectory() as name:
        folder = Path(name)
        filled = folder / "filled"
        first = _process(code, bytecode, filled, [])
        check(first.answer)
        runs = range(effort.processes)
        again = [_process(code, bytecode, folder / f"empty{i}", []) for i in runs if effort.first_turns]
        cold = again or [first]
        cold_beyond = [_process(code, bytecode, folder / f"beyond{i}", first.modules) for i in runs]
        warm = [_process(code, bytecode, filled, []) for _ in runs]
        warm_beyond = [_process(code, bytecode, filled, first.modules) for _ in runs]
    return [
        Row(f"{what}, empty cache, whole process", Times(tuple(p.whole for p in cold)), goal=cold_goal),
        Row(f"{what}, empty cache, beyond imports", Times(tuple(p.code for p in cold_beyond))),
        Row(f"{what}, filled cache, whole process", Times(tuple(p.whole for p in warm))),
        Row(f"{what}, filled cache, beyond imports", Times(tuple(p.code for p in warm_beyond)), goal=warm_goal),
    ]


def _program_rows(effort: Effort, bytecode: Path | None) -> list[Row]:
    """Two rows: the program with a filled cache and with an empty one, beside the imports of its libraries."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        times = [
            (
                _whole(["-c", LIBRARIES], bytecode, folder),
                _whole(PROGRAM, bytecode, folder),
                _whole(PROGRAM, bytecode, folder / f"empty{i}"),
            )
            for i in range(effort.processes + effort.first_turns)
        ]
    bare, filled, empty = (Times(one[effort.first_turns :]) for one in zip(*times, strict=True))
    what, peer = "cardan simulate slider_crank", "imports of its libraries alone"
    return [
        Row(f"{what}, filled cache, whole process", filled, peer, bare, Goal(ratio=0.65)),
        Row(f"{what}, empty cache, whole process", empty, peer, bare, Goal(ratio=0.41)),
    ]


def _whole(words: list[str], bytecode: Path | None, cache: Path) -> float:
    """Time from the start of a new process of Python to its end [s]."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *words], check=True, capture_output=True, env=_environment(bytecode, cache))
    return time.perf_counter() - start


def _environment(bytecode: Path | None, cache: Path) -> dict[str, str]:
    environment = {**os.environ, "CARDAN_CACHE_DIR": str(cache)}
    if bytecode is not None:
        environment["PYTHONPYCACHEPREFIX"] = str(bytecode)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


@dataclass(frozen=True)
class _Process:
    """What one process took and said."""

    whole: float  # from its start to its end [s]
    code: float  # the code alone [s]
    answer: str  # what the code printed
    modules: list[str]  # loaded in the end


def _process(code: str, bytecode: Path | None, cache: Path, modules: list[str]) -> _Process:
    """Run code in a new process that has imported `modules` before its clock starts."""
    command = [sys.executable, "-c", CLOCK.replace("{code}", code), json.dumps(modules)]
    start = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=_environment(bytecode, cache))
    whole = time.perf_counter() - start
    *answer, spent, names = done.stdout.splitlines()
    return _Process(whole, float(spent), "\n".join(answer), json.loads(names))


def _check_acceleration(answer: str) -> None:
    """The numbers are those of a batch in this process, which is other machine code."""
    batch = cardan.compile(arm()).forward_dynamics(*(np.repeat(array, 8, axis=0) for array in states(7, 1)))
    assert_equal(np.array(json.loads(answer)), batch[0], CONDITION)


def _check_status(answer: str) -> None:
    assert answer == "completed", answer
