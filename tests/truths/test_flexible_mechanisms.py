"""Mechanisms with a coupler that bends, crank at constant speed, against assumed modes in the coupler's frame."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan

R, L, WIDTH, HEIGHT, E, RHO, SPEED = 0.15, 0.5, 5e-3, 20e-3, 210e9, 7850.0, 40.0
ROCKER, BASE = 0.4, 0.45  # lengths of the four-bar [m]


def deflection(times, mass, phi, normal, modes=2):
    """Deflection of the middle of a pinned rod (n,) [m], straight at the start: w = Σ a sin(iπx/L).

    Points are at A + (x − s) e₁ + w e₂ with the foreshortening s = ½ ∫ w'² dx, by which the load along the rod acts;
    their accelerations, projected on the modes (d'Alembert), balance E I w''''. The end B moves across normal(t, B)
    and has a mass; the angle phi of the chord follows from that. The mechanism of Chu & Pan 1975, J. Eng. Ind. 97:550.
    """
    i, (u, weights) = np.arange(1, modes + 1), np.polynomial.legendre.leggauss(16)
    x = np.append((u + 1) / 2, 1) * L
    masses = np.append(RHO * WIDTH * HEIGHT * weights * L / 2, mass)
    shape, both = np.sin(np.pi * np.outer(i, x) / L), np.array([i[:, None] - i, i[:, None] + i])[..., None]
    bend = (x / 2 * np.sinc(both * x / L)).sum(0) * np.multiply.outer(
        np.outer(i, i) * (np.pi / L) ** 2, np.ones_like(x)
    )
    stiffness = E * HEIGHT * WIDTH**3 / 12 * (np.pi * i / L) ** 4 * L / 2

    def velocity(t, a, phi, rates):
        """Velocities (2, n) of the points, and of the chord's angle."""
        along, across = np.array([np.cos(phi), np.sin(phi)]), np.array([-np.sin(phi), np.cos(phi)])
        crank = R * np.array([np.cos(SPEED * t), np.sin(SPEED * t)])
        turning = SPEED * np.array([-crank[1], crank[0]])
        s, s_rate = np.einsum("imk,i,m", bend, a, a) / 2, np.einsum("imk,i,m", bend, a, rates)
        n = normal(crank + (L - s[-1]) * along)
        turn = -n @ (turning - s_rate[-1] * along) / ((L - s[-1]) * n @ across)
        forward, sideways = -s_rate - turn * (a @ shape), rates @ shape + turn * (x - s)
        return turning[:, None] + np.outer(along, forward) + np.outer(across, sideways), turn

    def law(t, y):
        a, phi, rates = y[:modes], y[modes], y[modes + 1 :]
        v, turn = velocity(t, a, phi, rates)
        J = np.array([velocity(t, a, phi, rates + unit)[0] - v for unit in np.eye(modes)])
        h = 1e-30j  # complex step: accelerations without those of the modes
        bias = velocity(t + h, a + h * rates, phi + h * turn, rates)[0].imag / abs(h)
        M = np.einsum("idk,jdk,k", J, J, masses)
        return [*rates, turn, *np.linalg.solve(M, -stiffness * a - np.einsum("idk,dk,k", J, bias, masses))]

    y = np.zeros(2 * modes + 1)
    y[modes] = phi
    run = solve_ivp(law, (0, times[-1]), y, t_eval=times, rtol=1e-6, atol=1e-8, method="DOP853")
    return np.sin(np.pi * i / 2) @ run.y[:modes]


def mechanism(segments, bodies, joints, initial):
    """A crank of constant speed about the origin and a rod that bends, at its pin; the rod starts as a rigid one."""
    rod = {"type": "flexible", "length": L, "segments": segments, "material": "steel"}
    rod |= {"section": {"type": "rectangle", "width": WIDTH, "height": HEIGHT}}
    rod |= {"markers": {"mid": {"position": [L / 2, 0, 0]}, "end": {"position": [L, 0, 0]}}}
    pins = {
        "crank": {"type": "revolute", "parent": "ground", "child": "crank", "axis": "z"},
        "pin": {"type": "revolute", "parent": "crank.pin", "child": "rod", "axis": "z"},
    }
    crank = {"mass": 1, "inertia": [0, 0, 1e-3], "markers": {"pin": {"position": [R, 0, 0]}}}
    return cardan.Model(
        planar="xy",
        gravity=[0, 0, 0],
        bodies={"crank": crank, "rod": rod} | bodies,
        joints=pins | joints,
        motions={"crank": f"{SPEED}*t"},
        outputs={
            "sag": "((rod.end.x - rod.position.x)*(rod.mid.y - rod.position.y)"
            " - (rod.end.y - rod.position.y)*(rod.mid.x - rod.position.x))/"
            "hypot(rod.end.x - rod.position.x, rod.end.y - rod.position.y)"
        },
        initial=initial,
    )


def slider_crank(segments):
    """A slider of 0.3 kg on the x axis, and its reference: mass at B, angle of the chord, direction closed to B."""
    model = mechanism(
        segments,
        {"slider": {"mass": 0.3}},
        {
            "guide": {"type": "prismatic", "parent": "ground", "child": "slider", "axis": "x"},
            "wrist": {"type": "revolute", "parent": "rod.end", "child": "slider", "axis": "z"},
        },
        {"guide": {"guess": R + L}},
    )
    return model, (0.3, 0.0, lambda B: np.array([0, 1]))


def four_bar(segments):
    """A rocker of 0.02 kg m² about (BASE, 0), above the x axis; its inertia is a mass at B."""
    chord = np.arccos((L**2 + (BASE - R) ** 2 - ROCKER**2) / (2 * L * (BASE - R)))
    start = np.pi - np.arccos((ROCKER**2 + (BASE - R) ** 2 - L**2) / (2 * ROCKER * (BASE - R)))
    model = mechanism(
        segments,
        {"rocker": {"mass": 1, "inertia": [0, 0, 0.02], "markers": {"end": {"position": [ROCKER, 0, 0]}}}},
        {
            "hinge": {
                "type": "revolute",
                "parent": {"body": "ground", "position": [BASE, 0, 0]},
                "child": "rocker",
                "axis": "z",
            },
            "wrist": {"type": "revolute", "parent": "rod.end", "child": "rocker.end", "axis": "z"},
        },
        {"hinge": {"guess": start}, "pin": {"guess": chord}},
    )
    return model, (0.02 / ROCKER**2, chord, lambda B: B - [BASE, 0])


@pytest.mark.parametrize("mechanism", [slider_crank, four_bar])
def test_a_coupler_bends_as_assumed_modes(mechanism):
    """Half a revolution: below 3 % of the largest deflection at 8 segments (0.2 % and 0.5 % at 16).

    The error falls with the third power of a segment.
    """
    times = np.linspace(0, np.pi / SPEED, 121)
    errors = []
    for segments in (4, 8):
        model, reference = mechanism(segments)
        exact = deflection(times, *reference)
        found = cardan.simulate(model, times=times, rtol=1e-6, atol=1e-7).array("sag")
        errors.append(np.abs(found - exact).max() / np.abs(exact).max())
    assert errors[1] < 3e-2
    assert errors[0] > 5 * errors[1]
