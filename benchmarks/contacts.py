"""Contacts: a quadruped of an MJCF file that drops on its twelve soles, moves on, sways and comes to rest.

Both engines read `quadruped.xml`; Cardan with `contacts=True`. Their laws of contact differ a little: Cardan's bristles
hold where MuJoCo's friction creeps, and impacts are shorter. So each run is compared with the same engine at a far
finer step or tolerance, and both are first shown to stand in the same way: on all soles, at the same height. The error
is the largest one of the trunk's position at twenty instants of the second. MuJoCo's steps are of first order in time,
since contacts begin within them; Cardan's end where a contact begins. Times are of the processor.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

import cardan

from .peers import versions
from .table import Goal, Result, Row
from .timing import Effort, in_turns

__all__ = ["TITLE", "measure"]

TITLE = "Contacts"

FILE = Path(__file__).with_name("quadruped.xml")
SOLES = 12
SPEED, END = 0.3, 1.0  # of the trunk at the start [m/s]; of the runs [s]
INSTANTS = np.linspace(0, END, 21)
ACCURACIES = {
    2e-3: 1e-3,
    2e-4: 2.5e-4,
}  # error of the trunk [m] → MuJoCo's longest step for it, of those that halve [s]
FINE = 1e-5  # step of MuJoCo for comparison: a 25th of the finest that is timed [s]
TOLERANCE, FINEST = 1e-4, 1e-10
LATER = 4.0  # when it stands still [s]
DEPTH = (
    3.4e-4  # by which heights at rest may differ: 1.2 × the mean depth, since the impedance is 0.9 to 0.95 there [m]
)


def measure(effort: Effort) -> Result:
    """Times of a simulated second.

    Parameters
    ----------
    effort : Effort
        How many rounds.
    """
    model = cardan.load(FILE, contacts=True)
    assert len(model.contacts) == SOLES
    height = _stands(model)
    exact, setup = _trunk(_prepared(model, FINEST).run()), _prepared(model, TOLERANCE)
    error = _error(_trunk(setup.run()), exact)
    assert error < min(ACCURACIES), error
    rounds = min(effort.rounds, 21)
    if "mujoco" not in versions():
        (ours,) = in_turns([setup.run], rounds, time.process_time)
        return Result((Row(f"quadruped on {SOLES} soles, 1 s, trunk within {error:.0e} m", ours),))
    assert abs(_MuJoCo(1e-3).height() - height) < DEPTH
    peers = {accuracy: _MuJoCo(step) for accuracy, step in ACCURACIES.items()}
    fine = _MuJoCo(FINE).trunk()
    for accuracy, peer in peers.items():
        assert error <= _error(peer.trunk(), fine) < accuracy, (accuracy, _error(peer.trunk(), fine))
    ours, *theirs = in_turns([setup.run, *(peer.run for peer in peers.values())], rounds, time.process_time)
    return Result(
        tuple(
            Row(f"quadruped on {SOLES} soles, 1 s, trunk within {accuracy:.0e} m", ours, "MuJoCo", its, Goal(ratio=1))
            for accuracy, its in zip(ACCURACIES, theirs, strict=True)
        )
    )


def _prepared(model: cardan.Model, tolerance: float, end: float = END) -> cardan.Setup:
    start = {"float.vx": SPEED}
    times = INSTANTS * end / END
    return cardan.prepare(model, end, initial=start, times=times, rtol=tolerance, atol=tolerance)


def _trunk(run: cardan.Trajectory) -> np.ndarray:
    """Positions (21, 3) of the trunk [m]."""
    assert run.ok
    return np.stack([run[f"float.{axis}.q"] for axis in "xyz"], axis=1)


def _stands(model: cardan.Model) -> float:
    """Height of the trunk at rest; all soles carry the weight."""
    run = _prepared(model, TOLERANCE, LATER).run()
    normal = sum(run[f"{name}.normal"][-1] for name in model.contacts)
    weight = 9.81 * sum(body.mass.value for body in model.bodies.values())
    assert abs(normal / weight - 1) < 1e-3
    assert all(run[f"{name}.touching"][-1] == 1 for name in model.contacts)
    assert run.report.relative_energy_error < TOLERANCE
    return float(_trunk(run)[-1, 2])


def _error(found: np.ndarray, exact: np.ndarray) -> float:
    return float(np.max(np.abs(found - exact)))


class _MuJoCo:
    """The quadruped in MuJoCo, in steps of one length."""

    def __init__(self, step: float) -> None:
        import mujoco

        self.mujoco, self.step = mujoco, step
        self.model = mujoco.MjModel.from_xml_path(str(FILE))
        self.model.opt.timestep = step
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        self.data = mujoco.MjData(self.model)

    def run(self, end: float = END) -> Any:
        """All steps in one call."""
        self.mujoco.mj_resetData(self.model, self.data)
        self.data.qvel[0] = SPEED
        self.mujoco.mj_step(self.model, self.data, round(end / self.step))
        return self.data

    def height(self) -> float:
        """Height of the trunk at rest; all soles touch."""
        data = self.run(LATER)
        assert data.ncon == SOLES
        return float(data.qpos[2])

    def trunk(self) -> np.ndarray:
        """Positions (21, 3) of the trunk [m]."""
        out = [self.run(0.0).qpos[:3].copy()]
        for _ in INSTANTS[1:]:
            self.mujoco.mj_step(self.model, self.data, round(INSTANTS[1] / self.step))
            out.append(self.data.qpos[:3].copy())
        return np.array(out)
