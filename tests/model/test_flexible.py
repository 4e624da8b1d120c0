"""Flexible bodies as they are written out, and what is wrong with those that cannot be."""

from __future__ import annotations

import numpy as np
import pytest

import cardan
from cardan.assembly.start import bending
from cardan.errors import ModelError
from cardan.formats.yaml import dump, loads
from cardan.system.system import build_system

ROD = "length: 1 m, section: {type: circle, diameter: 20 mm}, material: steel"


def text(keys: str = ROD, rest: str = "", more: str = "") -> str:
    """A model with a clamped rod."""
    return (
        f"cardan: 1\nbodies:\n  rod: {{type: flexible, {keys}{more}}}\n"
        f"joints:\n  clamp: {{type: fixed, parent: ground, child: rod}}\n{rest}"
    )


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("length: 0 m, section: {type: circle, diameter: 1}, material: steel", "rod.length: 0 m = 0 is out of range: "),
        (f"{ROD}, segments: 0", "rod.segments: 0 is not a number of segments\n    write a whole number from 1 to 200"),
        (f"{ROD}, segments: 2.5", "rod.segments: 2.5 is not a number of segments"),
        (f"{ROD}, segments: true", "rod.segments: True is not a number of segments"),
        (
            "length: 1 m, section: {type: circle, diameter: -2 mm}, material: steel",
            "rod.section.diameter: -2 mm = -0.002 is out of range: a length is positive",
        ),
        (
            "length: 1 m, section: {type: tube, diameter: 20 mm, thickness: 12 mm}, material: steel",
            "rod.section.thickness: a tube of 20 mm has no wall of 12 mm\n    give less than half the diameter",
        ),
        (
            "length: 1 m, section: {area: 1 cm^2, Iy: -1 cm^4, Iz: 1 cm^4, J: 1 cm^4}, material: steel",
            "rod.section.Iy: -1 cm^4 = -1e-08 is out of range",
        ),
        (
            "length: 1 m, section: {area: 1 cm^2, Iy: 1 cm^4, Iz: 1 cm^4, J: 1 cm^4, shear_factor: 0}, material: steel",
            "rod.section.shear_factor: a rod of shear_factor 0 has no stiffness in shear\n    leave it out",
        ),
        ("length: 1 m, section: {type: pipe}, material: steel", "rod.section.type: there is no section type 'pipe'"),
        (
            "length: 1 m, section: {type: circle, diameter: 1 cm}, material: steal",
            "rod.material: there is no material 'steal'\n    did you mean 'steel'?, or write {youngs_modulus",
        ),
        (
            "length: 1 m, section: {type: circle, diameter: 1 cm}, "
            "material: {youngs_modulus: 1 GPa, poisson_ratio: 0.6, density: 1000 kg/m^3}",
            "rod.material.poisson_ratio: the Poisson ratio 0.6 is out of range: between -1 and 0.5",
        ),
        (
            "length: 1 m, section: {type: circle, diameter: 1 cm}, "
            "material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 0 kg/m^3}",
            "rod.material.density: the density 0 kg/m^3 of a flexible body is not positive",
        ),
        (f"{ROD}, mass: 2 kg", "rod.mass: unknown key 'mass'"),
        (f"{ROD}, markers: {{tip: {{position: [1.1 m, 0, 0]}}}}", "x = 1.1 m lies beside the rod"),
        (f"{ROD}, markers: {{tip: {{position: [l, 0, 0]}}}}", "the name 'l' is not defined"),
    ],
)
def test_what_no_rod_is_is_refused_at_its_line(keys, said):
    with pytest.raises(ModelError) as error:
        loads(text(keys))
    assert "line 3: bodies." in str(error.value)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("rest", "more", "said"),
    [
        ("planar: yz\n", "", "the rod along x does not lie in the plane yz\n    choose planar: xy or xz"),
        ("outputs: {c: rod.com.z}\n", "", "outputs names rod.com, but a body that bends has no centre"),
        (
            "",
            "}\n  bar: {type: rigid",
            "bodies.bar.type: there is no body type 'rigid'\n    write flexible or modal, or leave it out",
        ),
        ("", "}\n  rod_2: {mass: 1", "bodies.rod: it brings 'rod_2', which stands in bodies already"),
        (
            "forces: {f: {type: force, child: {body: rod, position: [2, 0, 0]}, value: [0, 0, 1]}}\n",
            "",
            "forces.f.child.position: x = 2 m lies beside the rod",
        ),
    ],
)
def test_models_that_no_rod_fits_into_are_refused(rest, more, said):
    with pytest.raises(ModelError) as error:
        loads(text(rest=rest, more=more))
    assert said in str(error.value)


def test_mass_centre_and_inertia_are_those_of_the_rod():
    """Of a tube: ρ A L, the middle, and m L²/12 + ρ I L across, in all parts together; numbers are symbols."""
    section = "{type: tube, diameter: d, thickness: 3 mm}"
    rest = "parameters: {L: 1.3 m, d: 30 mm}\nmotions: {}\n"
    model = loads(text(f"length: L, segments: 5, section: {section}, material: aluminium", rest))
    values = {"L": 1.3, "d": 0.03}
    parts = [body.resolved(lambda scalar: scalar.number(values)) for body in model.bodies.values()]
    mass = np.array([part.mass for part in parts])
    starts = np.cumsum([0.0, *(2 * part.com[0] for part in parts)])[:-1]
    x = starts + [part.com[0] for part in parts]
    area, moment = np.pi / 4 * (0.03**2 - 0.024**2), np.pi / 64 * (0.03**4 - 0.024**4)
    assert mass.sum() == pytest.approx(2700 * area * 1.3, rel=1e-14)
    assert mass @ x / mass.sum() == pytest.approx(0.65, rel=1e-14)
    across = sum(part.inertia[1] for part in parts) + mass @ (x - 0.65) ** 2
    assert across == pytest.approx(2700 * 1.3 * (area * 1.3**2 / 12 + moment), rel=1e-14)
    assert sum(part.inertia[0] for part in parts) == pytest.approx(2700 * 1.3 * 2 * moment, rel=1e-14)


def test_places_on_a_rod_ride_on_the_part_where_they_lie():
    """A marker, a place given on the spot and the name of the body mean the same points as on the straight rod."""
    rest = (
        "  a: {type: spherical, parent: {body: rod, position: [0.7 m, 0, 10 mm]}, child: bob}\n"
        "forces: {f: {type: force, child: rod.mid, value: [0, 0, -1]}}\n"
    )
    more = ", markers: {mid: {position: [0.5 m, 0, 0], rpy: [0, 0, 90 deg]}}}\n  bob: {mass: 1 kg, inertia: [1, 1, 1]"
    model = loads(text(rest=rest, more=more))
    run = cardan.simulate(model, times=[0])
    np.testing.assert_allclose(run.array("rod.mid.position"), [[0.5, 0, 0]], rtol=0, atol=1e-15)
    np.testing.assert_allclose(run.array("rod.mid.orientation"), [[0.5**0.5, 0, 0, 0.5**0.5]], rtol=0, atol=1e-15)
    np.testing.assert_allclose(run.array("bob.position"), [[0.7, 0, 0.01]], rtol=0, atol=1e-15)
    assert (str(model.forces["f"].child), model.joints["a"].parent.body) == ("rod_5.mid", "rod_7")
    assert loads(dump(model)) == model


def test_a_damping_ratio_is_that_of_the_first_bending_of_the_clamped_rod_or_of_a_frequency():
    """Eigenvalues −ζ ω ± i ω √(1 − ζ²), with ζ = β ω/2 for the others."""
    for more, ratio_of in (("", lambda w: 0.02), (", frequency: 50 Hz", lambda w: 0.02 * w / (100 * np.pi))):
        model = loads(text(rest="planar: xz\ngravity: [0, 0, 0]\n", more=f", damping_ratio: 2 %{more}"))
        found = np.linalg.eigvals(np.asarray(cardan.linearize(model).A))
        first = min(found[found.imag > 1], key=abs)
        assert -first.real / abs(first) == pytest.approx(ratio_of(abs(first)), rel=1e-3)  # 8 segments


def test_a_rod_in_a_template_is_that_of_its_part():
    """Coordinates of its hinges, its parts and its markers get the name of the part."""
    text = f"""cardan: 1
planar: xz
templates:
  leaf:
    bodies: {{rod: {{type: flexible, {ROD}, segments: 2, markers: {{tip: {{position: [1, 0, 0]}}}}}}}}
    joints: {{clamp: {{type: fixed, parent: ground, child: rod}}}}
    outputs: {{bend: rod_bend1, sag: rod.tip.z, slope: rod_2.position.z}}
parts: {{left: {{template: leaf}}, right: {{template: leaf}}}}
"""
    run = cardan.simulate(loads(text), times=[0, 0.01])
    assert run.array("left_bend")[1] == pytest.approx(run.array("left_rod_bend1.q")[1], rel=1e-12)
    assert run.array("left_sag")[1] == run.array("right_sag")[1] < 0


def test_a_section_that_a_parameter_shrinks_to_nothing_is_refused():
    rod = "type: flexible, length: 1 m, section: {type: circle, diameter: d}, material: steel, damping_ratio: 1 %"
    model = loads(f"""cardan: 1
parameters: {{d: 10 mm}}
bodies: {{rod: {{{rod}}}}}
joints: {{clamp: {{type: fixed, parent: ground, child: rod}}}}
""")
    with pytest.raises(ModelError):
        cardan.simulate(model, until=0.01, parameters={"d": 0})


def test_a_body_that_bends_from_what_is_no_rod_is_refused():
    box = {"type": "box", "size": [1, 1, 1]}
    joints = {name: {"type": "revolute", "parent": "ground", "child": name, "axis": "z"} for name in "ab"}
    for before, shapes in (("z", [box]), ("b", []), ("b", [{"type": "sphere", "radius": 1}])):
        bodies = {"a": {"mass": 1, "shapes": shapes, "bends_from": before}, "b": {"mass": 1, "shapes": [box]}}
        with pytest.raises(ModelError, match=r"(?s)bodies.a.bends_from: .* type: flexible"):
            cardan.Model(bodies=bodies, joints=joints)


@pytest.mark.parametrize(("plane", "axis"), [("xy", "z"), ("xz", "y")])
def test_all_hinges_of_a_rod_are_known_to_bend(plane, axis):
    """Starts keep them still where the loops allow it, also the one in the middle, which stretches."""
    model = cardan.Model(
        planar=plane,
        bodies={
            "rod": {
                "type": "flexible",
                "segments": 2,
                "length": 1,
                "section": {"type": "circle", "diameter": 0.02},
                "material": "steel",
            }
        },
        joints={"root": {"type": "revolute", "parent": "ground", "child": "rod", "axis": axis}},
    )
    assert bending(build_system(model)) == [1, 2, 3, 4]


def test_rods_in_a_loop_start_straight_where_the_guess_is_not_exact():
    """Two rods on the ground whose tips are pinned together: the angles give way, no rod is stretched."""
    rod = {"type": "flexible", "segments": 2, "length": 1, "section": {"type": "circle", "diameter": 0.02}}
    rod |= {"material": "steel", "markers": {"tip": {"position": [1, 0, 0]}}}
    joints = {
        "a": {"type": "revolute", "parent": "ground", "child": "left", "axis": "z"},
        "b": {"type": "revolute", "parent": {"body": "ground", "position": [1, 0, 0]}, "child": "right", "axis": "z"},
        "pin": {"type": "revolute", "parent": "left.tip", "child": "right.tip", "axis": "z", "cut": True},
    }
    model = cardan.Model(planar="xy", bodies={"left": rod, "right": rod}, joints=joints)
    guesses = {"a": {"guess": np.pi / 3 + 0.002}, "b": {"guess": 2 * np.pi / 3 + 0.001}}
    start = cardan.assemble(model, guesses).q
    assert start["a"] == pytest.approx(np.pi / 3, abs=1e-9)
    assert max(abs(value) for name, value in start.items() if "bend" in name) == 0
