"""Refuses prescribed motions that jump in position or velocity, or where drives act on higher derivatives, in these."""

from __future__ import annotations

import casadi as ca
import numpy as np

from cardan.errors import Issue, ModelError
from cardan.kinematics.relations.prescribed import laws
from cardan.kinematics.tree import Tree
from cardan.system.timing import GAP, JUMP

__all__ = ["check_smooth"]

_NAMES = ("position", "velocity", "acceleration", "jerk")
_WORDS = ("no", "one", "two", "three", "four")


def check_smooth(tree: Tree, p: np.ndarray, instants: np.ndarray) -> None:
    """Refuse motions that jump in position or velocity.

    Parameters
    ----------
    tree : the mechanism.
    p : values of the parameters.
    instants : the first instants after which an expression of t, or a derivative of a motion, may have switched [s].

    Raises
    ------
    ModelError
        A motion jumps; the message names it and the instant.
    """
    t = ca.SX.sym("t")
    count = 2 + max((1 if one.on_velocity else 2 for one in tree.hidden), default=0)
    for name, components in laws(tree, t):
        y = ca.SX(ca.vertcat(*components))
        if not ca.depends_on(y, t):
            continue
        derivatives = [y]
        for _ in range(count):
            derivatives.append(ca.jacobian(derivatives[-1], t))
        values = ca.Function("law", [t, tree.p], derivatives)
        for instant in (0.0, *instants):
            before = max(instant - GAP * np.spacing(instant), 0.0)
            old, new = (np.array(values(at, p)) for at in (before, instant))
            if not np.isfinite(new).all():
                cure = f"write an expression with a value and {_WORDS[count]} derivatives at all times"
                fault = f"the motion {name!r} or one of its derivatives is not finite at t = {instant:.6g} s"
                raise ModelError(Issue(fault, cure, ("motions", name)))
            for k, what in enumerate(_NAMES[:count]):
                allowed = JUMP * (1 + np.abs(new[k])) + 2 * np.abs(new[k + 1]) * (instant - before)
                if np.any(np.abs(new[k] - old[k]) > allowed):
                    fault = f"the {what} of the motion {name!r} jumps at t = {instant:.6g} s, which takes an impulse"
                    cure = "let it change over some time, such as by a profile"
                    if k > 1:
                        cure = (
                            "its drives act on higher derivatives only: choose profile: nonic, or a smooth expression"
                        )
                    raise ModelError(Issue(fault, cure, ("motions", name)))
