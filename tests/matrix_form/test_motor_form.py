"""The general form of the motors gives the matrices of the equations.   Source: Hoang & Vuong, (20)–(25)"""

from __future__ import annotations

import pytest
import sympy as sp

import cardan


@pytest.mark.parametrize("name", ["overhead_crane", "planar_manipulator", "slider_crank", "planar_3rrr"])
def test_the_matrices_are_those_of_the_general_form(name):
    model = cardan.load(name)
    plain, simple, full = (cardan.equations(model, motors) for motors in ("none", "simplified", "full"))
    m = full.motor
    assert simple.motor == plain.motor == m
    wanted = {
        "M": plain.M + m.B * m.RG * m.Im * m.RG * m.Z,
        "D": plain.D + m.B * m.RG * (m.Dm + m.Km * m.Ra.inv() * m.Ke) * m.RG * m.Z,
        "B": m.B * m.RG * m.Km * m.Ra.inv(),
    }
    for term, matrix in wanted.items():
        assert sp.simplify(getattr(simple, term) - matrix) == sp.zeros(*matrix.shape), term
    circuits = {"B": m.B * m.RG * m.Km, "L": m.La, "R": m.Ra, "E": m.Ke * m.RG * m.Z}
    for term, matrix in circuits.items():
        assert sp.simplify(getattr(full, term) - matrix) == sp.zeros(*matrix.shape), term


def test_a_model_without_motors_has_an_empty_form():
    form = cardan.equations(cardan.load("compound_pendulum")).motor
    assert (form.B.shape, form.RG.shape) == ((1, 0), (0, 0))
