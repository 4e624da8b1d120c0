"""Which force laws have no value in a state: why accelerations are not finite there."""

from __future__ import annotations

import numpy as np

from cardan.channels.functions import channel_functions
from cardan.functions.system_functions import SystemFunctions

__all__ = ["undefined_forces"]


def undefined_forces(functions: SystemFunctions, t: float, x: np.ndarray, u: np.ndarray, p: np.ndarray) -> str:
    """The forces of a system that are not finite in a state, with what to do about each; empty if all are.

    Parameters
    ----------
    functions : functions of the system.
    t : the instant [s].
    x, u, p : state (nx,), inputs (m,), values of the parameters.
    """
    loads = functions.system.tree.loads
    if not loads:
        return ""
    columns = iter(channel_functions(functions).family("loads")(np.array([t]), x[None], u[None], p))
    values = [(load, [next(columns) for _ in load.record.transmits]) for load in loads]
    faults = [
        f"force {load.name!r} has no value there: {load.record.undefined}"
        for load, parts in values
        if not np.isfinite(parts).all()
    ]
    return "; ".join(faults)
