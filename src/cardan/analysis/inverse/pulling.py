"""`pulled`: a mechanism whose body is pulled by a point, with its loops kept closed, as by a hand on a screen.

Source: constrained least squares in the null space of the constraints, Nocedal & Wright 2006, §16.2
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cardan.functions.dynamics import Dynamics
from cardan.numerics.largest import largest
from cardan.numerics.round_off import DIFFERENCE, ROUND_OFF
from cardan.simulation.linear.linearize import CLOSINGS
from cardan.singular.tolerances import STEP

Law = Callable[[np.ndarray], np.ndarray]

STEPS = 12
"""Steps that are tried: a hand moves on, so that a position that is nearer is enough."""

_HALVES = 6  # times that a step is halved before the position counts as the nearest one
_RANK = 1e-5  # singular values over the largest that count as zero: derivatives have half the digits of a double


def pulled(
    dynamics: Dynamics, q: Any, body: str, point: Any, target: Any, parameters: Mapping[str, Any] | None = None
) -> np.ndarray:
    """Coordinates (n,) in which a point of a body is as near to a target as its mechanism lets it, found from q.

    min |r(q) − target| under Φ(q) = 0: each step is the shortest in the null space of ∂Φ/∂q that brings the point
    nearest; it is halved until the point comes nearer with its loops closed.
    """
    given = dict(parameters or {})
    p, goal = np.append(np.asarray(point, dtype=float), 1.0), np.asarray(target, dtype=float)

    def open_at(Q: np.ndarray) -> np.ndarray:
        return np.asarray(dynamics.constraint(Q, parameters=given))

    def error_at(Q: np.ndarray) -> np.ndarray:
        return np.asarray((dynamics.forward_kinematics(Q, parameters=given)[body] @ p)[..., :3] - goal)

    q = np.array(q, dtype=float)
    e = error_at(q)
    for _ in range(STEPS):
        step = _towards(_derivative(open_at, q), _derivative(error_at, q), e)
        length = largest(step)
        step = step * min(1.0, STEP / length) if length else step
        for k in range(_HALVES):
            trial = _closed(open_at, q + 0.5**k * step)
            if trial is not None and np.linalg.norm(error := error_at(trial)) < np.linalg.norm(e):
                q, e = trial, error
                break
        else:
            return q
    return q


def _derivative(law: Law, q: np.ndarray) -> np.ndarray:
    """∂r/∂q (m, n) of a law by differences, all coordinates in one call."""
    values = law(np.vstack([q, q + DIFFERENCE * np.eye(q.size)]))
    return ((values[1:] - values[0]) / DIFFERENCE).T


def _towards(A: np.ndarray, J: np.ndarray, e: np.ndarray) -> np.ndarray:
    """The shortest step (n,) with A Δq = 0 that brings J Δq nearest to −e."""
    _, s, Vt = np.linalg.svd(A)
    N = Vt[int(np.sum(s > _RANK * max(s, default=0.0))) :].T
    return np.asarray(N @ np.linalg.lstsq(J @ N, -e, rcond=_RANK)[0]) if N.size else np.zeros(J.shape[1])


def _closed(open_at: Law, q: np.ndarray) -> np.ndarray | None:
    """The position near q in which all loops are closed; None where Newton's method finds none."""
    for _ in range(CLOSINGS):
        Phi = open_at(q)
        if largest(Phi) < ROUND_OFF:
            return q
        q = q - np.linalg.lstsq(_derivative(open_at, q), Phi, rcond=_RANK)[0]
    return None
