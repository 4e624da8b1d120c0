"""Flexible bodies against theories of beams: closed forms, elastica, natural frequencies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_bvp

import cardan

L, B, T, E, RHO = 1.2, 0.03, 0.006, 210e9, 7850.0
EI, EA = E * B * T**3 / 12, E * B * T
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
