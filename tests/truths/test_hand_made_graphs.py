"""Bond graphs made by hand against closed forms and against state equations that a hand writes.

Source of the examples: Karnopp, Margolis & Rosenberg 2012, ch. 4, 5 and 12. The references are NumPy and SciPy alone;
both sides are integrated to 1e-12, and 1e-9 of the largest value leaves room for the errors of some thousand steps.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import cardan

TOLERANCES = {"rtol": 1e-12, "atol": 1e-14}


def same(run, name, expected):
    """Whether a result is the expected one at all instants, to 1e-9 of its largest value."""
    assert run.ok
    expected = np.asarray(expected)
    assert run[name].values == pytest.approx(expected, abs=1e-9 * np.abs(expected).max(), rel=0)


def solved(law, start, t):
    """The solution (n, N) of a law that a hand wrote."""
    found = solve_ivp(law, (t[0], t[-1]), start, method="DOP853", t_eval=t, rtol=1e-13, atol=1e-15)
    return found.y


VECTORS = {
    "elements": {
        "g": {"type": "Se", "effort": [0, 0, "-m*9.81"]},
        "v": "1 translation 3",
        "m": {"type": "I", "inertia": "m", "initial": [0.1, 0, 0]},
        "k": {"type": "C", "stiffness": [["k", 10, 0], [10, "k", 0], [0, 0, 80]]},
        "d": {"type": "R", "resistance": [1, 2, 3]},
        "M": {"type": "TF", "modulus": [[0, 0.6, 0.8]]},
        "s": "1 translation",
        "m2": {"type": "I", "inertia": "1 kg"},
    },
    "bonds": ["g -> v -> m, k, d", "v -> M -> s -> m2"],
}
"""A mass on springs in space; a rod along (0, 0.6, 0.8) moves a second mass: its I follows, in derivative causality."""


def test_vector_bonds_follow_the_matrix_exponential():
    """(m 1 + m₂ n nᵀ) v̇ = m g − D v − K x, ẋ = v; the start is the momentum of the first mass, the second follows."""
    m, n = 2.0, np.array([0, 0.6, 0.8])
    K, D = np.array([[50.0, 10, 0], [10, 50, 0], [0, 0, 80]]), np.diag([1.0, 2, 3])
    M = m * np.eye(3) + np.outer(n, n)
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    b = np.concatenate([np.zeros(3), np.linalg.solve(M, [0, 0, -m * 9.81])])
    start, rest = np.array([0, 0, 0, 0.05, 0, 0]), np.linalg.solve(A, b)
    t = np.linspace(0, 2, 21)
    x = np.array([expm(A * at) @ (start + rest) - rest for at in t]).T
    model = cardan.Model(parameters={"m": "2 kg", "k": "50 N/m"}, graphs={"net": VECTORS})
    run = cardan.simulate(model, times=t, **TOLERANCES)
    for k in range(3):
        same(run, f"net.k.x{k + 1}", x[k])
        same(run, f"net.m.flow{k + 1}", x[3 + k])
        same(run, f"net.d.effort{k + 1}", D[k, k] * x[3 + k])
    same(run, "net.m2.p", n @ x[3:])
    same(run, "net.d.power", np.einsum("it,ij,jt->t", x[3:], D, x[3:]))


def test_a_gyrator_of_vectors_turns_without_power():
    """m v̇ = B v with B = −Bᵀ, a charge in a magnetic field: |v| is constant, and v turns by |b| t/m."""
    elements = {
        "v": "1 translation 2",
        "m": {"type": "I", "inertia": 2, "initial": [6, 0]},
        "B": {"type": "GY", "modulus": [[0, 3], [-3, 0]]},
        "w": "1 translation 2",
        "M": {"type": "I", "inertia": [[4, 1], [1, 3]]},
    }
    t = np.linspace(0, 3, 13)
    run = cardan.simulate(
        cardan.BondGraph(elements=elements, bonds=["v -> m", "v -> B -> w -> M"]), times=t, **TOLERANCES
    )
    G, J = np.array([[0, 3.0], [-3, 0]]), np.array([[4.0, 1], [1, 3]])
    A = np.block([[np.zeros((2, 2)), -G.T / 2], [np.linalg.solve(J, G), np.zeros((2, 2))]])
    x = np.array([expm(A * at) @ [3, 0, 0, 0] for at in t]).T
    for k in range(2):
        same(run, f"graph.m.flow{k + 1}", x[k])
        same(run, f"graph.M.flow{k + 1}", x[2 + k])


def test_two_tanks_with_orifices_empty_in_time():
    """V̇1 = Q − k √(P1 − P2), V̇2 = k √(P1 − P2) − k √P2, P = ρ g V/A."""
    model = cardan.Model(
        parameters={"A": "0.5 m^2", "k": 2e-5, "rho": "1000 kg/m^3", "g": "9.81 m/s^2"},
        graphs={
            "tanks": {
                "elements": {
                    "pump": {"type": "Sf"},
                    "first": "0 hydraulic",
                    "tank1": {"type": "C", "capacitance": "A/(rho*g)", "initial": "0.4 m^3"},
                    "pipe": "1 hydraulic",
                    "valve": {"type": "R", "flow": "k*sign(e)*sqrt(abs(e))"},
                    "second": "0 hydraulic",
                    "tank2": {"type": "C", "capacitance": "A/(rho*g)", "initial": "100 l"},
                    "outlet": {"type": "R", "flow": "k*sign(e)*sqrt(abs(e))"},
                },
                "bonds": ["pump -> first -> pipe -> second -> outlet", "first -> tank1", "pipe -> valve",
                          "second -> tank2"],
            }
        },
        inputs={"tanks.pump": "1e-4*(1 + sin(t/10))"},
    )  # fmt: skip
    t = np.linspace(0, 100, 21)

    def law(t, V):
        P = 9810 * V / 0.5
        Q = 2e-5 * np.sqrt([P[0] - P[1], P[1]])
        return [1e-4 * (1 + np.sin(t / 10)) - Q[0], Q[0] - Q[1]]

    V = solved(law, [0.4, 0.1], t)
    run = cardan.simulate(model, times=t, **TOLERANCES)
    same(run, "tanks.tank1.x", V[0])
    same(run, "tanks.outlet.flow", 2e-5 * np.sqrt(9810 * V[1] / 0.5))


def test_heat_flows_between_two_bodies_in_entropy_bonds():
    """C Ṫ1 = −G (T1 − T2): closed form; entropy grows, energy stays, though no law is linear."""
    model = cardan.Model(
        parameters={"C1": "200 J/K", "C2": "50 J/K", "G": "2 W/K", "T0": "300 K"},
        let={"T1": "T0*exp(wall.body1.x/C1)", "T2": "T0*exp(wall.body2.x/C2)"},
        graphs={
            "wall": {
                "elements": {
                    "hot": "0 thermal",
                    "body1": {"type": "C", "effort": "T0*exp(x/C1)", "initial": 60},
                    "leaves": {"type": "Sf", "flow": "-G*(T1 - T2)/T1"},
                    "cold": "0 thermal",
                    "body2": {"type": "C", "effort": "T0*exp(x/C2)"},
                    "enters": {"type": "Sf", "flow": "G*(T1 - T2)/T2"},
                    "open": "1 thermal",
                    "none": {"type": "Sf", "flow": 0},
                },
                "bonds": ["leaves -> hot -> body1", "enters -> cold -> body2", "hot -> open -> cold", "none -> open"],
            }
        },
    )
    t = np.linspace(0, 60, 13)
    start = np.array([300 * np.exp(60 / 200), 300.0])
    mean = (200 * start[0] + 50 * start[1]) / 250
    decay = np.exp(-2 * (1 / 200 + 1 / 50) * t)
    T1 = mean + (start[0] - start[1]) * decay * 50 / 250
    T2 = mean - (start[0] - start[1]) * decay * 200 / 250
    run = cardan.simulate(model, times=t, **TOLERANCES)
    same(run, "wall.body1.effort", T1)
    same(run, "wall.body2.effort", T2)
    assert run["wall.body1.energy"].values == pytest.approx(200 * (T1 - start[0]), abs=1e-6)
    assert run["energy.total"].values == pytest.approx(0, abs=1e-6)
    assert (np.diff(run["wall.body1.x"].values + run["wall.body2.x"].values) > 0).all()


def test_a_symmetric_gyroscope_precesses_in_scalar_bonds():
    """Euler's equations as the ring of gyrators: ω_x + i ω_y turns at (Jz − Jx) ωz/Jx."""
    moduli = {"xy": "spin.Jz.p", "yz": "spin.Jx.p", "zx": "spin.Jy.p"}
    parts = dict.fromkeys(["wx", "wy", "wz"], "1 rotation")
    parts |= {f"J{k}": {"type": "I", "inertia": J, "initial": p} for k, J, p in
              (("x", 0.3, 0.06), ("y", 0.3, 0.0), ("z", 0.5, 4.5))}  # fmt: skip
    parts |= {name: {"type": "GY", "modulus": modulus} for name, modulus in moduli.items()}
    bonds = [f"w{k} -> J{k}" for k in "xyz"] + [f"w{a} -> {a}{b} -> w{b}" for a, b in ("xy", "yz", "zx")]
    model = cardan.Model(graphs={"spin": {"elements": parts, "bonds": bonds}})
    t = np.linspace(0, 3, 31)
    run = cardan.simulate(model, times=t, **TOLERANCES)
    rate = (0.5 - 0.3) / 0.3 * 9.0
    same(run, "spin.Jx.flow", 0.2 * np.cos(rate * t))
    same(run, "spin.Jy.flow", 0.2 * np.sin(rate * t))
    assert run["spin.Jz.flow"].values == pytest.approx(9.0, rel=1e-11)


ARM = {
    "parameters": {"m": "2 kg", "l": "0.5 m", "g": "9.81 m/s^2", "La": "1 mH", "Ra": "1 ohm", "Km": "0.5 N*m/A",
                   "Im": "1e-3 kg*m^2", "dm": "0.1 N*m*s", "r": 10},
    "gravity": [0, "-g", 0],
    "planar": "xy",
    "bodies": {"rod": {"mass": "m", "com": ["l", 0, 0], "inertia": [0, 0, "m*l**2/12"]}},
    "joints": {"hinge": {"type": "revolute", "parent": "ground", "child": "rod", "axis": "z", "damping": 0.2}},
}  # fmt: skip
DRIVE = {
    "elements": {
        "u": {"type": "Se"},
        "circuit": "1 electrical",
        "L": {"type": "I", "inertia": "La"},
        "R": {"type": "R", "resistance": "Ra"},
        "motor": {"type": "GY", "modulus": "Km"},
        "rotor": "1 rotation",
        "J": {"type": "I", "inertia": "Im"},
        "d": {"type": "R", "resistance": "dm"},
        "gear": {"type": "TF", "modulus": "1/r"},
        "arm": {"type": "port", "joint": "hinge", "domain": "rotation"},
    },
    "bonds": ["u -> circuit -> motor -> rotor -> gear -> arm", "circuit -> L, R", "rotor -> J, d"],
}


def test_a_motor_made_as_a_graph_against_hand_written_equations():
    """(m l² 13/12 + r² Im) q̈ = −m g l cos q + r Km i − (d + r² dm) q̇, L di/dt = u − R i − Km r q̇."""
    t = np.linspace(0, 2, 21)
    M = 2 * 0.25 * 13 / 12 + 100 * 1e-3

    def law(t, x):
        q, v, i = x
        return [v, (-2 * 9.81 * 0.5 * np.cos(q) + 5 * i - (0.2 + 10) * v) / M, (12 * np.sin(3 * t) - i - 5 * v) / 1e-3]

    x = solve_ivp(law, (0, 2), [0, 0, 0], method="LSODA", t_eval=t, rtol=1e-13, atol=1e-15).y
    run = cardan.simulate(
        cardan.Model(**ARM, graphs={"drive": DRIVE}, inputs={"drive.u": "12*sin(3*t)"}), times=t, **TOLERANCES
    )
    assert run["hinge.q"].values == pytest.approx(x[0], abs=1e-9)
    assert run["hinge.v"].values == pytest.approx(x[1], abs=1e-9)


CYLINDER = {
    "elements": {
        "pump": {"type": "Se", "effort": "80 bar"},
        "inlet": "1 hydraulic",
        "valve": {"type": "R", "flow": "3e-8*sign(e)*sqrt(abs(e))"},
        "chamber": "0 hydraulic",
        "oil": {"type": "C", "stiffness": "3e12 Pa/m^3"},
        "piston": {"type": "TF", "modulus": "1/area"},
        "boom": {"type": "port", "parent": "ground.foot", "child": "boom.eye"},
    },
    "bonds": ["pump -> inlet -> chamber -> piston -> boom", "inlet -> valve", "chamber -> oil"],
}
