"""The energy balance along a motion: the change of stored energy less the works integrated with the state."""

import numpy as np

from cardan.functions.system_functions import SystemFunctions
from cardan.numerics.round_off import EPSILON
from cardan.system.energies import SIGNS

Array = np.ndarray


def balance(functions: SystemFunctions, rows: tuple[Array, Array, Array, Array], w: Array) -> tuple[Array, Array]:
    """Errors [J] of the energy balance (N,), and the energies turned over [J] (N, 2 + nw).

    The error is E(t) − E(0) − (input + conversion + forces − dissipation), where E contains what impacts have taken.
    The columns of the second array are kinetic energy, potential energy and the works since the start.
    """
    balanced, kinetic, potential = (column[:, 0] for column in functions.batch("energies")(*rows))
    works = w - w[:1]
    return balanced - balanced[0] - works @ SIGNS, np.column_stack([kinetic, potential, works])


def turnover(parts: Array) -> float:
    """Scale of the energies of a run [J]: the largest kinetic energy, change of potential energy or work."""
    return float(max([np.max(parts[:, 0]), *np.ptp(parts[:, 1:], axis=0)]))


def energy_of(change: float, functions: SystemFunctions, rows: tuple[Array, Array, Array, Array]) -> float:
    """Error [J] of the energy balance that a `change` and round-off in every state makes, from the instants of a run.

    It changes the energy at the first or last instant, and all the time the powers whose integrals are the works.
    """
    t, x, u, p = rows
    n, found = x.shape[1], []
    for k in (0, -1):
        moved = np.vstack([x[k], x[k] + change * np.eye(n)])
        at = np.repeat(t[k], n + 1), moved, u if u.ndim < 2 else u[k], p
        balanced, powers = functions.batch("energies")(*at)[0], functions.batch("derivative")(*at)[0][:, -len(SIGNS) :]
        stored = np.sum(np.abs(balanced[1:] - balanced[0]) + EPSILON * np.abs(balanced[0]))
        done = np.sum(np.abs(powers[1:] - powers[0])) * (t[-1] - t[0])
        found.append(float(stored + done))
    return max(found)
