"""What a phase of a run integrates: the system's functions with the constraints that are solved, as a `Problem`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.assembly.independent_coordinates import Embedding, find_embedding
from cardan.channels import check_outputs
from cardan.functions.system_functions import SystemFunctions, functions_of
from cardan.integration import Problem
from cardan.simulation.conditions import Conditions
from cardan.system.constrained import NO_CONSTRAINTS, Selection, has_constraints
from cardan.system.system import WORKS

__all__ = ["Task", "branch_of", "make_task"]

FINEST = 20_000  # largest number of step ends that a run returns or logs besides the instants asked for


@dataclass(frozen=True, eq=False)
class Task:
    """Equations of motion as machine code, and the problem that they make; the start of a run is not in it."""

    choice: Selection  # the equations that are solved
    functions: SystemFunctions  # functions of the system in all its coordinates
    problem: Problem  # without a start; in independent coordinates where there are such
    embedding: Embedding | None  # the independent coordinates of the run, if all others are linear in them

    @property
    def projects(self) -> bool:
        """Whether states are projected onto the constraints after each step, so that distances are known."""
        return self.embedding is None and self.problem.project is not None

    @property
    def can_lose_its_branch(self) -> bool:
        """Whether loops are equations that errors may violate; in independent coordinates they hold by themselves."""
        return self.embedding is None and has_constraints(self.functions.system.tree)

    def reduced(self, x: np.ndarray) -> np.ndarray:
        """The states that are integrated, of a whole state x (nx,)."""
        return x if self.embedding is None else self.embedding.reduced(x)


def branch_of(conditions: Conditions, x0: np.ndarray) -> Embedding | None:
    """Independent coordinates in which all others of a motion from the assembled state x0 (nx,) are linear, if any.

    The `conditions` have to ask for projection: the other stabilizations are chosen to see what the equations do.
    """
    tree, settings = conditions.system.tree, conditions.settings
    if not (settings.embed and settings.stabilization == "projection" and has_constraints(tree)):
        return None
    q, v = x0[: tree.nq], x0[tree.nq : tree.nq + tree.nv]
    return find_embedding(Assembler(conditions.assembly, conditions.p), q, v)


def make_task(conditions: Conditions, choice: Selection, embedding: Embedding | None) -> Task:
    """What is integrated with these equations, in these independent coordinates.

    Parameters
    ----------
    conditions : of the run.
    choice : equations that are solved.
    embedding : independent coordinates of the run; None for all coordinates.
    """
    key = conditions.system.model, conditions.motors, conditions.expressions
    functions = functions_of(*key, _with_gains(conditions, choice))
    system, settings, pieces = functions.system, conditions.settings, conditions.segments
    closed = has_constraints(system.tree)
    if not closed:
        functions.check_inertia(tuple(conditions.values.values()))
    check_outputs(functions)
    # "projection" brings all states back, "baumgarte" only the quaternions of a tree
    projects = settings.stabilization == "projection" or (settings.stabilization == "baumgarte" and not closed)
    moving = functions if embedding is None else functions_of(*key, NO_CONSTRAINTS, embedding.pattern)
    p = conditions.p if embedding is None else np.append(conditions.p, embedding.sizes)
    gap = conditions.end / FINEST
    problem = Problem(
        rhs=moving.address("derivative"),
        velocity=moving.address("velocity") if settings.method == "semi_implicit_euler" else None,
        jacobian=lambda: moving.address("partials"),
        project=moving.address("projection") if projects and moving.drifts else None,
        nq=system.tree.nq if embedding is None else len(embedding.q),
        nv=system.tree.nv if embedding is None else len(embedding.v),
        nz=system.nz,
        nw=len(WORKS),
        m=len(system.input_names),
        k=len(p),
        p=p,
        a=pieces.a,
        b=pieces.b,
        c0=pieces.c0,
        c1=pieces.c1,
        times=conditions.instants,
        gap=np.inf if conditions.times is not None else gap,
        log_gap=gap if closed else np.inf,
        rtol=settings.rtol,
        atol=settings.atol,
        max_step=settings.max_step,
    )
    return Task(choice, functions, problem, embedding)


def _with_gains(conditions: Conditions, choice: Selection) -> Selection:
    """The equations with Baumgarte's gains, if he is chosen."""
    alpha, beta = conditions.settings.alpha, conditions.settings.beta
    return choice if alpha is None or beta is None else replace(choice, damping=alpha, stiffness=beta)
