"""Optimal control with `casadi_function`: the crane moves its load and stands still then, without any swing left.

Direct collocation (Radau, order 5) with voltages that are affine between the nodes, solved by IPOPT; what comes out is
replayed by `simulate`, an independent integration of independently compiled equations.
"""

import casadi as ca
import numpy as np
import pytest

import cardan

DISTANCE, END, NODES, LIMIT = 0.2, 3.0, 40, 30.0  # [m], [s], –, [V]
TIMES = np.linspace(0, END + 4, 701)
COLLOCATION = 1e-5  # relative error of 40 intervals of order 5: (ω h)⁵/7200 = 2e-7 each, ω = √(g/L), h = 75 ms


@pytest.fixture(scope="module")
def crane():
    """The model of the gallery."""
    return cardan.load("overhead_crane")


@pytest.fixture(scope="module")
def voltages(crane):
    """Voltages at the nodes (NODES + 1,): the smoothest ones that do it."""
    f = cardan.casadi_function(crane, "state_derivative", motors="simplified")
    points = ca.collocation_points(3, "radau")
    C, _, _ = ca.collocation_coeff(points)
    h, opti = END / NODES, ca.Opti()
    u, x = opti.variable(1, NODES + 1), opti.variable(4)
    opti.subject_to(x == 0)
    for k in range(NODES):
        inner = opti.variable(4, 3)
        slope = ca.horzcat(x, inner) @ C / h
        for j, tau in enumerate(points):
            opti.subject_to(slope[:, j] == f(inner[:, j], (1 - tau) * u[k] + tau * u[k + 1]))
        x = inner[:, -1]  # Radau's last point is the end of the interval
    opti.subject_to(x == ca.vertcat(DISTANCE, 0, 0, 0))
    opti.subject_to(u[-1] == 0)
    opti.subject_to(opti.bounded(-LIMIT, u, LIMIT))
    opti.minimize(ca.sumsqr(u[1:] - u[:-1]))
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    return opti.solve().value(u)


def replay(crane, table):
    """(run, swing [rad]) under the voltages of a table."""
    run = cardan.simulate(crane, times=TIMES, motors="simplified", inputs={"drive": {"table": table}})
    assert run.ok
    return run, np.abs(run.array("swing.q"))


def test_no_swing_is_left(crane, voltages):
    table = np.column_stack([np.linspace(0, END, NODES + 1), voltages]).tolist()
    run, swing = replay(crane, table)
    after = run.t > END
    assert swing[after].max() < COLLOCATION * swing.max()
    np.testing.assert_allclose(run.array("travel.q")[after], DISTANCE, rtol=COLLOCATION)
