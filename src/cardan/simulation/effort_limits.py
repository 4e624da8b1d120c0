"""Limits of the efforts of joints, and warnings where a run exceeds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from cardan.channels import RunChannels
from cardan.errors import warn
from cardan.model.model import Model
from cardan.model.names import carrying, efforts

__all__ = ["EffortLimit", "check_limits", "effort_limits"]


class EffortLimit(NamedTuple):
    """The `effort_limit` of one coordinate of a joint."""

    name: str  # name of the effort
    unit: str  # unit of the effort
    most: float  # largest absolute value of the effort [N, N m]


def effort_limits(model: Model, values: Mapping[str, float]) -> tuple[EffortLimit, ...]:
    """The effort limits of all joints that have one.

    Parameters
    ----------
    model : Model
    values : value of each parameter by name.
    """
    if all(joint.effort_limit is None for joint in model.joints.values()):
        return ()
    units = efforts(carrying(model))
    limits = {name: model.joints[name.partition(".")[0]].effort_limit for name in units}
    return tuple(
        EffortLimit(name, units[name], float(limit.evaluate(values.__getitem__)))
        for name, limit in limits.items()
        if limit is not None
    )


def check_limits(limits: Iterable[EffortLimit], channels: RunChannels) -> None:
    """Warn of efforts beyond their limits; the limits do not change the run.

    Parameters
    ----------
    limits : effort limits of the joints.
    channels : channels of the run.

    Warns
    -----
    ModelWarning
        Once for each effort that exceeds its limit, with its largest value and the instant of that value.
    """
    if not len(channels.t):
        return
    for name, unit, limit in limits:
        tau = np.abs(channels.evaluate([f"{name}.effort"])[f"{name}.effort"])
        worst = int(np.argmax(tau))
        if tau[worst] > limit:
            said = f"the effort on {name!r} reaches {tau[worst]:.4g} {unit} at t = {channels.t[worst]:.6g} s"
            warn(f"{said}, beyond the effort_limit of {limit:.4g} {unit}; the run goes on as if there were none")
