"""Friction with true sticking: what it costs, and a mass on a spring that rubs until it stays where it is.

The first rows compare runs with friction with the same runs without it, in place of a peer: a slider-crank whose crank
bearing rubs under its load for 3 s, and a block on a belt that sticks and slides for 4 s. Without friction the block is
a harmonic oscillator, which takes five steps; friction stops and frees it ten times.

The mass comes to rest at a known instant and place. MuJoCo's `frictionloss`, a soft constraint, gets the stiffest
parameters that its step of 1 ms allows; its place of rest is then right to 5 µm and it goes on creeping. Cardan's run
has the tolerance that gives at most this error; its instant of rest is an event, MuJoCo's the last step with a speed.
Times are of the processor.
"""

from __future__ import annotations

import time

import numpy as np

import cardan

from .peers import require
from .table import Goal, Result, Row
from .timing import Effort, in_turns

__all__ = ["TITLE", "measure"]

TITLE = "Friction"

K, M, F, START, END = 200.0, 1.5, 4.0, 0.49, 6.0  # of the mass on a spring
STEP = 1e-3  # of MuJoCo [s]
SWINGS = 12  # half swings until the spring is too weak
REST = START - SWINGS * 2 * F / K
INSTANT = SWINGS * np.pi / np.sqrt(K / M)
SLOW = 1e-3  # speed of MuJoCo's mass that counts as rest [m/s]
TOLERANCE = 1e-4


def measure(effort: Effort) -> Result:
    """Times of whole runs.

    Parameters
    ----------
    effort : Effort
        How many rounds.
    """
    require("mujoco")
    rounds = effort.rounds
    rubbing, plain = (_crank(friction) for friction in ({"coefficient": 0.1, "radius": "20 mm"}, None))
    belt, smooth = _belt()
    ours, theirs = _mass(), _MuJoCo()
    run = ours.run()
    error = abs(run.array("slide.q")[-1] - REST), abs(run.events[-1].t - INSTANT)
    peer = theirs.errors()
    assert error[0] <= peer[0] < 1e-5, (error, peer)
    assert error[1] <= peer[1] < 1e-3, (error, peer)
    crank, free_crank = in_turns([rubbing.run, plain.run], rounds, time.process_time)
    slips, free = in_turns([belt.run, smooth.run], rounds, time.process_time)
    mass, other = in_turns([ours.run, theirs.run], min(rounds, 21), time.process_time)
    what = f"mass to rest at {INSTANT:.2f} s, place within {peer[0]:.0e} m"
    return Result(
        (
            Row("slider-crank, crank bearing rubs under load", crank, "without friction", free_crank, Goal(ratio=0.5)),
            Row("block on a belt that sticks and slides", slips, "without friction", free, Goal(ratio=0.5)),
            Row(what, mass, "MuJoCo frictionloss", other, Goal(ratio=20)),
        )
    )


def _crank(friction: dict[str, object] | None) -> cardan.Setup:
    model = cardan.load("slider_crank")
    joints = {**model.joints, "crank": model.joints["crank"].replace(friction=friction)}
    start = {"crank": 0.3, "crank.v": 8.0}
    setup = cardan.prepare(model.replace(joints=joints), 3, motors="none", initial=start, times=[3.0])
    run = setup.run()
    assert run.ok
    assert run.report.relative_energy_error < 1e-6
    return setup


def _belt() -> tuple[cardan.Setup, cardan.Setup]:
    model = cardan.load("stick_slip_slider")
    joints = {**model.joints, "slip": model.joints["slip"].replace(friction=None)}
    smooth = model.replace(joints=joints, initial={"slip.v": "-V"})
    sides = cardan.prepare(model, 4, times=[4.0]), cardan.prepare(smooth, 4, times=[4.0])
    assert len(sides[0].run().events) > 8
    return sides


def _mass() -> cardan.Setup:
    slide = {"type": "prismatic", "parent": "ground", "child": "mass", "axis": "x", "stiffness": K}
    joints = {"slide": slide | {"friction": {"effort": F}}}
    model = cardan.Model(bodies={"mass": {"mass": M}}, joints=joints, initial={"slide": START})
    return cardan.prepare(model, END, times=[END], rtol=TOLERANCE, atol=TOLERANCE / 100)


class _MuJoCo:
    """The mass in MuJoCo."""

    def __init__(self) -> None:
        import mujoco

        self.mujoco = mujoco
        joint = f'<joint type="slide" axis="1 0 0" stiffness="{K}" frictionloss="{F}" '
        joint += f'solreffriction="{2 * STEP} 1" solimpfriction="0.9999 0.9999 0.001"/>'
        body = f'<body>{joint}<geom size="0.1" mass="{M}" contype="0" conaffinity="0"/></body>'
        option = f'<option gravity="0 0 0" timestep="{STEP}"/>'
        self.model = mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{body}</worldbody></mujoco>")
        self.data = mujoco.MjData(self.model)

    def run(self) -> None:
        """All steps in one call."""
        self._start()
        self.mujoco.mj_step(self.model, self.data, round(END / STEP))

    def errors(self) -> tuple[float, float]:
        """How far place and instant of rest are from the closed form."""
        self._start()
        speeds = []
        for _ in range(round(END / STEP)):
            self.mujoco.mj_step(self.model, self.data)
            speeds.append(abs(self.data.qvel[0]))
        last = np.flatnonzero(np.array(speeds) > SLOW)[-1] + 1
        return abs(float(self.data.qpos[0]) - REST), abs(float(last) * STEP - INSTANT)

    def _start(self) -> None:
        self.mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[0] = START
