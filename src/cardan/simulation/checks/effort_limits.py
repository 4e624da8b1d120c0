"""Limits of the efforts of joints and of drives that share a motion, and warnings if a run exceeds them."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from cardan.channels import RunChannels
from cardan.errors import warn
from cardan.model.model import Model
from cardan.model.names import carrying, driven_joints, efforts
from cardan.numerics.round_off import ROUND_OFF


class EffortLimit(NamedTuple):
    """The largest effort along one coordinate of a joint."""

    name: str  # name of the effort
    unit: str  # unit of the effort
    most: float  # largest absolute value of the effort [N, N m]
    motion: str = ""  # motion or program whose key `realize` gives the limit; empty for the `effort_limit` of a joint


def effort_limits(model: Model, values: Mapping[str, float]) -> tuple[EffortLimit, ...]:
    """The effort limits of all joints that have one, and of drives whose motion is realized within limits."""
    if all(joint.effort_limit is None for joint in model.joints.values()) and not driven_joints(model):
        return ()
    units = efforts(carrying(model))
    limits = [(name, model.joints[name.partition(".")[0]].effort_limit, "") for name in units]
    shared = {name: motion.realize for name, motion in model.motions.items()}
    shared |= {name: constraint.sharing for name, constraint in model.constraints.items()}
    limits += [(name, limit, motion) for motion, rule in shared.items() for name, limit in (rule.limits or {}).items()]
    return tuple(
        EffortLimit(name, units[name], limit.number(values), motion)
        for name, limit, motion in limits
        if limit is not None
    )


def check_limits(limits: Iterable[EffortLimit], channels: RunChannels) -> None:
    """Warn of efforts beyond their limits; the limits do not change the run."""
    if not len(channels.t):
        return
    for name, unit, limit, motion in limits:
        tau = np.abs(channels.evaluate([f"{name}.effort"])[f"{name}.effort"])
        worst = int(np.argmax(tau))
        if not tau[worst] > limit * (1 + ROUND_OFF):
            continue
        fault = f"the effort on {name!r} reaches {tau[worst]:.4g} {unit} at t = {channels.t[worst]:.6g} s"
        if motion:
            cure = f"its drives cannot keep {motion!r} within their limits: allow more, or move more slowly"
            warn(f"{fault}, beyond its limit of {limit:.4g} {unit}; {cure}")
        else:
            warn(f"{fault}, beyond the effort_limit of {limit:.4g} {unit}; the run goes on as if there were none")
