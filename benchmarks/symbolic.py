"""Equations to read: the arm with six joints from its model to symbolic matrices and to a whole document.

The peer is SymPy (`sympy.physics.mechanics.KanesMethod`; Lagrange's equations from 4×4 matrices and energies), which
derives in a process of its own and simplifies nothing unless said. Its mass matrix and its other terms agree with
Cardan's at a test state before any time counts. Times are of the processor. A row that was stopped gives the limit of
its time, so that the ratio is a lower bound. The last rows count the operations of the numeric programs for all terms.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

import cardan
from cardan.matrix_form.equations import FORMULATIONS

from .comparison import assert_equal
from .table import Goal, Result, Row
from .timing import QUICK, Effort, Times

__all__ = ["TITLE", "measure"]

TITLE = "Equations of the 6-joint arm"

CONDITION = 1e4  # terms of 1e2 cancel to 1e-2
LIMIT = 120.0  # for SymPy's simplification [s]
JOINTS, FEW = 6, 2  # of the arm; of Lagrange's equations in a quick run, since they take SymPy ten seconds
STATE = [[0.2, 0.3, 0.4, 0.5, 0.6, 0.7], [0.3, 0.6, 0.9, 1.2, 1.5, 1.8]]


def measure(effort: Effort) -> Result:
    """Times from the model to symbols and to LaTeX.

    Parameters
    ----------
    effort : Effort
        How many rounds.
    """
    rounds = 1 if effort == QUICK else min(effort.rounds, 7)
    peers = {"kane": _peer("kane"), "lagrange": _peer("lagrange", FEW if effort == QUICK else JOINTS)}
    _check(peers["kane"], JOINTS)
    _check(peers["lagrange"], FEW if effort == QUICK else JOINTS)
    graph, simplified, document = (_times(run, rounds) for run in (_graph, _simplified, _document))
    kane, lagrange = (Times((peers[method]["seconds"],)) for method in ("kane", "lagrange"))
    rows = [
        Row("all terms as expressions", graph, "KanesMethod", kane, Goal(ratio=50)),
        Row("all terms as expressions", graph, "Lagrange", lagrange, Goal(ratio=50)),
        Row("all terms as short SymPy matrices", simplified, "KanesMethod, not simplified", kane),
        Row("all terms as short SymPy matrices", simplified, *_simplified_peer(1.0 if effort == QUICK else LIMIT)),
        Row("model to complete LaTeX", document, goal=Goal(limit=5.0)),
    ]
    counts = [
        Row(f"operations, {name}", Times((_equations(name).operations,)), show=lambda value: f"{value:.0f}")
        for name in FORMULATIONS
    ]
    return Result((*rows, *counts))


@cache
def _model() -> cardan.Model:
    return cardan.load("manipulator_6dof")


def _equations(formulation: str = "composite_body") -> cardan.matrix_form.Equations:
    return cardan.equations(_model(), motors="none", formulation=formulation)


def _graph() -> object:
    return _equations()


def _simplified() -> object:
    return _equations().matrices


def _document() -> object:
    return _equations().render("latex")


def _times(run: Callable[[], object], rounds: int) -> Times:
    """Processor time of so many runs, after one that imports what it needs."""
    run()
    out = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        out.append(time.process_time() - start)
    return Times(tuple(out))


def _command(method: str, joints: int) -> list[str]:
    state = [part[:joints] for part in STATE]
    return [sys.executable, "-m", "benchmarks.sympy_arm", method, str(joints), json.dumps(state)]


def _peer(method: str, joints: int = JOINTS) -> dict:
    done = subprocess.run(
        _command(method, joints), check=True, capture_output=True, text=True, cwd=Path(__file__).parents[1]
    )
    return json.loads(done.stdout)


def _simplified_peer(limit: float) -> tuple[str, Times]:
    """KanesMethod with its mass matrix simplified, or how long it was left to try."""
    try:
        command = _command("kane_simplified", JOINTS)
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=limit, cwd=Path(__file__).parents[1]
        )
    except subprocess.TimeoutExpired:
        return f"KanesMethod, M simplified: stopped after {limit:.0f} s", Times((limit,))
    return "KanesMethod, M simplified", Times((json.loads(done.stdout)["seconds"],))


def _check(found: dict, joints: int) -> None:
    """A peer and Cardan agree on M and h of the first joints."""
    model = _model()
    bodies, kept = dict([*model.bodies.items()][:joints]), dict([*model.joints.items()][:joints])
    arm = model.replace(bodies=bodies, joints=kept, motions={}, inputs={}, initial={}, outputs={}, motors={})
    state = [part[:joints] for part in STATE]
    terms = cardan.equations(arm, motors="none").evaluate(*state)
    M, h = terms["M"], terms["C"] @ state[1] + terms["g"] - terms["Q"]
    assert_equal(M.reshape(1, -1), np.reshape(found["M"], (1, -1)), CONDITION)
    assert_equal(h[None], np.array(found["h"])[None], CONDITION)
