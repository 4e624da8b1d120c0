"""Results of a run that its file does not store, and the model that it was made with.

Orientations, velocities and accelerations of bodies follow from the states and accelerations that every file has.
"""

import json
import warnings
from collections.abc import Callable, Iterable
from functools import lru_cache

import casadi as ca
import numpy as np

from cardan.channels.channels import Channels
from cardan.errors import ModelError, ModelWarning
from cardan.functions.system_functions import user_functions_of
from cardan.model.model import Model
from cardan.model.place import GROUND, End, InlinePlace, split
from cardan.model.placement import Placement
from cardan.model.quantities.parameters import resolve
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.round_off import ROUND_OFF
from cardan.results.trajectory import Trajectory
from cardan.spatial.rotations import matrices_of
from cardan.system.system import System, build_system


def model_of(run: Trajectory) -> Model:
    """The model of a run, as it was then."""
    if not run.provenance.source:
        raise ModelError("the run carries no model", "give what cardan.simulate or cardan.kinetostatics returns")
    return _read(run.provenance.source)


@lru_cache(maxsize=16)
def _read(source: str) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # given when the model was made
        return Model(**json.loads(source))


def parameters_of(run: Trajectory) -> dict[str, float]:
    """Values of the parameters in a run [SI]."""
    given = run.provenance.settings.get("parameters")
    return {name: float(value) for name, value in resolve(model_of(run).parameters, given).items()}


def results(run: Trajectory, names: Iterable[str]) -> dict[str, np.ndarray]:
    """Values (N, *shape) of results by name; orientations,
    velocities and accelerations also where a file lacks them.
    """
    wanted = list(dict.fromkeys(names))
    lost = [name for name in wanted if name not in run.channels]
    found = run.arrays([name for name in wanted if name in run.channels])
    if lost:
        system = build_system(model_of(run), run.provenance.settings.get("motors", "none"))
        channels = Channels(user_functions_of(system))
        of_motion = ("orientation", "velocity", "angular_velocity", "acceleration", "angular_acceleration", "position")
        known = [name for name in lost if name in channels.names and name.rpartition(".")[2] in of_motion]
        run.arrays([name for name in lost if name not in known])  # raises with the nearest names
        rates = run.arrays(f"{entry.name}.a" for entry in system.tree.velocities)
        a = np.column_stack([np.empty((len(run), 0)), *rates.values()])
        u, p = np.zeros((len(run), len(system.input_names))), np.array([*parameters_of(run).values()])
        found |= channels.evaluate(known, run.t, states_of(run, system), u, p, a)
    return found


def states_of(run: Trajectory, system: System) -> np.ndarray:
    """States (N, nx) of the system of the run's model; a run may have further ones, such as held inputs."""
    return np.column_stack([np.empty((len(run), 0)), *run.arrays(system.state_names).values()])


def marker_on_body(run: Trajectory, place: End) -> tuple[str, np.ndarray, np.ndarray]:
    """Body, position (3,) and axes (3×3) in it of the end of a joint, constraint or force."""
    values = parameters_of(run)
    return frame_on_body(model_of(run), lambda scalar: scalar.number(values), place)


def frame_on_body(model: Model, number: Callable[[Scalar], float], place: End) -> tuple[str, np.ndarray, np.ndarray]:
    """Body, position (3,) and axes (3×3) in it of the end of a joint, constraint or force of a model."""
    body, marker = split(place)
    frame: Placement
    if isinstance(place, InlinePlace):
        frame = place.resolved(number)
    elif body == GROUND:
        frame = model.ground.resolved(number).marker(marker)
    else:
        frame = model.bodies[body].resolved(number).marker(marker)
    if not marker and not isinstance(place, InlinePlace):
        return body, np.zeros(3), np.eye(3)
    T = np.array(ca.DM(frame.transform()), dtype=float)
    return body, T[:3, 3], T[:3, :3]


def axes_of(run: Trajectory, bodies: Iterable[str]) -> dict[str, np.ndarray]:
    """Axes (N, 3, 3) of `bodies` in the world over time, the ground among them."""
    names = [body for body in dict.fromkeys(bodies) if body != GROUND]
    found = results(run, [f"{body}.orientation" for body in names])
    axes = {body: matrices_of(found[f"{body}.orientation"]) for body in names}
    return axes | {GROUND: np.broadcast_to(np.eye(3), (len(run), 3, 3))}


def turned(R: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Rᵀ a of `vectors` a (N, 3), for axes R (N, 3, 3); components that are NaN reach only what they have a part in."""
    lost = np.isnan(vectors)
    out = np.einsum("nij,ni->nj", R, np.where(lost, 0.0, vectors))
    out[np.einsum("nij,ni->nj", np.abs(R) > ROUND_OFF, lost)] = np.nan
    return out
