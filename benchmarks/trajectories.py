"""Many trajectories at once: RK4 in lanes against MuJoCo, which runs them one after the other, in one thread.

Each side takes all steps of a trajectory in one call and returns the last states.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import cardan
from cardan.functions.system_functions import user_functions_of
from cardan.integration import Problem
from cardan.integration.ensemble import LaneFunctions, integrate_ensemble
from cardan.system.energies import WORKS
from cardan.system.system import build_system

from .comparison import assert_equal
from .mechanisms import arm, states
from .peers import condition, require
from .steps import COMPARED, STEP, mujoco_steps
from .table import Goal, Result, Row
from .timing import Effort, in_turns

__all__ = ["TITLE", "measure"]

TITLE = "Many trajectories of the 7-joint arm, per step of one"

COUNT = 32  # trajectories, some blocks of lanes
ROUNDS = 21


def measure(effort: Effort) -> Result:
    """Time of a step of one trajectory among many.

    Parameters
    ----------
    effort : Effort
        How many steps and rounds.
    """
    require("mujoco", "pinocchio")
    model, steps = arm(), effort.steps // 20
    q, v, _ = states(len(model.joints), COUNT)
    start = np.hstack([q, v])
    ours, theirs = _in_lanes(model, start), mujoco_steps(model, start)
    assert_equal(ours(COMPARED), theirs(COMPARED), condition(model))
    times = in_turns([lambda: ours(steps), lambda: theirs(steps)], min(effort.rounds, ROUNDS))
    per_step = [time.per(steps * COUNT) for time in times]
    what = f"RK4 step, {COUNT} trajectories of {steps} steps"
    return Result((Row(what, per_step[0], "mj_step", per_step[1], Goal(ratio=20)),))


def _in_lanes(model: cardan.Model, start: np.ndarray) -> Callable[[int], np.ndarray]:
    """The states (COUNT, 2n) after so many steps."""
    functions = user_functions_of(build_system(model))
    tree, lanes = functions.system.tree, LaneFunctions(functions.address("derivative", lanes=8))

    def run(steps: int) -> np.ndarray:
        end = np.array([steps * STEP])
        problem = Problem(
            rhs=functions.address("derivative"),
            nq=tree.nq,
            nv=tree.nv,
            nw=len(WORKS),
            m=len(functions.system.input_names),
            x0=start[0],
            a=np.zeros(1),
            b=end,
            times=end,
        )
        return integrate_ensemble(problem, lanes, start, method="rk4", step=STEP, threads=1).x[:, -1]

    return run
