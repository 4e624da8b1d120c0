"""Derivatives of the state at t = 0 by parameters and initial values.

Given values have those of their expressions; what assembly finds follows from Φ = 0 and Φ̇ = 0 by the theorem of
implicit functions.
"""

from collections.abc import Sequence

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cardan.assembly.initial_values import held_velocities
from cardan.errors import Issue, ModelError
from cardan.kinematics.motion import coordinate_rate
from cardan.kinematics.scope import evaluate, parameter_value
from cardan.model.checks.start_conditions import start_conditions
from cardan.model.initial import EQUILIBRIUM, entries, plain_name, updated
from cardan.model.names import carrying
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.largest import largest
from cardan.numerics.rank import DEPENDENT, null_space
from cardan.numerics.round_off import ROUND_OFF
from cardan.simulation.sensitivities.variational import Chosen, equations_of, parameter_seeds
from cardan.simulation.setup import Setup
from cardan.simulation.starts.conditions import starts_of
from cardan.simulation.starts.rest import change_at_rest
from cardan.system.constrained import has_constraints
from cardan.system.input_segments import values_at

Array = NDArray[np.float64]


def start_derivatives(setup: Setup, chosen: Chosen) -> Array:
    """Derivatives S (nx, k) of the start by the chosen quantities, times the sizes of parameters."""
    system, (given, s) = setup.conditions.system, _of_given(setup, chosen)
    if not has_constraints(system.tree):
        return _at_rest(setup, chosen, s)
    own = setup.task.functions.symbols
    terms, (t, x, u, p) = own.held_constraints, (own.inputs[name] for name in ("t", "x", "u", "p"))
    P = parameter_seeds(chosen, p)
    nq, nv = system.tree.nq, system.tree.nv
    along, S = ca.vertcat(x, p), ca.SX.sym("S", *s.shape)
    of_q = ca.jacobian(coordinate_rate(system.tree, own.state.q, own.inputs["v"]), own.inputs["v"])
    rows = [ca.SX(terms.Phi), ca.SX(terms.rate)]
    parts = [ca.jacobian(rows[0], own.inputs["q"]) @ of_q, ca.jacobian(rows[1], own.inputs["v"]), of_q]
    parts += [ca.jtimes(row, along, ca.vertcat(S, P)) for row in rows]
    law = ca.Function("start", [t, x, u, p, S], [ca.densify(part) for part in parts])

    def at(s: Array) -> list[Array]:
        return [np.array(one) for one in law(0.0, setup.start.x, np.zeros(u.shape[0]), setup.conditions.p, s)]

    held = held_velocities(system, given)
    moved = [k for k in range(nv) if system.state_names[nq + k] in given]
    names = [plain_name(name) for name in system.state_names]
    Phi_w, _, N, gaps, _ = at(s)
    s[:nq] += N @ _followed(Phi_w, gaps, held, names, chosen.names)
    _, rate_v, _, _, gaps = at(s)
    s[nq : nq + nv] += _followed(rate_v, gaps, moved, names[nq:], chosen.names)
    return s


def _at_rest(setup: Setup, chosen: Chosen, s: Array) -> Array:
    """The derivatives (nx, k) with those of states that a start at rest solves for: rates that vanish stay zero."""
    starts = starts_of(setup.arguments, Setup.of)
    if starts is None:
        return s
    begin, places = starts.begin, setup.conditions.system.places
    names = begin.conditions.system.state_names  # without those of friction
    rows = [places[name] for name in names]
    (u,) = values_at(begin.conditions.segments, np.zeros(1))
    slopes = equations_of(begin, chosen)[1].slopes(0.0, setup.start.x[rows], u, setup.conditions.p, s[rows])
    f_x, along = (np.array(one) for one in slopes)
    unknown, strict, others = starts.resting
    J, changes = f_x[[*strict, *others]][:, unknown], along[[*strict, *others]]
    for j in range(s.shape[1]):
        s[[rows[k] for k in unknown], j] += change_at_rest(J, changes[:, j], len(strict))
    return s


def _followed(J: Array, gaps: Array, held: Sequence[int], names: Sequence[str], chosen: Sequence[str]) -> Array:
    """Changes (nv, k) of the entries that are not held, with which J (c, nv) changes + gaps (c, k) = 0."""
    out, free = np.zeros((J.shape[1], gaps.shape[1])), [k for k in range(J.shape[1]) if k not in held]
    moving = np.abs(gaps).max(axis=0, initial=0.0) > ROUND_OFF * (1.0 + largest(J))
    if not moving.any():
        return out
    out[free] = np.linalg.lstsq(J[:, free], -gaps, rcond=DEPENDENT)[0]
    parameter = chosen[int(np.argmax(moving))]
    if largest(J @ out + gaps) > DEPENDENT * largest(gaps):
        cure = "make one of them a guess, {guess: ...}, or start away from a singular position"
        raise ModelError(Issue(f"the initial values cannot all hold while {parameter!r} changes", cure, ("initial",)))
    open_ = np.abs(null_space(J[:, free])).max(axis=1, initial=0.0) * np.abs(out[free]).max(axis=1)
    if largest(open_) > DEPENDENT * largest(out):
        name = names[free[int(np.argmax(open_))]]
        fault = f"the start does not say how {name!r} follows {parameter!r}"
        raise ModelError(Issue(fault, "give it an initial value", ("initial", name)))
    return out


def _of_given(setup: Setup, chosen: Chosen) -> tuple[set[str], Array]:
    """Names of the states that have values, not guesses, and the derivatives (nx, k) of given values and guesses."""
    model, system = setup.arguments.model, setup.conditions.system
    joints = carrying(model)
    initial = updated(model.initial, setup.arguments.settings["initial"], joints)
    conditions = start_conditions(model, initial)
    for name in conditions if has_constraints(system.tree) else conditions.keys() - {EQUILIBRIUM}:
        cure = "give the initial values that meet it: those of a run's first instant"
        raise ModelError(Issue("a start that meets a condition has no derivatives here", cure, ("initial", name)))
    names, p = tuple(chosen.parameters), ca.SX.sym("p", len(chosen.definitions))
    s, given = ca.SX(system.nx, len(chosen.names)), set[str]()
    P = parameter_seeds(chosen, p)

    def put(k: int, scalar: Scalar) -> None:
        value = ca.SX(evaluate(scalar, lambda name: parameter_value(names, p, name)))
        s[k, :] = ca.jacobian(value, p) @ P

    at = system.tree.nq + system.tree.nv
    for k, scalar in enumerate((one for block in system.blocks for one in block.initial), start=at):
        put(k, scalar)
    for name, (entry, guessed) in entries(initial, joints).items():
        if name not in system.places:
            continue
        k = system.places[name]
        if isinstance(entry, Scalar):
            put(k, entry)
        if not guessed:
            given.add(system.state_names[k])
    for j, name in enumerate(chosen.names):
        if name not in names:
            s[system.places[name], j] = 1.0
            given.add(system.state_names[system.places[name]])
    return given, np.array(ca.Function("given", [p], [ca.densify(s)])(setup.conditions.p[: len(names)]))
