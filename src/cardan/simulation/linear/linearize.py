"""`linearize`: the equations of motion around a state, with exact derivatives, as a linear system.

Where loops are closed, a change of the state stays on the constraints: δx = T δy with independent coordinates and
velocities y, so that A = ∂ẏ/∂x T.   Source: Wehage & Haug 1982, J. Mechanical Design 104:247 (coordinate partitioning)
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cardan.channels.families.outputs import channels
from cardan.channels.functions import channel_functions
from cardan.errors import Issue, ModelError, SolveError
from cardan.functions.system_functions import SystemFunctions, functions_of
from cardan.kinematics.motion import coordinate_rate
from cardan.kinematics.relations.prescribed import refuse_followed
from cardan.model.model import Model, check_model
from cardan.numerics.largest import largest
from cardan.numerics.rank import most_independent_rows, null_space
from cardan.numerics.round_off import BITS, ROUND_OFF, WRITTEN
from cardan.settings import Motors
from cardan.simulation.linear.linearization import Linearization
from cardan.simulation.setup import Setup, prepare
from cardan.system.contacts.stops import declared_stops
from cardan.system.input_segments import values_at
from cardan.system.response import state_derivative

Array = NDArray[np.float64]
CLOSINGS = 10  # largest number of Newton steps onto the constraints


def linearize(
    model: Model,
    initial: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    *,
    motors: Motors | None = None,
    inputs: Mapping[str, Any] | None = None,
    motions: Mapping[str, Any] | None = None,
    outputs: Sequence[str] | None = None,
    equilibrium: bool = False,
) -> Linearization:
    """The linear system δẋ = A δx + B δu, δy = C δx + D δu of a mechanism around its state at t = 0.

    Derivatives are exact. Feedback, inputs that depend on the state, is part of A; δu is added to these inputs.

    Parameters
    ----------
    model : Model
        The mechanism.
    initial : mapping, optional
        Coordinates, velocities, currents and states in addition to the model's or in place of them, as for `simulate`.
    parameters : mapping, optional
        Other values of parameters: SI, or text with a unit.
    motors : "full", "simplified" or "none", optional
        As of `simulate`; by default full if the model has motors.
    inputs : mapping, optional
        Inputs in place of the model's, as of `simulate`; their values at t = 0 count.
    motions : mapping, optional
        Motions in place of the model's or in addition to them; coordinates that they prescribe are no states.
    outputs : sequence of str, optional
        Expressions as of the model's `outputs`, such as `["payload.com.x", "swing.a"]`; by default the model's outputs.
    equilibrium : bool
        Whether to search for the equilibrium near the initial position, in which only prescribed motions have a
        velocity, and to linearize there.

    Returns
    -------
    Linearization
        The matrices with the names of their rows and columns, the state they belong to, and the modes.

    Raises
    ------
    ModelError
        A name is unknown or a value impossible; an input is sampled; a joint may stick or is at its end stop, so that
        no linear system describes small motions.
    AssemblyError
        The loops cannot be closed.
    SolveError
        The position is singular, or no equilibrium is found near the initial one.

    Example
    -------
    >>> import cardan
    >>> found = cardan.linearize(cardan.load("compound_pendulum"), {"pendulum": 0})
    >>> [round(mode.frequency, 4) for mode in found.modes], round((1.5 * 9.81 / 0.8) ** 0.5, 4)
    ([4.2888, 4.2888], 4.2888)
    """
    check_model(model)
    asked = model if outputs is None else with_outputs(model, outputs)
    names = tuple(model.outputs) if outputs is None else tuple(outputs)
    setup = prepare(
        asked, motors=motors, motions=motions, inputs=inputs, initial=initial, parameters=parameters, times=[0.0],
        embed=False,
    )  # fmt: skip
    _check_smooth(setup)
    refuse_followed(setup.conditions.system.tree)
    laws = _Laws(setup)
    x = np.array(setup.start.x)
    _check_stops(setup, x, "starts")
    if equilibrium:
        x = _equilibrium(setup, laws)
        _check_stops(setup, x, "has its equilibrium")
    near = laws.at(x)
    system = setup.task.functions.system
    independent = _independent(setup, near)
    kept, shown = independent.names(setup), slice(len(near.y) - len(names), None)
    output_units = tuple(channel.unit for channel in channels(system)[shown])
    return Linearization(
        A=near.A[independent.rows] @ independent.T + 0.0,  # no negative zeros
        B=near.B[independent.rows] + 0.0,
        C=near.C[shown] @ independent.T + 0.0,
        D=near.D[shown] + 0.0,
        states=tuple(kept),
        inputs=tuple(system.input_names),
        outputs=names,
        x=dict(zip(system.state_names, x.tolist(), strict=True)),
        u=dict(zip(system.input_names, near.u.tolist(), strict=True)),
        y=dict(zip(names, near.y[shown].tolist(), strict=True)),
        rates=dict(zip(kept, (near.dx[independent.rows] + 0.0).tolist(), strict=True)),
        state_units=tuple(system.state_units[k] for k in independent.rows),
        input_units=system.input_units,
        output_units=output_units,
    )


def with_outputs(model: Model, outputs: Sequence[str]) -> Model:
    """The model with these expressions as its last outputs."""
    if isinstance(outputs, str) or not all(isinstance(text, str) for text in outputs):
        raise ModelError(
            Issue(f"{f'outputs={outputs!r}':.60} is no list of texts", 'give one, such as ["payload.com.x"]')
        )
    repeated = [k for k, text in enumerate(outputs) if text in outputs[:k]]
    if repeated:
        raise ModelError(Issue(f"{outputs[repeated[0]]!r} is there twice", "keep one", ("outputs", repeated[0])))
    names = {f"linear_output_{k}": k for k in range(len(outputs))}
    try:
        return model.replace(outputs={**model.outputs, **dict(zip(names, outputs, strict=True))})
    except ModelError as error:
        issues = [
            replace(issue, path=tuple(names.get(str(part), part) for part in issue.path)) for issue in error.issues
        ]
        raise ModelError(issues) from None


def _check_smooth(setup: Setup) -> None:
    """Refuse sampled laws and friction that sticks, which no linear system describes."""
    plan, system = setup.conditions.plan, setup.conditions.system
    for sample in plan.sampled:
        cure = "write its law without every:, or choose a period and discretize A and B yourself"
        raise ModelError(Issue("a sampled law is no linear system in continuous time", cure, sample.path))
    for block in system.sticking:
        cure = "add regularize: with a small speed, or give friction the type viscous"
        fault = "friction that sticks is not linear, however small the motion"
        raise ModelError(Issue(fault, cure, block.path))


def _check_stops(setup: Setup, x: Array, where: str) -> None:
    """Refuse a state (nx,) with a joint at its stop or beyond; `where` says what it is, as in "starts"."""
    model, system = setup.conditions.model, setup.conditions.system
    for block in system.stops:
        law, q = declared_stops(model, block), float(x[block.coordinate])
        if law.one_way and x[system.tree.nq + block.velocity] <= ROUND_OFF:
            fault = f"{block.name!r} {where} at a speed of 0, and moves one way only"
            raise ModelError(Issue(fault, "linearize while it runs free", ("joints", block.joint, "limits")))
        for bound, beyond in ((law.lower, -1), (law.upper, 1)):
            at = None if bound is None else bound.number(setup.conditions.values)
            if at is not None and beyond * (q - at) >= -ROUND_OFF * max(1.0, abs(at)):
                unit = system.tree.coordinates[block.coordinate].unit
                fault = (
                    f"{block.name!r} {where} at {q:.6g} {unit}, at or beyond its stop at {at:.6g} {unit}, "
                    "which acts in one direction only"
                )
                cure = "linearize between the stops; or remove the limits and give the joint the stiffness of the stop"
                raise ModelError(Issue(fault, cure, ("joints", block.joint, "limits")))


class _Near(NamedTuple):
    """Values and derivatives at a state, over all coordinates."""

    dx: Array  # (nx,)
    y: Array  # (p,)
    u: Array  # (m,)
    A: Array  # (nx, nx) feedback included
    B: Array  # (nx, m)
    C: Array  # (p, nx)
    D: Array  # (p, m)
    Phi: Array  # (c,)
    Phi_q: Array  # (c, nq) derivatives by the coordinates
    rate_q: Array  # (c, nq) of the rate of the constraints
    rate_v: Array  # (c, nv)
    N: Array  # (nq, nv) rates of coordinates per velocity


class _Laws:
    """The laws of a setup with their derivatives, as functions of the state at t = 0."""

    def __init__(self, setup: Setup) -> None:
        task, conditions = setup.task, setup.conditions
        self.p = conditions.p
        (self._given,) = values_at(conditions.segments, np.zeros(1))
        system = task.functions.system
        inputs_open = functions_of(system.model, conditions.motors, (), task.choice)
        self._derivatives = _derivatives(inputs_open, task.functions)

    def at(self, x: Array) -> _Near:
        """Values and derivatives at a state (nx,)."""
        found = [np.array(one.full(), dtype=float) for one in self._derivatives(0.0, x, self._given, self.p)]
        dx, y, u, f_x, f_u, y_x, y_u, u_x, *constraints = found
        return _Near(
            dx.ravel(), y.ravel(), u.ravel(), f_x + f_u @ u_x, f_u, y_x + y_u @ u_x, y_u, constraints[0].ravel(),
            *constraints[1:],
        )  # fmt: skip


def _derivatives(functions: SystemFunctions, fed_back: SystemFunctions) -> ca.Function:
    """Function of (t, x, u, p): rates, outputs and inputs, their derivatives, and those of the constraints.

    `functions` have free inputs, `fed_back` the model's expressions in their place.
    """
    s, closed, system = functions.symbols, fed_back.symbols, functions.system
    t, x, u, p = (s.inputs[name] for name in ("t", "x", "u", "p"))
    given = [closed.inputs[name] for name in ("t", "x", "u", "p")]
    follow = ca.Function("inputs", given, [ca.densify(ca.SX(closed.state.u))])
    added = ca.SX.sym("added", *u.shape)
    u_of_x = follow(t, x, added, p)
    response = s.accelerations_and_multipliers
    dx = ca.SX(state_derivative(system, s.state, response))
    channels = channel_functions(functions)
    y = ca.vertcat(ca.SX(0, 1), *map(ca.SX, channels.expressions("outputs")))
    solution = ca.vertcat(*map(ca.SX, response))
    y = ca.substitute(y, ca.vertcat(*channels.unknowns), ca.densify(solution))  # redundant equations make it sparse
    held = s.held_constraints
    rates = ca.SX(coordinate_rate(system.tree, s.state.q, s.state.v))
    Phi, rate = ca.SX(held.Phi), ca.SX(held.rate)
    of_u = [dx, y, u, _by(dx, x), _by(dx, u), _by(y, x), _by(y, u)]
    whole = ca.Function("open", [t, x, u, p], [ca.densify(ca.SX(one)) for one in of_u])
    fixed = [
        Phi,
        _by(Phi, s.inputs["q"]),
        _by(rate, s.inputs["q"]),
        _by(rate, s.inputs["v"]),
        _by(rates, s.inputs["v"]),
    ]
    results = [*whole(t, x, u_of_x, p), _by(u_of_x, x), *map(ca.densify, fixed)]
    return ca.Function("linear", [t, x, added, p], results)


def _by(values: ca.SX, symbols: ca.SX) -> ca.SX:
    """Derivatives of some values by symbols."""
    return ca.jacobian(values, symbols)


class _Independent(NamedTuple):
    """Independent entries of the state, on which all others depend."""

    rows: list[int]  # their indices
    T: Array  # (nx, n) change of the whole state per change of each

    def names(self, setup: Setup) -> list[str]:
        """Their names."""
        return [setup.task.functions.system.state_names[k] for k in self.rows]


def _independent(setup: Setup, near: _Near) -> _Independent:
    """Independent coordinates and velocities, the states of the blocks, and how all others follow from them."""
    nx, (nq, nv) = len(near.dx), near.N.shape
    of_q, of_v = near.N @ null_space(near.Phi_q @ near.N), null_space(near.rate_v)
    equations = len(setup.task.choice.kept)
    if equations and of_v.shape[1] > nv - equations:
        raise SolveError(
            "the mechanism stands in a singular position, where no linear system describes its motion; "
            "give another position in initial"
        )
    free_q, free_v = of_q.shape[1], of_v.shape[1]
    whole = np.zeros((nx, free_q + free_v + nx - nq - nv))
    whole[:nq, :free_q] = of_q
    whole[nq : nq + nv, :free_q] = -np.linalg.pinv(near.rate_v) @ near.rate_q @ of_q
    whole[nq : nq + nv, free_q : free_q + free_v] = of_v
    whole[nq + nv :, free_q + free_v :] = np.eye(nx - nq - nv)
    rows = [*most_independent_rows([of_q], free_q)] if free_q else []
    rows += [nq + k for k in most_independent_rows([of_v], free_v)] if free_v else []
    rows += range(nq + nv, nx)
    return _Independent(rows, whole @ np.linalg.inv(whole[rows]))


def _equilibrium(setup: Setup, laws: _Laws) -> Array:
    """The state (nx,) near the initial position in which only prescribed motions have a velocity, by Newton's method.

    Steps are the shortest ones, so that coordinates on which no force depends stay; they are halved until rates fall.
    """
    functions, tree = setup.task.functions, setup.task.functions.system.tree
    moving, driven = slice(tree.nq, tree.nq + tree.nv), [tree.nq + k for k in tree.driven]

    def at_rest(x: Array) -> Array:
        """The state with prescribed velocities alone: rods do not bend to take them up."""
        x[moving] = 0.0
        x[driven] = setup.start.x[driven]
        return _closed(functions, x, laws.p)

    x = at_rest(np.array(setup.start.x))
    near = laws.at(x)
    for _ in range(BITS):
        independent = _independent(setup, near)
        A, rates = near.A[independent.rows] @ independent.T, near.dx[independent.rows]
        step = np.linalg.lstsq(A, -rates, rcond=ROUND_OFF)[0]
        change, size = independent.T @ step, float(np.linalg.norm(rates))
        allowed = WRITTEN * (1.0 + largest(x))
        if largest(change) <= allowed:
            _check_rest(independent.names(setup), rates + A @ step, allowed * float(np.linalg.norm(A)))
            return x
        share = 1.0
        while share > WRITTEN:
            trial = at_rest(x + share * change)
            found = laws.at(trial)
            if np.linalg.norm(found.dx[independent.rows]) < size:
                break
            share /= 2
        else:
            break
        x, near = trial, found
    raise _no_equilibrium(independent.names(setup), rates + A @ step)


def _closed(functions: SystemFunctions, x: Array, p: Array) -> Array:
    """A state (nx,) moved onto the constraints, on which quaternions have unit length."""
    if not functions.drifts:
        return x
    closer = functions.interpreted("closer")
    for _ in range(CLOSINGS):
        moved = np.array(closer(0.0, x, np.zeros(len(functions.system.input_names)), p)).ravel()
        done = largest(moved - x) <= ROUND_OFF * (1.0 + largest(x))
        x = moved
        if done:
            break
    return x


def _check_rest(names: Sequence[str], rates: Array, allowed: float) -> None:
    """Refuse a state as an equilibrium if its rates are not zero."""
    if largest(rates) > allowed:
        raise _no_equilibrium(names, rates)


def _no_equilibrium(names: Sequence[str], rates: Array) -> SolveError:
    worst = int(np.argmax(np.abs(rates)))
    return SolveError(
        f"there is no equilibrium near the initial position: the rate of {names[worst]!r} stays {rates[worst]:.3g}; "
        "start nearer to one, or leave out what drives the mechanism on"
    )
