"""Documents of models with motors begin with the general form, whose matrices make the result.

Source: Hoang & Vuong, eqs. (7)–(25)
"""

from __future__ import annotations

import json

import pytest

import cardan

pytestmark = pytest.mark.filterwarnings("ignore::cardan.ModelWarning")


@pytest.fixture(scope="module")
def crane():
    return cardan.equations(cardan.load("overhead_crane"), "simplified")


def test_the_general_form_stands_before_the_result(crane):
    text = crane.render()
    for line in (
        "Mₛ = M(q) + B R_G Iₘ R_G Z",
        "Dₛ = D + B R_G (Dₘ + Kₘ Rₐ⁻¹ Kₑ) R_G Z",
        "Bₛ = B R_G Kₘ Rₐ⁻¹",
        "(M(q) + B R_G Iₘ R_G Z) q̈ + C(q, q̇) q̇ + (D + B R_G Dₘ R_G Z) q̇ + g(q) = B R_G Kₘ i",
        "⎣0⎦",
    ):
        assert text.index(line) < text.index("Equations of motion\n"), line
    page, paper = crane.render("html"), crane.render("latex")
    assert "<h2>Motors in the general form</h2>" in page
    assert r"\mathbf{R}_{\mathbf{a}}^{-1}" in paper
    assert paper.count("{") == paper.count("}")


def test_data_have_the_matrices(crane):
    found = json.loads(crane.render("json"))["sections"]["motors"]
    assert found["Z"] == {"shape": [1, 2], "entries": [["1", "0"]]}
    assert found["RG"]["entries"] == [["r/rw"]]


def test_a_mounted_motor_is_said_to_add_more():
    assert (
        "The rotor of motor2 also turns with link1"
        in cardan.equations(cardan.load("planar_manipulator_mounted")).render()
    )


def test_documents_without_motors_or_with_numbers_have_no_such_section(crane):
    title = "Motors in the general form"
    assert title not in cardan.equations(cardan.load("overhead_crane"), "none").render()
    assert title not in crane.render(at={"swing": 0.1})
    assert title not in crane.render(only=["M"])
