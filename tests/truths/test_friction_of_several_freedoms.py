"""Friction in all five joints of a five-bar linkage: its two freedoms are held by any two of them.

What friction can hold is a linear program of its efforts, with Lagrange's equations in the two angles of the cranks.
"""

import casadi as ca
import numpy as np
import pytest
from scipy.optimize import linprog

import cardan
from cardan.errors import ModelError
from tests.truths.rubbing_mechanisms import BASE, INERTIA, START, L, M, five_bar
from tests.truths.rubbing_mechanisms import FIVE as JOINTS

FINE = {"rtol": 1e-10, "atol": 1e-12}
EFFORTS = {"a": 0.25, "b": 0.1, "c": 0.15, "d": 0.12, "e": 0.3}


def terms(g=0.0):
    """(q, v, torque) → M, the side of M v̇ = …, angular velocities G of the joints, Ġ v; by Lagrange's equations."""
    q, v, torque = ca.SX.sym("q", 2), ca.SX.sym("v", 2), ca.SX.sym("torque", 2)
    A = L * ca.vertcat(ca.cos(q[0]), ca.sin(q[0]))
    D = ca.vertcat(BASE, 0) + L * ca.vertcat(ca.cos(q[1]), ca.sin(q[1]))
    u = D - A
    across, along = ca.acos(ca.norm_2(u) / (2 * L)), ca.atan2(u[1], u[0])
    angles = [q[0], along + across, along + np.pi - across, q[1]]  # of the links 1, 2, 3, 4
    starts = [ca.DM.zeros(2), A, D, ca.DM([BASE, 0])]
    T, V = 0, 0
    for angle, start in zip(angles, starts, strict=True):
        centre = start + L / 2 * ca.vertcat(ca.cos(angle), ca.sin(angle))
        velocity, spin = ca.jacobian(centre, q) @ v, ca.jacobian(angle, q) @ v
        T += M / 2 * ca.dot(velocity, velocity) + INERTIA / 2 * spin**2
        V += M * g * centre[1]
    one, two, three, four = angles
    rel = ca.vertcat(one, two - one, three - two, three - four, four)
    J = ca.jacobian(rel, q)
    mass = ca.hessian(T, v)[0]
    momentum = mass @ v
    side = torque - ca.jtimes(momentum, q, v) + ca.gradient(T - V, q)
    found = ca.Function("terms", [q, v, torque], [mass, side, J, ca.jtimes(J @ v, q, v)])
    return lambda *args: [np.array(each).squeeze() for each in found(*args)]


def part_used(J, side, limits):
    """Least part of the limits with which the joints hold the linkage, by a linear program."""
    n = len(limits)
    F = np.column_stack([np.eye(n), -limits])
    found = linprog(
        [*np.zeros(n), 1],
        A_ub=np.vstack([F, np.column_stack([-np.eye(n), -limits])]),
        b_ub=np.zeros(2 * n),
        A_eq=np.column_stack([J.T, np.zeros(2)]),
        b_eq=-side,
        bounds=[(None, None)] * n + [(0, None)],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    return found.fun


LAWS = {name: {"effort": effort} for name, effort in EFFORTS.items()}
LIMITS = np.array([EFFORTS[name] for name in JOINTS])


@pytest.mark.parametrize(("rubs", "torque"), [("ae", 0.5), ("ae", 0.55), ("ae", 0.65), ("a", 0.35)])
def test_cranks_break_away_where_round_off_hides_the_instant(rubs, torque):
    """At the located instant the effort of the crank a is below its limit by round-off: it breaks away just after."""
    model = five_bar({name: LAWS[name] for name in rubs}, initial={"a.v": 0.0, "e.v": 2.0})
    run = cardan.simulate(model, until=0.6, inputs={"a": "0", "e": str(torque)}, method="dop853", **FINE)
    assert run.ok, run.message
    assert ("a", "slides backwards") in [(event.name, event.did) for event in run.events]
    assert run.report.relative_energy_error < 1e-9


def test_what_they_hold_uses_the_least_parts_of_their_limits():
    """The part is that of the linear program; four joints use it, and the fifth, which stays at rest, less."""
    t = 0.6
    run = cardan.simulate(five_bar(LAWS), until=t, inputs={"a": f"{1.2}*t", "e": f"{-0.9}*t"}, times=[t], **FINE)
    _, side, J, _ = terms()([START["a"], START["e"]], [0, 0], [1.2 * t, -0.9 * t])
    parts = np.array([run[f"{name}.friction"].values[-1] for name in JOINTS]) / LIMITS
    assert [run[f"{name}.sticking"].values[-1] for name in JOINTS] == [1] * 5
    assert run["a.friction"].unique == "no"
    np.testing.assert_allclose(abs(parts[:4]), part_used(J, side, LIMITS), rtol=1e-9)  # of the program: 1e-10
    assert abs(parts[4]) < abs(parts[0])
    np.testing.assert_allclose(J.T @ (parts * LIMITS), -side, rtol=0, atol=1e-12)


def refused(model, message):
    with pytest.raises(ModelError, match=message):
        cardan.simulate(model, until=0.1)


def differentials(rubs):
    """Two differentials in a row, of whose five shafts some rub."""
    turns = {"type": "revolute", "parent": "ground", "axis": "z"}
    law = {"friction": {"effort": 0.1}}
    return cardan.Model(
        gravity=[0, 0, 0],
        bodies={f"b{name}": {"mass": 1, "inertia": [1, 1, 1]} for name in JOINTS},
        joints={name: {**turns, "child": f"b{name}", **(law if name in rubs else {})} for name in JOINTS},
        constraints={
            "first": {"type": "coupler", "terms": {"a": 1, "b": 1, "c": -2}},
            "second": {"type": "coupler", "terms": {"c": 1, "d": 1, "e": -2}},
        },
    )


def test_joints_that_fewer_others_hold_are_refused():
    """Two differentials in a row have three freedoms, but three of their five shafts only two."""
    refused(
        differentials(JOINTS),
        r"'c' moves only together with 'a', 'b', fewer joints .* than the 3 freedoms that 'a', 'b', 'c'",
    )


def test_too_many_motions_of_such_joints_are_refused():
    """A ring of nine bars and the ground has six freedoms: any five of its nine joints at rest leave it one motion."""
    count, law = 9, {"effort": 0.1}
    turn = 2 * np.pi / count
    body = {"mass": M, "inertia": [0, 0, INERTIA], "markers": {"tip": {"position": [L, 0, 0]}}}
    hinge = {"type": "revolute", "axis": "z", "friction": law}
    joints = {"j0": {**hinge, "parent": "ground", "child": "b0"}}
    joints |= {f"j{k}": {**hinge, "parent": f"b{k - 1}.tip", "child": f"b{k}"} for k in range(1, count - 1)}
    joints["j8"] = {**hinge, "parent": {"body": "ground", "position": [-L, 0, 0]}, "child": f"b{count - 2}.tip"}
    initial = {f"j{k}": {"guess": turn} for k in range(count - 1)}
    bodies = {f"b{k}": body for k in range(count - 1)}
    model = cardan.Model(planar="xy", gravity=[0, 0, 0], bodies=bodies, joints=joints, initial=initial)
    refused(model, "share 6 freedoms: friction may leave them 126 motions, more than 100")
