"""One call from Python, arrays in and a new array out, against Pinocchio's Python call of the same function."""

from __future__ import annotations

import cardan

from .comparison import Pair, compare
from .mechanisms import arm, states
from .peers import condition, pinocchio_model, require
from .table import Goal, Result
from .timing import Effort

__all__ = ["TITLE", "measure"]

TITLE = "One call from Python"


def measure(effort: Effort) -> Result:
    """Time of one call for one state.

    Parameters
    ----------
    effort : Effort
        How many rounds.
    """
    require("pinocchio")
    import pinocchio as pin

    model = arm()
    dyn, peer = cardan.compile(model), pinocchio_model(model)
    data = peer.createData()
    q, v, tau = (array[0] for array in states(peer.nq, 1))
    pairs = [
        Pair(
            "forward dynamics, 7-joint arm",
            lambda: dyn.forward_dynamics(q, v, tau),
            "pin.aba",
            lambda: pin.aba(peer, data, q, v, tau),
            condition(model),
        ),
        Pair(
            "inverse dynamics, 7-joint arm",
            lambda: dyn.inverse_dynamics(q, v, tau),
            "pin.rnea",
            lambda: pin.rnea(peer, data, q, v, tau),
            1.0,
        ),
    ]
    return Result(tuple(compare(pair, effort.rounds, goal=Goal(ratio=1)) for pair in pairs))
