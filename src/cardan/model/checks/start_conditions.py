"""Which entries of `initial` are conditions that the start has to meet, instead of values of states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cardan.model.initial import Solve
from cardan.model.names import motion_units, own_outputs, result_units, states

if TYPE_CHECKING:
    from cardan.model.model import Model


def start_conditions(model: Model, initial: Mapping[str, Any]) -> dict[str, Any]:
    """The entries that name points, accelerations and other results of the `model`, and parameters to solve."""
    known = states(model)
    others = {name: entry for name, entry in initial.items() if name not in known}
    if not others:
        return {}
    results = {**motion_units(model), **result_units(model), **own_outputs(model)}
    return {
        name: entry
        for name, entry in others.items()
        if isinstance(entry, Solve) or (isinstance(entry, Mapping) and "solve" in entry) or name in results
    }
