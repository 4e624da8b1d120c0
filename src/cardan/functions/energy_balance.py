"""The energy balance along a motion: the change of stored energy less the works integrated with the state."""

from __future__ import annotations

import numpy as np

from cardan.functions.system_functions import SystemFunctions
from cardan.numerics.round_off import EPSILON
from cardan.system.energies import SIGNS

__all__ = ["balance", "energy_of", "turnover"]

Array = np.ndarray


def balance(functions: SystemFunctions, rows: tuple[Array, Array, Array, Array], w: Array) -> tuple[Array, Array]:
    """Errors [J] of the energy balance (N,), and the energies turned over [J] (N, 2 + nw).

    The error is E(t) − E(0) − (input + conversion + forces − dissipation), where E contains what impacts have taken.
    The columns of the second array are kinetic energy, potential energy and the works since the start.

    Parameters
    ----------
    functions : functions of the system.
    rows : t, x, u, p of at least one instant; the inputs u have no effect.
    w : works (N, nw) at these instants [J].
    """
    balanced, kinetic, potential = (column[:, 0] for column in functions.batch("energies")(*rows))
    works = w - w[:1]
    return balanced - balanced[0] - works @ SIGNS, np.column_stack([kinetic, potential, works])


def turnover(parts: Array) -> float:
    """Scale of the energies of a run [J]: the largest kinetic energy, change of potential energy or work.

    Parameters
    ----------
    parts : the energies turned over (N, 2 + nw) [J].
    """
    return float(max([np.max(parts[:, 0]), *np.ptp(parts[:, 1:], axis=0)]))


def energy_of(change: float, functions: SystemFunctions, t: Array, x: Array, p: Array) -> float:
    """Change [J] of the balanced energy by a `change` and round-off in every state, at the first or last instant.

    Parameters
    ----------
    change : of each state, in its SI unit.
    functions : functions of the system.
    t, x, p : instants (N,), states (N, nx) and values of the parameters (k,).
    """
    u, n, found = np.zeros(len(functions.system.input_names)), x.shape[1], []
    for k in (0, -1):
        moved = np.vstack([x[k], x[k] + change * np.eye(n)])
        balanced, *_ = functions.batch("energies")(np.repeat(t[k], n + 1), moved, u, p)
        found.append(float(np.sum(np.abs(balanced[1:] - balanced[0]) + EPSILON * np.abs(balanced[0]))))
    return max(found)
