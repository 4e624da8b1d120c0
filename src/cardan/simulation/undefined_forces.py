"""Force laws that have no finite value in a state: a reason why accelerations are not finite there."""

from __future__ import annotations

import numpy as np

from cardan.channels import Channels
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
    parts = {load.name: [f"{load.name}.{part}" for part in load.record.transmits] for load in loads}
    names = [name for own in parts.values() for name in own]
    found = Channels(functions).evaluate(names, np.array([t]), x[None], u[None], p)
    return "; ".join(
        f"force {load.name!r} has no value there: {load.record.undefined}"
        for load in loads
        if not all(np.isfinite(found[name]).all() for name in parts[load.name])
    )
