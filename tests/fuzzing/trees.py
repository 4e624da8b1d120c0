"""Random trees against Newton's and Euler's equations of every body.

    python -m tests.fuzzing.trees --count 10000 --seed 1

Positions, velocities, energies, accelerations, currents and reactions. `random_tree(number)` makes the mechanism of a
number again.
"""

from __future__ import annotations

import sys
from typing import Any

import casadi as ca
import numpy as np

from cardan.assembly.start import ready_system
from cardan.functions.system_functions import user_functions_of
from cardan.model import Model
from tests.fuzzing import report
from tests.fuzzing.mechanisms import Made, random_tree
from tests.fuzzing.newton_euler_bodies import WIDTHS, Bodies
from tests.fuzzing.report import ROUND_OFF, Differences, NoAnswerError, separate
from tests.vectors import cross

__all__ = ["check", "main"]

SOME = 10  # round-offs in the sums of one component


def check(seed: int) -> Differences:
    """What differs in one tree."""
    made = random_tree(seed)
    rng = np.random.default_rng([seed, 1])
    motors = str(rng.choice(["full", "simplified", "none"])) if "motors" in made.keys else "none"
    system = ready_system(Model(**made.keys), motors)
    functions = user_functions_of(system)
    state, tau = _state(made, rng), {}
    for name, v in state.items():
        tau[name] = rng.uniform(-3, 3, len(v))
    found = Differences()

    def call(name: str, *arrays: np.ndarray, argument: str = "") -> list[np.ndarray]:
        law = functions.interpreted(name, argument)
        values = law.call([ca.DM(x) for x in (*arrays, 0.0)[: law.n_in()]])
        return [np.array(value) for value in values]

    q, v = (np.concatenate([x[name] for name in made.q]) for x in (made.q, state))
    tau_all = np.concatenate([tau[name] for name in made.q])
    names = list(made.keys.get("motors", {})) if motors != "none" else []
    u = rng.uniform(-5, 5, len(names))
    i = rng.uniform(-3, 3, len(names))

    # at rest circuits: efforts tau beside the motors at zero input
    at_zero: dict[str, Any] = {
        "none": {},
        "full": {"currents": dict.fromkeys(names, 0.0)},
        "simplified": {"voltages": dict.fromkeys(names, 0.0)},
    }[motors]
    bodies = Bodies(made.keys, made.q, state, tau, **at_zero)
    for body, T in zip(made.keys["bodies"], call("forward_kinematics", q), strict=True):
        found.compare(f"pose of {body}", T, bodies.poses[body])
        w, at = bodies.twists[body]
        J = call("jacobian", q, argument=body)[0] if rng.random() < 0.3 else None
        if J is not None:
            found.compare(f"twist of {body}", J @ v, np.concatenate([w, at]))
    kinetic, potential = call("energy", q, v)
    found.compare("energy", np.ravel([kinetic, potential]), bodies.energy())
    solution = bodies.solution()
    a = np.concatenate([solution.a[name] for name in made.q])
    found.compare("accelerations", call("forward_dynamics", q, v, tau_all)[0].ravel(), a)
    found.compare("efforts", call("inverse_dynamics", q, v, a)[0].ravel(), tau_all)
    reactions = separate(call("reactions", q, v, tau_all)[0].ravel(), list(made.q))
    for name, wrench in reactions.items():
        found.compare(f"reaction of {name}", wrench, solution.wrenches[name])

    # the state with currents, under inputs
    driven: dict[str, Any] = {
        "none": {},
        "full": {"currents": dict(zip(names, i, strict=True))},
        "simplified": {"voltages": dict(zip(names, u, strict=True))},
    }[motors]
    full = motors == "full"
    given = {} if motors != "none" else tau
    inputs = u if motors != "none" else tau_all
    bodies = Bodies(made.keys, made.q, state, given, **driven)
    rate = call("state_derivative", np.concatenate([q, v, *([i] if full else [])]), inputs)[0].ravel()
    solution = bodies.solution()
    found.compare("v̇ of the state", rate[len(q) : len(q) + len(v)], np.concatenate([solution.a[n] for n in made.q]))
    found.compare("q̇ of the state", rate[: len(q)], np.concatenate([_rate(made, n, state[n]) for n in made.q]))
    if full:
        expected = [bodies.current_rate(name, x) for name, x in zip(names, u, strict=True)]
        found.compare("di/dt", rate[len(q) + len(v) :], expected)
    size = np.linalg.cond(call("mass_matrix", q)[0]) if found.all else 1.0
    if size * SOME * np.finfo(float).eps > ROUND_OFF:
        raise NoAnswerError(f"{made.about}: M has the condition {size:.1e}, so that differences are round-off of both")
    return found


def _state(made: Made, rng: np.random.Generator) -> dict[str, np.ndarray]:
    return {name: rng.uniform(-2, 2, WIDTHS[made.keys["joints"][name]["type"]][1]) for name in made.q}


def _rate(made: Made, name: str, v: np.ndarray) -> np.ndarray:
    """q̇ of a joint: v, and ½ q ⊗ (0, ω) for a quaternion with ω in child axes."""
    kind, q = made.keys["joints"][name]["type"], made.q[name]
    if kind not in ("spherical", "free"):
        return v
    s, r, w = q[-4], q[-3:], v[-3:]
    return np.array([*v[:-3], -0.5 * r @ w, *(0.5 * (s * w + cross(r, w)))])


def main() -> int:
    """Check as many trees as asked for; 1 if any was wrong."""
    return report.main(__doc__, check, 10_000)


if __name__ == "__main__":
    sys.exit(main())
