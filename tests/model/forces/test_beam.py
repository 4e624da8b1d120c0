"""The beam keeps the contract of forces."""

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from cardan.model.forces.beam import Beam
from tests.contracts.force_contract import ENDS, ForceContract


class TestBeam(ForceContract):
    sample = Beam(
        **ENDS,
        length=0.6,
        youngs_modulus=2,
        shear_modulus=0.8,
        area=1.5,
        Iy=0.3,
        Iz=0.2,
        J=0.4,
        shear_factor="5/6",
        damping_ratio="5 %",
        frequency="2 Hz",
    )


def cantilever(shear_factor, load, **keys):
    """Tip position and rotation vector of one beam that carries a body, with a small load at rest."""
    law = {"length": 2, "youngs_modulus": E, "shear_modulus": G, "area": A, "Iy": IY, "Iz": IZ, "J": J} | keys
    model = cardan.Model(
        gravity=[0, 0, 0],
        bodies={"block": {"mass": 1, "inertia": [1, 1, 1]}},
        joints={"fly": {"type": "free", "parent": "ground", "child": "block"}},
        forces={
            "rod": {"type": "beam", "child": "block", "shear_factor": shear_factor} | law,
            "load": {"type": "force", "child": "block", "value": load},
        },
        initial={"fly.x": {"guess": 2}, "equilibrium": True},
    )
    run = cardan.simulate(model, times=[0])
    _, *xyz = run.array("block.orientation")[0]
    return run.array("block.position")[0] - [2, 0, 0], 2 * np.array(xyz)


E, G, A, IY, IZ, J = 2e11, 8e10, 1e-2, 3e-6, 5e-6, 4e-6
LOAD = 10.0  # N: the deflection is 1e-5 of the length, and what is of higher degree in it is 1e-10


@pytest.mark.parametrize("k", [0, 0.8])
def test_a_tip_force_bends_a_clamped_beam_as_in_the_theory(k):
    """F L³/3EI + F L/kGA, turned by F L²/2EI; F L/EA along the beam (Young, Budynas & Sadegh 2012, table 8.1)."""
    shear = LOAD * 2 / (k * G * A) if k else 0.0
    for axis, other, sign, moment in ((1, 2, 1, IZ), (2, 1, -1, IY)):
        load = [0, 0, 0]
        load[axis] = LOAD
        shift, turn = cantilever(k, load)
        assert shift[axis] == pytest.approx(LOAD * 8 / (3 * E * moment) + shear, rel=1e-6)
        assert turn[other] == pytest.approx(sign * LOAD * 4 / (2 * E * moment), rel=1e-6)
    assert cantilever(k, [LOAD, 0, 0])[0][0] == pytest.approx(LOAD * 2 / (E * A), rel=1e-6)


def test_a_damping_ratio_without_a_frequency_is_refused():
    with pytest.raises(ModelError, match=r"a beam without mass has no frequency of its own\n.*add frequency: 20 Hz"):
        cantilever(0, [0, 0, 0], damping_ratio=0.01)


@pytest.mark.parametrize(("key", "value"), [("length", 0), ("Iy", -1e-8), ("area", "1 m")])
def test_what_no_beam_has_is_refused(key, value):
    with pytest.raises(ModelError, match=rf"forces.rod.{key}: .*(out of range|is needed here)"):
        cantilever(0, [0, 0, 0], **{key: value})


@pytest.mark.parametrize(("parameters", "diameter"), [({}, "50 mm"), ({"d": "50 mm"}, "d")])
def test_a_section_and_a_material_by_name_bend_as_in_the_theory(parameters, diameter):
    """A steel tube by hand: E = 210 GPa, ν = 0.3, I = π (D⁴ − d⁴)/64, J = 2 I, k = 0.53 (Cowper 1966: thin rings)."""
    e, moment, area = 210e9, np.pi * (0.05**4 - 0.04**4) / 64, np.pi * (0.05**2 - 0.04**2) / 4
    section = {"type": "tube", "diameter": diameter, "thickness": "5 mm"}
    beam = Beam(**ENDS, length=2, section=section, material="steel")
    known = {"d": 0.05}
    number = [key.number(known) for key in (beam.youngs_modulus, beam.shear_modulus, beam.area, beam.Iy, beam.Iz)]
    assert number == pytest.approx([e, e / 2.6, area, moment, moment])
    assert [beam.J.number(known), beam.shear_factor.number(known)] == pytest.approx([2 * moment, 0.53])
    model = cardan.Model(
        parameters=parameters,
        bodies={"block": {"mass": 1, "inertia": [1, 1, 1]}},
        joints={"fly": {"type": "free", "parent": "ground", "child": "block"}},
        forces={"rod": {"type": "beam", "child": "block", "length": 2, "section": section, "material": "steel"}},
        initial={"fly.x": {"guess": 2}, "equilibrium": True},
    )
    sag = -cardan.simulate(model, times=[0]).array("block.position")[0, 2]
    assert sag == pytest.approx(9.81 * 8 / (3 * e * moment) + 9.81 * 2 / (0.53 * e / 2.6 * area), rel=1e-5)


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        ({"section": {"type": "circle", "diameter": 1}}, "'material' is missing"),
        ({"section": {"type": "circle", "diameter": 1}, "material": "stel"}, "no material 'stel'"),
        ({"section": {"type": "circle", "diameter": 1}, "material": "steel", "Iy": 1}, "Iy follows from the section"),
    ],
)
def test_a_section_stands_for_all_of_its_numbers(keys, fault):
    with pytest.raises(ModelError, match=fault):
        Beam(**ENDS, length=2, **keys)
