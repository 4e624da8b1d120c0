"""The balance of energy along a motion: what is stored changes by the works that were integrated beside it."""

from __future__ import annotations

import numpy as np

from cardan.functions.kernels import Kernels
from cardan.system.system import SIGNS

__all__ = ["balance"]

Array = np.ndarray


def balance(kernels: Kernels, rows: tuple[Array, Array, Array, Array], w: Array) -> tuple[Array, Array]:
    """What the balance E(t) − E(0) = input + conversion + forces − dissipation lacks (N,), and what is turned over [J].

    The second, (N, 2 + nw), holds kinetic and potential energy and the works since the start: a run is as large as
    the first is at most, and as the others change.

    Parameters
    ----------
    kernels : of the system.
    rows : t, x, u, p of the instants, one at least; inputs decide nothing here.
    w : works (N, nw) at these instants [J].
    """
    stored, kinetic, potential = kernels.energy(*rows)
    works = w - w[:1]
    return stored - stored[0] - works @ SIGNS, np.column_stack([kinetic, potential, works])
