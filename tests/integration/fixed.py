"""Any tableau with fixed steps, which is how orders are observed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cardan.integration import explicit, rosenbrock, tableaus
from cardan.integration.outcome import Outcome
from cardan.integration.problem import Problem
from cardan.integration.records import State, make_model, make_state


def run_fixed(problem: Problem, tableau: Any, step: float) -> State:
    """Integrate with equal steps, whatever the method's own step control."""
    tableau = replace(tableau, controller=None)
    if isinstance(tableau, tableaus.RosenbrockTableau):
        jacobian = problem.jacobian()
        linear, keep = rosenbrock.make_linear(problem)
        state = make_state(problem, tableau.c.size + rosenbrock.EXTRA_ROWS, max(problem.rhs.n_work, jacobian.n_work))
        records = (rosenbrock.make_method(tableau), linear)
        kernel, model = rosenbrock.advance, make_model(problem, jacobian.address)
    else:
        state = make_state(problem, tableau.c.size, problem.rhs.n_work)
        records, keep, jacobian = (explicit.make_method(tableau),), None, None
        kernel, model = explicit.advance, make_model(problem)
    state.memory["h"] = step
    status = kernel(*records, model, state.memory, 10**9)
    assert status == Outcome.COMPLETED
    del keep, jacobian  # alive until here
    return state


def observed_order(errors: np.ndarray, factor: float = 2.0) -> float:
    """Return the order from the last two errors, steps being divided by `factor`."""
    return float(np.log(errors[-2] / errors[-1]) / np.log(factor))
