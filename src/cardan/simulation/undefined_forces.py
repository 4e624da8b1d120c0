"""Force laws without a finite value in a state, where accelerations cannot be finite either."""

from __future__ import annotations

import numpy as np

from cardan.channels import Channels
from cardan.functions.system_functions import SystemFunctions

__all__ = ["undefined_forces"]


def undefined_forces(functions: SystemFunctions, t: float, x: np.ndarray, u: np.ndarray, p: np.ndarray) -> str:
    """Text that names the forces that are not finite in a state, with advice for each; empty if all are finite.

    Parameters
    ----------
    functions : functions of the system.
    t : instant [s].
    x, u, p : state (nx,), inputs (m,), values of the parameters (k,).
    """
    loads = functions.system.tree.loads
    parts = {load.name: [f"{load.name}.{part}" for part in load.record.transmits] for load in loads}
    names = [name for own in parts.values() for name in own]
    found = Channels(functions).evaluate(names, np.array([t]), x[None], u[None], p)
    return "; ".join(
        f"force {load.name!r} has no value there: {load.record.undefined}"
        for load in loads
        if not all(np.isfinite(found[name]).all() for name in parts[load.name])
    )
