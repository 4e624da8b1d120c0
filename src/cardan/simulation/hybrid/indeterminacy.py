"""Where friction that follows its load has several solutions or none, a run ends (Painlevé's paradox).

Each joint has one crossing function, the least determinant of the equations for the efforts, at least zero.

Source: Painlevé 1895, C. R. Acad. Sci. 121:112; Génot & Brogliato 1999, Eur. J. Mech. A/Solids 18:653
"""

from __future__ import annotations

from cardan.functions.system_functions import SystemFunctions
from cardan.kinematics.tree import Number
from cardan.system.system import System, response

__all__ = ["INDETERMINATE", "rubbing_joints", "solvable_conditions"]

INDETERMINATE = "has friction with several solutions or none"
"""What happens to a joint at its crossing function."""


def rubbing_joints(system: System) -> tuple[str, ...]:
    """Names of the joints whose friction follows their load.

    Parameters
    ----------
    system : the mechanism with its blocks.
    """
    return tuple(block.name for block in system.frictions if block.law.follows_load)


def solvable_conditions(functions: SystemFunctions) -> list[Number]:
    """The crossing functions of all joints whose friction follows their load.

    Parameters
    ----------
    functions : functions of the integrated system.
    """
    loaded = [block for block in functions.system.frictions if block.law.follows_load]
    slopes = response(functions.system, functions.state).slopes if loaded else {}
    return [slopes[block.velocity] for block in loaded]
