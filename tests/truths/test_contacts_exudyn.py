"""Two scenes against Exudyn with the same law of contact: a ball with spin bounces off a sphere; one rolls in a bowl.

Exudyn's damping pulls at the end of an impact, where Cardan's contact lets go; so the ball that bounces has none, and
the one with damping never leaves its bowl.
"""

import numpy as np
import pytest

import cardan
from cardan.formats.yaml import loads

exudyn = pytest.importorskip("exudyn")

RADIUS, MASS, STIFFNESS, FRICTION, ZONE = 0.1, 2.0, 1e5, 0.3, 1e-3
UNTIL, STEP = 1.0, 1e-5
GROUND = {"bounces": ("sphere", 1.0, False), "rolls": ("bowl", 0.5, True)}
DAMPING = {"bounces": 0.0, "rolls": 60.0}
PLACE = {"bounces": [0.2, 0.1, 1.2], "rolls": [0.0, 0.0, -0.4 - 9.8 * MASS / STIFFNESS]}
SPEED = {"bounces": [-0.5, 0, 0, 0, 20, 5], "rolls": [0, 0.8, 0, -5, 0, 3]}
COORDINATES = ("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz")


def ours(scene: str) -> np.ndarray:
    """Place, velocity and angular velocity of the ball, (instants, 9)."""
    shape, size, _ = GROUND[scene]
    model = loads(f"""
cardan: 1
gravity: [0, 0, -9.81]
bodies:
  ground: {{shapes: [{{type: {shape}, radius: {size}}}]}}
  ball: {{shapes: [{{type: sphere, radius: {RADIUS}, density: {MASS / (4 / 3 * np.pi * RADIUS**3)}}}]}}
joints: {{fly: {{type: free, parent: ground, child: ball}}}}
contacts:
  touch: {{between: [ball, ground], type: impact, stiffness: {STIFFNESS}, exponent: 1, damping: {DAMPING[scene]},
    depth: 1e-6, friction: {{coefficient: {FRICTION}, regularize: {ZONE}}}}}
""")
    start = dict(zip(COORDINATES[:3], PLACE[scene], strict=True)) | dict(
        zip(COORDINATES[3:], SPEED[scene], strict=True)
    )
    initial = {f"fly.{name}": value for name, value in start.items()}
    run = cardan.simulate(model, times=np.linspace(0, UNTIL, 11), initial=initial)
    assert run.ok
    states = [f"fly.{name}.{'q' if len(name) == 1 else 'v'}" for name in COORDINATES]
    return np.column_stack([run[name].values for name in states])


def theirs(scene: str) -> np.ndarray:
    """The same by Exudyn: explicit steps of fourth order."""
    from exudyn import itemInterface as items  # noqa: N813 - a module

    _, size, hollow = GROUND[scene]
    system = exudyn.SystemContainer().AddSystem()
    inertia = [2 / 5 * MASS * RADIUS**2] * 3 + [0.0] * 3
    start = {"referenceCoordinates": [*PLACE[scene], 0, 0, 0], "initialVelocities": SPEED[scene]}
    node = system.AddNode(items.NodeRigidBodyRotVecLG(**start))
    ball = system.AddObject(items.ObjectRigidBody(mass=MASS, inertia=inertia, nodeNumber=node))
    ground = system.AddObject(items.ObjectGround())
    centres = [system.AddMarker(items.MarkerBodyRigid(bodyNumber=body)) for body in (ball, ground)]
    system.AddLoad(items.Force(markerNumber=centres[0], loadVector=[0, 0, -9.81 * MASS]))
    data = system.AddNode(items.NodeGenericData(initialCoordinates=[0] * 4, numberOfDataCoordinates=4))
    contact = items.ObjectContactSphereSphere(
        markerNumbers=centres,
        nodeNumber=data,
        spheresRadii=[RADIUS, size],
        isHollowSphere1=hollow,
        dynamicFriction=FRICTION,
        frictionProportionalZone=ZONE,
        contactStiffness=STIFFNESS,
        contactDamping=DAMPING[scene],
    )
    system.AddObject(contact)
    kinds = exudyn.OutputVariableType
    sensors = [
        system.AddSensor(items.SensorBody(bodyNumber=ball, storeInternal=True, outputVariableType=kind))
        for kind in (kinds.Position, kinds.Velocity, kinds.AngularVelocityLocal)
    ]
    system.Assemble()
    settings = exudyn.SimulationSettings()
    steps = settings.timeIntegration
    steps.numberOfSteps, steps.endTime, steps.verboseMode = round(UNTIL / STEP), UNTIL, 0
    settings.solution.file.write, settings.solution.sensors.writePeriod = False, UNTIL / 10
    system.SolveDynamic(settings, solverType=exudyn.DynamicSolverType.RK44)
    return np.column_stack([system.GetSensorStoredData(sensor)[:, 1:] for sensor in sensors])


@pytest.mark.parametrize("scene", GROUND)
def test_a_ball_moves_as_in_exudyn(scene):
    """Within the speed below which the two laws of friction differ: tanh(v/ZONE) here, min(1, v/ZONE) there.

    What rolls in the bowl slips by a third of ZONE at most, where they differ by a hundredth of it.
    """
    speeds = np.array([1] * 6 + [RADIUS] * 3)
    error = {"bounces": ZONE, "rolls": ZONE / 10}[scene]
    assert ours(scene) * speeds == pytest.approx(theirs(scene) * speeds, abs=error)
