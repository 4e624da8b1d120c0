"""The shaper of the gallery: crank effort and reaction of its cutting line, from kinematics and the balance of power.

With the crank at θ = ω t the lever stands at β = atan2(d + r sin θ, r cos θ), its end at L (cos β, sin β), and the link
of length c reaches from there to the ram at height H. The effort of the crank times ω is the rate of the energy minus
the power of the cutting force. Derivatives are taken by mpmath with 40 digits.

Source: crank and slotted lever: Norton, *Design of Machinery*, ch. 2 and 4; power: Haug 1989, §11.2
"""

import mpmath as mp
import numpy as np
import pytest

import cardan

D, R, LEVER, C, H, OMEGA, G = 0.3, 0.12, 0.6, 0.25, 0.56, 2 * np.pi, 9.81
MASSES = {"block": 1.5, "lever": 12.0, "link": 3.0, "ram": 60.0}
INERTIAS = {"block": 1e-3, "lever": 12 * 0.36 / 12, "link": 3 * 0.0625 / 12}
TABLE = np.array([[-0.45, 0], [-0.445, 1600], [-0.35, 1900], [-0.25, 2100], [-0.15, 1800], [-0.065, 2000], [-0.06, 0]])
TIMES = [0.03, 0.17, 0.31, 0.48, 0.66, 0.91]


def positions(t):
    """Pin, angle of the lever, angle of the link, middle of lever and link, and the ram, at the instant t."""
    theta = mp.mpf(t) * 2 * mp.pi
    pin = (R * mp.cos(theta), D + R * mp.sin(theta))
    beta = mp.atan2(pin[1], pin[0])
    end = (LEVER * mp.cos(beta), LEVER * mp.sin(beta))
    reach = mp.sqrt(C**2 - (end[1] - H) ** 2)
    link = mp.asin((end[1] - H) / C)  # the link points back along its own x axis
    ram = end[0] - reach
    return pin, beta, link, (end[0] / 2, end[1] / 2), ((end[0] + ram) / 2, (end[1] + H) / 2), ram


def energy(t):
    def part(get):
        return mp.diff(lambda s: get(positions(s)), t)

    speeds = {
        "block": [part(lambda x: x[0][0]), part(lambda x: x[0][1])],
        "lever": [part(lambda x: x[3][0]), part(lambda x: x[3][1])],
        "link": [part(lambda x: x[4][0]), part(lambda x: x[4][1])],
        "ram": [part(lambda x: x[5]), mp.mpf(0)],
    }
    turns = {"block": part(lambda x: x[1]), "lever": part(lambda x: x[1]), "link": part(lambda x: x[2])}
    kinetic = sum(MASSES[name] * (vx**2 + vy**2) / 2 for name, (vx, vy) in speeds.items())
    kinetic += sum(INERTIAS[name] * w**2 / 2 for name, w in turns.items())
    at = positions(t)
    heights = {"block": at[0][1], "lever": at[3][1], "link": at[4][1]}
    return kinetic + sum(MASSES[name] * mp.mpf(G) * y for name, y in heights.items())


@pytest.fixture(scope="module")
def run():
    return cardan.simulate(cardan.load("shaper"), times=[0.0, *TIMES], rtol=1e-12, atol=1e-13)


def cutting(t):
    """Force on the tool, and its speed."""
    with mp.workdps(40):
        speed = float(mp.diff(lambda s: positions(s)[5], t))
        place = float(positions(t)[5])
    return (float(np.interp(place, *TABLE.T)) if speed < 0 else 0.0), speed


def test_the_crank_gives_what_the_bodies_and_the_cut_take(run):
    for k, t in enumerate(TIMES, start=1):
        with mp.workdps(40):
            rate = float(mp.diff(energy, t))
        force, speed = cutting(t)
        expected = (rate - force * speed) / OMEGA
        assert run["crank.effort"].values[k] == pytest.approx(expected, abs=1e-6)
        assert run["tool"].values[k] == pytest.approx(float(positions(t)[5]), abs=1e-9)


def test_the_reaction_along_the_cut_is_the_measured_force(run):
    along = run.array("cut.force.path")[1:, 0]
    np.testing.assert_allclose(along, [cutting(t)[0] for t in TIMES], rtol=0, atol=1e-5)
    assert max(along) > 1600
    assert (run.array("cut.power") <= 1e-9).all()


def test_kinetostatics_needs_the_same_effort(run):
    found = cardan.kinetostatics(cardan.load("shaper"), TIMES)
    np.testing.assert_allclose(found["crank.effort"].values, run["crank.effort"].values[1:], rtol=0, atol=1e-6)


def test_the_effort_of_the_crank_measures_the_cut(run):
    found = cardan.measured_reaction(cardan.load("shaper"), run, "cut")
    np.testing.assert_allclose(found.path[:, :2], run.array("cut.force.path")[:, :2], rtol=0, atol=1e-6)
