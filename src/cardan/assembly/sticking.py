"""Refuses friction of joints that move only together: what each of them holds at rest would not be unique."""

from __future__ import annotations

import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.errors import Issue, ModelError
from cardan.numerics.rank import DEPENDENT, independent_rows, null_space
from cardan.system.constrained import Selection
from cardan.system.drives import drive_rows
from cardan.system.system import System

__all__ = ["check_prescribed", "check_sticking"]


def check_sticking(system: System, assembler: Assembler, q: np.ndarray, choice: Selection) -> None:
    """Refuse joints that may stick and whose velocities depend on each other in the position q, or on motions.

    Parameters
    ----------
    system : the mechanism with its blocks.
    assembler : assembler of the mechanism.
    q : assembled position (nq,).
    choice : independent equations there.

    Raises
    ------
    ModelError
        There is such a joint; the message names it and those that it depends on.
    """
    sticking = [block for block in system.frictions if block.sticks]
    _, J, _, _ = assembler.at(q)
    check_prescribed(system, null_space(J[list(choice.kept)]))
    if not sticking:
        return
    driven = drive_rows(system.tree, len(J))
    rows = [block.velocity for block in sticking]
    alone = null_space(J[[k for k in choice.kept if k not in driven]])[rows]
    moving = [k for k, row in enumerate(alone) if np.linalg.norm(row) > DEPENDENT]
    free = null_space(J[list(choice.kept)])[[rows[k] for k in moving]]
    independent = independent_rows(free) if free.size else ()
    for k in range(len(moving)):
        if k not in independent:
            name = sticking[moving[k]].name
            others = [repr(sticking[moving[i]].name) for i in independent] + [
                repr(each.name) for each in system.tree.motions
            ]
            fault = f"the joint {name!r} moves only together with {', '.join(others)}"
            cure = f"add regularize: with a small speed, or count the friction of {name!r} in another joint"
            raise ModelError(
                Issue(f"{fault}, so that nothing decides what each holds at rest", cure, ("joints", name, "friction"))
            )


def check_prescribed(system: System, free: np.ndarray) -> None:
    """Refuse friction that takes its sign from a motion where the joint moves freely.

    Parameters
    ----------
    system : the mechanism with its blocks.
    free : directions in which velocities (nv, f) are free.

    Raises
    ------
    ModelError
        There is such a joint; the message names it.
    """
    for block in system.frictions:
        if block.law.prescribed and np.linalg.norm(free[block.velocity]) > DEPENDENT:
            fault = f"no motion prescribes how the joint {block.name!r} moves"
            raise ModelError(Issue(fault, "leave prescribed out", ("joints", block.name, "friction", "prescribed")))
