"""Many runs of one model: `cardan.sweep` against loops of `cardan.simulate` and of SciPy, and MuJoCo's `rollout`.

Times are processor time per run of one thread, so that others on the machine disturb less; the other sides are loops
over 40 of the runs. SciPy integrates equations derived by hand with the method that is fastest here, as each process of
a pool would. MuJoCo's cranes have forces in place of motors. Errors are the largest ones at the end, of an angle [rad]
or a current [A], against the same motion at tight tolerances; the sweep's is at most as large as each peer's. The row
with several threads is elapsed time. Rows with events have one user event in the middle of each run, or ten of a block
that sticks and slips: from the first event of its block each run goes on by itself.
"""

from __future__ import annotations

import itertools
import math
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import cardan
from cardan.model.quantities.parameters import resolve

from .loop_problems import ANGLE, TORQUE, quietly, slider_crank_problem, slider_crank_rates
from .peers import mujoco_model, require
from .table import Goal, Result, Row
from .timing import Effort, in_turns, on_all_cores

__all__ = ["TITLE", "measure"]

TITLE = "A sweep, per run"

END = 2.0  # of all runs [s]
SINGLE = 40  # at most so many runs of a side that makes them one after the other
ROUNDS = 5
STEP = 1e-2  # of MuJoCo's Runge-Kutta method [s]
CLOSE = 1e-6  # largest error of both sides [rad, A]
TOLERANCES = {"rtol": 3e-7, "atol": 3e-9}  # of Cardan's steps: its errors then are at most as large as the peers'
PEER = {"rtol": 1e-9, "atol": 1e-11}  # of SciPy's steps: LSODA lets errors of many steps add up
EXACT = {"rtol": 1e-13, "atol": 1e-15}


def measure(effort: Effort) -> Result:
    """Times per run of sweeps over a parameter, or over a force.

    Parameters
    ----------
    effort : Effort
        How many runs and rounds.
    """
    require("mujoco", "scipy")
    count, rounds = effort.batch, min(effort.rounds, ROUNDS)
    few = max(SINGLE, count // 16)
    return Result(
        (
            *_slider_cranks(count, rounds),
            *_cranes(count, rounds),
            *_pushed_cranes(count, rounds),
            _cranes_with_an_event(few, rounds),
            _sliders(few, rounds),
        )
    )


def _slider_cranks(count: int, rounds: int) -> tuple[Row, ...]:
    """Slider-cranks with cranks of many masses; the angle at the end is compared."""
    model = slider_crank_problem().model
    given = {name: float(value) for name, value in resolve(model.parameters).items()}
    fixed = {"motors": "none", "inputs": {"crank": TORQUE}, "times": [END], **TOLERANCES}

    def ours(masses: np.ndarray) -> np.ndarray:
        found = cardan.sweep(model, parameters={"m3": masses}, outputs=["crank.q"], threads=1, **fixed)
        return found["crank.q"].values[:, -1]

    def loop(masses: np.ndarray) -> np.ndarray:
        runs = (cardan.simulate(model, parameters={"m3": m}, **fixed) for m in masses)
        return np.array([run.array("crank.q")[-1] for run in runs])

    def by_hand(masses: np.ndarray, **how: Any) -> np.ndarray:
        return _scipy([(slider_crank_rates(given | {"m3": m})[0], [ANGLE, 0.0]) for m in masses], **how)[:, 0]

    return _rows("slider-cranks", np.linspace(0.3, 0.7, count), rounds, (ours, loop, by_hand))


def _cranes(count: int, rounds: int) -> tuple[Row, ...]:
    """Cranes with motors and ropes of many lengths; angle and current at the end are compared."""
    model = _crane()
    given = {name: float(value) for name, value in resolve(model.parameters).items()}
    names = ["swing.q", "drive.current"]

    def ours(lengths: np.ndarray, threads: int = 1) -> np.ndarray:
        call = {"times": [END], "outputs": names, "threads": threads, **TOLERANCES}
        found = cardan.sweep(model, parameters={"L": lengths}, **call)
        return np.stack([found[name].values[:, -1] for name in names], axis=1)

    def loop(lengths: np.ndarray) -> np.ndarray:
        runs = (cardan.simulate(model, times=[END], parameters={"L": L}, **TOLERANCES) for L in lengths)
        return np.array([[run.array(name)[-1] for name in names] for run in runs])

    def by_hand(lengths: np.ndarray, **how: Any) -> np.ndarray:
        return _scipy([(_crane_rates(given | {"L": L}, volts=10.0), np.zeros(5)) for L in lengths], **how)[:, [1, 4]]

    values = np.linspace(0.5, 0.9, count)
    return (*_rows("cranes", values, rounds, (ours, loop, by_hand)), _growth(ours, values, rounds))


def _pushed_cranes(count: int, rounds: int) -> tuple[Row, ...]:
    """Cranes without motors, pushed by many forces; the angle at the end is compared."""
    import mujoco
    from mujoco import rollout

    model = _crane()
    joints = dict(model.joints)
    joints["travel"] = joints["travel"].replace(damping=2.0)
    model = quietly(lambda: model.replace(motors={}, joints=joints, inputs={}, outputs={}))
    peer = mujoco_model(model, STEP)
    data = mujoco.MjData(peer)
    start = np.zeros(mujoco.mj_stateSize(peer, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    steps = round(END / STEP)

    def ours(forces: np.ndarray, rtol: float = TOLERANCES["rtol"]) -> np.ndarray:
        given = {"motors": "none", "times": [END], "rtol": rtol, "atol": 1e-2 * rtol}
        found = cardan.sweep(model, inputs={"travel": forces}, outputs=["swing.q"], threads=1, **given)
        return found["swing.q"].values[:, -1]

    def theirs(forces: np.ndarray) -> np.ndarray:
        control = np.zeros((len(forces), steps, peer.nv))
        control[:, :, 0] = forces[:, None]
        initial = np.tile(start, (len(forces), 1))
        spec = int(mujoco.mjtState.mjSTATE_QFRC_APPLIED)
        state, _ = rollout.rollout(peer, data, initial, control, control_spec=spec)
        return state[:, -1, 2]

    forces = np.linspace(1.0, 10.0, count)
    few = _few(forces)
    exact = ours(few, rtol=1e-12)
    error, other = (float(np.abs(side(few) - exact).max()) for side in (ours, theirs))
    assert error <= other <= CLOSE, f"errors are {error:.1e} and {other:.1e} rad, of which {CLOSE:.1e} is allowed"
    times = in_turns([lambda: ours(forces), lambda: theirs(few)], rounds, time.process_time)
    what = f"cranes without motors, {count} runs, error {error:.0e} rad"
    peer_name = f"rollout, error {other:.0e} rad"
    return (Row(what, times[0].per(count), peer_name, times[1].per(len(few)), Goal(ratio=20)),)


def _cranes_with_an_event(count: int, rounds: int) -> Row:
    """Cranes of `_cranes`, each with an event where the trolley of the first one is after half the time."""
    plain = _crane()
    middle = cardan.simulate(plain, times=[END / 2], parameters={"L": 0.5})["travel.q"].values[0]
    model = plain.replace(events={"passed": {"when": f"travel - {middle:.6g}"}})
    return _beside_single_runs("cranes with an event", model, "L", np.linspace(0.5, 0.9, count), "swing.q", END, rounds)


def _sliders(count: int, rounds: int) -> Row:
    """Blocks on belts of many stiffnesses of their springs."""
    model, stiffnesses = quietly(lambda: cardan.load("stick_slip_slider")), np.linspace(180.0, 220.0, count)
    return _beside_single_runs("stick-slip sliders", model, "k", stiffnesses, "slip.q", 4.0, rounds)


def _beside_single_runs(
    what: str, model: cardan.Model, name: str, values: np.ndarray, result: str, until: float, rounds: int
) -> Row:
    """A sweep beside the loop of `simulate`, after the errors of `result` at the end have been measured."""
    settings = {"times": [until], **TOLERANCES}

    def ours(given: np.ndarray, **how: Any) -> np.ndarray:
        call = {**settings, "outputs": [result], "threads": 1, **how}
        return cardan.sweep(model, parameters={name: given}, **call)[result].values[:, -1]

    def loop(given: np.ndarray) -> np.ndarray:
        runs = (cardan.simulate(model, parameters={name: value}, **settings) for value in given)
        return np.array([run.array(result)[-1] for run in runs])

    few = _few(values)
    exact = ours(few, rtol=1e-12, atol=1e-14)
    error, single = (float(np.abs(side(few) - exact).max()) for side in (ours, loop))
    assert max(error, single) <= CLOSE, (
        f"{what}: errors are {error:.1e} and {single:.1e}, of which {CLOSE:.1e} is allowed"
    )
    calls = itertools.count()
    turns = [lambda: ours(values), lambda: loop(few * (1 + 1e-9 * next(calls)))]
    times = in_turns(turns, rounds, time.process_time)
    title = f"{what}, {len(values)} runs of {until:g} s, error {error:.0e}"
    return Row(title, times[0].per(len(values)), f"cardan.simulate, error {single:.0e}", times[1].per(len(few)))


def _few(values: np.ndarray) -> np.ndarray:
    """Those of a side that makes its runs one after the other: an eighth of a sweep's, and not more than SINGLE."""
    most = min(SINGLE, len(values) // 8)
    return values[:: len(values) // most][:most]


Side = Callable[..., np.ndarray]


def _rows(what: str, values: np.ndarray, rounds: int, sides: Sequence[Side]) -> tuple[Row, ...]:
    """A sweep beside the loop of `simulate` and SciPy, after the errors of all three have been measured."""
    ours, loop, by_hand = sides
    calls = itertools.count()
    few = _few(values)
    exact = by_hand(few, method="DOP853", **EXACT)
    error, single, other = (float(np.abs(side(few) - exact).max()) for side in sides)
    assert error <= other <= CLOSE, f"{what}: errors are {error:.1e} and {other:.1e}, of which {CLOSE:.1e} is allowed"
    assert single <= CLOSE, f"{what}: the error of `simulate` is {single:.1e}; {CLOSE:.1e} is allowed"
    # `simulate` remembers earlier calls, which no loop of a user repeats: each turn has values of its own
    turns = [lambda: ours(values), lambda: loop(few * (1 + 1e-9 * next(calls))), lambda: by_hand(few)]
    times = in_turns(turns, rounds, time.process_time)
    mine, one, scipy = (x.per(n) for x, n in zip(times, (len(values), len(few), len(few)), strict=True))
    title = f"{what}, {len(values)} runs of {END:g} s, error {error:.0e}"
    return (
        Row(title, mine, f"cardan.simulate, error {single:.0e}", one, Goal(ratio=10)),
        Row(title, mine, f"solve_ivp, error {other:.0e}", scipy, Goal(ratio=200)),
    )


def _growth(ours: Callable[..., np.ndarray], values: np.ndarray, rounds: int) -> Row:
    """Elapsed time in as many threads as there are processors, beside one thread."""
    threads = os.cpu_count() or 1
    with on_all_cores():
        many, one = in_turns([lambda: ours(values, threads), lambda: ours(values, 1)], rounds)
    what = f"cranes in {threads} threads, {len(values)} runs of {END:g} s"
    return Row(what, many.per(len(values)), "in one thread", one.per(len(values)))


def _scipy(problems: Sequence[tuple[Callable[..., Sequence[float]], Sequence[float]]], **how: Any) -> np.ndarray:
    """States (N, n) at the end, one run after the other."""
    from scipy.integrate import solve_ivp

    given = {"method": "LSODA", **PEER, **how}
    return np.array([solve_ivp(rates, (0, END), start, t_eval=[END], **given).y[:, -1] for rates, start in problems])


def _crane() -> cardan.Model:
    return quietly(lambda: cardan.load("overhead_crane"))


def _crane_rates(p: dict[str, float], volts: float) -> Callable[[float, Sequence[float]], Sequence[float]]:
    """Rates of (travel, swing, their velocities, current) by hand, from (29)-(34) of the paper."""
    n = p["r"] / p["rw"]
    M, D = p["mt"] + p["mp"] + n * n * p["Im"], p["d1"] + n * n * p["dm"]
    mp, L, g, La, Ra = p["mp"], p["L"], p["g"], p["La"], p["Ra"]
    force, emf = n * p["Km"], n * p["Ke"]

    def rates(_: float, y: Sequence[float]) -> Sequence[float]:
        _, angle, v, w, i = y
        s, c = math.sin(angle), math.cos(angle)
        a = (force * i - D * v + mp * L * s * w * w + mp * g * s * c) / (M - mp * c * c)
        return v, w, a, -(c * a + g * s) / L, (volts - Ra * i - emf * v) / La

    return rates
