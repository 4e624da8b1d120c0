"""Integration: a step of RK4 inside the engine against MuJoCo's, and a whole run against SciPy around Pinocchio.

Both engines take thousands of steps in one call, of the same motion. Cardan's steps carry four energy integrals along;
MuJoCo's are of the smooth dynamics alone: contacts, constraints, sensors and the rest are switched off.

The run with error control is sensitive, and magnifies the errors of steps some ten thousand times. In brackets: how far
each side is from the motion at a tolerance of 1e-13, over the size of the state; Cardan's must be at most the peer's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import cardan

from .comparison import assert_equal
from .mechanisms import arm, states
from .peers import condition, mujoco_model, pinocchio_model, require
from .table import Goal, Result, Row
from .timing import Effort, in_turns

__all__ = ["COMPARED", "STEP", "TITLE", "measure", "mujoco_steps"]

TITLE = "Integration of the 7-joint arm"

STEP = 1e-3  # [s]
ROUNDS = 21  # of runs, which take some ten milliseconds
COMPARED = 100  # steps after which the states are compared: neighbouring motions have not grown apart yet
END, RTOL, ATOL = 2.0, 1e-8, 1e-10  # of the run with error control
EXACT = 1e-13  # relative tolerance of the motion that both are held against


def measure(effort: Effort) -> Result:
    """Time of a step, and of a run.

    Parameters
    ----------
    effort : Effort
        How many steps and rounds.
    """
    require("mujoco", "pinocchio", "scipy")
    model, rounds = arm(), min(effort.rounds, ROUNDS)
    return Result((_step(model, effort.steps, rounds), _run(model, rounds)))


def _step(model: cardan.Model, steps: int, rounds: int) -> Row:
    ours, theirs = _rk4(model), mujoco_steps(model, _start(model))
    assert_equal(ours(COMPARED), theirs(COMPARED), condition(model))
    times = (time.per(steps) for time in in_turns([lambda: ours(steps), lambda: theirs(steps)], rounds))
    return Row(f"RK4 step, {steps} in a row", next(times), "mj_step", next(times), Goal(ratio=6))


def _rk4(model: cardan.Model) -> Callable[[int], np.ndarray]:
    """The state after so many steps."""
    initial = dict(zip(_names(model), _start(model).tolist(), strict=True))

    def run(steps: int) -> np.ndarray:
        end = steps * STEP
        return cardan.simulate(model, end, times=[end], initial=initial, method="rk4", step=STEP).x[-1]

    return run


def mujoco_steps(model: cardan.Model, start: np.ndarray) -> Callable[[int], np.ndarray]:
    """A function that gives the state after so many steps, by MuJoCo, which has given the same acceleration.

    Parameters
    ----------
    model : Model
        A tree of revolute joints.
    start : ndarray (…, 2n)
        States that the trajectories begin with; they are run one after the other.
    """
    import mujoco

    peer = mujoco_model(model, STEP)
    data = mujoco.MjData(peer)
    _assert_same_acceleration(model, peer, data)

    def advanced(x: np.ndarray, steps: int) -> np.ndarray:
        mujoco.mj_resetData(peer, data)
        data.qpos, data.qvel = np.split(x, 2)
        mujoco.mj_step(peer, data, steps)
        return np.concatenate([data.qpos, data.qvel])

    return lambda steps: np.apply_along_axis(advanced, -1, start, steps)


def _assert_same_acceleration(model: cardan.Model, peer: Any, data: Any) -> None:
    import mujoco

    q, v, tau = (array[0] for array in states(len(model.joints), 1))
    data.qpos, data.qvel, data.qfrc_applied = q, v, tau
    mujoco.mj_forward(peer, data)
    assert_equal(cardan.compile(model).forward_dynamics(q, v, tau), data.qacc, condition(model))


def _run(model: cardan.Model, rounds: int) -> Row:
    import pinocchio as pin
    from scipy.integrate import solve_ivp

    start, peer = _start(model), pinocchio_model(model)
    data, still, n = peer.createData(), np.zeros(peer.nv), peer.nq
    initial = dict(zip(_names(model), start.tolist(), strict=True))

    def rates(_: float, x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[n:], pin.aba(peer, data, x[:n], x[n:], still)])

    def ours() -> np.ndarray:
        return cardan.simulate(model, END, times=[END], initial=initial, method="dop853", rtol=RTOL, atol=ATOL).x[-1]

    def theirs(rtol: float = RTOL, atol: float = ATOL) -> np.ndarray:
        return solve_ivp(rates, (0, END), start, "DOP853", rtol=rtol, atol=atol).y[:, -1]

    exact = theirs(EXACT, EXACT)
    own, peers = (float(np.abs(run() - exact).max() / np.abs(exact).max()) for run in (ours, theirs))
    assert own <= peers < 1e-3, f"ours is off by {own:.1e} of the state, SciPy's by {peers:.1e}"
    times = in_turns([ours, theirs], rounds)
    what = f"a run of {END:g} s, DOP853, rtol {RTOL:g} ({own:.0e})"
    return Row(what, times[0], f"solve_ivp around pin.aba ({peers:.0e})", times[1])


def _start(model: cardan.Model) -> np.ndarray:
    """The state (q, v) that the runs begin with."""
    q, v, _ = states(len(model.joints), 1)
    return np.concatenate([q[0], v[0]])


def _names(model: cardan.Model) -> list[str]:
    return [*model.joints, *(f"{name}.v" for name in model.joints)]
