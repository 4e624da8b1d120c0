"""Rods that bend: a clamped steel rod of 16 segments, 1 m × 40 mm × 5 mm, on whose tip 10 N are laid, for 0.5 s.

Cardan's rod is rigid parts with hinges between them, Exudyn's 16 cables in absolute nodal coordinates (ANCF) under the
generalised-α method with a spectral radius of 0.9. The sag at rest is first compared with F L³/3EI, and the tip's
motion of both sides, each far finer than it is timed, with one another. The error is then the largest one of the tip at
51 instants of a side against the same side far finer. Exudyn takes the fewest steps of a list that keep it, with
modified Newton where that converges, and a Newton tolerance of 1e-6: with its own of 1e-8 finer steps split endlessly.

With 1 % of damping `auto` takes the stiff method, whose steps follow what is left of the motion. Without damping
explicit steps have to be short enough for the fastest vibration, 0.1 ms, whatever the tolerance: the error is then far
below the one that is asked for, and this bounds the ratio. `dop853` is named there, since `auto` begins with order 5 at
so loose a tolerance, which takes twice as long. Times are of the processor.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

import numpy as np

import cardan

from .peers import require
from .table import Goal, Result, Row
from .timing import Effort, in_turns

__all__ = ["TITLE", "measure"]

TITLE = "Rods that bend"

SEGMENTS, LENGTH, WIDTH, HEIGHT, YOUNG, DENSITY, FORCE = 16, 1.0, 0.04, 0.005, 210e9, 7850.0, 10.0
AREA, INERTIA = WIDTH * HEIGHT, WIDTH * HEIGHT**3 / 12
FIRST = 1.8751041**2 / (2 * np.pi * LENGTH**2) * np.sqrt(YOUNG * INERTIA / DENSITY / AREA)  # natural frequency [Hz]
INSTANTS = np.linspace(0, 0.5, 51)
FINEST = 1e-10
ALIKE = 1e-4  # by which tips of both may differ, of 75 mm: 1e-5 m from shear, the rest from fast vibrations [m]
CASES = (  # damping ratio, error of the tip [m], Cardan's tolerance, Exudyn's steps
    (0.01, 1e-4, 1e-2, 250),
    (0.01, 1e-5, 1e-3, 1000),
    (0.0, 2e-4, 1e-2, 1000),
    (0.0, 3e-5, 1e-2, 5000),
)
STEPS = 20_000  # of Exudyn for comparison


def measure(effort: Effort) -> Result:
    """Times of half a second of motion.

    Parameters
    ----------
    effort : Effort
        How many rounds.
    """
    require("exudyn")
    _check_sag()
    rows, exact = [], {}
    for damping, accuracy, tolerance, steps in CASES:
        if damping not in exact:
            exact[damping] = _ours(damping, FINEST)(), _theirs(damping, STEPS)()
            assert _error(*exact[damping]) < ALIKE, _error(*exact[damping])
        sides = _ours(damping, tolerance), _theirs(damping, steps)
        for side, fine in zip(sides, exact[damping], strict=True):
            assert _error(side(), fine) < accuracy, (damping, accuracy, _error(side(), fine))
        ours, theirs = in_turns(sides, min(effort.rounds, 21), time.process_time)
        damped = f"{damping:.0%} damping" if damping else "no damping, dop853"
        what = f"rod of {SEGMENTS} segments, {damped}, 0.5 s, tip within {accuracy:.0e} m"
        rows.append(Row(what, ours, "Exudyn", theirs, Goal(ratio=10)))
    return Result(tuple(rows))


def _error(found: np.ndarray, exact: np.ndarray) -> float:
    return float(np.max(np.abs(found - exact)))


def _model(damping: float, force: float = FORCE, **more: object) -> cardan.Model:
    section = {"type": "rectangle", "width": HEIGHT, "height": WIDTH}
    rod = {"type": "flexible", "length": LENGTH, "segments": SEGMENTS, "section": section, "damping_ratio": damping}
    rod["material"] = {"youngs_modulus": YOUNG, "poisson_ratio": 0.3, "density": DENSITY}
    rod["markers"] = {"tip": {"position": [LENGTH, 0, 0]}}
    return cardan.Model(
        planar="xy",
        gravity=[0, 0, 0],
        bodies={"rod": rod},
        joints={"clamp": {"type": "fixed", "parent": "ground", "child": "rod"}},
        forces={"load": {"type": "force", "child": "rod.tip", "value": [0, -force, 0]}},
        outputs={"sag": "rod.tip.y"},
        **more,
    )


def _check_sag() -> None:
    """A small load bends the rod as the theory of slender rods says; shear adds some 1e-5 of it."""
    small = cardan.simulate(_model(0.0, FORCE / 100, initial={"equilibrium": True}), times=[0.0])
    closed = -FORCE / 100 * LENGTH**3 / (3 * YOUNG * INERTIA)
    assert abs(small["sag"].values[0] / closed - 1) < 1e-4


def _ours(damping: float, tolerance: float) -> Callable[[], np.ndarray]:
    """A run whose result is the tip's height (51,) [m]."""
    method = "auto" if damping else "dop853"
    setup = cardan.prepare(_model(damping), times=INSTANTS, rtol=tolerance, method=method)

    def run() -> np.ndarray:
        found = setup.run()
        assert found.ok
        return found["sag"].values

    return run


def _theirs(damping: float, steps: int) -> Callable[[], np.ndarray]:
    """The same of Exudyn."""
    import exudyn
    from exudyn import itemInterface as items  # noqa: N813 - a module

    beta, size = damping / (np.pi * FIRST), LENGTH / SEGMENTS
    system = exudyn.SystemContainer().AddSystem()
    points = [[size * i, 0, 1, 0] for i in range(SEGMENTS + 1)]
    nodes = [system.AddNode(items.NodePoint2DSlope1(referenceCoordinates=point)) for point in points]
    for pair in pairwise(nodes):
        cable = items.ObjectANCFCable2D(
            length=size,
            massPerLength=DENSITY * AREA,
            bendingStiffness=YOUNG * INERTIA,
            axialStiffness=YOUNG * AREA,
            bendingDamping=beta * YOUNG * INERTIA,
            axialDamping=beta * YOUNG * AREA,
            nodeNumbers=list(pair),
        )
        system.AddObject(cable)
    ground = system.AddNode(items.NodePointGround())
    still = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
    for k in (0, 1, 3):
        clamped = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=k))
        system.AddObject(items.CoordinateConstraint(markerNumbers=[still, clamped]))
    tip = system.AddMarker(items.MarkerNodePosition(nodeNumber=nodes[-1]))
    system.AddLoad(items.Force(markerNumber=tip, loadVector=[0, -FORCE, 0]))
    place = exudyn.OutputVariableType.Position
    sensor = system.AddSensor(items.SensorNode(nodeNumber=nodes[-1], storeInternal=True, outputVariableType=place))
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = INSTANTS[1]
    settings.parallel.numberOfThreads = 1
    settings.linearSolver.solverType = exudyn.LinearSolverType.EigenSparse
    course = settings.timeIntegration
    course.numberOfSteps, course.endTime, course.verboseMode = steps, INSTANTS[-1], 0
    course.generalizedAlpha.spectralRadius = 0.9
    course.newton.relativeTolerance, course.newton.absoluteTolerance = 1e-6, 1e-8
    course.newton.numericalDifferentiation.relativeEpsilon = 1e-6
    course.newton.useModifiedNewton = damping > 0.0

    def run() -> np.ndarray:
        assert system.SolveDynamic(settings, solverType=exudyn.DynamicSolverType.GeneralizedAlpha)
        return system.GetSensorStoredData(sensor)[:, 2]

    return run
