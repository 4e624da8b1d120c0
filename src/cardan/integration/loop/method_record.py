"""What the loop over steps needs to know about a method; its functions are compiled together with the loop."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardan.codegen.kernels import Address
from cardan.integration.loop.evaluation import evaluate
from cardan.integration.loop.records import ProblemRecord, RunRecord
from cardan.integration.tableaus import Controller


class MethodRecord:
    """The fields and functions that stepping and output use; each method adds its own fields and its `attempt`."""

    adaptive: int  # 0: fixed steps
    order: int
    alpha: float
    beta: float
    safety: float
    shrink: float
    grow: float
    stages: int  # rows of K that the continuous extension uses
    dense_rows: int
    dense: Address  # (dense_rows, stages)
    grows: int  # 1: after an event fixed steps begin short, and double
    increments: int  # 1: rows of K are increments of the state; 0: they are derivatives
    last: int  # row of K with the derivative at the end of a step, the K[0] of the next one; −1: `start` finds its own
    first_row: int  # row of K with the derivative at the start of a step, once `start` has run
    end_row: int  # row of K with the derivative at its end, once `attempt` has succeeded

    def start(self, problem: ProblemRecord, run: RunRecord) -> None:
        """Compute what a step needs at its start; called where the step before has not left it."""
        evaluate(problem, run, run.t, run.x, 0)

    def attempt(self, problem: ProblemRecord, run: RunRecord, t_new: float) -> int:
        """Make one step into x_new and K; return Outcome.RUNNING if it is good, else why it is not."""
        raise NotImplementedError

    def extend(self, problem: ProblemRecord, run: RunRecord, t_new: float) -> None:
        """Compute the rows of K that only the continuous extension needs."""

    def hands_over(self, problem: ProblemRecord, run: RunRecord) -> bool:
        """Return whether a stiff method should go on from here."""
        return False


def shared_fields(
    order: int,
    dense: NDArray[np.float64],
    controller: Controller | None,
    *,
    grows: bool = False,
    increments: bool = False,
    last: int = -1,
    first_row: int = 0,
    end_row: int = -1,
) -> dict[str, Any]:
    """Return the fields of `MethodRecord` for a method."""
    numbers = (
        dict.fromkeys(("alpha", "beta", "safety", "shrink", "grow"), 0.0) if controller is None else vars(controller)
    )
    return {
        "adaptive": int(controller is not None),
        "order": order,
        **numbers,
        "stages": dense.shape[1],
        "dense_rows": dense.shape[0],
        "dense": dense,
        "grows": int(grows),
        "increments": int(increments),
        "last": last,
        "first_row": first_row,
        "end_row": last if end_row < 0 else end_row,
    }
