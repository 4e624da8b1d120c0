"""Tops and stones that turn round on a plane: the tippe top and the rattleback."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import cardan
from cardan.formats.yaml import loads

G = 9.81


def turned(run, body):
    """Rotation matrices (N, 3, 3) of a body."""
    return Rotation.from_quat(run[f"{body}.orientation"].values[:, [1, 2, 3, 0]]).as_matrix()


def test_a_tippe_top_turns_over_and_keeps_jelletts_constant():
    """L · (from the centre of mass to the point of contact) stays, whatever the friction is (Jellett 1872).

    The point lies up to 1e-4 of the radius away from where the rigid sphere touches.
    """
    R, e, m, A, C = 0.02, 0.1, 0.015, 2.3e-6, 2.4e-6
    law = "stiffness: 1e6, damping: 20, friction: {coefficient: 0.3, regularize: 0.01}"
    top = loads(f"""
cardan: 1
bodies:
  ground: {{shapes: [{{name: floor, type: plane}}]}}
  top: {{mass: {m}, com: [0, 0, {-e * R}], inertia: [{A}, {A}, {C}], shapes: [{{type: sphere, radius: {R}}}]}}
joints: {{fly: {{type: free, parent: ground, child: top}}}}
contacts: {{floor: {{between: [top, ground], {law}}}}}
initial: {{fly: {{rpy: [0.1, 0, 0]}}, fly.z: {R}, fly.wz: 200}}
""")
    run = cardan.simulate(top, until=3.0)
    Q = turned(run, "top")
    axis = Q[:, :, 2]
    assert axis[0, 2] > 0.99
    assert axis[-1, 2] < -0.95
    w = run["top.angular_velocity"].values
    own = np.einsum("tji,tj->ti", Q, w) * [A, A, C]
    L = np.einsum("tij,tj->ti", Q, own)
    to_point = e * R * axis - [0, 0, R]
    jellett = np.sum(L * to_point, axis=1)
    assert jellett == pytest.approx(jellett[0], rel=2e-3)
    assert np.max(np.diff(run["energy.total"].values)) < 1e-9


def stone(skew, r=0.2, rim=0.05, height=0.02):
    """A rattleback whose lower side is the rim of a wheel about y; its inertia is skewed about the vertical."""
    m, A, B, C = 0.2, 6e-5, 5e-4, 5.5e-4  # light about the long axis x
    c, s = np.cos(skew), np.sin(skew)
    I = np.array([[A * c * c + B * s * s, (A - B) * c * s, 0], [(A - B) * c * s, A * s * s + B * c * c, 0], [0, 0, C]])
    return m, I, r, rim, height


def rates_of(m, I, r, rim, height):
    """(γ̇ and ω̇ of a stone that rolls, from its vertical γ and angular velocity in its own axes; where it touches)."""
    centre = np.array([0, 0, r - height])  # of the wheel from the centre of mass

    def point(g):
        flat = np.array([-g[0], 0, -g[2]])
        return centre + (r - rim) * flat / np.sqrt(flat @ flat) - rim * g

    def skewed(a):
        return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])

    def rates(_, y):
        g, w = y[:3], y[3:]
        dg = np.cross(g, w)
        p, dp = point(g), point(g + 1e-30j * dg).imag / 1e-30
        v = np.cross(p, w)
        push = m * (np.cross(dp, w) + np.cross(w, v) + G * g)
        left = I - m * skewed(p) @ skewed(p)
        return np.concatenate([dg, np.linalg.solve(left, np.cross(p, push) - np.cross(w, I @ w))])

    return rates, point


def test_a_rattleback_turns_its_spin_round():
    """Against the equations of a stone that rolls without slip (Walker 1896; Garcia & Hubbard 1988).

    It rocks with a growing amplitude before it turns, which multiplies what the yielding contact changes: 3 % of
    the spin and of the instant of the turn.
    """
    m, I, r, rim, height = stone(0.1)
    rates, point = rates_of(m, I, r, rim, height)
    Q = Rotation.from_euler("xyz", [0.01, 0.01, 0]).as_matrix()
    up, spin = Q.T @ [0, 0, 1], Q.T @ [0, 0, -5]
    v, lowest = Q @ np.cross(point(up), spin), -(Q @ point(up))[2]
    wheel = f"{{type: wheel, radius: {r}, rim: {rim}, position: [0, 0, {r - height}], rpy: [90 deg, 0, 0]}}"
    law = "stiffness: 1e9, damping: 0.2, friction: {coefficient: 3}"
    start = f"fly.z: {lowest}, fly.vx: {v[0]}, fly.vy: {v[1]}, fly.wz: -5, fly: {{rpy: [0.01, 0.01, 0]}}"
    model = loads(f"""
cardan: 1
bodies:
  ground: {{shapes: [{{name: floor, type: plane}}]}}
  stone: {{mass: {m}, inertia: [{I[0, 0]}, {I[1, 1]}, {I[2, 2]}, {I[0, 1]}, 0, 0], shapes: [{wheel}]}}
joints: {{fly: {{type: free, parent: ground, child: stone}}}}
contacts: {{floor: {{between: [stone, ground], {law}}}}}
initial: {{{start}}}
""")
    run = cardan.simulate(model, until=3.0)
    found = run["stone.angular_velocity"].values[:, 2]
    exact = solve_ivp(rates, (0, 3), [*up, *spin], rtol=1e-9, atol=1e-11, t_eval=np.linspace(0, 3, 601))
    spins = np.sum(exact.y[:3] * exact.y[3:], axis=0)
    turn = exact.t[np.argmax(spins > 0)]
    assert 2 < turn < 3
    assert run.t[np.argmax(found > 0)] == pytest.approx(turn, rel=0.03)
    early = exact.t < 0.8 * turn
    assert np.interp(exact.t, run.t, found)[early] == pytest.approx(spins[early], abs=0.2)
    assert np.max(found) > 1.5
