"""The energy balance along a motion: the change of stored energy less the works integrated with the state."""

from __future__ import annotations

import numpy as np

from cardan.functions.system_functions import SystemFunctions
from cardan.system.system import SIGNS

__all__ = ["balance"]

Array = np.ndarray


def balance(functions: SystemFunctions, rows: tuple[Array, Array, Array, Array], w: Array) -> tuple[Array, Array]:
    """Errors [J] of the energy balance (N,), and the energies turned over [J] (N, 2 + nw).

    The error is E(t) − E(0) − (input + conversion + forces − dissipation). The columns of the second array are kinetic
    energy, potential energy and the works since the start; the largest kinetic energy and the changes of the others
    give the scale of a run.

    Parameters
    ----------
    functions : functions of the system.
    rows : t, x, u, p of at least one instant; the inputs u have no effect.
    w : works (N, nw) at these instants [J].
    """
    stored, kinetic, potential = functions.compiled("energies")(*rows)
    works = w - w[:1]
    return stored - stored[0] - works @ SIGNS, np.column_stack([kinetic, potential, works])
