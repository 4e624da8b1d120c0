"""Motions that a mechanism cannot follow any further: the equation that no position meets, and its residual."""

from dataclasses import replace
from math import inf

import casadi as ca
import numpy as np

from cardan.assembly.assembler import ITERATIONS, LONGEST, Assembler
from cardan.assembly.functions import damping
from cardan.numerics.largest import largest
from cardan.numerics.rank import damped_least_squares
from cardan.numerics.round_off import ROUND_OFF
from cardan.results.status import Status
from cardan.results.trajectory import Trajectory
from cardan.simulation.setup import Setup


def explained(setup: Setup, found: Trajectory) -> Trajectory:
    """The trajectory with the status unreachable and its gap, if no position follows the motions beyond its end."""
    if not len(found):
        return found
    reached = found.statistics["reached"]
    later = setup.conditions.instants[setup.conditions.instants > reached]
    owner, gap = _gap(setup, float(later[0]) if later.size else setup.conditions.end, found.x[-1])
    if gap <= ROUND_OFF * (1 + largest(found.x[-1])):
        return found
    cause = (
        f"no position nearby follows the motions and closes the loops any further; the gap of {owner!r} at the next "
        f"instant is {gap:.3g}; shorten the way, change a length, or start on another branch"
    )
    return replace(found, status=Status.UNREACHABLE, message=Status.UNREACHABLE.describe(reached, cause=cause))


def _loops(setup: Setup, t: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Φ (c,) and Φq (c, nv) of a state."""
    functions = setup.task.functions
    u = np.zeros(len(functions.system.input_names))
    Phi, Phi_q, _ = functions.interpreted("loops")(t, x, u, setup.conditions.p)
    return np.array(Phi).ravel(), np.array(Phi_q)


def _gap(setup: Setup, t: float, x: np.ndarray) -> tuple[str, float]:
    """Owner and size of the largest residual at t in the nearest position to x that damped Newton steps find."""
    tree, best, last = setup.conditions.system.tree, inf, ("", inf)
    x, assembler = np.array(x), Assembler(setup.conditions.assembly, setup.conditions.p)
    for _ in range(ITERATIONS):
        Phi, Phi_q = _loops(setup, t, x)
        size = float(np.linalg.norm(Phi))
        if not size < best:
            break
        worst = int(np.argmax(np.abs(Phi)))
        best, last = size, (setup.conditions.assembly.labels[worst][0], float(abs(Phi[worst])))
        step = damped_least_squares(Phi_q, -Phi, float(damping(ca.DM(Phi), ca.DM(Phi_q))))
        x[: tree.nq] = assembler.moved(x[: tree.nq], step / max(float(np.abs(step).max()) / LONGEST, 1.0))
    return last
