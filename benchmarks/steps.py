"""Integration: a step of RK4 inside the engine against MuJoCo's, and a whole run against SciPy around Pinocchio.

Both engines take thousands of steps in one call. Cardan's steps carry four energy integrals along, MuJoCo's are the smooth dynamics alone.
"""

from __future__ import annotations

import numpy as np

import cardan

from .batch import assert_equal
from .mechanisms import arm, states
from .peers import mujoco_model, pinocchio_model, require
from .table import Goal, Result, Row
from .timing import Effort, in_turns

__all__ = ["TITLE", "measure"]

TITLE = "Integration of the 7-joint arm"

STEP = 1e-3  # [s]
COMPARED = 100  # steps after which the states are compared: before neighbouring motions have grown apart
GROWTH = 1e-9  # [rad, rad/s] rounding of 100 steps, 10⁻¹³, times e^(10/s × 0.1 s) squared for the growth and 10³ for the condition
END, RTOL, ATOL = 2.0, 1e-8, 1e-10  # of the run with error control
GLOBAL = 1e-4  # [rad] 10⁴ × the tolerance of a step: what a chaotic arm makes of it in 2 s


def measure(effort: Effort) -> Result:
    """Time of a step, and of a run.

    Parameters
    ----------
    effort : Effort
        How many steps and rounds.
    """
    require("mujoco", "pinocchio", "scipy")
    model = arm()
    return Result((_rk4(model, effort), _run(model, effort)))


def _start(model: cardan.Model) -> tuple[np.ndarray, np.ndarray, dict[str, float]]:
    """q, v, and both by the names of the state."""
    q, v, _ = (array[0] for array in states(len(model.joints), 1))
    names = list(model.joints)
    return q, v, dict(zip([*names, *(f"{name}.v" for name in names)], [*q.tolist(), *v.tolist()], strict=True))


def _rk4(model: cardan.Model, effort: Effort) -> Row:
    import mujoco

    q, v, initial = _start(model)
    peer = mujoco_model(model, STEP)
    data = mujoco.MjData(peer)
    _assert_same_acceleration(model, peer, data)

    def ours(steps: int = effort.steps) -> cardan.Trajectory:
        end = steps * STEP
        return cardan.simulate(model, end, times=[end], initial=initial, method="rk4", step=STEP)

    def theirs(steps: int = effort.steps) -> np.ndarray:
        mujoco.mj_resetData(peer, data)
        data.qpos, data.qvel = q, v
        mujoco.mj_step(peer, data, steps)
        return np.concatenate([data.qpos, data.qvel])

    np.testing.assert_allclose(ours(COMPARED).x[-1], theirs(COMPARED), rtol=0, atol=GROWTH)
    times = in_turns([ours, theirs], min(effort.rounds, 21))
    per_step = [time.per(effort.steps) for time in times]
    return Row(f"RK4 step, {effort.steps} in a row", per_step[0], "mj_step", per_step[1], Goal(ratio=6))


def _assert_same_acceleration(model: cardan.Model, peer: object, data: object) -> None:
    import mujoco

    q, v, tau = (array[0] for array in states(len(model.joints), 1))
    data.qpos, data.qvel, data.qfrc_applied = q, v, tau  # type: ignore[attr-defined]
    mujoco.mj_forward(peer, data)
    assert_equal(cardan.compile(model).forward_dynamics(q, v, tau), data.qacc)  # type: ignore[attr-defined]


def _run(model: cardan.Model, effort: Effort) -> Row:
    import pinocchio as pin
    from scipy.integrate import solve_ivp

    q, v, initial = _start(model)
    peer = pinocchio_model(model)
    data, still = peer.createData(), np.zeros(peer.nv)
    n = peer.nq

    def rates(_: float, x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[n:], pin.aba(peer, data, x[:n], x[n:], still)])

    def ours() -> cardan.Trajectory:
        return cardan.simulate(model, END, times=[END], initial=initial, method="dop853", rtol=RTOL, atol=ATOL)

    def theirs() -> np.ndarray:
        start = np.concatenate([q, v])
        return solve_ivp(rates, (0, END), start, "DOP853", rtol=RTOL, atol=ATOL).y[:, -1]

    np.testing.assert_allclose(ours().x[-1, :n], theirs()[:n], rtol=0, atol=GLOBAL)
    times = in_turns([ours, theirs], min(effort.rounds, 21))
    return Row(f"{END:g} s with DOP853, rtol {RTOL:g}", times[0], "solve_ivp around pin.aba", times[1])
