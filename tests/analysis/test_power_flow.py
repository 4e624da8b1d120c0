"""Powers of the bonds of a run: those of its results, and none at constraint forces."""

import re
from pathlib import Path

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from cardan.formats.yaml import loads
from tests.selection import few

ROUND_OFF = 1e-9  # of least squares with some hundred unknowns, relative to the largest power


@pytest.fixture(scope="module")
def crane():
    run = cardan.simulate(cardan.load("overhead_crane"), until=1.0)
    flow = cardan.power_flow(run, at=0.3)
    return run, flow, int(np.argmin(np.abs(run.t - 0.3)))


def test_powers_are_those_of_the_results(crane):
    run, flow, k = crane
    assert flow.t == run.t[k]
    i, v, speed = (run.array(name)[k] for name in ("drive.current", "travel.v", "drive.speed"))
    expected = {  # printed constants: docs/errata.md
        "drive.voltage > drive.circuit": 10.0 * i,
        "drive.circuit > drive.resistance": i**2,
        "drive.circuit > drive.gyrator": 0.1 * speed * i,
        "drive.torque > drive.rotor": (1.0 - 0.1) * i * speed,  # a machine with Km > Ke creates power
        "drive.rotor > drive.friction": 0.1 * speed**2,
        "travel.rate > travel.damper": 2.0 * v**2,
    }
    largest = max(map(abs, flow.powers.values()))
    found = {name: flow.powers[name] for name in expected}
    assert found == pytest.approx(expected, rel=ROUND_OFF, abs=ROUND_OFF * largest)


def test_inertias_take_the_rate_of_the_kinetic_energy(crane):
    """dT/dt = Σ m v·a of both masses, the rotor and its gear included."""
    run, flow, k = crane
    v, a, qd, qdd, q = (run.array(x)[k] for x in ("travel.v", "travel.a", "swing.v", "swing.a", "swing.q"))
    x, z = v + 0.7 * qd * np.cos(q), 0.7 * qd * np.sin(q)
    xd = a + 0.7 * (qdd * np.cos(q) - qd**2 * np.sin(q))
    zd = 0.7 * (qdd * np.sin(q) + qd**2 * np.cos(q))
    expected = 2.0 * v * a + 0.85 * (x * xd + z * zd) + 1e-3 * (10 / 0.025) ** 2 * v * a
    taken = sum(power for name, power in flow.powers.items() if name.endswith((".mass", "drive.inertia")))
    assert taken == pytest.approx(expected, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("name", few(["parallel_3rrrt", "heavy_top", "planar_3rrr", "four_bar"], 2))
def test_constraint_forces_do_no_work(name):
    model = cardan.load(name)
    run = cardan.kinetostatics(model, [0.0, 0.5, 1.0]) if model.motions else cardan.simulate(model, until=0.5)
    flow = cardan.power_flow(run, at=0.5)
    largest = max(map(abs, flow.powers.values()))
    forces = [x.name for x in flow.graph.elements.values() if x.unknown == "constraint"]
    assert forces
    for force in forces:
        (bond,) = flow.graph.graph.ports[force]
        assert abs(flow.powers[bond.name]) < 1e-7 * largest  # loops are closed to the tolerance of the projection


def test_drives_have_the_power_of_their_efforts():
    run = cardan.kinetostatics(cardan.load("parallel_3rrrt"), [0.0, 0.5, 1.0])
    flow = cardan.power_flow(run, at=0.5)
    for name in ("A1", "B1", "C1"):
        expected = run.array(f"{name}.effort")[1] * run.array(f"{name}.v")[1]
        assert flow.powers[f"{name}.drive > {name}.rate"] == pytest.approx(expected, rel=ROUND_OFF)
    assert "power forth" in flow._repr_svg_()


def test_graphs_by_hand_have_the_powers_of_their_results():
    text = (Path(__file__).parents[2] / "docs" / "bond-graphs-by-hand.md").read_text(encoding="utf-8")
    run = cardan.simulate(loads(re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)[0]), until=0.2)
    flow = cardan.power_flow(run, at=0.1)
    k = int(np.argmin(np.abs(run.t - 0.1)))
    expected = {name: run.array(f"drive.{name}.power")[k] for name in flow.powers}
    assert len(expected) == 10
    assert dict(flow.powers) == pytest.approx(expected, rel=ROUND_OFF)


def test_an_instant_outside_the_run_is_refused(crane):
    with pytest.raises(ModelError, match=r"the run has no instant 2 s\s+give a time from 0 s to 1 s"):
        cardan.power_flow(crane[0], at=2.0)
