"""Flexible bodies against theories of beams: closed forms, elastica, natural frequencies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import simpson, solve_bvp, solve_ivp
from scipy.linalg import eigh
from scipy.optimize import fsolve
from scipy.spatial.transform import Rotation

import cardan

L, B, T, E, RHO = 1.2, 0.03, 0.006, 210e9, 7850.0
EI = E * B * T**3 / 12
PLANE = {"axis": "y"}


def rod(segments: int, **keys) -> dict:
    """A flat steel rod that bends in the plane xz, with a marker at its tip."""
    section = {"type": "rectangle", "width": B, "height": T}
    body = {"type": "flexible", "length": L, "segments": segments, "section": section, "material": "steel"}
    return body | {"markers": {"tip": {"position": [L, 0, 0]}}} | keys


def cantilever(segments: int, load: dict, **model) -> cardan.Model:
    """A clamped rod with a load at its tip, at rest."""
    return cardan.Model(
        **{"gravity": [0, 0, 0], "planar": "xz"} | model,
        bodies={"rod": rod(segments)},
        joints={"clamp": {"type": "fixed", "parent": "ground", "child": "rod"}},
        forces={"load": {"child": "rod.tip"} | load},
        initial={"equilibrium": True},
    )


@pytest.mark.parametrize("segments", [2, 3, 8])
@pytest.mark.parametrize("planar", ["xz", None])
def test_small_deflections_are_exact_from_two_segments_on(segments, planar):
    """F L³/3EI + F L/kGA of a tip force, M L²/2EI and M L/EI of a moment (Young, Budynas & Sadegh 2012, table 8.1)."""
    F = 1e-3  # deflections of 1e-6 L, whose squares are round-off
    k_G_A = 5 / 6 * E / 2.6 * B * T
    run = cardan.simulate(cantilever(segments, {"type": "force", "value": [0, 0, F]}, planar=planar), times=[0])
    assert run.array("rod.tip.position")[0, 2] == pytest.approx(F * L**3 / (3 * EI) + F * L / k_G_A, rel=1e-8)
    run = cardan.simulate(cantilever(segments, {"type": "torque", "value": [0, -F, 0]}, planar=planar), times=[0])
    assert run.array("rod.tip.position")[0, 2] == pytest.approx(F * L**2 / (2 * EI), rel=1e-8)
    assert -2 * run.array("rod.tip.orientation")[0, 2] == pytest.approx(F * L / EI, rel=1e-8)


def elastica(alpha: float) -> np.ndarray:
    """Tip (2,) over the length of a clamped inextensible rod, alpha = F L²/EI of a force across it: θ'' = −α cos θ."""
    solved = solve_bvp(
        lambda s, y: [y[1], -alpha * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])],
        lambda a, b: [a[0], b[1], a[2], a[3]],
        np.linspace(0, 1, 200),
        np.vstack([np.linspace(0, 1, 200), np.ones(200), np.linspace(0, 1, 200), np.zeros(200)]),
        tol=1e-10,
        max_nodes=100000,
    )
    assert solved.success
    return solved.y[2:, -1]


def test_a_rod_bends_into_the_elastica():
    """A force of 10 EI/L² turns the tip by more than 80°; the error falls with the second power of a segment."""
    force, exact = 10 * EI / L**2, elastica(10.0)
    errors = []
    for segments in (8, 16):
        model = cantilever(segments, {"type": "force", "value": [0, 0, force]})
        tip = cardan.simulate(model, times=[0]).array("rod.tip.position")[0, [0, 2]] / L
        errors.append(np.linalg.norm(tip - exact))
    assert exact == pytest.approx([0.4446, 0.8106], abs=1e-3)  # Mattiasson 1981: u = 0.55500, w = 0.81061
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] > 3.5


SUPPORTS = {
    "free": ([], [1.875104069, 4.694091133, 7.854757438]),
    "pinned": (["b"], [3.926602312, 7.068582746, 10.210176123]),
    "both pinned": (["a", "b"], [np.pi, 2 * np.pi, 3 * np.pi]),
    "both clamped": (["c"], [4.730040745, 7.853204624, 10.995607838]),
}


def frequencies(segments: int, hinges: list[str], count: int) -> np.ndarray:
    """The lowest angular frequencies of a rod, clamped at the origin if there is no hinge `a`."""
    ends = {"a": {"parent": "ground", "child": "rod"}}
    ends |= {
        name: {"parent": {"body": "ground", "position": [L, 0, 0]}, "child": "rod.tip"}
        for name in hinges
        if name != "a"
    }
    kinds = {name: {"type": "revolute", "axis": "y"} if name in hinges else {"type": "fixed"} for name in "ab"}
    joints = {name: place | (kinds | {"c": {"type": "fixed"}})[name] for name, place in ends.items()}
    model = cardan.Model(gravity=[0, 0, 0], planar="xz", bodies={"rod": rod(segments)}, joints=joints)
    found = np.linalg.eigvals(np.asarray(cardan.linearize(model).A)).imag
    return np.sort(found[found > 1])[:count]


@pytest.mark.parametrize("supports", SUPPORTS)
def test_natural_frequencies(supports):
    """Within 0.5 % at 16 segments (βL: Young, Budynas & Sadegh 2012, table 16.1); errors fall with the third power.

    Shear and rotary inertia lessen the frequency of the third mode by 0.03 %: π² n² T²/24 L² (1 + E/kG).
    """
    hinges, beta = SUPPORTS[supports]
    exact = (np.array(beta) / L) ** 2 * np.sqrt(EI / (RHO * B * T))
    coarse, fine = (frequencies(n, hinges, 3) / exact - 1 for n in (8, 16))
    np.testing.assert_allclose(fine, 0, rtol=0, atol=5e-3)
    assert np.abs(coarse).max() > 6 * np.abs(fine).max()


def test_a_rod_that_is_spun_up_stiffens():
    """Kane, Ryan & Banerjee 1987, J. Guidance 10:139, with the numbers of Simo & Vu-Quoc 1986.

    Against four modes of the clamped rod with the stiffness of the centrifugal force. The tip stays behind by 0.574 m
    of 10 m at most; a rod that did not stiffen would go on bending.
    """
    T, W, length, ei, per_length = 15.0, 6.0, 10.0, 1.4e4, 1.2
    b = np.array([1.875104068712, 4.694091132974, 7.854757438238, 10.995540734875])[:, None]
    x = np.linspace(0, 1, 2001)
    phi = np.sin(b * x) - np.sinh(b * x)
    phi += (np.sin(b) + np.sinh(b)) / (np.cos(b) + np.cosh(b)) * (np.cosh(b * x) - np.cos(b * x))
    slope, r = np.gradient(phi, x * length, axis=1, edge_order=2), x * length
    M = per_length * simpson(phi[:, None] * phi, x=r)
    K = np.diag(np.diag(M) * (b[:, 0] / length) ** 4 * ei / per_length)
    G = per_length * simpson((length**2 - r**2) / 2 * slope[:, None] * slope, x=r) - M
    drag = per_length * simpson(phi * r, x=r)

    def law(t, y):
        speed, rate = W / T * (t - T / (2 * np.pi) * np.sin(2 * np.pi * t / T)), W / T * (1 - np.cos(2 * np.pi * t / T))
        return [*y[4:], *np.linalg.solve(M, -(K + speed**2 * G) @ y[:4] - rate * drag)]

    times = np.linspace(0, 10, 101)
    exact = phi[:, -1] @ solve_ivp(law, (0, 10), np.zeros(8), t_eval=times, rtol=1e-8, atol=1e-10).y[:4]
    body = rod(8, length=length, section={"area": 4e-4, "Iy": 2e-7, "Iz": 2e-7, "J": 4e-7})
    body |= {"material": {"youngs_modulus": 7e10, "poisson_ratio": 0.3, "density": 3000}}
    body |= {"markers": {"tip": {"position": [length, 0, 0]}}}
    model = cardan.Model(
        planar="xy",
        gravity=[0, 0, 0],
        bodies={"rod": body},
        joints={"hub": {"type": "revolute", "axis": "z", "parent": "ground", "child": "rod"}},
        motions={"hub": f"{W / T}*(t**2/2 + ({T}/(2*pi))**2*(cos(2*pi*t/{T}) - 1))"},
    )
    run = cardan.simulate(model, times=times)
    angle, (tip_x, tip_y, _) = run.array("hub.q"), run.array("rod.tip.position").T
    behind = tip_y * np.cos(angle) - tip_x * np.sin(angle)
    assert exact.min() == pytest.approx(-0.574, abs=1e-3)
    np.testing.assert_allclose(behind, exact, rtol=0, atol=0.01 * 0.574)  # 0.9 % at 8 segments, 0.2 % at 16


def test_frequencies_of_a_spinning_rod():
    """Bending in the plane of rotation, at γ = Ω L² √(ρA/EI); figures of Wright et al. 1982 at second hand.

    Against Ritz with polynomials and the stiffness of the centrifugal force; out of the plane there is γ² more of ω².
    The rod is linearized where it turns steadily: its middle hinge is stretched by N L/EA, N = ∫ ρA Ω² x dx beyond it.
    Without this stretch the first frequency at γ = 10 is 24 % off.
    """
    i, scale = np.arange(2, 12)[:, None], np.sqrt(RHO * B * T * L**4 / EI)
    M, K = 1 / (i + i.T + 1), i * (i - 1) * i.T * (i.T - 1) / (i + i.T - 3)
    tension = i * i.T / 2 * (1 / (i + i.T - 1) - 1 / (i + i.T + 1))
    models = [
        cardan.Model(
            gravity=[0, 0, 0],
            planar="xz",
            parameters={"W": 0},
            bodies={"rod": rod(segments)},
            joints={"hub": PLANE | {"type": "revolute", "parent": "ground", "child": "rod"}},
            motions={"hub": "W*t"},
        )
        for segments in (8, 16)
    ]
    for spin, published in {2: 4.1373, 5: 6.4495, 10: 11.2023}.items():
        across = eigh(K + spin**2 * tension, M, eigvals_only=True)[:3]
        assert np.sqrt(across[0]) == pytest.approx(published, abs=1e-4)
        steady = {"parameters": {"W": spin / scale}, "equilibrium": True}
        points = [cardan.linearize(model, **steady) for model in models]
        spun = [np.asarray(point.A) for point in points]
        stretch = [point.x[f"rod_bend{n // 2 + 1}.x.q"] for point, n in zip(points, (8, 16), strict=True)]
        wanted = [RHO * L**3 / E * (1 - (0.5 + 0.5 / n) ** 2) / 2 * (spin / scale) ** 2 for n in (8, 16)]
        assert stretch == pytest.approx(wanted, rel=2e-4)  # what is stretched pulls more, by Ω² L² ρ/E = 1e-4 at γ = 10
        found = [np.sort(np.linalg.eigvals(A).imag)[-len(A) // 2 :][:3] * scale for A in spun]
        coarse, fine = (np.abs(each / np.sqrt(across - spin**2) - 1).max() for each in found)
        assert fine < 1e-2  # 0.07 %, 0.2 % and 0.7 %
        assert coarse > 3.5 * fine


def test_the_princeton_beam():
    """Dowell & Traybar 1975: a flat rod under a tip load between its axes, which bends, twists and comes closer.

    Against Kirchhoff's rod, κ = K⁻¹ Rᵀ m, m' = −r' × f, by shooting; with the numbers of Bauchau et al. 2016,
    J. Comput. Nonlinear Dyn. 11:034508.
    """
    length, b, h, e, nu = 0.508, 3.2024e-3, 12.77e-3, 71.7e9, 0.31
    J = h * b**3 * (1 / 3 - 0.21 * b / h * (1 - (b / h) ** 4 / 12))
    stiffness = e * np.array([J / (2 + 2 * nu), b * h**3 / 12, h * b**3 / 12])
    force = 13.345 / np.sqrt(2) * np.array([0, 1, -1])

    def rates(_, y):
        R = Rotation.from_quat(y[3:7], scalar_first=True).as_matrix()
        k = R.T @ y[7:] / stiffness
        w, v = y[3], y[4:7]
        return [*R[:, 0], -v @ k / 2, *(w * k + np.cross(v, k)) / 2, *-np.cross(R[:, 0], force)]

    def end(m):
        return solve_ivp(rates, (0, length), [0, 0, 0, 1, 0, 0, 0, *m], rtol=1e-9, atol=1e-12).y[:, -1]

    exact = end(fsolve(lambda m: end(m)[7:], np.cross([length, 0, 0], force)))
    body = {"type": "flexible", "length": length, "section": {"type": "rectangle", "width": b, "height": h}}
    body |= {"material": {"youngs_modulus": e, "poisson_ratio": nu, "density": 2700}}
    model = cardan.Model(
        gravity=[0, 0, 0],
        bodies={"rod": body | {"markers": {"tip": {"position": [length, 0, 0]}}}},
        joints={"clamp": {"type": "fixed", "parent": "ground", "child": "rod"}},
        forces={"load": {"type": "force", "child": "rod.tip", "value": force.tolist()}},
        initial={"equilibrium": True},
    )
    run = cardan.simulate(model, times=[0])
    shift, wanted = run.array("rod.tip.position")[0] - [length, 0, 0], exact[:3] - [length, 0, 0]
    assert np.linalg.norm(shift - wanted) < 1e-3 * np.linalg.norm(wanted)  # 0.07 % at 8 segments, 0.015 % at 16
    assert run.array("rod.tip.orientation")[0, 1] == pytest.approx(exact[4], rel=1e-2)  # 0.8 %


def test_rods_without_damping_cost_no_more_with_auto_than_with_order_5():
    """Order 8 wins its trial, and then has to follow the fast vibrations; at 1e-2 they grow, and the advice says so."""
    straight = cantilever(16, {"type": "force", "value": [0, 0, -10]}).replace(initial={})
    steps = {}
    for method in ("auto", "tsit5"):
        run = cardan.simulate(straight, until=0.5, times=[0, 0.5], rtol=1e-4, atol=1e-5, method=method)
        steps[method] = run.statistics["evaluations"]
    assert steps["auto"] < 1.1 * steps["tsit5"]
    lost = cardan.simulate(straight, until=0.5, rtol=1e-2, atol=1e-3)
    assert lost.ok or "if rtol is above 1e-4 take a smaller one" in str(lost)
