"""Forces in sections of bodies, against closed forms of strength of materials."""

import numpy as np
import pytest

import cardan
from cardan.formats.yaml import loads
from tests.selection import each

ROD = """
cardan: 1
gravity: [0, 0, 0]
parameters: {L: 2 m, d: 20 mm, rho: 7850 kg/m^3}
bodies:
  rod:
    markers: {end: {position: [L, 0, 0]}, cut: {position: [0.7, 0, 0]}, root: {}}
    shapes: [{type: SHAPE, position: [L/2, 0, 0], density: rho}]
joints: {hinge: {type: revolute, parent: ground, child: rod, axis: z}}
motions: {hinge: 3*t}
"""
BOX = ROD.replace("type: SHAPE", "type: box, size: [L, d, d]")
CYLINDER = ROD.replace("type: SHAPE", "type: cylinder, radius: d, length: L, rpy: [0, 90 deg, 0]")
EXACT = 1e-9  # angular velocities and accelerations of a prescribed motion hold to round-off


@each("text, area", [(BOX, 4e-4), (CYLINDER, np.pi * 4e-4)])
def test_a_rotating_rod_is_under_centrifugal_tension(text, area):
    """N = m ω² (L² − x²)/(2 L)."""
    run = cardan.kinetostatics(loads(text), [0.0, 0.3, 1.0])
    found = cardan.section_forces(run, "rod.cut")
    m, x = 7850 * area * 2, 0.7
    assert found.normal.values == pytest.approx(np.full(3, m * 9 * (4 - x**2) / 4), rel=EXACT)
    for name in ("shear_y", "bending_z"):
        assert found[name].values == pytest.approx(np.zeros(3), abs=EXACT * m * 9 * 2)
    assert found.attrs["mass"] == "distributed over the shapes"


def test_a_cantilever_bends_under_its_weight_and_the_load_at_its_end(tmp_path):
    """V = −(w s + P), M = −(w s²/2 + P s) for the length s beyond the section; likewise after reading a file."""
    text = BOX.replace("[0, 0, 0]\nparam", "[0, -9.81, 0]\nparam").replace("hinge: 3*t", "hinge: 1e-9*t")
    text += "forces: {load: {type: force, child: rod.end, value: [0, -100, 0]}}\n"
    run = cardan.kinetostatics(loads(text), [0.0, 1.0])
    cardan.save_run(run, tmp_path / "run.nc")
    w, s = 7850 * 4e-4 * 9.81, 1.3
    for one in (run, cardan.load_run(tmp_path / "run.nc")):
        found = cardan.section_forces(one, "rod.cut")
        assert found.shear_y.values == pytest.approx([-(w * s + 100)] * 2, rel=EXACT)
        assert found.bending_z.values == pytest.approx([-(w * s**2 / 2 + 100 * s)] * 2, rel=EXACT)
        assert found.bending_z.attrs["units"] == "N*m"


def test_an_accelerated_rod_bends():
    """For α: V = m α (L² − x²)/(2L), M = m α/L (L³/3 − x L²/2 + x³/6), both against the motion, and the
    rotary inertia of the sections, m (L − x)/L d²/12 α."""
    run = cardan.kinetostatics(loads(BOX.replace("hinge: 3*t", "hinge: 2*t**2")), [0.0])
    found = cardan.section_forces(run, "rod.cut")
    m, x, L, alpha = 7850 * 4e-4 * 2, 0.7, 2.0, 4.0
    assert float(found.shear_y[0]) == pytest.approx(-m * alpha * (L**2 - x**2) / (2 * L), rel=EXACT)
    slender = m * alpha / L * (L**3 / 3 - x * L**2 / 2 + x**3 / 6)
    turning = m * (L - x) / L * 0.02**2 / 12 * alpha
    assert float(found.bending_z[0]) == pytest.approx(-slender - turning, rel=EXACT)


def test_both_sides_of_a_joint_agree_with_its_reaction():
    """In the basket arm, just before the elbow: the section carries what the elbow does."""
    text = cardan.load("basket_arm_shapes").replace(name="arm")
    arm1 = text.bodies["arm1"]
    marked = arm1.replace(markers={**arm1.markers, "last": {"position": ["L1 - 0.000001", 0, 0]}})
    run = cardan.kinetostatics(text.replace(bodies={**text.bodies, "arm1": marked}), np.linspace(0, 4, 9))
    found = cardan.section_forces(run, "arm1.last")
    elbow = run.reaction("elbow", "parent")
    assert found.normal.values == pytest.approx(-elbow.force.values[:, 0], rel=1e-4)
    assert found.bending_z.values == pytest.approx(-elbow.moment.values[:, 2], rel=1e-4)  # 1 µm of lever, 80 g of rod


def test_the_mass_of_a_body_without_densities_counts_at_its_centre():
    text = BOX.replace(
        "shapes: [{type: box, size: [L, d, d], position: [L/2, 0, 0], density: rho}]",
        "mass: 3\n    com: [1, 0, 0]\n    inertia: [0, 1, 1]",
    )
    run = cardan.kinetostatics(loads(text), [0.0, 1.0])
    found = cardan.section_forces(run, "rod.cut")
    assert found.attrs["mass"] == "at the centre of mass, beyond the section"
    assert found.normal.values == pytest.approx([27.0, 27.0], rel=EXACT)
    behind = cardan.section_forces(cardan.kinetostatics(loads(text.replace("0.7, 0", "1.5, 0")), [0.0]), "rod.cut")
    assert behind.attrs["mass"] == "at the centre of mass, before the section"
    assert float(behind.normal[0]) == pytest.approx(0, abs=1e-9)
    middle = cardan.kinetostatics(loads(text.replace("0.7, 0", "1, 0")), [0.0])
    with pytest.raises(cardan.ModelError, match="cuts 'rod' at its centre of mass") as error:
        cardan.section_forces(middle, "rod.cut")
    assert "with a density" in error.value.issues[0].cure


def test_the_four_bar_is_balanced_on_both_sides():
    """A planar loop: its plane knows N, V and M; the rest is NaN."""
    bar = cardan.load("four_bar")
    crank = bar.bodies["crank"]
    marked = crank.replace(
        markers={
            **crank.markers,
            "cut": {"position": [0.05, 0, 0]},
            "back": {"position": [0.05, 0, 0], "rpy": [0, 0, "180 deg"]},
        }
    )
    run = cardan.simulate(bar.replace(bodies={**bar.bodies, "crank": marked}), until=0.5)
    there, back = (cardan.section_forces(run, f"crank.{name}") for name in ("cut", "back"))
    scale = float(np.abs(there.normal).max())
    for name in ("normal", "shear_y"):  # action and reaction, and both axes turned round
        assert back[name].values == pytest.approx(there[name].values, abs=1e-8 * scale)
    assert back.bending_z.values == pytest.approx(-there.bending_z.values, abs=1e-8 * scale)
    assert np.isnan(there.shear_z.values).all()


def test_a_body_of_shapes_is_cut_at_its_centre_of_mass():
    """N = m ω² (L² − x²)/(2 L) with x = L/2, as at a marker there."""
    run = cardan.kinetostatics(loads(BOX), [0.0, 0.4])
    tension = 7850 * 4e-4 * 2.0 * 3.0**2 * (2.0**2 - 1.0**2) / (2 * 2.0)
    assert cardan.section_forces(run, "rod.com").normal.values == pytest.approx(tension, rel=EXACT)


@each(
    "marker, fault, cure",
    [
        ("rod.root", "'hinge' acts in the plane of rod.root", "a little before or behind"),
        ("rod.middle", "'rod.middle' is no marker of a body", "rod.cut"),
        ("rod", "'rod' is no marker of a body", "rod."),
    ],
)
def test_places_without_section_forces_are_refused(marker, fault, cure):
    run = cardan.kinetostatics(loads(BOX), [0.0])
    with pytest.raises(cardan.ModelError, match=fault) as error:
        cardan.section_forces(run, marker)
    assert cure in error.value.issues[0].cure


ON_A_LINE = """
cardan: 1
bodies:
  base: {mass: 1}
  rod: {shapes: [{type: box, size: [2, 0.1, 0.1], position: [1, 0, 0], density: 100}],
        markers: {end: {position: [2, 0, 0]}, cut: {position: [0.7, 0, 0]}}}
joints:
  slide: {type: prismatic, parent: ground, child: base, axis: z}
  hinge: {type: revolute, parent: base, child: rod, axis: y}
constraints: {guide: {type: expression, expression: rod.end.z}}
"""


def test_a_load_without_a_place_is_refused():
    """The equation holds the end of the rod by a force that belongs to no marker."""
    run = cardan.simulate(loads(ON_A_LINE), until=0.1)
    with pytest.raises(cardan.ModelError, match="short of its inertia forces"):
        cardan.section_forces(run, "rod.cut")
