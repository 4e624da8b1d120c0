"""`verify`: checks the formulations of a mechanism against each other and against the laws of mechanics.

Every check is a residual divided by the size of the compared quantities, in random states near the initial position,
with a tolerance derived from round-off. Forces count as at least the size of M times an acceleration of one unit.
For the balance of energy with friction, joints slide the way of their velocities; end stops are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from cardan.analysis.laws import REFERENCE, SOLVED, CheckTolerance, Probe, quantities_of, residuals
from cardan.analysis.sampling import random_sample, sampler
from cardan.assembly.start import ready_system
from cardan.blocks import Arrays, Piece, Work, in_blocks
from cardan.displays import shown
from cardan.errors import Issue, ModelError
from cardan.formulations import composite_body
from cardan.formulations.terms import Terms
from cardan.frozen import dataclass, replace
from cardan.functions.results import with_results
from cardan.kinematics.build import MotorModel
from cardan.kinematics.relations.ideal_parts import following, ideal_parts, with_ideal_parts
from cardan.kinematics.relations.prescribed import refuse_followed
from cardan.matrix_form.terms import FORMULATIONS
from cardan.model.checks.arguments import check_seed
from cardan.model.model import Model, check_bodies, check_model
from cardan.model.records.model_text import source_of
from cardan.system.blocks.circuits import without_limits
from cardan.system.contacts import without_friction
from cardan.system.energies import SIGNS, powers, total_energy
from cardan.system.response import accelerations_and_multipliers, state_derivative
from cardan.system.state import State, symbolic_state
from cardan.system.system import System, motor_model

if TYPE_CHECKING:
    from distributed import Client

CUBIC = (
    "articulated_body",
    "lagrange",
    "trace_lagrange",
    "compatibility",
    "bond_graph",
)  # formulations whose programs grow with the third power of the velocities
MOST = 50  # largest number of velocities for these: 4 million instructions, one gigabyte


@dataclass(frozen=True)
class Check:
    """One law and how well it holds."""

    name: str
    residual: float  # largest over all states, divided by the size of what is compared
    tolerance: float
    reason: str  # for the tolerance

    @property
    def ok(self) -> bool:
        """Whether the law holds; False if the residual is NaN."""
        return self.residual <= self.tolerance


@dataclass(frozen=True)
class Verification:
    """All checks of a mechanism; as text a table."""

    model: str
    motors: MotorModel  # how motors are modelled
    states: int  # number of random states
    seed: int  # seed of the random states
    checks: tuple[Check, ...]
    left_out: tuple[str, ...]  # formulations that cannot treat the mechanism, each with the reason

    @property
    def ok(self) -> bool:
        """Whether every check passed."""
        return all(check.ok for check in self.checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that did not pass."""
        return tuple(check for check in self.checks if not check.ok)

    def __repr__(self) -> str:
        """The result in a few lines: how many checks hold, and those that do not."""
        held, name = len(self.checks) - len(self.failed), self.model or "a model without a name"
        lines = [f"Verification of {name}: {held} of {len(self.checks)} checks hold (random states: {self.states})"]
        lines += [
            f"FAILED: {check.name} ({check.residual:.1e}, allowed {check.tolerance:.0e})" for check in self.failed
        ]
        return "\n  ".join([*lines, *(f"left out: {words}" for words in self.left_out)])

    def _repr_html_(self) -> str | None:
        """Show the checks as a table in a notebook."""
        return shown(self)

    def __str__(self) -> str:
        """One line for every check: name, residual, tolerance, verdict."""
        width = max(len(check.name) for check in self.checks)
        lines = [
            f"{check.name:{width}}  {check.residual:8.1e}  {check.tolerance:8.0e}  {'ok' if check.ok else 'FAILED'}"
            for check in self.checks
        ]
        return "\n".join([*lines, *(f"left out: {words}" for words in self.left_out)])


def verify(
    model: Model,
    motors: MotorModel | None = None,
    *,
    states: int = 5,
    seed: int = 0,
    client: Client | str | None = None,
) -> Verification:
    """Check the equations of a mechanism against each other and against the laws of mechanics.

    Formulations against each other; M symmetric and not negative, Ṁ − 2C skew, ½ vᵀ M v and ∂Π/∂q against the
    energies; the accelerations against the matrices, dE/dt against the powers; Φq and γ against differences of Φ and
    Φ̇; the reactions against Newton's and Euler's laws of every body; where joints rub, dE/dt against the powers and the
    heat of friction.

    Parameters
    ----------
    model : Model
        The mechanism.
    motors : "full", "simplified" or "none", optional
        How motors are modelled: with currents as states, with L di/dt = 0, or left out; by default full if the model
        has motors, else none.
    states : int
        Number of random states.
    seed : int
        Seed of the random states.
    client : dask.distributed.Client or str, optional
        Cluster that checks many states, as of `sweep`.

    Raises
    ------
    ModelError
        `states` is less than 1, or the model is impossible.
    AssemblyError
        The loops cannot be closed, or the mechanism cannot move.

    Example
    -------
    >>> import cardan
    >>> cardan.verify(cardan.load("compound_pendulum"), states=2).ok
    True
    """
    check_model(model)
    check_bodies(model)
    if states < 1:
        raise ModelError(Issue(f"states={states} is not possible", "check at least one state"))
    check_seed(seed)
    motors = motor_model(model, motors)
    checking = _Checks.of(model, motors, int(seed))
    left_out = checking.left_out
    rubbing = [name for name, joint in model.joints.items() if joint.friction is not None]
    rubbing += [name for name, record in model.constraints.items() if record.friction is not None]
    left_out += tuple(f"friction of {name} in the formulations: it changes no matrix" for name in rubbing)
    stopping = [name for name, joint in model.joints.items() if joint.stops]
    left_out += tuple(f"end stops of {name}: they change no matrix" for name in stopping)
    work = Work(states, lambda items: {"state": np.array(items)}, checking, _read_checks, checking.text)
    largest = dict[str, float]()
    for _, values in in_blocks(work, client):
        for name, x in values.items():
            largest[name] = float(np.maximum(np.max(x), largest.get(name, 0.0)))  # NaN stays
    if client is not None:
        checking.in_state(0)
    found = {name: (x, checking.tolerances.get(name, SOLVED)) for name, x in largest.items()}
    if rubbing:
        own, why = _of_friction(model, motors, states, np.random.default_rng(seed))
        found |= own
        left_out += why
    checks = (Check(name, residual, to.value, to.reason) for name, (residual, to) in found.items())
    return Verification(model.name, motors, states, seed, tuple(checks), left_out)


@dataclass(frozen=True, eq=False)
class _Checks:
    """The function that checks random states, each of which has a seed of its own."""

    model: Model
    motors: MotorModel
    seed: int
    probe: Probe
    others: Set[str]  # formulations that are compared with the first
    left_out: tuple[str, ...]  # formulations that cannot treat the mechanism, each with the reason
    tolerances: dict[str, CheckTolerance]  # of the checks that have been made, by name

    @staticmethod
    def of(model: Model, motors: MotorModel, seed: int) -> _Checks:
        """The function for a mechanism."""
        system = ready_system(without_limits(without_friction(model)), motors)
        refuse_followed(system.tree)
        symbols = with_results(system, loaded_state(system, symbolic_state(system)))
        terms, left_out = _formulations(system, symbols)
        probe = Probe(system, symbols, quantities_of(system, symbols, terms))
        return _Checks(model, motors, seed, probe, terms.keys() - {REFERENCE}, left_out, {})

    def in_state(self, state: int) -> dict[str, float]:
        """The residual of every check in one state, by the name of the check."""
        sample = random_sample(self.probe.sampler, np.random.default_rng([self.seed, state]))
        found = [*residuals(self.probe, sample, self.others)]
        self.tolerances.update({name: tolerance for name, _, tolerance in found})
        return {name: residual for name, residual, _ in found}

    def pieces(self, rows: Arrays) -> Iterator[Piece]:
        """The residual of every check in each of some states; 0 where a state has no such check."""
        found = [self.in_state(state) for state in rows["state"].tolist()]
        names = dict.fromkeys(name for one in found for name in one)
        yield np.arange(len(found)), {name: np.array([one.get(name, 0.0) for one in found]) for name in names}

    def lost(self, count: int, why: str) -> Arrays:
        """A check that fails, for states that cannot be computed."""
        return {"every state can be computed": np.full(count, np.nan)}

    def text(self) -> str:
        """Plain data of which `_read_checks` makes the function."""
        return json.dumps({"model": json.loads(source_of(self.model)), "motors": self.motors, "seed": self.seed})


def _read_checks(text: str, threads: int) -> _Checks:
    plain = json.loads(text)
    return _Checks.of(Model(**plain["model"]), plain["motors"], plain["seed"])


def _of_friction(
    model: Model, motors: MotorModel, states: int, rng: np.random.Generator
) -> tuple[dict[str, tuple[float, CheckTolerance]], tuple[str, ...]]:
    """Checks of the energy that friction takes, and the reason where there are none."""
    try:
        found = np.array([*friction_residuals(model, motors, states, rng)]).reshape(-1, 2)
    except ModelError as error:
        return {}, (f"energy that friction takes: {error.issues[0].fault}",)
    if not len(found):
        return {}, ("energy that friction takes: friction has no solution in the random states",)
    names = ("energy changes by the powers and the heat of friction", "friction takes energy")
    return {name: (float(x), SOLVED) for name, x in zip(names, found.max(axis=0), strict=True)}, ()


def _formulations(system: System, s: State) -> tuple[dict[str, Terms], tuple[str, ...]]:
    """Terms by every formulation that can treat the mechanism, and the reasons of those that cannot."""
    terms: dict[str, Terms] = {}
    left_out: list[str] = []
    for name, formulation in FORMULATIONS.items():
        if name in CUBIC and system.tree.nv > MOST:
            left_out.append(f"{name}: its program grows with the third power of the velocities, {system.tree.nv} here")
            continue
        try:
            terms[name] = formulation(system.tree, s.motion)
        except ModelError as error:
            left_out.append(f"{name}: {error.issues[0].fault}")
    return terms, tuple(left_out)


def friction_residuals(
    model: Model, motors: MotorModel, states: int, rng: np.random.Generator
) -> Iterator[tuple[float, float]]:
    """Of each state: the error of the energy balance, and the largest heat that is negative, over the powers' size.

    States in which friction has no solution are left out.
    """
    system = ready_system(_without_stops(model), motors)
    s = loaded_state(system, symbolic_state(system))
    dx = ca.densify(ca.SX(state_derivative(system, s)))
    rates = ca.gradient(ca.SX(total_energy(system, s)), s.x) * dx
    found = [rates, powers(system, s), dx, composite_body.mass_matrix(system.tree, s.motion)]
    symbols = [s.t, s.q, s.v, s.z, s.u, system.tree.p]
    balance = ca.Function("balance", symbols, [ca.densify(ca.SX(each)) for each in found])
    places, around = _places(system), sampler(system)
    sliding = ca.vertcat(*(block.known(s.motion) for block in system.frictions))
    known = ca.Function("known", [s.t, s.q, s.v, system.tree.p], [ca.densify(ca.SX(sliding))])
    for _ in range(states):
        sample = random_sample(around, rng)
        z = sample.z.copy()
        z[np.concatenate(places)] = np.array(known(sample.t, sample.q, sample.v, around.assembler.p)).ravel()
        values = balance(sample.t, sample.q, sample.v, z, sample.u, around.assembler.p)
        rates_at, powers_at, dx_at, M_at = (np.array(each) for each in values)
        if np.isfinite(dx_at).all():
            size = max(float(np.max(np.abs(each), initial=0.0)) for each in (rates_at, powers_at, M_at)) or 1.0
            heat = dx_at.ravel()[[system.nx - system.nz + own[-1] for own in places]]
            error = float(np.sum(rates_at) - np.array(SIGNS) @ powers_at.ravel())
            yield abs(error) / size, float(np.max(-heat, initial=0.0)) / size


def _without_stops(model: Model) -> Model:
    """The model without end stops, outputs and events: none of them acts while joints slide."""
    joints = {name: joint.replace(limits=None) for name, joint in model.joints.items()}
    return model.replace(joints=joints, outputs={}, events={})


def loaded_state(system: System, s: State) -> State:
    """The state in which expressions find the ideal parts of reactions that given parts depend on."""
    if not following(system.tree):
        return s
    _, lam = accelerations_and_multipliers(system, s)
    return replace(s, motion=with_ideal_parts(system.tree, s.motion, ideal_parts(system.tree, s.motion, lam)))


def _places(system: System) -> list[list[int]]:
    """Indices of the states of each friction among those of all blocks; the last one is its heat."""
    first, out = 0, []
    for block in system.blocks:
        if block in system.frictions:
            out.append(list(range(first, first + len(block.names))))
        first += len(block.names)
    return out
