"""Who integrates a mechanism with closed loops: Cardan, three engines, and SciPy with the equation derived by hand.

Each function prepares a problem for one of them and returns a `Solver`; what is prepared is not timed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import cardan

from .links import Closure, closures, links
from .loop_problems import END, INSTANTS, Motion, Problem
from .peers import gravity, mujoco_model, pinocchio_model
from .timing import Times

__all__ = [
    "AN_INSTANT",
    "Solver",
    "by_hand",
    "cardan_solver",
    "exudyn_solver",
    "integration",
    "mujoco_solver",
    "pinocchio_dop853",
    "pinocchio_rk4",
]


AN_INSTANT = 1e-6  # motion that takes one step [s]
NUDGE = 1e-10  # by which one start differs from the next [rad/s]: lost in the errors of the motion


@dataclass(frozen=True)
class Solver:
    """Integrates one problem from its start to END.

    `run` returns what `read` turns into the motion at so many evenly spaced instants; its time is what counts.
    """

    name: str  # with its settings
    run: Callable[[int], Any]
    read: Callable[[Any], Motion]


def cardan_solver(problem: Problem, rtol: float, end: float = END, *, anew: bool = False, embed: bool = True) -> Solver:
    """`cardan.simulate`, called as a user would.

    Parameters
    ----------
    problem : Problem
    rtol : float
        Relative tolerance; the absolute one is a hundredth of it.
    end : float
        Where it ends [s].
    anew : bool
        Each run starts a little faster than the one before.
    embed : bool
        Whether coordinates that are linear in others are left out of the integration.
    """
    model, times = problem.model, {count: np.linspace(0, end, count) for count in (2, INSTANTS)}
    tolerances = {"rtol": rtol, "atol": rtol / 100}
    speeds = (problem.v[problem.crank] + NUDGE * k for k in itertools.count())

    def run(count: int) -> cardan.Trajectory:
        initial = {f"{problem.crank}.v": next(speeds)} if anew else None
        return cardan.simulate(
            model,
            times=times[count],
            motors="none",
            inputs=problem.efforts,
            initial=initial,
            method="dop853",
            embed=embed,
            **tolerances,
        )

    def read(done: cardan.Trajectory) -> Motion:
        assert done.ok, done.message
        return Motion(done.array(f"{problem.crank}.q"), done.array("energy.total"))

    return Solver(f"DOP853, rtol {rtol:g}", run, read)


def integration(runs: Times, calls: Times) -> Times:
    """What a run spends on its motion: its times less those of calls for hardly any, both sorted.

    Parameters
    ----------
    runs, calls : Times
        From the same rounds.
    """
    pairs = zip(sorted(runs.seconds), sorted(calls.seconds), strict=True)
    return Times(tuple(run - call for run, call in pairs))


def by_hand(problem: Problem, rtol: float) -> Solver:
    """SciPy's LSODA with the equation of the crank's angle.

    Parameters
    ----------
    problem : Problem
    rtol : float
        Relative tolerance; the absolute one is a hundredth of it.
    """
    from scipy.integrate import odeint

    start = np.array([problem.q[problem.crank], problem.v[problem.crank]])

    def run(count: int) -> np.ndarray:
        times = np.linspace(0, END, count)
        return odeint(problem.rates, start, times, rtol=rtol, atol=rtol / 100, tfirst=True, mxstep=100_000)

    return Solver(f"odeint, 1-dof equation by hand, rtol {rtol:g}", run, lambda y: problem.motion(y.T))


def pinocchio_rk4(problem: Problem, steps: int, gain: float, mu: float) -> Solver:
    """`constraintDynamics` with Baumgarte's corrector in a loop of RK4 steps, in Python.

    Parameters
    ----------
    problem : Problem
    steps : int
        From 0 to END.
    gain : float
        Baumgarte's α = β [1/s].
    mu : float
        Regularisation of Pinocchio's proximal solver, which the row across the plane, 0 = 0, needs.
    """
    peer = _Pinocchio(problem, gain, mu)
    acceleration, h = peer.acceleration, END / steps

    def run(count: int) -> list[tuple[np.ndarray, np.ndarray]]:
        q, v = peer.q, peer.v
        states = [(q, v)]
        for _ in range(count - 1):
            for _ in range(steps // (count - 1)):
                a1 = acceleration(q, v)
                v2 = v + (h / 2) * a1
                a2 = acceleration(q + (h / 2) * v, v2)
                v3 = v + (h / 2) * a2
                a3 = acceleration(q + (h / 2) * v2, v3)
                v4 = v + h * a3
                a4 = acceleration(q + h * v3, v4)
                q = q + (h / 6) * (v + 2 * (v2 + v3) + v4)
                v = v + (h / 6) * (a1 + 2 * (a2 + a3) + a4)
            states.append((q, v))
        return states

    return Solver(f"Pinocchio, {steps} RK4 steps, Baumgarte {gain:g}/s", run, peer.motion)


def pinocchio_dop853(problem: Problem, rtol: float, gain: float, mu: float) -> Solver:
    """`constraintDynamics` with Baumgarte's corrector in SciPy's DOP853.

    Parameters
    ----------
    problem : Problem
    rtol : float
        Relative tolerance; the absolute one is a hundredth of it.
    gain : float
        Baumgarte's α = β [1/s].
    mu : float
        Regularisation of Pinocchio's proximal solver, which the row across the plane, 0 = 0, needs.
    """
    from scipy.integrate import solve_ivp

    peer = _Pinocchio(problem, gain, mu)
    n, start = len(peer.q), np.concatenate([peer.q, peer.v])

    def rates(_: float, x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[n:], peer.acceleration(x[:n], x[n:])])

    def run(count: int) -> list[tuple[np.ndarray, np.ndarray]]:
        times = np.linspace(0, END, count)
        done = solve_ivp(rates, (0, END), start, "DOP853", times, rtol=rtol, atol=rtol / 100)
        return [(x[:n], x[n:]) for x in done.y.T]

    return Solver(f"Pinocchio, DOP853, rtol {rtol:g}, Baumgarte {gain:g}/s", run, peer.motion)


class _Pinocchio:
    """Accelerations by Pinocchio of a mechanism whose loops are closed by points."""

    def __init__(self, problem: Problem, gain: float, mu: float) -> None:
        import pinocchio as pin

        self._model = pinocchio_model(problem.model)
        self._data = self._model.createData()
        self._joints = [link.joint for link in links(problem.model)]
        self.q, self.v, constant, damping = (np.zeros(self._model.nv) for _ in range(4))
        for name in self._joints:
            i = self._model.joints[self._model.getJointId(name)].idx_q
            self.q[i], self.v[i] = problem.q[name], problem.v[name]
            constant[i], damping[i] = problem.efforts.get(name, 0.0), _damping(problem.model, name)
        self._crank = self._model.joints[self._model.getJointId(problem.crank)].idx_q
        loops, data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for closure in closures(problem.model):
            loops.append(self._loop(closure, gain))
            data.append(loops[-1].createData())
        pin.initConstraintDynamics(self._model, self._data, loops, data)
        proximal = pin.ProximalSettings(1e-10, mu, 2)
        damped = bool(damping.any())

        def acceleration(q: np.ndarray, v: np.ndarray) -> np.ndarray:
            tau = constant - damping * v if damped else constant
            return pin.constraintDynamics(self._model, self._data, q, v, tau, loops, data, proximal)

        self.acceleration = acceleration

    def _loop(self, closure: Closure, gain: float) -> Any:
        import pinocchio as pin

        at = [pin.SE3(np.eye(3), point) for point in (closure.point_a, closure.point_b)]
        joints = [self._model.getJointId(self._joints[i]) for i in (closure.a, closure.b)]
        kind, axes = pin.ContactType.CONTACT_3D, pin.ReferenceFrame.LOCAL
        loop = pin.RigidConstraintModel(kind, self._model, joints[0], at[0], joints[1], at[1], axes)
        loop.m_baumgarte_parameters.Kp, loop.m_baumgarte_parameters.Kd = gain**2, 2 * gain
        return loop

    def motion(self, states: list[tuple[np.ndarray, np.ndarray]]) -> Motion:
        """What is compared."""
        import pinocchio as pin

        energy = [pin.computeMechanicalEnergy(self._model, self._data, q, v) for q, v in states]
        return Motion(np.array([q[self._crank] for q, _ in states]), np.array(energy))


def mujoco_solver(problem: Problem, steps: int) -> Solver:
    """MuJoCo with RK4 and `connect` equalities as hard as they can be made.

    Parameters
    ----------
    problem : Problem
    steps : int
        From 0 to END.
    """
    import mujoco

    model = mujoco_model(problem.model, END / steps)
    data = mujoco.MjData(model)
    order = [model.joint(i).name for i in range(model.njnt)]
    q, v = ([start[name] for name in order] for start in (problem.q, problem.v))
    efforts = [problem.efforts.get(name, 0.0) for name in order]
    energy = int(mujoco.mjtEnableBit.mjENBL_ENERGY)

    def run(count: int) -> list[tuple[float, float]]:
        mujoco.mj_resetData(model, data)
        data.qpos, data.qvel = q, v
        data.qfrc_applied = efforts
        states = [measured()]
        for _ in range(count - 1):
            mujoco.mj_step(model, data, steps // (count - 1))
            states.append(measured())
        return states

    def measured() -> tuple[float, float]:
        model.opt.enableflags |= energy
        mujoco.mj_forward(model, data)
        model.opt.enableflags &= ~energy
        return float(data.joint(problem.crank).qpos[0]), float(sum(data.energy))

    return Solver(f"MuJoCo, {steps} RK4 steps", run, lambda states: Motion(*np.array(states).T))


def exudyn_solver(problem: Problem, steps: int) -> Solver:
    """Exudyn: bodies in the plane, generalised-α with constraints at the level of positions (index 3), ϱ∞ = 0.9.

    Parameters
    ----------
    problem : Problem
    steps : int
        From 0 to END.
    """
    import exudyn as exu

    bodies = _in_plane(problem)
    system = exu.SystemContainer().AddSystem()
    coordinates, rates = _assemble_exudyn(system, problem, bodies)

    def run(count: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
        settings = _exudyn_settings(steps, count - 1, sparse=len(bodies) > SPARSE)
        assert system.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha)
        q, v = ([system.GetSensorStoredData(s)[:, 1:] for s in sensors] for sensors in (coordinates, rates))
        return q, v

    def read(done: tuple[list[np.ndarray], list[np.ndarray]]) -> Motion:
        g, energy = gravity(problem.model), np.zeros(1)
        for body, q, v in zip(bodies, *done, strict=True):
            energy = energy + body.mass * ((v[:, :2] ** 2).sum(axis=1) / 2 - q[:, :2] @ g[:2])
            energy = energy + body.inertia * v[:, 2] ** 2 / 2
        i = [body.joint for body in bodies].index(problem.crank)
        return Motion(problem.q[problem.crank] + bodies[i].sense * done[0][i][:, 2], energy)

    return Solver(f"Exudyn, {steps} generalised-α steps", run, read)


SPARSE = 20  # bodies from which on Exudyn's sparse linear solver is faster


@dataclass(frozen=True)
class _Body:
    """A body at the start; in the plane its axes are the world's then."""

    joint: str
    kind: str
    parent: int
    mass: float
    inertia: float  # about its centre of mass, across the plane [kg m²]
    com: np.ndarray  # (3,), world [m]
    speed: np.ndarray  # (3,) of the centre of mass [m/s]
    turning: float  # angular velocity about z [rad/s]
    root: np.ndarray  # (3,): where its joint is, world [m]
    sense: float  # 1 if the joint turns about z, −1 if about −z
    T: np.ndarray  # (4, 4): link frame in the world


def _in_plane(problem: Problem) -> list[_Body]:
    """Bodies of a mechanism in the xy plane, from the ground outwards."""
    out: list[_Body] = []
    for link in links(problem.model):
        parent = out[link.parent] if link.parent >= 0 else None
        q, v = problem.q[link.joint], problem.v[link.joint]
        T = (np.eye(4) if parent is None else parent.T) @ link.T
        axis, turns = T[:3, 2], link.kind == "revolute"
        T = T @ (_turned(q) if turns else _shifted(q))
        root, com = T[:3, 3], T[:3, :3] @ link.com + T[:3, 3]
        turning = (0.0 if parent is None else parent.turning) + (axis[2] * v if turns else 0.0)
        at_root = np.zeros(3) if parent is None else parent.speed + parent.turning * _across(root - parent.com)
        speed = at_root + (0 if turns else v) * axis + turning * _across(com - root)
        normal = T[:3, :3].T @ [0, 0, 1]
        inertia = float(normal @ link.inertia @ normal)
        sense = float(np.round(axis[2]))
        out.append(_Body(link.joint, link.kind, link.parent, link.mass, inertia, com, speed, turning, root, sense, T))
    return out


def _turned(angle: float) -> np.ndarray:
    T = np.eye(4)
    T[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return T


def _shifted(distance: float) -> np.ndarray:
    T = np.eye(4)
    T[2, 3] = distance
    return T


def _across(r: np.ndarray) -> np.ndarray:
    """e_z × r."""
    return np.array([-r[1], r[0], 0.0])


def _assemble_exudyn(system: Any, problem: Problem, bodies: list[_Body]) -> tuple[list[int], list[int]]:
    """Puts a mechanism into an Exudyn system; the sensors of all bodies' coordinates and their rates."""
    import exudyn as exu
    import exudyn.itemInterface as items  # noqa: N813 - a module

    ground = system.AddObject(items.ObjectGround())
    nodes, objects = [], []

    def marker(i: int, point: np.ndarray, kind: Any = items.MarkerBodyPosition) -> int:
        """A point on a body, given in the world at the start."""
        place = point if i < 0 else point - bodies[i].com
        return system.AddMarker(kind(bodyNumber=ground if i < 0 else objects[i], localPosition=place))

    for i, body in enumerate(bodies):
        start = {"referenceCoordinates": [*body.com[:2], 0], "initialVelocities": [*body.speed[:2], body.turning]}
        nodes.append(system.AddNode(items.NodeRigidBody2D(**start)))
        rigid = items.ObjectRigidBody2D(mass=body.mass, inertia=body.inertia, nodeNumber=nodes[i])
        objects.append(system.AddObject(rigid))
        weight = body.mass * gravity(problem.model)
        system.AddLoad(items.Force(markerNumber=marker(i, body.com), loadVector=weight))
        if body.kind == "revolute":
            ends = [marker(body.parent, body.root), marker(i, body.root)]
            system.AddObject(items.RevoluteJoint2D(markerNumbers=ends))
        else:
            axis, normal = bodies[i].T[:3, 2], _across(bodies[i].T[:3, 2])
            ends = [marker(k, body.root, items.MarkerBodyRigid) for k in (body.parent, i)]
            system.AddObject(items.PrismaticJoint2D(markerNumbers=ends, axisMarker0=axis, normalMarker1=normal))
        _drive_exudyn(system, problem, body, nodes[i])
    for closure in closures(problem.model):
        point = bodies[closure.a].T[:3, :3] @ closure.point_a + bodies[closure.a].T[:3, 3]
        ends = [marker(closure.a, point), marker(closure.b, point)]
        system.AddObject(items.RevoluteJoint2D(markerNumbers=ends))
    kinds = exu.OutputVariableType.Coordinates, exu.OutputVariableType.Coordinates_t
    q, v = (
        [system.AddSensor(items.SensorNode(nodeNumber=n, storeInternal=True, outputVariableType=kind)) for n in nodes]
        for kind in kinds
    )
    system.Assemble()
    return q, v


def _drive_exudyn(system: Any, problem: Problem, body: _Body, node: int) -> None:
    """Constant effort and damping on a joint with the ground."""
    import exudyn.itemInterface as items  # noqa: N813 - a module

    effort, damping = problem.efforts.get(body.joint, 0.0), _damping(problem.model, body.joint)
    if not effort and not damping:
        return
    assert (body.parent, body.kind) == (-1, "revolute"), f"{body.joint}: only a crank on the ground is driven or damped"
    angle = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=2))
    rest = system.AddNode(items.NodePointGround())
    still = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=rest, coordinate=0))
    system.AddObject(items.CoordinateSpringDamper(markerNumbers=[still, angle], damping=damping))
    system.AddLoad(items.LoadCoordinate(markerNumber=angle, load=body.sense * effort))


def _exudyn_settings(steps: int, intervals: int, *, sparse: bool) -> Any:
    import exudyn as exu

    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.numberOfSteps, integration.endTime, integration.verboseMode = steps, END, 0
    integration.generalizedAlpha.spectralRadius = 0.9
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = END / intervals
    settings.parallel.numberOfThreads = 1
    kinds = exu.LinearSolverType
    settings.linearSolver.solverType = kinds.EigenSparse if sparse else kinds.EXUdense
    return settings


def _damping(model: cardan.Model, joint: str) -> float:
    """Damping of a joint, a number [N s/m or N m s/rad]."""
    damping = model.joints[joint].damping
    return 0.0 if damping is None else float(damping.value)
