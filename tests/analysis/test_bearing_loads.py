"""Loads of joints over a run: RMS and cubic mean against formulas by hand, components in turning axes."""

import csv
import io

import numpy as np
import pytest
from scipy.integrate import quad, trapezoid

import cardan
from cardan.analysis.loads.bearing_loads import load_in
from cardan.formats.yaml import loads
from cardan.results import Trajectory
from tests.selection import few

TURNS = 2
W = 2 * np.pi
INSTANTS = np.linspace(0, TURNS, 2001)  # whole turns, over which trapezoids converge faster than any power

ARM = """
cardan: 1
parameters: {m: 2 kg, r: 0.3 m, speed: 2*pi}
bodies: {arm: {mass: m, com: [r, 0, 0], inertia: [0, 0.01, 0.01]}}
joints: {hinge: {type: revolute, parent: ground, child: arm, axis: y}}
motions: {hinge: speed*t}
"""

SLIDER_CRANK = """
cardan: 1
planar: xy
gravity: [0, 0, 0]
bodies:
  crank: {mass: 1, inertia: [0, 0, 1], markers: {pin: {position: [0.1, 0, 0]}}}
  rod: {markers: {wrist: {position: [0.3, 0, 0]}}}
  piston: {mass: 0.7}
joints:
  main: {type: revolute, parent: ground, child: crank, axis: z}
  pin: {type: revolute, parent: crank.pin, child: rod, axis: z}
  guide: {type: prismatic, parent: ground, child: piston, axis: x}
  wrist: {type: revolute, parent: rod.wrist, child: piston, axis: z}
motions: {main: 2*pi*t}
initial: {guide: {guess: 0.4}}
"""


def test_a_turning_arm_has_the_mean_loads_of_its_weight_and_centrifugal_force():
    """|F|² = A² + G² + 2 A G cos θ with A = m ω² r, G = m g."""
    run = cardan.kinetostatics(loads(ARM), INSTANTS)
    A, G = 2 * W**2 * 0.3, 2 * 9.81
    row = cardan.bearing_loads(run).of("hinge")
    assert row.largest == pytest.approx(A + G, rel=1e-5)  # at the instant nearest to the lowest position
    assert row.rms == pytest.approx(np.hypot(A, G), rel=1e-12)
    cube = quad(lambda x: (A**2 + G**2 + 2 * A * G * np.cos(x)) ** 1.5, 0, np.pi, epsabs=0, epsrel=1e-13)[0] / np.pi
    assert row.cubic_mean == pytest.approx(np.cbrt(cube), rel=1e-11)
    child = cardan.bearing_loads(run).of("hinge", frame="child")
    assert child.smallest[0] == pytest.approx(-A - G, rel=1e-5)
    assert child.greatest[0] == pytest.approx(-A + G, rel=1e-5)


def test_a_slider_crank_has_the_loads_of_its_piston():
    """Crank at constant speed, a rod without mass: |F| = m |ẍ|/cos φ in pin and wrist, sin φ = (r/l) sin θ."""
    run = cardan.kinetostatics(loads(SLIDER_CRANK), INSTANTS)
    theta, r, length, m = W * INSTANTS, 0.1, 0.3, 0.7
    s = r / length * np.sin(theta)
    c = np.sqrt(1 - s**2)
    rate = r * W * np.cos(theta) / (length * c)
    second = (-r * W**2 * np.sin(theta) / length + rate**2 * s) / c
    acceleration = -r * W**2 * np.cos(theta) - length * (second * s + rate**2 * c)
    F = m * np.abs(acceleration) / c
    found = cardan.bearing_loads(run)
    for joint, speed in (("pin", np.abs(W + rate)), ("wrist", np.abs(rate)), ("main", np.full(len(F), W))):
        row = found.of(joint)
        assert row.largest == pytest.approx(F.max(), rel=1e-9)
        assert row.rms == pytest.approx(np.sqrt(np.mean(F[1:] ** 2)), rel=1e-9)
        cube = trapezoid(F**3 * speed, INSTANTS) / trapezoid(speed, INSTANTS)
        assert row.cubic_mean == pytest.approx(np.cbrt(cube), rel=1e-9)
    side = np.abs(m * acceleration * s / c)
    sliding = np.abs(-r * W * np.sin(theta) - length * s * rate)
    cube = trapezoid(side**3 * sliding, INSTANTS) / trapezoid(sliding, INSTANTS)
    assert found.of("guide").cubic_mean == pytest.approx(np.cbrt(cube), rel=1e-8)


def test_a_fixed_joint_has_no_cubic_mean():
    run = cardan.simulate(cardan.load("four_bar"), until=0.5)
    found = cardan.bearing_loads(run)
    assert np.isnan(found.of("frame").cubic_mean)
    assert "–" in str(found)


@pytest.mark.parametrize("name", few(["heavy_top", "slider_crank"], 1))
def test_turned_loads_are_those_of_the_run_also_after_reading_a_file(name, tmp_path):
    run = cardan.simulate(cardan.load(name), until=0.3)
    cardan.save_run(run, tmp_path / "run.nc")
    again = cardan.load_run(tmp_path / "run.nc")
    for joint in cardan.load(name).joints:
        for quantity in ("force", "moment"):
            for frame in ("parent", "child"):
                expected = run.reaction(joint, frame)[quantity].values
                scale = np.nanmax(np.abs(expected), initial=1.0)
                for one in (run, again):
                    assert load_in(one, joint, quantity, frame) == pytest.approx(
                        expected, abs=1e-12 * scale, nan_ok=True
                    )
    for one, other in zip(cardan.bearing_loads(run).rows, cardan.bearing_loads(again).rows, strict=True):
        expected = pytest.approx((other.largest, other.cubic_mean), rel=1e-9, abs=1e-9, nan_ok=True)
        assert (one.largest, one.cubic_mean) == expected  # the round-off of loads that vanish differs


def test_the_planar_four_bar_keeps_what_its_plane_knows():
    found = cardan.bearing_loads(cardan.simulate(cardan.load("four_bar"), until=0.5))
    row = found.of("B", frame="child")
    assert np.isfinite([*row.smallest[:2], *row.greatest[:2]]).all()
    assert np.isnan([row.smallest[2], row.greatest[2]]).all()


def test_shared_loads_are_marked():
    found = cardan.bearing_loads(cardan.simulate(cardan.load("door_two_hinges"), until=0.1))
    assert not found.of("hinge1").is_unique
    assert "hinge1 *" in str(found)
    assert "minimum-norm" in str(found)


def test_round_off_is_shown_as_zero():
    """The trolley's guide carries its force through its own marker: its moment is what the rounding of 45 N leaves."""
    table = str(cardan.bearing_loads(cardan.simulate(cardan.load("overhead_crane"), until=0.1)))
    moments = [line.split()[3:] for line in table.splitlines() if "moment" in line]
    assert moments == [["0", "0", "0"]] * 2


def test_the_table_as_csv():
    found = cardan.bearing_loads(cardan.simulate(cardan.load("scara"), until=0.1))
    rows = list(csv.DictReader(io.StringIO(found.csv)))
    assert len(rows) == len(found.rows)
    assert float(rows[0]["largest"]) == found.rows[0].largest
    assert (rows[0]["unit"], rows[0]["frame"], rows[0]["unique"]) == ("N", "world", "yes")


def test_what_cannot_be_is_refused():
    found = cardan.bearing_loads(cardan.simulate(cardan.load("scara"), until=0.1))
    with pytest.raises(KeyError, match="no row has joint"):
        found.of("joint")
    run = cardan.simulate(cardan.load("scara"), until=0.1)
    with pytest.raises(KeyError, match='no joint is called "joint"'):
        load_in(run, "joint", "force", "world")
    t = np.linspace(0, 1, 3)
    with pytest.raises(cardan.ModelError, match="the run carries no model"):
        cardan.bearing_loads(Trajectory(t, t[:, None], ("s.q",), ("m",)))


def test_a_file_without_reactions_says_what_is_missing(tmp_path):
    run = cardan.simulate(cardan.load("scara"), until=0.1)
    cardan.save_run(run, tmp_path / "r.nc", names=[name for name in run.names if name.endswith(".a")])
    with pytest.raises(KeyError, match="reaction_force"):
        cardan.bearing_loads(cardan.load_run(tmp_path / "r.nc"))
