"""Whether the drives of a mechanism can give what a run has asked of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from cardan.errors import warn
from cardan.functions.system_functions import SystemFunctions
from cardan.model.model import Model
from cardan.model.names import carrying, efforts

__all__ = ["Limit", "check_limits", "effort_limits"]


class Limit(NamedTuple):
    """The `effort_limit` of one motion of a joint."""

    velocity: int  # its index
    name: str  # of the motion
    unit: str  # of the effort
    most: float


def effort_limits(model: Model, values: Mapping[str, float]) -> tuple[Limit, ...]:
    """The limits of all efforts that have one.

    Parameters
    ----------
    model : Model
    values : of the parameters.
    """
    if all(joint.effort_limit is None for joint in model.joints.values()):
        return ()
    motions = enumerate(efforts(carrying(model)).items())
    owned = [(k, name, unit, model.joints[name.partition(".")[0]].effort_limit) for k, (name, unit) in motions]
    return tuple(
        Limit(k, name, unit, float(limit.evaluate(values.__getitem__)))
        for k, name, unit, limit in owned
        if limit is not None
    )


def check_limits(limits: Iterable[Limit], functions: SystemFunctions, rows: tuple[np.ndarray, ...]) -> None:
    """Warn of efforts beyond their limits; the run itself knows no limits.

    Parameters
    ----------
    limits : of the efforts.
    functions : functions of its system.
    rows : (t, x, u, p) of the returned instants.

    Warns
    -----
    ModelWarning
        Once for each motion of a joint whose limit is exceeded, with the largest effort and its instant.
    """
    if not len(rows[0]):
        return
    tau = np.abs(functions.compiled("efforts")(*rows))
    for k, name, unit, limit in limits:
        worst = int(np.argmax(tau[:, k]))
        if tau[worst, k] > limit:
            said = f"the effort on {name!r} reaches {tau[worst, k]:.4g} {unit} at t = {rows[0][worst]:.6g} s"
            warn(f"{said}, beyond the effort_limit of {limit:.4g} {unit}; the run goes on as if there were none")
