"""Controlled machines: runs against MuJoCo, whose controller is a Python function between steps.

The arm has six DC motors behind gears and a cascade of position and speed for each, sampled every millisecond. Both
sides take RK4 steps of a millisecond and give the same angles. MuJoCo's controller reads its set-points from a table,
and computes all six joints in NumPy.

MuJoCo's `dcmotor` integrates the current with first order; in brackets: how far each side is from the exact motion,
over its size. Cardan's run with error control must be at most the peer's. The robot of the last row ends within
1e-6 rad of a run with tight tolerances. Times are those of the processor.
"""

from __future__ import annotations

import time

import numpy as np

import cardan

from .comparison import assert_equal
from .mechanisms import chain, states
from .peers import mujoco_model, require
from .table import Goal, Result, Row
from .timing import Effort, in_turns

__all__ = ["TITLE", "measure"]

TITLE = "Motors and controllers"

GEAR, RESISTANCE, CONSTANT, ROTOR = 100.0, 0.6, 0.06, 1e-4  # of each motor of the arm
POSITION, SPEED, TIME, LIMIT = 8.0, 0.05, 0.05, 48.0  # gains of the cascade, integral time [s], largest voltage [V]
TO = np.array([1.0, 0.6, -0.5, 0.8, -0.7, 1.2])  # [rad]
STEP, END = 1e-3, 5.0  # [s]
ROUNDS = 21
INERTIA, DAMPING, K, R, L, VOLTS = 2e-3, 1e-3, 0.08, 1.2, 5e-3, 12.0  # of the single motor
RTOL = 1e-4
ROBOT, CLOSE = "manutec_r3", 1e-6  # six continuous cascades, elastic gears, friction; distance from a tight run [rad]


def measure(effort: Effort) -> Result:
    """Time of a controlled run of an arm, and of a run of a motor.

    Parameters
    ----------
    effort : Effort
        How many rounds.
    """
    require("mujoco", "scipy")
    rounds = min(effort.rounds, ROUNDS)
    return Result((_arm(rounds), _motor(rounds), _robot(rounds)))


def _arm(rounds: int) -> Row:
    arm = chain(TO.size)
    driven = _controlled(arm)
    setup = cardan.prepare(driven, times=[END], method="rk4", step=STEP, motors="simplified")
    names = [f"{name}.q" for name in arm.joints]
    theirs = _Python(arm)

    def ours() -> np.ndarray:
        run = setup.run()
        return np.array([run.array(name)[-1] for name in names])

    masses = cardan.compile(driven, "simplified").mass_matrix(states(TO.size, 32)[0])
    assert_equal(ours(), theirs.run(), float(np.linalg.cond(masses).max()))
    times = in_turns([ours, theirs.run], rounds, time.process_time)
    what = f"a run of {END:g} s of a 6-joint arm, RK4, with a cascade in each joint every {STEP * 1e3:g} ms"
    return Row(what, times[0], "mj_step and a controller in Python", times[1], Goal(ratio=20))


def _controlled(arm: cardan.Model) -> cardan.Model:
    """The arm with a motor and a cascade in each joint."""
    joints = list(arm.joints)
    source = {"type": "dc", "resistance": RESISTANCE, "constant": CONSTANT, "inertia": ROTOR}
    drive = {"carrier": "ground", "axis": "z", "source": source, "train": [{"gear": GEAR}]}
    loops = {"position": {"kp": POSITION}, "speed": {"kp": SPEED, "time": TIME, "limits": LIMIT}, "every": STEP}
    way = {"from": dict.fromkeys(joints, 0.0), "to": dict(zip(joints, TO.tolist(), strict=True))}
    return arm.replace(
        drives={f"drive_{name}": {"joint": name, **drive} for name in joints},
        paths={"go": {**way, "duration": END, "profile": "quintic"}},
        controllers={
            f"cascade_{name}": {"type": "cascade", "drive": f"drive_{name}", "follow": f"go.{name}", **loops}
            for name in joints
        },
    )


class _Python:
    """The same arm in MuJoCo, with the same cascade in Python."""

    def __init__(self, arm: cardan.Model) -> None:
        import mujoco

        gain, back = CONSTANT * GEAR / RESISTANCE, -((CONSTANT * GEAR) ** 2) / RESISTANCE
        motors = "".join(
            f'<general joint="{name}" gainprm="{gain!r}" biastype="affine" biasprm="0 0 {back!r}"/>'
            for name in arm.joints
        )
        self.model = mujoco_model(arm, STEP, f"<actuator>{motors}</actuator>")
        self.model.dof_armature[:] = ROTOR * GEAR**2
        self.data, self.step = mujoco.MjData(self.model), mujoco.mj_step
        self.reset = mujoco.mj_resetData
        x = np.arange(round(END / STEP)) * STEP / END
        self.places = np.outer(x**3 * (10 - 15 * x + 6 * x**2), TO)
        self.speeds = np.outer(30 * x**2 * (1 - x) ** 2 / END, TO)

    def run(self) -> np.ndarray:
        """The angles at the end."""
        model, data, step = self.model, self.data, self.step
        self.reset(model, data)
        integral, ki, back = np.zeros(TO.size), STEP * SPEED / TIME, STEP / TIME
        q, v, volts = data.qpos, data.qvel, data.ctrl
        for place, speed in zip(self.places, self.speeds, strict=True):
            error = GEAR * speed + POSITION * (GEAR * place - GEAR * q) - GEAR * v
            wanted = SPEED * error + integral
            volts[:] = np.clip(wanted, -LIMIT, LIMIT)
            integral = integral + ki * error + back * (volts - wanted)
            step(model, data)
        return np.array(q)


def _motor(rounds: int) -> Row:
    import mujoco
    from scipy.linalg import expm

    system = np.zeros((4, 4))
    system[0, 1] = 1.0
    system[1, 1:3] = [-DAMPING / INERTIA, K / INERTIA]
    system[2, 1:] = [-K / L, -R / L, VOLTS / L]
    exact = (expm(system * END) @ [0, 0, 0, 1])[:3]
    rotor = {"mass": 1, "inertia": [INERTIA] * 3}
    hinge = {"type": "revolute", "parent": "ground", "child": "rotor", "axis": "z", "damping": DAMPING}
    source = {"type": "dc", "resistance": R, "inductance": L, "constant": K}
    plain = cardan.Model(gravity=[0, 0, 0], bodies={"rotor": rotor}, joints={"shaft": hinge})
    driven = plain.replace(drives={"motor": {"joint": "shaft", "source": source}}, inputs={"motor": VOLTS})
    setup = cardan.prepare(driven, times=[END], rtol=RTOL, atol=RTOL)
    actuator = f'<dcmotor joint="shaft" motorconst="{K}" resistance="{R}" inductance="{L}"/>'
    model = mujoco_model(plain, STEP, f"<actuator>{actuator}</actuator>")
    data = mujoco.MjData(model)

    def ours() -> np.ndarray:
        return setup.run().x[-1]

    def theirs() -> np.ndarray:
        mujoco.mj_resetData(model, data)
        data.ctrl[:] = VOLTS
        mujoco.mj_step(model, data, round(END / STEP))
        return np.concatenate([data.qpos, data.qvel, data.act])

    own, peers = (float(np.abs(run() - exact).max() / np.abs(exact).max()) for run in (ours, theirs))
    assert own <= peers < 1e-3, f"ours is off by {own:.1e} of the state, MuJoCo's by {peers:.1e}"
    times = in_turns([ours, theirs], rounds, time.process_time)
    what = f"a run of {END:g} s of a DC motor with inductance, rtol {RTOL:g} ({own:.0e})"
    return Row(what, times[0], f"mj_step, RK4, {STEP * 1e3:g} ms, with dcmotor ({peers:.0e})", times[1], Goal(ratio=20))


def _robot(rounds: int) -> Row:
    model = cardan.load(ROBOT)
    names = [f"r{k + 1}.q" for k in range(6)]
    setup = cardan.prepare(model, 2.0)
    tight = cardan.simulate(model, 2.0, times=[2.0], rtol=1e-10, atol=1e-12)
    run = setup.run()
    apart = max(abs(float(run.array(name)[-1] - tight.array(name)[-1])) for name in names)
    assert apart < CLOSE, f"the robot ends {apart:.1e} rad from a run with tight tolerances"
    (times,) = in_turns([setup.run], rounds, time.process_time)
    return Row(f"a run of 2 s of {ROBOT}", times, goal=Goal(limit=44e-3))
