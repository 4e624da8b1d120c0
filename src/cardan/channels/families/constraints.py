"""Residuals of programs, `line.residual`: how far a relation is from zero; power of given reactions, `line.power`."""

from cardan.kinematics.constraints import constraint_rows
from cardan.kinematics.loads import given_powers
from cardan.kinematics.tree import Number
from cardan.model.likely import likely_dimensions
from cardan.model.units import short_unit
from cardan.numerics.entries import column
from cardan.results.channel import Channel
from cardan.system.state import State
from cardan.system.system import System


def channels(system: System) -> list[Channel]:
    """One residual for each program of the `system`, then one power for each constraint with a given part."""
    names = _programs(system)
    known = likely_dimensions(system.model) if names else {}
    out = []
    for name in names:
        dimension = system.model.constraints[name].equation_dimension(0, known)
        unit = "" if dimension is None else short_unit(dimension)
        out.append(Channel(f"{name}.residual", unit, (), "output", "residual of the program's relation"))
    words = "power that the given part of the reaction feeds into the mechanism"
    return [*out, *(Channel(f"{one.name}.power", "W", (), "force", words) for one in system.tree.loads if one.given)]


def _programs(system: System) -> list[str]:
    return [motion.name for motion in system.tree.motions if motion.program is not None]


def values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Their values in a `state` of the `system`; accelerations `a` and multipliers `lam` do not matter."""
    names = _programs(system)
    rows = [row for row in constraint_rows(system.tree, state.motion) if not row.hidden] if names else []
    relations = {row.owner: row.expression for row in reversed(rows)}
    return [*(column([relations[name]]) for name in names), *given_powers(system.tree, state.motion).values()]
