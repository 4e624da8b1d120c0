"""Loads of the manipulator 3-RRRT by the unified formulae of its bond graph, against multipliers and Newton–Euler.

Both sides are compiled and give three driving moments and the reactions of all twelve joints at many instants: the
formulae from the momenta X_i1 and their rates; the other side, Cardan's fastest way to the same loads, from positions
and velocities by minimal coordinates, multipliers and one recursion over the bodies. As given, the platform has no
moment of inertia and the graph is a saddle system, of which a 60×60 matrix is factorised; with one, which changes no
load because the platform only translates, formula (13) takes the factors of a 57×57 matrix.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

import cardan
from cardan.assembly.start import ready_system
from cardan.codegen import compile_function
from cardan.functions.dynamics import parameter_array
from cardan.loads.reactions import reactions
from cardan.system.response import accelerations_and_multipliers
from cardan.system.state import symbolic_state

from .table import Goal, Result, Row
from .timing import Effort, in_turns

__all__ = ["TITLE", "measure"]

TITLE = "Loads by vector bond graph, per instant"

BATCH = 1024  # instants
SAME = 1e-9  # of the largest effort: round-off of the factors


def measure(effort: Effort) -> Result:
    """Times per instant for all driving moments and reactions.

    Parameters
    ----------
    effort : Effort
        How many instants and rounds.
    """
    model = cardan.load("parallel_3rrrt")
    platform = model.bodies["platform"].replace(inertia=(0.01, 0.01, 0.01, 0, 0, 0))
    turning = model.replace(bodies={**model.bodies, "platform": platform})
    return Result((_row("formula (13)", turning, effort), _row("saddle", model, effort)))


def _row(form: str, model: cardan.Model, effort: Effort) -> Row:
    """Both sides for one model, whose graph has this form of the formulae."""
    count = min(effort.batch, BATCH)
    t = np.linspace(0, 2, count)
    run, formula = cardan.kinetostatics(model, t), cardan.bond_graph(model).formula
    assert formula.kind in form
    tree, p = formula.system.tree, parameter_array(model, {})
    q, v, a = (
        np.array([run.array(f"{entry.name}{end}") for entry in entries]).T
        for entries, end in ((tree.coordinates, ".q"), (tree.velocities, ".v"), (tree.velocities, ".a"))
    )
    first, rates = formula.momenta(t, q, v, a)
    z, u = np.zeros(formula.system.nz), np.zeros(len(formula.system.input_names))
    peer = _by_multipliers(model)

    def ours() -> Any:
        return formula.compiled(t, q, first, rates, z, u, p)

    def theirs() -> Any:
        return peer(t, q, v, z, u, p)

    efforts = np.array([run.array(name.replace(".drive", ".effort")) for name in formula.drives]).T
    assert np.abs(ours()[0] - efforts).max() < SAME * np.abs(efforts).max()
    assert np.abs(theirs()[0][:, -3:] - efforts).max() < SAME * np.abs(efforts).max()
    one, other = in_turns([ours, theirs], effort.rounds)
    name = "multipliers and Newton–Euler, compiled"
    return Row(f"3-RRRT, {form}, {count} instants", one.per(count), name, other.per(count), Goal(ratio=0.2))


def _by_multipliers(model: cardan.Model) -> Any:
    """Function (t, q, v, z, u, p) → multipliers, efforts of the drives last, and all reactions."""
    system = ready_system(model, "none")
    s = symbolic_state(system)
    a, lam = accelerations_and_multipliers(system, s)
    w = ca.vertcat(*map(ca.SX, reactions(system.tree, s.motion, a, lam)))
    inputs = [s.t, s.q, s.v, s.z, s.u, system.tree.p]
    outputs = [ca.densify(ca.SX(lam)), ca.densify(w)]
    return compile_function(ca.Function("loads", inputs, outputs, list("tqvzup"), ["lam", "w"]), {"t": ()})
