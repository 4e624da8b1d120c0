"""Residuals of programs: how far a relation is from zero, `line.residual`."""

from __future__ import annotations

from cardan.kinematics.constraints import constraint_rows
from cardan.kinematics.tree import Number
from cardan.model.likely import likely_dimensions
from cardan.numerics.entries import column
from cardan.results.channel import Channel
from cardan.system.system import State, System

__all__ = ["channels", "values"]


def channels(system: System) -> list[Channel]:
    """One residual for each program of the `system`."""
    names = _programs(system)
    known = likely_dimensions(system.model) if names else {}
    out = []
    for name in names:
        dimension = system.model.constraints[name].equation_dimension(0, known)
        unit = "" if dimension is None else str(dimension)
        out.append(Channel(f"{name}.residual", unit, (), "output", "residual of the program's relation"))
    return out


def _programs(system: System) -> list[str]:
    return [motion.name for motion in system.tree.motions if motion.program is not None]


def values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Values of the relations in a `state` of the `system`; accelerations `a` and multipliers `lam` do not matter."""
    names = _programs(system)
    rows = {row.owner: row.expression for row in reversed(constraint_rows(system.tree, state.motion))} if names else {}
    return [column([rows[name]]) for name in names]
