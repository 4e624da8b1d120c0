"""Bodies of modal data: beams by finite elements, the inertia of all their points, and laws of conservation."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from cardan.formulations.composite_body import mass_matrix
from cardan.kinematics.build import build
from cardan.kinematics.jacobian import jacobian
from cardan.kinematics.motion import motion
from tests.modal_files import HEIGHT, LENGTH, RHO, WIDTH, E, beam_fields, lump_fields, written

EI = E * WIDTH * HEIGHT**3 / 12
CLAMP = {"type": "fixed", "parent": "ground", "child": "rod"}


@pytest.fixture(scope="module")
def beam(tmp_path_factory) -> dict:
    """A clamped beam that bends in xz: two modes of its tip, four behind it."""
    return {"type": "modal", "file": written(tmp_path_factory.mktemp("beam") / "beam.npz", beam_fields())}


@pytest.fixture(scope="module")
def lump(tmp_path_factory) -> dict:
    """Six points of mass without any symmetry."""
    return {"type": "modal", "file": written(tmp_path_factory.mktemp("lump") / "lump.npz", lump_fields(6))}


@pytest.mark.parametrize("planar", ["xz", None])
def test_a_tip_load_bends_it_as_a_clamped_beam(beam, planar):
    """F L³/3EI and F L²/2EI of a tip force: the modes of an interface node hold its statics exactly.

    The rotation is 2 atan(θ/2) of the linear θ: 1e-10 of 1e-5 rad.
    """
    F = 1e-4 * 2 * EI / LENGTH**2
    load = {"type": "force", "child": "rod.tip", "value": [0, 0, F]}
    model = cardan.Model(
        gravity=[0, 0, 0],
        planar=planar,
        bodies={"rod": beam},
        joints={"clamp": CLAMP},
        forces={"load": load},
        initial={"equilibrium": True},
    )
    run = cardan.simulate(model, times=[0])
    assert run.array("rod.tip.position")[0, 2] == pytest.approx(F * LENGTH**3 / (3 * EI), rel=1e-8)
    assert -2 * run.array("rod.tip.orientation")[0, 2] == pytest.approx(1e-4, rel=1e-8)


def test_its_natural_frequencies_are_those_of_a_clamped_beam(beam):
    """(β L)² √(EI/ρA)/L² with cos βL cosh βL = −1; four fixed modes behind those of the tip give four to 0.2 %."""
    model = cardan.Model(gravity=[0, 0, 0], planar="xz", bodies={"rod": beam}, joints={"clamp": CLAMP})
    found = np.sort(np.abs(cardan.linearize(model).eigenvalues.imag))[::2][:4]
    beta = np.array([1.8751040687, 4.6940911330, 7.8547574382, 10.9955407349])
    np.testing.assert_allclose(found, beta**2 * np.sqrt(EI / (RHO * WIDTH * HEIGHT)) / LENGTH**2, rtol=2e-3)


FLY = {"fly": {"type": "free", "parent": "ground", "child": "plate"}}


@pytest.mark.parametrize("consistent", [False, True])
def test_its_inertia_is_that_of_all_points_of_the_file(tmp_path, consistent):
    """M of a flying body in a bent shape is Σ m Jᵀ J of the points in its file, which are markers here.

    Its own 13 points have the same integrals as these 20; a mass matrix of the points couples them.
    """
    fields = lump_fields(20)
    mass = np.diag(fields["mass"]) + (0.1 * np.outer(fields["mass"], fields["mass"]) if consistent else 0)
    fields |= {"mass": mass} if consistent else {}
    lump = {"type": "modal", "file": written(tmp_path / "lump.npz", fields)}
    tree = build(cardan.Model(bodies={"plate": lump}, joints=FLY))
    rng = np.random.default_rng(5)
    q, v = rng.uniform(-0.2, 0.2, 10), rng.normal(size=9)
    q[3:7] /= np.linalg.norm(q[3:7])
    state = motion(tree, ca.DM(q), ca.DM(v))
    J = [np.array(jacobian(tree, state, tree.places[f"plate.{name}"]))[3:] for name in fields["interfaces"]]
    expected = np.einsum("pr,pia,rib->ab", mass, J, J)
    np.testing.assert_allclose(mass_matrix(tree, state), expected, rtol=0, atol=1e-13 * np.abs(expected).max())


def test_a_body_that_spins_and_bends_keeps_energy_and_momenta(lump):
    """Momenta Σ m v and Σ m r × v of the points in the file, in 1 s with some ten vibrations, to 1e-8 of their size."""
    fields = lump_fields(6)
    start = {"fly.wx": 3, "fly.wz": 5, "fly.vy": 0.4, "plate_modes.q1": 0.05}
    model = cardan.Model(gravity=[0, 0, 0], bodies={"plate": lump}, joints=FLY)
    run = cardan.simulate(model, until=1, initial=start, rtol=1e-10)
    r, v = (
        np.array([run.array(f"plate.{n}.{what}") for n in fields["interfaces"]]) for what in ("position", "velocity")
    )
    p, L = (np.einsum("p,pti->ti", fields["mass"], x) for x in (v, np.cross(r, v)))
    for found in (p, L, run.array("energy.total")):
        assert np.ptp(found, axis=0).max() < 1e-8 * np.abs(found).max()
    assert np.ptp(run.array("plate_modes.q1.q")) > 0.05
    assert np.ptp(run.array("energy.kinetic")) > 0.01 * run.array("energy.total")[0]


@pytest.mark.parametrize("ends", ["open", "closed"])
def test_formulations_and_laws_agree(lump, ends):
    """A modal body that carries others at its nodes, or closes a loop with them, obeys every law of `cardan.verify`."""
    joints = FLY | {
        "hinge": {"type": "revolute", "axis": "y", "parent": "plate.p0", "child": "arm", "cut": ends == "closed"},
        "ball": {"type": "spherical", "parent": "plate.p5", "child": "arm"},
    }
    if ends == "open":
        joints["ball"] |= {"child": "knob"}
    body = {"mass": 0.7, "com": [0.1, 0.2, 0], "inertia": [0.01, 0.02, 0.02]}
    bodies = {"plate": lump | {"damping_ratio": 0.02}, "arm": body} | ({"knob": body} if ends == "open" else {})
    spring = {"type": "spring_damper", "parent": "ground", "child": "plate.p3", "stiffness": 50, "damping": 1}
    report = cardan.verify(cardan.Model(bodies=bodies, joints=joints, forces={"spring": spring | {"rest_length": 0.5}}))
    assert report.ok, report
    assert len(report.left_out) == 2  # formulations whose links have coordinates of their own


def test_it_slews_as_a_rod_of_segments(beam):
    """A slow slewing motion, 1 rad in 2 s: the tip's lag behind the hub is 3 mm, and alike to 1 % of it.

    Linear modes have no stiffening by the spin, ω²/ω₁² = (0.94/21)² = 2e-3; 12 segments are 2e-4 off.
    """
    hub = {"type": "revolute", "parent": "ground", "child": "rod", "axis": "y"}
    rod = {"type": "flexible", "length": LENGTH, "segments": 12, "material": "steel"}
    rod |= {"section": {"type": "rectangle", "width": WIDTH, "height": HEIGHT}}
    lag = []
    for body in (beam, rod | {"markers": {"tip": {"position": [LENGTH, 0, 0]}}}):
        model = cardan.Model(
            gravity=[0, 0, 0],
            planar="xz",
            bodies={"rod": body},
            joints={"hub": hub},
            motions={"hub": {"profile": "quintic", "points": [["0 s", 0], ["2 s", 1]]}},
        )
        run = cardan.simulate(model, times=np.linspace(0, 3, 61))
        angle, tip = run.array("hub.q"), run.array("rod.tip.position")
        lag.append(tip[:, 0] * np.sin(angle) + tip[:, 2] * np.cos(angle))
    assert np.abs(lag[1]).max() > 3e-3
    np.testing.assert_allclose(lag[0], lag[1], rtol=0, atol=0.01 * np.abs(lag[1]).max())


def test_a_body_without_inertia_about_its_line_is_refused_before_it_flies(beam):
    """Bent it has some, straight it has none: the first acceleration would be 0/0."""
    model = cardan.Model(bodies={"rod": beam}, joints={"fly": {"type": "free", "parent": "ground", "child": "rod"}})
    with pytest.raises(ModelError, match=r"joints\.fly: the mass matrix is singular: coordinate 'fly\.wx'"):
        cardan.simulate(model, until=0.1)
