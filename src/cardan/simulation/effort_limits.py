"""Limits of the efforts of joints, and warnings where a run exceeds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from cardan.channels import RunChannels
from cardan.errors import warn
from cardan.model.model import Model
from cardan.model.names import carrying, efforts

__all__ = ["Limit", "check_limits", "effort_limits"]


class Limit(NamedTuple):
    """The `effort_limit` of one motion of a joint."""

    name: str  # of the motion
    unit: str  # of the effort
    most: float  # largest absolute value of the effort [N, N m]


def effort_limits(model: Model, values: Mapping[str, float]) -> tuple[Limit, ...]:
    """The limits of all efforts that have one.

    Parameters
    ----------
    model : Model
    values : of the parameters.
    """
    if all(joint.effort_limit is None for joint in model.joints.values()):
        return ()
    units = efforts(carrying(model))
    limits = {name: model.joints[name.partition(".")[0]].effort_limit for name in units}
    return tuple(
        Limit(name, units[name], float(limit.evaluate(values.__getitem__)))
        for name, limit in limits.items()
        if limit is not None
    )


def check_limits(limits: Iterable[Limit], channels: RunChannels) -> None:
    """Warn of efforts beyond their limits; the run itself knows no limits.

    Parameters
    ----------
    limits : of the efforts.
    channels : of the run.

    Warns
    -----
    ModelWarning
        Once for each motion of a joint whose limit is exceeded, with the largest effort and its instant.
    """
    if not len(channels.t):
        return
    for name, unit, limit in limits:
        tau = np.abs(channels.evaluate([f"{name}.effort"])[f"{name}.effort"])
        worst = int(np.argmax(tau))
        if tau[worst] > limit:
            said = f"the effort on {name!r} reaches {tau[worst]:.4g} {unit} at t = {channels.t[worst]:.6g} s"
            warn(f"{said}, beyond the effort_limit of {limit:.4g} {unit}; the run goes on as if there were none")
