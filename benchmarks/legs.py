"""A free body with six equal legs of five joints: a step of RK4 inside the engine against MuJoCo's.

Both engines read one MJCF file, of 36 velocities, and fall from rest. They take thousands of steps in one call;
Cardan's carry four energy integrals along, MuJoCo's are of the smooth dynamics alone. Cardan finds the equal legs in
its instructions and computes them side by side. Times are of the processor.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import cardan

from .comparison import assert_equal
from .peers import require
from .steps import COMPARED, STEP
from .table import Goal, Result, Row
from .timing import Effort, in_turns

__all__ = ["TITLE", "measure"]

TITLE = "A body with six equal legs"

LEGS = 6
AXES = ("0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 0 1")
REACH = 0.4  # of the hips [m]
TRUNK = '<freejoint name="float"/><inertial pos="0 0 0" mass="20" diaginertia="0.5 0.7 0.9"/>'
INERTIA = 'pos="0.01 0.02 -0.1" diaginertia="0.01 0.01 0.005"'
ROUNDOFF = 1e6  # condition of the motion: of the mass matrix (some 10⁴), times what a hundred steps add to it


def measure(effort: Effort) -> Result:
    """Time of a step.

    Parameters
    ----------
    effort : Effort
        How many steps and rounds.
    """
    require("mujoco")
    ours, theirs = _cardan(), _mujoco()
    assert_equal(ours(COMPARED), theirs(COMPARED), ROUNDOFF)
    calls = [lambda: ours(effort.steps), lambda: theirs(effort.steps)]
    own, its = (each.per(effort.steps) for each in in_turns(calls, min(effort.rounds, 21), time.process_time))
    return Result((Row(f"RK4 step of 36 velocities, {effort.steps} in a row", own, "mj_step", its, Goal(ratio=5)),))


def _cardan() -> Callable[[int], np.ndarray]:
    """The state after so many steps."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "legs.xml"
        path.write_text(_mjcf(), encoding="utf-8")
        model = cardan.load(path)

    def run(steps: int) -> np.ndarray:
        end = steps * STEP
        return cardan.simulate(model, end, times=[end], method="rk4", step=STEP).x[-1]

    return run


def _mujoco() -> Callable[[int], np.ndarray]:
    """The same by MuJoCo."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(_mjcf())
    data = mujoco.MjData(model)

    def run(steps: int) -> np.ndarray:
        mujoco.mj_resetData(model, data)
        mujoco.mj_step(model, data, steps)
        return np.concatenate([data.qpos, data.qvel])

    return run


def _mjcf() -> str:
    flags = '<flag contact="disable" constraint="disable" sensor="disable"/>'
    option = f'<option timestep="{STEP}" integrator="RK4">{flags}</option>'
    legs = "".join(map(_leg, range(LEGS)))
    body = f'<body name="trunk">{TRUNK}{legs}</body>'
    return f'<mujoco><compiler angle="radian"/>{option}<worldbody>{body}</worldbody></mujoco>'


def _leg(number: int) -> str:
    turn = 2 * np.pi * number / LEGS + 0.2  # no leg's axes are those of the trunk: a zero would make it another leg
    hip = f"{REACH * np.cos(turn):.6f} {REACH * np.sin(turn):.6f} 0"
    links = ""
    for k, axis in enumerate(AXES):
        place = f'pos="{hip}" euler="0 0 {turn:.6f}"' if k == 0 else 'pos="0 0 -0.2"'
        inertial = f'<inertial mass="{1 - 0.1 * k:g}" {INERTIA}/>'
        links += f'<body name="link{number}{k}" {place}>{inertial}<joint name="joint{number}{k}" axis="{axis}"/>'
    return links + "</body>" * len(AXES)
