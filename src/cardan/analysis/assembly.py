"""`assemble`: the configuration in which all loops of a mechanism close."""

from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np

from cardan.assembly.assembler import Assembler, Velocities
from cardan.assembly.rounding import rounding_doubts
from cardan.assembly.start import assembled, branch_doubts, system_of
from cardan.errors import few, warn
from cardan.frozen import dataclass
from cardan.kinematics.motion import marker_motion, motion
from cardan.model.initial import angle_doubts, updated
from cardan.model.model import Model, check_model
from cardan.model.names import carrying, coordinates
from cardan.model.place import GROUND
from cardan.model.quantities.parameters import resolve
from cardan.simulation.setup import with_met_conditions
from cardan.system.blocks.circuits import without_limits
from cardan.system.system import System


@dataclass(frozen=True)
class Assembly:
    """A consistent configuration of a mechanism at t = 0."""

    q: Mapping[str, float]  # coordinates by name [m, rad, -]
    v: Mapping[str, float]  # velocities by name [m/s, rad/s]
    gaps: Mapping[str, float]  # largest residual abs(Φ) by joint or constraint
    changed: tuple[tuple[str, float, float], ...]  # name, given value and used value of each changed velocity
    positions: Mapping[str, np.ndarray]  # bodies and markers (3,) by name, world axes [m]

    @property
    def residual(self) -> float:
        """Largest abs(Φ) of all; 0 for a mechanism without loops."""
        return max(self.gaps.values(), default=0.0)

    def __repr__(self) -> str:
        """The result in three lines: how well loops are closed, coordinates, velocities."""
        closed = f"loops are closed within {self.residual:.1e}" if self.gaps else "no loops"
        return "\n  ".join([f"Assembly: {closed}", _listed("q", self.q), _listed("v", self.v)])


def _listed(word: str, values: Mapping[str, float]) -> str:
    """A few values by name."""
    return f"{word}: {few(f'{name} = {value:.6g}' for name, value in values.items()) or 'none'}"


def assemble(
    model: Model, initial: Mapping[str, Any] | None = None, parameters: Mapping[str, Any] | None = None
) -> Assembly:
    """Configuration with closed loops near the initial one, on the same branch as the guess.

    Plain values are held exactly; guesses change, and coordinates that are not given start from the guess 0. Given
    velocities are kept if the constraints allow it; `changed` lists those that are not.

    Parameters
    ----------
    model : Model
        The mechanism.
    initial : mapping, optional
        Coordinates and velocities in addition to the model's or in place of them:
        `{"crank": 0.3, "pin": {"guess": 1.2}}`.
    parameters : mapping, optional
        Other values of parameters: SI, or text with a unit.

    Warns
    -----
    ModelWarning
        Several branches of motion that meet in this position have the given velocities: the warning names one to give.

    Raises
    ------
    ModelError
        A name is unknown, or a value is impossible.
    AssemblyError
        A loop cannot be closed: the error names it, its gap and the nearest configuration; or too much is held: the
        error names a coordinate to release.

    Example
    -------
    >>> import cardan
    >>> cardan.assemble(cardan.load("compound_pendulum"), {"pendulum": 0.1}).q["pendulum"]
    0.1
    """
    check_model(model)
    system, assembler, x, velocities = assembled_system(model, initial, parameters)
    for doubt in branch_doubts(velocities):
        warn(doubt)
    tree = system.tree
    q, v = x[: tree.nq], x[tree.nq : tree.nq + tree.nv]
    gaps: dict[str, float] = {}
    for (owner, _), gap in zip(
        assembler.functions.labels, assembler.functions.gaps_of_all(q, assembler.p)[0].ravel(), strict=True
    ):
        gaps[owner] = max(gaps.get(owner, 0.0), float(abs(gap)))
    return Assembly(
        {entry.name: float(value) for entry, value in zip(tree.coordinates, q, strict=True)},
        {entry.name: float(value) for entry, value in zip(tree.velocities, v, strict=True)},
        gaps,
        velocities.changed,
        _positions(system, q, assembler.p),
    )


def assembled_system(
    model: Model, initial: Mapping[str, Any] | None, parameters: Mapping[str, Any] | None
) -> tuple[System, Assembler, np.ndarray, Velocities]:
    """The mechanism, its assembly functions, its consistent state, and how its velocities were found."""
    check_model(model)
    given = initial or {}
    model, initial, parameters = with_met_conditions(model, initial, parameters)
    values = {name: float(value) for name, value in resolve(model.parameters, parameters).items()}
    motors = "simplified" if model.motors else "none"  # expressions may name currents
    system, functions = system_of(without_limits(model), motors)
    x, velocities = assembled(system, functions, updated(model.initial, initial, carrying(model)), values)
    for text in rounding_doubts(system.tree):
        warn(text)
    for doubt in angle_doubts(given, coordinates(carrying(model))):
        warn(doubt.one_line())
    return system, Assembler(functions, np.array(list(values.values()))), x, velocities


def _positions(system: System, q: np.ndarray, p: np.ndarray) -> dict[str, np.ndarray]:
    """Position (3,) of every body and marker by its name, world axes [m]."""
    tree = system.tree
    symbols = ca.SX.sym("q", tree.nq)
    state = motion(tree, symbols, ca.DM(tree.nv, 1))
    names = [name for name in tree.places if name != GROUND]
    points = [marker_motion(state, tree.place(name)).p for name in names]
    function = ca.Function("positions", [symbols, tree.p], [ca.densify(ca.SX(point)) for point in points])
    values = function.call([q, p])
    return {name: np.array(value).ravel() for name, value in zip(names, values, strict=True)}
