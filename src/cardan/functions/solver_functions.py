"""The functions of (t, x, u, p) that integrators, the room of singular positions and channels call.

x is the integrated state, in all coordinates or in independent ones; expressions replace their entries of u.
"""

import casadi as ca

from cardan.formulations import newton_euler
from cardan.functions.entry import STATE, Entry, Operand
from cardan.functions.symbols import Symbols
from cardan.kinematics import energy
from cardan.kinematics.motion import coordinate_rate
from cardan.kinematics.tree import Number
from cardan.system.constrained import responses
from cardan.system.drives import loop_rows
from cardan.system.energies import balanced_energy, powers
from cardan.system.response import accelerations_and_multipliers, state_derivative

TINY = 1e-30  # number added to the squared length of each row of Φq, which may be a divisor and zero


def _derivative(s: Symbols) -> Number:
    known = s.system, s.state, s.accelerations_and_multipliers
    return ca.vertcat(s.coordinates.own(state_derivative(*known)), powers(*known))


def _tangent(s: Symbols) -> Number:
    given = ca.vertcat(*(s.inputs[name] for name in ("t", "x", "u")))
    return ca.densify(ca.jtimes(_derivative(s), given, s.inputs["along"]))


def _damped_tangent(s: Symbols) -> Number:
    """The tangent with the speeds of slips in contacts held."""
    given = s.holding
    places = [(block, point) for block in given.system.contacts for point in block.points(given.state.motion)]
    held = [block.held for block in given.system.contacts]
    speeds = ca.vertcat(ca.SX(0, 1), *(point.speeds for _, point in places))
    slope = ca.substitute(_tangent(given), ca.vertcat(ca.SX(0, 1), *held), speeds)
    names = ("t", "x", "u", "p", "along")
    return ca.substitute(slope, *(ca.vertcat(*(one.inputs[name] for name in names)) for one in (given, s)))


def _velocity(s: Symbols) -> Number:
    count, _ = s.coordinates.counts
    return s.coordinates.own(ca.vertcat(_rates_of_all_coordinates(s), s.state.v))[:count]


def _rates_of_all_coordinates(s: Symbols) -> Number:
    return coordinate_rate(s.system.tree, s.state.q, s.state.v)


def _projection(s: Symbols) -> tuple[Number, ...]:
    moved, residual, nearness = s.projected
    return ca.densify(s.coordinates.own(moved)), residual, nearness


def _violation(s: Symbols) -> tuple[Number, ...]:
    every, held, tree = s.constraints.Phi, s.held_constraints, s.system.tree
    left = [row for row in loop_rows(tree, every.shape[0]) if tree.rounded and row not in s.system.choice.kept]
    return tuple(ca.norm_inf(ca.densify(part)) for part in (held.Phi, held.rate, every[left]))


def _nearness(s: Symbols) -> tuple[Number, ...]:
    lengths = ca.sqrt(ca.sum2(s.held_constraints.Phi_q**2) + TINY)
    drift = ca.norm_inf(ca.densify(s.held_constraints.Phi / lengths))
    return s.projected[2], drift, _rates_of_all_coordinates(s)


def _energies(s: Symbols) -> tuple[Number, ...]:
    tree, motion = s.system.tree, s.state.motion
    parts = balanced_energy(s.system, s.state), energy.kinetic(tree, motion), energy.potential(tree, motion)
    return tuple(ca.densify(ca.SX(part)) for part in parts)


_DISTANCE = Operand(0, "distance from a singular position [-], infinite without constraints")

SOLVER_FUNCTIONS = {
    "derivative": Entry(
        _derivative,
        STATE,
        {"rates": Operand(1, "rates of x, then the powers [W] of the works")},
        "Rates of the state and of the works done on it.",
    ),
    "tangent": Entry(
        _tangent,
        (*STATE, "along"),
        {"change": Operand(1, "derivatives of the rates and the powers")},
        "Derivatives of `derivative` along a direction of (t, x, u).",
    ),
    "damped_tangent": Entry(
        _damped_tangent,
        (*STATE, "along"),
        {"change": Operand(1, "derivatives of the rates and the powers")},
        "As `tangent`, with the speeds of slips in contacts held: it damps friction.",
    ),
    "velocity": Entry(_velocity, STATE, {"dq": Operand(1, "rates of the coordinates in x")}, "Rates of coordinates."),
    "projection": Entry(
        _projection,
        STATE,
        {
            "moved": Operand(1, "x brought back to its constraints, quaternions at unit length"),
            "residual": Operand(0, "largest residual of the constraints before"),
            "distance": _DISTANCE,
        },
        "A state brought back to its constraints by a Newton step.",
    ),
    "closer": Entry(
        lambda s: s.projected[0],
        STATE,
        {"moved": Operand(1, "x brought closer")},
        "A state one Newton step nearer to its constraints.",
    ),
    "violation": Entry(
        _violation,
        STATE,
        {
            "gap": Operand(0, "largest |Phi|"),
            "rate": Operand(0, "largest |dPhi/dt|"),
            "rounding": Operand(0, "largest |Phi| of equations that are left out because numbers are rounded"),
        },
        "How far a state is from its constraints.",
    ),
    "nearness": Entry(
        _nearness,
        STATE,
        {
            "distance": _DISTANCE,
            "drift": Operand(0, "largest |Phi| over the length of its row of Phi_q"),
            "dq": Operand(1, "rates of all coordinates"),
        },
        "How near a state is to a singular position, and to its constraints.",
    ),
    "accelerations": Entry(
        lambda s: s.accelerations_and_multipliers[0],
        STATE,
        {"a": Operand(1, "rates of all v")},
        "Accelerations of a state.",
    ),
    "solution": Entry(
        lambda s: (ca.vertcat(*accelerations_and_multipliers(s.system, s.state, s.now)), s.projected[2]),
        STATE,
        {"solution": Operand(1, "rates of v, then multipliers of all equations"), "distance": _DISTANCE},
        "Accelerations and multipliers: constraints at the instant t, forces and inputs of the instant `now`.",
        beside=("now",),
    ),
    "carried": Entry(
        lambda s: (
            newton_euler.inverse_dynamics(s.system.reduced, s.reduced.motion, s.inputs["a"]) - s.efforts(s.reduced)
        ),
        STATE,
        {"effort": Operand(1, "M a + h - tau = Phi_q^T lam on all velocities")},
        "Efforts that the constraints carry at accelerations a.",
        beside=("a",),
    ),
    "responses": Entry(
        lambda s: responses(s.system.reduced, s.reduced.motion, s.system.choice),
        STATE,
        {"H": Operand(2, "a row for each component of these motions, a column for each effort that is chosen freely")},
        "Accelerations of motions that other joints drive, under unit efforts of their drives.",
    ),
    "gamma": Entry(
        lambda s: s.constraints.gamma, STATE, {"gamma": Operand(1, "Phi_q a")}, "Right-hand sides of Phi_q a = gamma."
    ),
    "loops": Entry(
        lambda s: (s.constraints.Phi, s.constraints.Phi_q, s.constraints.Phi_t),
        STATE,
        {
            "Phi": Operand(1, "residuals of the constraints"),
            "Phi_q": Operand(2, "rows as Phi, columns as v"),
            "Phi_t": Operand(1, "rates of Phi at v = 0"),
        },
        "Residuals of the constraints with their derivatives.",
    ),
    "energies": Entry(
        _energies,
        STATE,
        {name: Operand(0, "[J]") for name in ("balanced", "kinetic", "potential")},
        "Stored energy (coils included) with what impacts have taken, kinetic and potential energy [J].",
    ),
    "efforts": Entry(
        lambda s: s.efforts(s.state),
        STATE,
        {"effort": Operand(1, "on all velocities [N, N m]")},
        "Efforts of the actuators.",
    ),
}
"""What integrators, singular positions and channels call."""
