"""Changed models of the gallery, run for a moment: a result with a status, or an error by name; no other exception.

    python -m tests.fuzzing.runs --count 1000 --seed 1

The models are whole files with a few entries changed: a number or a name in place of another, an entry lost, an entry
of another model, friction, end stops, an event or a prescribed motion put in. Each that is read is assembled, run for
a moment, and its kineto-statics computed where it has motions.
"""

from __future__ import annotations

import argparse
import copy
import random
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ruamel.yaml import YAML

import cardan
from cardan.errors import AssemblyError, ModelError, SolveError
from cardan.formats.gallery import gallery, gallery_path
from cardan.model import Model

__all__ = ["changed", "failures"]

PATIENCE = 60  # longest time for one model [s]: compiled for the first time, the slowest of the gallery takes ten
UNTIL = 0.02  # [s]: the start, and hundreds of steps where forces are stiff
NUMBERS: list[Any] = [0, 1, -1, 2.5, 1e-9, 1e9, "30 deg", "2 mm", "3*t", "sin(20*t)", "-2", "1/3"]
FRICTION: list[Any] = [
    {"effort": 0.3},
    {"effort": "0.3 N", "static": "0.5 N"},
    {"effort": 0.3, "static": 0.5, "stribeck": 0.01},
    {"coefficient": 0.2},
    {"coefficient": 0.15, "radius": "12 mm"},
    {"coefficient": 0.15, "static": 0.3, "radius": 0.01, "loads": "minimum_norm"},
]
LIMITS: list[Any] = [
    {"lower": -0.1, "upper": 0.1},
    {"upper": 0.05, "restitution": 0.5},
    {"lower": 0, "stiffness": 1e4},
    {"lower": -1, "upper": 1, "stiffness": 1e4, "damping": 10},
]
DO: list[Any] = ["stop", "record"]

Data = dict[str, Any]
Change = Callable[[random.Random, Data, Data], None]


def changed(count: int, seed: int) -> Iterator[Data]:
    """Data of gallery files, each with a few random changes."""
    rng = random.Random(seed)
    yaml = YAML(typ="safe", pure=True)
    files = [yaml.load(gallery_path(name).read_text(encoding="utf-8")) for name in gallery()]
    for _ in range(count):
        data = copy.deepcopy(rng.choice(files))
        for _ in range(rng.randint(1, 3)):
            rng.choice(CHANGES)(rng, data, rng.choice(files))
        yield data


def failures(count: int, seed: int) -> Iterator[tuple[int, Data, str]]:
    """Number, data and reason of every model that neither runs nor is refused by name."""
    for number, data in enumerate(changed(count, seed)):
        try:
            with _patience():
                _run(data)
        except (ModelError, AssemblyError, SolveError):
            pass
        except Exception:
            yield number, data, traceback.format_exc()


def _run(data: Data) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        keys = {name: value for name, value in data.items() if name not in ("cardan", "templates")}
        model = Model(**keys)
        run = cardan.simulate(model, until=UNTIL)
        assert str(run), "a run without a summary"  # which takes the extremes of all states
        if model.motions:
            cardan.kinetostatics(model, times=[0.0, UNTIL])


@contextmanager
def _patience() -> Iterator[None]:
    """An error where it takes too long; only where the system has alarms."""

    def stop(number: int, frame: object) -> None:
        raise TimeoutError(f"took more than {PATIENCE} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _leaves(data: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Containers with the keys of all their plain entries, at any depth."""
    entries = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in entries:
        if isinstance(value, dict | list):
            _leaves(value, found)
        else:
            found.append((data, key))
    return found


def _number(rng: random.Random, data: Data, other: Data) -> None:
    """A number in place of a plain entry."""
    container, key = rng.choice(_leaves({k: v for k, v in data.items() if isinstance(v, dict)}, []))
    container[key] = rng.choice(NUMBERS)


def _swapped(rng: random.Random, data: Data, other: Data) -> None:
    """A plain entry in place of another one."""
    leaves = _leaves({k: v for k, v in data.items() if isinstance(v, dict)}, [])
    (one, key), (two, name) = rng.choice(leaves), rng.choice(leaves)
    one[key] = two[name]


def _lost(rng: random.Random, data: Data, other: Data) -> None:
    """An entry of a section lost."""
    section = data[rng.choice([k for k, v in data.items() if isinstance(v, dict) and v])]
    del section[rng.choice(list(section))]


def _borrowed(rng: random.Random, data: Data, other: Data) -> None:
    """An entry of another model."""
    sections = [k for k, v in other.items() if isinstance(v, dict) and v and k != "simulate"]
    section = rng.choice(sections)
    name = rng.choice(list(other[section]))
    if isinstance(data.setdefault(section, {}), dict):
        data[section][name] = copy.deepcopy(other[section][name])


def _joint(rng: random.Random, data: Data) -> Data:
    joints = [joint for joint in data.get("joints", {}).values() if isinstance(joint, dict)]
    return rng.choice(joints) if joints else {}


def _friction(rng: random.Random, data: Data, other: Data) -> None:
    """Friction of a joint."""
    _joint(rng, data)["friction"] = copy.deepcopy(rng.choice(FRICTION))


def _limits(rng: random.Random, data: Data, other: Data) -> None:
    """End stops of a joint."""
    _joint(rng, data)["limits"] = copy.deepcopy(rng.choice(LIMITS))


def _event(rng: random.Random, data: Data, other: Data) -> None:
    """An event of a coordinate."""
    name = rng.choice(list(data.get("joints", {})) or ["j"])
    when = rng.choice([f"{name}", f"{name}.v", f"{name} - 0.01", "t - 0.01", f"sin({name})"])
    data["events"] = {**data.get("events", {}), "seen": {"when": when, "do": rng.choice(DO)}}


def _motion(rng: random.Random, data: Data, other: Data) -> None:
    """A prescribed motion of a joint."""
    name = rng.choice(list(data.get("joints", {})) or ["j"])
    law = rng.choice([f"{rng.choice([0.1, 1])}*t", "sin(t)", "0.3*t^2", 0.2])
    data["motions"] = {**(data.get("motions") or {}), name: law}


def _program(rng: random.Random, data: Data, other: Data) -> None:
    """A program that drives keep."""
    names = list(data.get("joints", {})) or ["j"]
    by = rng.sample(names, min(len(names), rng.randint(1, 2)))
    realize = rng.choice(["minimum_norm", "ideal", {"zero": by[:1]}, {"weights": dict.fromkeys(by, 1)}])
    program = {"type": "program", "expression": " + ".join(names[:2]), "by": by, "realize": realize}
    data["constraints"] = {**(data.get("constraints") or {}), "kept": program}


CHANGES: tuple[Change, ...] = (
    _number,
    _number,
    _swapped,
    _lost,
    _borrowed,
    _friction,
    _limits,
    _event,
    _motion,
    _program,
)


def main() -> int:
    """Run as many models as asked for, print those that fail, and return whether there were any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    found = 0
    for number, data, reason in failures(asked.count, asked.seed):
        found += 1
        print(f"--- model {number} of seed {asked.seed}: {reason}\n{data!r}\n", flush=True)
    print(f"{asked.count} models, {found} failures")
    return min(found, 1)


if __name__ == "__main__":
    sys.exit(main())
