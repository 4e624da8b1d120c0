"""Whether the drives of a mechanism can give what a run has asked of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from cardan.errors import warn
from cardan.model.model import Model
from cardan.model.names import carrying, efforts
from cardan.system.kernels import Kernels

__all__ = ["check_limits"]


def check_limits(model: Model, kernels: Kernels, rows: tuple[np.ndarray, ...], values: Mapping[str, float]) -> None:
    """Warn of efforts beyond the `effort_limit` of their joints; the run itself knows no limits.

    Parameters
    ----------
    model : Model
    kernels : functions of its system.
    rows : (t, x, u, p) of the returned instants.
    values : of the parameters.

    Warns
    -----
    ModelWarning
        Once for each motion of a joint whose limit is exceeded, with the largest effort and its instant.
    """
    limits = list(_limits(model, values))
    if not limits or not len(rows[0]):
        return
    tau = np.abs(kernels.efforts(*rows))
    for k, name, unit, limit in limits:
        worst = int(np.argmax(tau[:, k]))
        if tau[worst, k] > limit:
            said = f"the effort on {name!r} reaches {tau[worst, k]:.4g} {unit} at t = {rows[0][worst]:.6g} s"
            warn(f"{said}, beyond the effort_limit of {limit:.4g} {unit}; the run goes on as if there were none")


def _limits(model: Model, values: Mapping[str, float]) -> Iterator[tuple[int, str, str, float]]:
    """Index of the velocity, its name, unit of the effort, limit; of every motion whose joint has one."""
    if all(joint.effort_limit is None for joint in model.joints.values()):
        return
    for k, (name, unit) in enumerate(efforts(carrying(model)).items()):
        limit = model.joints[name.partition(".")[0]].effort_limit
        if limit is not None:
            yield k, name, unit, float(limit.evaluate(values.__getitem__))
