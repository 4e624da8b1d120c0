"""A run ends where friction that follows its load has several solutions or none (Painlevé's paradox).

Each joint, and each constraint whose given part follows its ideal part, has one crossing function: the least
determinant of the equations for the efforts or given parts. It may not become negative. Beside drives of other joints,
joints that stick with a given effort have one too: these drives may reverse the effect of friction on its joint, which
could then rest as well as move either way. There all are judged where the joints that stick are within their limits.

Source: Painlevé 1895, C. R. Acad. Sci. 121:112; Génot & Brogliato 1999, Eur. J. Mech. A/Solids 18:653
"""

import casadi as ca
import numpy as np

from cardan.functions.system_functions import SystemFunctions
from cardan.kinematics.relations.ideal_parts import following
from cardan.kinematics.tree import Number
from cardan.simulation.hybrid.contacts.rubbing import rubbing_joints
from cardan.system.contacts import JointFriction, Solved
from cardan.system.drives import indirect_motions
from cardan.system.response import response
from cardan.system.system import System

INDETERMINATE = "has friction with several solutions or none"
"""What happens to a joint or a constraint at its crossing function."""


def rubbing_names(system: System) -> tuple[str, ...]:
    """Names of the joints whose friction may have several solutions, and of the constraints whose given part may."""
    joints = (block.name for block in _perhaps_not_unique(system))
    return (*joints, *(load.name for load in following(system.reduced)))


def _perhaps_not_unique(system: System) -> list[JointFriction]:
    """Friction that may have several solutions: it follows its load, or holds its joint beside drives of others."""
    driven = bool(indirect_motions(system.tree))
    return [block for block in system.frictions if block.law.follows_load or (block.sticks and driven)]


def solvable_conditions(functions: SystemFunctions, found: Solved) -> list[Number]:
    """One crossing function for each of the joints and constraints in `rubbing_names`."""
    slopes = [found.slopes[block.velocity] for block in _perhaps_not_unique(functions.system)]
    if indirect_motions(functions.system.tree):  # where a limit is passed a joint breaks away: the next mode is judged
        holds = _within_limits(functions, found)
        slopes = [ca.if_else(holds, slope, 1) for slope in slopes]
    return [*slopes, *(found.given_slopes[load.name] for load in following(functions.system.reduced))]


def _within_limits(functions: SystemFunctions, found: Solved) -> Number:
    """Whether all joints that stick are within their limits."""
    out = ca.SX(1)
    for joint in rubbing_joints(functions):
        needed, limit = joint.needed_and_limit(found)
        out = ca.logic_and(out, ca.logic_or(joint.slides, needed <= limit))
    return out


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
