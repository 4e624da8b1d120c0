"""Random mechanisms with loops against Newton's and Euler's equations of every body.

    python -m tests.fuzzing.loops --count 1000 --seed 1

The run that is the instant t = 0, of one in ten also 20 ms later: closed position, velocities, accelerations, reactions
of all joints, which of them are unique, and currents. `random_loop(number)` makes the mechanism of a number again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

import cardan
from cardan.model import Model
from cardan.model.joints import Joint
from cardan.model.names import coordinates, velocities
from cardan.results.trajectory import Trajectory
from tests.fuzzing import report
from tests.fuzzing.mechanisms import Made, carrying, random_loop
from tests.fuzzing.newton_euler_bodies import RANK, WIDTHS, Bodies, Solution
from tests.fuzzing.report import Differences, NoAnswerError

__all__ = ["check", "main"]

CLOSED = 1e-9  # residual of a closed loop [m, -]
INTEGRATED = 0.1  # share of mechanisms that also run for 20 ms, which compiles them
BESIDE = 1e-5  # singular value of J below which a position counts as beside a singular one: 1/BESIDE² of CLOSED shows


def check(seed: int) -> Differences:
    """What differs in one mechanism."""
    made = random_loop(seed)
    rng = np.random.default_rng([seed, 1])
    model, v = Model(**made.keys), _velocities(made, rng)
    motors = str(rng.choice(["full", "simplified", "none"])) if "motors" in made.keys else "none"
    joints = {name: model.joints[name] for name in carrying(made.keys["joints"])}
    moved = rng.random() < 0.3  # guesses from which the mechanism is to be assembled
    initial: dict[str, Any] = {}
    for name in joints:
        own, q = {name: joints[name]}, made.q[name] + moved * 0.02 * rng.standard_normal(len(made.q[name]))
        if joints[name].type in ("spherical", "free"):
            q[-4:] /= np.linalg.norm(q[-4:])
        initial |= {key: {"guess": float(x)} for key, x in zip(coordinates(own), q, strict=True)}
        initial |= {key: float(x) for key, x in zip(velocities(own), v[name], strict=True)}
    names = list(made.keys.get("motors", {})) if motors != "none" else []
    u = dict(zip(names, (float(x) for x in rng.uniform(-5, 5, len(names))), strict=True))
    found = Differences()
    times = [0.0, 0.02] if rng.random() < INTEGRATED else [0.0]
    run = cardan.simulate(model, times=times, motors=motors, inputs=u, initial=initial)
    if not run.ok:
        raise NoAnswerError(f"{made.about}: {run.message}")
    if not moved:
        for name, own in joints.items():
            q = _values(run, coordinates({name: own}), "q", 0)
            found.compare(f"q of {name}", q, made.q[name], 1e-6)
            found.compare(f"v of {name}", _values(run, velocities({name: own}), "v", 0), v[name], 1e-6)
    for k in range(len(times)):
        _compare_instant(made, joints, run, k, motors, u, found)
    if made.plain and found.all:
        report = cardan.mobility(model, initial)
        if report.instantaneous > report.degrees_of_freedom:
            raise NoAnswerError(f"{made.about}: starts in a singular position, where other equations hold")
    found.all = [f"{made.about}, motors {motors}: {text}" for text in found.all]
    return found


def _compare_instant(
    made: Made,
    joints: dict[str, Joint],
    run: Trajectory,
    k: int,
    motors: str,
    u: dict[str, float],
    found: Differences,
) -> None:
    """Compare the instant k of a run with the equations in its state."""
    q = {name: _values(run, coordinates({name: own}), "q", k) for name, own in joints.items()}
    v = {name: _values(run, velocities({name: own}), "v", k) for name, own in joints.items()}
    driven: dict[str, Any] = {
        "none": {},
        "full": {"currents": {name: float(run.array(f"{name}.current")[k]) for name in u}},
        "simplified": {"voltages": u},
    }[motors]
    bodies = Bodies(made.keys, q, v, {}, **driven)
    for name in made.keys["joints"]:
        found.compare(f"{name} closes", gap := bodies.gaps(name), np.zeros_like(gap), CLOSED)
    residuals = bodies.velocity_equations()[1]
    found.compare("velocities of closing joints", residuals, np.zeros_like(residuals), CLOSED)
    solution, before = bodies.solution(), len(found.all)
    _compare_loads(made, joints, run, k, solution, found)
    for name in u:
        found.compare(f"{name}.current", run.array(f"{name}.current")[k], bodies.current(name))
    if solution.smallest < BESIDE or solution.largest_zero > 0.1 * CLOSED:
        size = f"beside a singular position, singular value {solution.smallest:.1e}"
        found.all[before:] = [f"{size}: {text}" for text in found.all[before:]]


def _velocities(made: Made, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Velocities that every closing joint allows, by joint of the tree."""
    tree = carrying(made.keys["joints"])
    still = {name: np.zeros(WIDTHS[made.keys["joints"][name]["type"]][1]) for name in tree}
    J, _ = Bodies(made.keys, {name: made.q[name] for name in tree}, still, {}).velocity_equations()
    any_v = rng.uniform(-2, 2, J.shape[1])
    if np.linalg.matrix_rank(J, tol=RANK) == len(any_v):
        return still
    v = any_v - np.linalg.lstsq(J, J @ any_v, rcond=RANK)[0] if J.size else any_v
    ends = np.cumsum([0, *(len(x) for x in still.values())])
    return {name: v[a:b] for name, a, b in zip(tree, ends[:-1], ends[1:], strict=True)}


def _values(run: Trajectory, names: Iterable[str], what: str, k: int) -> np.ndarray:
    """`q`, `v` or `a` of some coordinates or velocities at the instant k."""
    return np.array([float(run.array(f"{name.removesuffix('.v')}.{what}")[k]) for name in names])


def _compare_loads(
    made: Made, joints: dict[str, Joint], run: Trajectory, k: int, solution: Solution, found: Differences
) -> None:
    """Compare accelerations, reactions and their uniqueness."""
    for name, expected in solution.a.items():
        found.compare(f"accelerations of {name}", _values(run, velocities({name: joints[name]}), "a", k), expected)
    size = max((float(np.max(np.abs(w))) for w in solution.wrenches.values()), default=1.0)
    for name, wrench in solution.wrenches.items():
        for part, at in (("moment", slice(0, 3)), ("force", slice(3, 6))):
            result = run[f"{name}.reaction_{part}"]
            answers = result.attrs.get("unique", "yes, yes, yes").split(", ")
            known = np.array([answer != "unknown" for answer in answers])
            value, expected = np.array(result)[k], wrench[at]
            if np.isfinite(value[~known]).any():
                found.note(f"reaction {part} of {name}: numbers for unknown components {value}")
            found.compare(f"reaction {part} of {name}", value[known] / size, expected[known] / size)
            unique = np.array([answer == "yes" for answer in answers])
            here = solution.unique[name][at]  # in this position, which has zeros that its neighbours do not have
            if (unique[known] & ~here[known]).any() or (not made.plain and (unique != here)[known].any()):
                found.note(f"reaction {part} of {name}: unique {answers}, but {solution.unique[name][at]}")


def main() -> int:
    """Check as many mechanisms as asked for; 1 if any was wrong."""
    return report.main(__doc__, check, 1000)


if __name__ == "__main__":
    sys.exit(main())
