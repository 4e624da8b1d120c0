"""Warnings of runs that leave the position limits of joints, or exceed their velocity limits."""

from collections.abc import Iterator, Mapping

import numpy as np

from cardan.errors import few, warn
from cardan.model.model import Model
from cardan.numerics.round_off import ROUND_OFF

_CURES = {
    "position_limits": "nothing holds them: write limits for end stops, or load a robot with stops=True",
    "velocity_limit": "the run goes on as if there were none",
}


def check_motion(
    model: Model, values: Mapping[str, float], names: tuple[str, ...], t: np.ndarray, x: np.ndarray
) -> None:
    """Warn of states `names` (nx,) at the instants t (N,) that leave the limits of their joints, in a line for each."""
    if not len(t):
        return
    for key, suffix in (("position_limits", ".q"), ("velocity_limit", ".v")):
        beyond = [
            words
            for name, (low, high) in _limits(model, values, key)
            if f"{name}{suffix}" in names
            for words in _worst(name, t, x[:, names.index(f"{name}{suffix}")], low, high)
        ]
        if beyond:
            warn(f"the run leaves the {key} of {few(beyond)}; {_CURES[key]}")


def _limits(model: Model, values: Mapping[str, float], key: str) -> Iterator[tuple[str, tuple[float, float]]]:
    """The joints with limits, each with the lower and the upper one."""
    for name, joint in model.joints.items():
        limit = getattr(joint, key)
        if isinstance(limit, tuple):
            yield name, (limit[0].number(values), limit[1].number(values))
        elif limit is not None:
            yield name, (-limit.number(values), limit.number(values))


def _worst(name: str, t: np.ndarray, x: np.ndarray, low: float, high: float) -> Iterator[str]:
    """The joint with its value furthest beyond the limits, and when; nothing where it stays within."""
    beyond = np.fmax(low - x, x - high)
    k = int(np.argmax(beyond))
    if low < high and beyond[k] > ROUND_OFF * max(1.0, abs(low), abs(high)):
        yield f"{name} ({x[k]:.4g} at t = {t[k]:.4g} s)"
