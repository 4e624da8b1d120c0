"""Outputs have the unit that their names tell."""

import pytest

import cardan

CASES = {
    "payload.com.x": "m",
    "payload.hook.vz": "m/s",
    "payload.wy": "rad/s",
    "swing": "rad",
    "swing.v": "rad/s",
    "drive.current": "A",
    "t": "s",
    "-trolley.position.x + 0.1": "m",
    "hypot(payload.vx, payload.vz)": "m/s",
    "payload.x - swing": "",
    "payload.x - L": "",
    "payload.x*2": "",
    "1": "",
}


@pytest.mark.parametrize(("expression", "unit"), CASES.items())
def test_an_output_has_the_unit_of_its_names(expression, unit):
    crane = cardan.load("overhead_crane").replace(outputs={"y": expression})
    assert cardan.simulate(crane, times=[0, 0.1])["y"].attrs["units"] == unit
