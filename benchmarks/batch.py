"""Many states at once: forward and inverse dynamics against Pinocchio's own batch functions, in one thread.

The peer is called with preallocated results and with arrays in its own memory order. Cardan takes ordinary arrays
(states, joints); their conversion to lanes and back, and making the result, are part of its time. The last row keeps
many results: with `out=` they are written into arrays that exist, without it into new memory.
"""

from __future__ import annotations

import numpy as np

import cardan

from .comparison import Pair, compare
from .mechanisms import arm, crooked_arm, states
from .peers import condition, pinocchio_model, require
from .table import Goal, Result
from .timing import Effort

__all__ = ["TITLE", "forward_dynamics", "inverse_dynamics", "measure"]

TITLE = "A batch of states, per state"

KEPT = 20  # results that are kept


def measure(effort: Effort) -> Result:
    """Time per state of a batch.

    Parameters
    ----------
    effort : Effort
        How many states and rounds.
    """
    require("pinocchio")
    arms = {"7-joint arm": (arm(), Goal(ratio=40)), "arm with crooked axes": (crooked_arm(), Goal())}
    pairs = [
        (make(f"{{}}, {name}, {effort.batch} states", model, effort.batch), goal)
        for name, (model, goal) in arms.items()
        for make in (forward_dynamics, inverse_dynamics)
    ]
    rows = [compare(pair, effort.rounds, states=effort.batch, goal=goal) for pair, goal in pairs]
    return Result((*rows, compare(_kept(arm(), effort.batch), effort.rounds, states=KEPT * effort.batch)))


def forward_dynamics(what: str, model: cardan.Model, count: int) -> Pair:
    """Accelerations (count, n) by both sides.

    Parameters
    ----------
    what : str
        Name of the row; `{}` becomes the name of the function.
    model : Model
        A tree of revolute joints.
    count : int
        Number of states.
    """
    import pinocchio as pin

    dyn, pool, arrays, columns, result = _prepared(model, count)

    def theirs() -> np.ndarray:
        pin.abaInParallel(1, pool, *columns, result)
        return result.T

    def ours() -> np.ndarray:
        return dyn.forward_dynamics(*arrays, threads=1)

    return Pair(what.format("forward dynamics"), ours, "abaInParallel", theirs, condition(model))


def inverse_dynamics(what: str, model: cardan.Model, count: int) -> Pair:
    """Efforts (count, n) by both sides.

    Parameters
    ----------
    what : str
        Name of the row; `{}` becomes the name of the function.
    model : Model
        A tree of revolute joints.
    count : int
        Number of states.
    """
    import pinocchio as pin

    dyn, pool, arrays, columns, result = _prepared(model, count)

    def theirs() -> np.ndarray:
        pin.rneaInParallel(1, pool, *columns, result)
        return result.T

    def ours() -> np.ndarray:
        return dyn.inverse_dynamics(*arrays, threads=1)

    return Pair(what.format("inverse dynamics"), ours, "rneaInParallel", theirs, 1.0)


def _kept(model: cardan.Model, count: int) -> Pair:
    """Accelerations in the same arrays of 20 calls, and in 20 new arrays that are all kept."""
    dyn, arrays = cardan.compile(model), states(len(model.joints), count)
    rooms = np.empty((KEPT, count, len(model.joints)))

    def filled() -> np.ndarray:
        return [dyn.forward_dynamics(*arrays, threads=1, out=room) for room in rooms][-1]

    def new() -> np.ndarray:
        return [dyn.forward_dynamics(*arrays, threads=1) for _ in rooms][-1]

    return Pair(f"forward dynamics, {KEPT} results kept, `out=`", filled, "without `out=`", new, 1.0)


def _prepared(
    model: cardan.Model, count: int
) -> tuple[cardan.functions.dynamics.Dynamics, object, tuple[np.ndarray, ...], list[np.ndarray], np.ndarray]:
    """Compiled model, the peer's models, states in rows, states in the peer's columns, and room for its result."""
    import pinocchio as pin

    peer = pinocchio_model(model)
    arrays = states(peer.nq, count)
    columns = [np.asfortranarray(array.T) for array in arrays]
    return cardan.compile(model), pin.ModelPool(peer, 1), arrays, columns, np.zeros((peer.nv, count), order="F")
