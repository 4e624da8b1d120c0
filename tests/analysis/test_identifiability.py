"""Base parameters: their number by textbooks and by energies written out here, and their names.

The independent count takes the energy instead of the efforts (Gautier & Khalil 1990): E = Σ h_k(q, v) π_k, so the base
parameters are as many as the independent columns of h, each less its value in one state.
"""

from pathlib import Path

import numpy as np
import pytest

import cardan
from tests.mechanisms import random_closed, random_model
from tests.selection import each, few

PUMA = Path(__file__).parents[1] / "truths" / "models" / "puma560.yaml"
G = 9.81
EQUAL = 1e-9  # efforts by base parameters: least squares with a condition number below 1e4


def rank_of(columns):
    """Rank of a matrix whose columns may have any unit."""
    lengths = np.linalg.norm(columns, axis=0)
    return np.linalg.matrix_rank(columns / np.where(lengths > 1e-9 * lengths.max(), lengths, np.inf), tol=1e-8)


def energy_columns(R, p, w, v, g):
    """h (10,) with T + Π = h π of a body at p with axes R, which turns at w while its origin moves at v (world)."""
    w_B = R.T @ w
    x, y, z = w_B
    moments = R.T @ np.cross(v, w) - R.T @ g
    return [v @ v / 2 - g @ p, *moments, x * x / 2, y * y / 2, z * z / 2, x * y, x * z, y * z]


def count_by_energy(model):
    """Number of base parameters of an open tree from the poses and Jacobians of its bodies."""
    dyn = cardan.compile(model, motors="none")
    g = np.array([float(entry.value) for entry in model.gravity])
    rng = np.random.default_rng(4)
    rows = []
    for _ in range(40 * len(model.bodies)):
        q, rate = rng.uniform(-2, 2, (2, dyn.system.tree.nv))
        row = []
        for body, T in dyn.forward_kinematics(q).items():
            twist = dyn.jacobian(q, body) @ rate
            row += energy_columns(T[:3, :3], T[:3, 3], twist[:3], twist[3:], g)
        rows.append(row)
    return rank_of(np.array(rows) - rows[0])


@each(
    "gravity, count",
    [
        ([0, 0, -G], 36),
        ([G, 0, 0], 38),
    ],
)
def test_the_puma_has_as_many_as_published(gravity, count):
    puma = cardan.load(PUMA).replace(gravity=gravity, motors={})
    found = cardan.base_parameters(puma)
    assert len(found) == count == count_by_energy(puma)
    assert found.condition < 1e4


@pytest.mark.parametrize("gravity", [[0, 0, -G], [0, -G, 0]])
def test_the_arms_of_the_gallery_have_as_many_as_by_energy(gravity):
    for name in ("manipulator_3dof", "manipulator_6dof", "scara"):
        model = cardan.load(name).replace(gravity=gravity, planar=None)
        assert len(cardan.base_parameters(model)) == count_by_energy(model), name


def test_two_links_have_six_in_the_vertical_plane_and_four_in_the_horizontal_one():
    """Khalil & Dombre 2002, §9.4: gravity shows the inner link's centre of mass, which turns about a fixed axis."""
    arm = cardan.load("planar_manipulator")
    assert [str(entry) for entry in cardan.base_parameters(arm).parameters] == [
        "link1.mx + l1*link2.mass",
        "link1.my",
        "link1.Izz + l1**2*link2.mass",
        "link2.mx",
        "link2.my",
        "link2.Izz",
    ]
    flat = cardan.base_parameters(arm.replace(gravity=[0, 0, 0]))
    assert [str(entry) for entry in flat.parameters] == [
        "link1.Izz + l1**2*link2.mass",
        "link2.mx",
        "link2.my",
        "link2.Izz",
    ]
    assert "link1.mass" in flat.without_effect


def test_values_are_sums_of_the_bodies_own():
    found = cardan.base_parameters(cardan.load("planar_manipulator"))
    values = {str(entry): entry.value for entry in found.parameters}
    assert values["link1.Izz + l1**2*link2.mass"] == pytest.approx(1 / 24 + 2 * 0.25**2 + 0.5**2 * 1.5, rel=1e-9)
    assert found.parameters[2].terms["link2.mass"] == pytest.approx(0.25, rel=1e-9)
    longer = cardan.base_parameters(cardan.load("planar_manipulator"), {"l1": 1.0})
    assert longer.parameters[2].terms["link2.mass"] == pytest.approx(1, rel=1e-9)
    assert str(longer.parameters[2]) == "link1.Izz + l1**2*link2.mass"


def crank_energies(l1, l2, states):
    """h of the slider-crank by hand: crank, rod and slider in the plane, gravity −y, per inertial parameter."""
    rows = []
    for theta, rate in states:
        phi = -np.arcsin(l1 * np.sin(theta) / l2)  # of the rod from the x axis
        phi_rate = -l1 * np.cos(theta) * rate / (l2 * np.cos(phi))
        pin = l1 * np.array([np.cos(theta), np.sin(theta), 0])
        pin_v = l1 * rate * np.array([-np.sin(theta), np.cos(theta), 0])
        x_v = pin_v[0] - l2 * np.sin(phi) * phi_rate
        row = []
        for angle, turn, p, v in (
            (theta, rate, np.zeros(3), np.zeros(3)),
            (phi, phi_rate, pin, pin_v),
            (0.0, 0.0, np.zeros(3), np.array([x_v, 0, 0])),
        ):
            c, s = np.cos(angle), np.sin(angle)
            R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
            row += energy_columns(R, p, np.array([0, 0, turn]), v, np.array([0, -G, 0]))
        rows.append(row)
    return np.array(rows) - rows[0]


def test_the_slider_crank_has_as_many_as_its_energy_by_hand():
    states = np.random.default_rng(8).uniform(-2, 2, (200, 2))
    found = cardan.base_parameters(cardan.load("slider_crank"))
    assert len(found) == rank_of(crank_energies(0.2, 0.5, states)) == 6
    assert "slider.mass + 1/l2**2*rod.Izz" in [str(entry) for entry in found.parameters]
    assert {"slider.Izz", "rod.mz", "crank.mass"} <= set(found.without_effect)


@pytest.mark.parametrize(
    "model", few([random_model(3, motors=False, forces=False), cardan.load("slider_crank"), random_closed(4)], 2)
)
def test_they_decide_the_efforts_along_the_motions_that_loops_allow(model):
    """Nᵀ Y π = Nᵀ Y_base π_base for random π: whatever has no part in the base parameters does no work."""
    from cardan.analysis.identifiability import _Observation
    from cardan.model.quantities.parameters import resolve
    from cardan.system import build_system

    found = cardan.base_parameters(model)
    observation = _Observation(build_system(model, "none"))
    W = observation.at({name: float(x) for name, x in resolve(model.parameters).items()}, seed=99)
    pi = dict(zip(observation.names, np.random.default_rng(9).uniform(0, 1, len(observation.names)), strict=True))
    base = [sum(factor * pi[name] for name, factor in entry.terms.items()) for entry in found.parameters]
    expected = W @ np.array(list(pi.values()))
    np.testing.assert_allclose(
        W[:, list(found.columns)] @ base, expected, rtol=0, atol=EQUAL * np.max(np.abs(expected))
    )
