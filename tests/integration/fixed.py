"""Any tableau with fixed steps, which is how orders are observed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cardan.integration import Outcome, Problem, explicit, rosenbrock, tableaus
from cardan.integration.loop.records import make_problem_record
from cardan.integration.loop.run_memory import RunMemory, make_run_memory


def run_fixed(problem: Problem, tableau: Any, step: float) -> RunMemory:
    """Integrate with equal steps, whatever the method's own step control."""
    tableau = replace(tableau, controller=None)
    if isinstance(tableau, tableaus.RosenbrockTableau):
        stepper = rosenbrock.make_stepper(tableau, problem)
    else:
        stepper = explicit.make_stepper(tableau)
    memory = make_run_memory(problem, stepper.rows, problem.rhs.n_work)
    memory.record["h"] = step
    status = stepper.kernel(stepper.method, make_problem_record(problem), memory.record, 10**9)
    assert status == Outcome.COMPLETED
    return memory


def observed_order(errors: np.ndarray, factor: float = 2.0) -> float:
    """Return the order from the last two errors, steps being divided by `factor`."""
    return float(np.log(errors[-2] / errors[-1]) / np.log(factor))
