"""One call from Python with arrays in and an array out, against Pinocchio's Python call of the same function."""

from __future__ import annotations

import cardan

from .batch import assert_equal
from .mechanisms import arm, states
from .peers import pinocchio_model, require
from .table import Goal, Result, Row
from .timing import Effort, in_turns

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
    pairs = {
        "forward dynamics": (lambda: dyn.forward_dynamics(q, v, tau), "aba", lambda: pin.aba(peer, data, q, v, tau)),
        "inverse dynamics": (lambda: dyn.inverse_dynamics(q, v, tau), "rnea", lambda: pin.rnea(peer, data, q, v, tau)),
    }
    rows = []
    for function, (ours, peer_name, theirs) in pairs.items():
        assert_equal(ours(), theirs())
        times = in_turns([ours, theirs], effort.rounds)
        rows.append(Row(f"{function}, 7-joint arm", times[0], f"pin.{peer_name}", times[1], Goal(ratio=1)))
    return Result(tuple(rows))
