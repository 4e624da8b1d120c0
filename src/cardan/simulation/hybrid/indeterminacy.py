"""A run ends where friction that follows its load has several solutions or none (Painlevé's paradox).

Each joint, and each constraint whose given part follows its ideal part, has one crossing function: the least
determinant of the equations for the efforts or given parts. It may not become negative.

Source: Painlevé 1895, C. R. Acad. Sci. 121:112; Génot & Brogliato 1999, Eur. J. Mech. A/Solids 18:653
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from cardan.functions.system_functions import SystemFunctions
from cardan.kinematics.relations.ideal_parts import following
from cardan.kinematics.tree import Number
from cardan.system.friction import JointFriction, Solved
from cardan.system.response import response
from cardan.system.system import System

__all__ = ["INDETERMINATE", "rubbing_names", "solvable_conditions", "unsolvable"]

INDETERMINATE = "has friction with several solutions or none"
"""What happens to a joint or a constraint at its crossing function."""


def rubbing_names(system: System) -> tuple[str, ...]:
    """Names of the joints whose friction may have several solutions, and of the constraints whose given part may."""
    return (*(block.name for block in _loaded(system)), *(load.name for load in following(system.reduced)))


def _loaded(system: System) -> list[JointFriction]:
    """Friction that may have several solutions."""
    return [block for block in system.frictions if block.law.follows_load]


def solvable_conditions(functions: SystemFunctions, found: Solved) -> list[Number]:
    """One crossing function for each of the joints and constraints in `rubbing_names`."""
    given = (found.given_slopes[load.name] for load in following(functions.system.reduced))
    return [*(found.slopes[block.velocity] for block in _loaded(functions.system)), *given]


def unsolvable(
    functions: SystemFunctions, t: float, x: np.ndarray, u: np.ndarray, p: np.ndarray, least: float
) -> list[str]:
    """Names of the joints and constraints whose determinant is below `least` in a state."""
    found = response(functions.system, functions.state)
    (values,) = functions.columns("solvable", [ca.vertcat(*solvable_conditions(functions, found))])(
        np.array([t]), x[None], u[None], p[None]
    )
    names = rubbing_names(functions.system)
    return [name for name, value in zip(names, values[0], strict=True) if not value >= least]
