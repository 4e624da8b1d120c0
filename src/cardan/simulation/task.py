"""The task of a phase: the system's functions with the selected constraints, as a `Problem` of the integrator."""

from functools import cached_property

import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.assembly.independent_coordinates import Embedding, find_embedding
from cardan.channels import check_outputs
from cardan.codegen import Gradual, Native
from cardan.frozen import dataclass, replace
from cardan.functions.results import result_names
from cardan.functions.system_functions import SystemFunctions, functions_of
from cardan.integration import Problem
from cardan.kinematics.relations.ideal_parts import following
from cardan.model.quantities.lets import reached
from cardan.model.quantities.scalar import Scalar
from cardan.simulation.conditions import Conditions
from cardan.simulation.hybrid.event_functions import EventFunctions, Plan, events_of
from cardan.simulation.hybrid.switchings import frozen
from cardan.simulation.instants import FINEST, INSTANT
from cardan.system.constrained import NO_CONSTRAINTS, Selection, has_constraints
from cardan.system.energies import WORKS

TANGENTS = {"linearly_implicit_euler": "damped_tangent"}
"""Functions of the system that are the tangents of methods, where it is not the exact one."""


@dataclass(frozen=True, eq=False)
class Task:
    """Equations of motion as machine code, and the integrator's problem made of them; it holds no initial state."""

    choice: Selection  # constraint equations that are solved
    functions: SystemFunctions  # functions of the system in all its coordinates
    problem: Problem  # problem without an initial state, in independent coordinates if `embedding` is given
    embedding: Embedding | None  # independent coordinates of the run; None if all coordinates are integrated
    moving: SystemFunctions  # functions of the integrated coordinates, in a mode where it switches with the motion
    plan: Plan  # what happens at events

    def parameters(self, t: np.ndarray, x: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Parameters (N, k) of the problem for starts at t (N,) in states x (N, nx): with the mode there."""
        if not self.plan.switches:
            return self._with_sizes(p)
        u = np.zeros((len(t), len(self.functions.system.input_names)))
        (mode,) = self._modes(t, x, u, p)
        return self._with_sizes(np.hstack([p, mode]))

    def _with_sizes(self, p: np.ndarray) -> np.ndarray:
        return p if self.embedding is None else np.hstack([p, np.tile(self.embedding.sizes, (len(p), 1))])

    @cached_property
    def _modes(self) -> Gradual:
        return self.functions.columns("modes", [EventFunctions(self.functions, self.plan).start()])

    @property
    def projects(self) -> bool:
        """Whether each step ends with a projection onto the constraints, which also measures singular distances."""
        return self.embedding is None and self.problem.project is not None

    @property
    def can_lose_its_branch(self) -> bool:
        """Whether errors can violate the loop equations; in independent coordinates the loops hold exactly."""
        return self.embedding is None and has_constraints(self.functions.system.tree)

    def reduced(self, x: np.ndarray) -> np.ndarray:
        """The integrated entries of a state x (nx,) in all coordinates."""
        return x if self.embedding is None else self.embedding.reduced(x)


def branch_of(conditions: Conditions, x0: np.ndarray) -> Embedding | None:
    """Independent coordinates in which the others are linear, for a motion from the assembled state x0 (nx,); or None.

    Used under projection only: users choose another stabilization of the `conditions` to study the loop equations.
    """
    tree, settings = conditions.system.tree, conditions.settings
    keeps = settings.stabilization == "projection" and has_constraints(tree)
    if not settings.embed or not keeps or conditions.system.frictions or conditions.system.stops or following(tree):
        return None
    laws = [equation.rate for equation in conditions.model.states.values()]
    laws += [signal for signal in conditions.signals.values() if isinstance(signal, Scalar)]
    laws += [scalar for sample in conditions.plan.sampled for scalar in sample.of]
    named = reached({name for law in laws for name in law.names}, conditions.model.let)
    if named & result_names(conditions.system):
        return None  # results need the multipliers, which independent coordinates leave out
    q, v = x0[: tree.nq], x0[tree.nq : tree.nq + tree.nv]
    return find_embedding(Assembler(conditions.assembly, conditions.p), q, v)


def make_task(conditions: Conditions, choice: Selection, embedding: Embedding | None) -> Task:
    """The task that solves these constraint equations in these independent coordinates."""
    key = conditions.system.model, conditions.motors, conditions.expressions
    functions = functions_of(*key, _with_gains(conditions, choice))
    system, settings, pieces = functions.system, conditions.settings, conditions.segments
    closed = has_constraints(system.tree)
    if not closed:
        functions.check_inertia(tuple(conditions.values.values()))
    check_outputs(functions)
    # "projection" corrects all states, "baumgarte" only quaternions, and these only in a tree without loops
    projects = settings.stabilization == "projection" or (settings.stabilization == "baumgarte" and not closed)
    mode = frozen(conditions.system.model, conditions.expressions)
    moving_system = mode.model, conditions.motors, mode.expressions
    if embedding is not None:
        moving = functions_of(*moving_system, NO_CONSTRAINTS, embedding.pattern)
    else:
        moving = functions_of(*moving_system, _with_gains(conditions, choice)) if mode.switches else functions
    plan = replace(conditions.plan, switches=mode.switches)
    p = np.concatenate([conditions.p, np.ones(len(mode.switches)), [] if embedding is None else embedding.sizes])
    gap = (conditions.end or INSTANT) / FINEST
    problem = Problem(
        rhs=moving.address("derivative"),
        velocity=moving.address("velocity") if settings.method == "semi_implicit_euler" else None,
        tangent=lambda: _tangent(moving, settings.method),
        project=moving.address("projection") if projects and moving.drifts else None,
        project_lanes=moving.lanes("projection") if projects and moving.drifts else None,
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
        c2=pieces.c2,
        c3=pieces.c3,
        times=conditions.instants,
        gap=np.inf if conditions.times is not None else gap,
        log_gap=gap if closed else np.inf,
        rtol=settings.rtol,
        atol=settings.atol,
        follows=settings.follows,
        judges_works=bool(system.tree.motions),
        max_step=settings.max_step,
        events=events_of(moving, plan, conditions.ticks, len(conditions.p)),
    )
    return Task(choice, functions, problem, embedding, moving, plan)


def _tangent(functions: SystemFunctions, method: str) -> Native:
    """The derivative along directions, in the number of lanes in which they take the least time."""
    return functions.address(TANGENTS.get(method, "tangent"), lanes=None)


def _with_gains(conditions: Conditions, choice: Selection) -> Selection:
    """The selected equations, with Baumgarte's gains if that stabilization is chosen."""
    alpha, beta = conditions.settings.alpha, conditions.settings.beta
    return choice if alpha is None or beta is None else replace(choice, alpha=alpha, beta=beta)
