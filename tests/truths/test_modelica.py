"""Examples and tests of the Modelica Standard Library against the reference results that are published with it.

Differences are relative to the largest value of a quantity, all components together. Dymola computed the references
with a relative tolerance of about 1e-6 per step; over a run, a hundred times this is allowed. LOOSE names the
others, each with what shows that the reference, and not Cardan, is that far off.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import cardan
from tests.selection import each

HERE = Path(__file__).parent / "modelica"
REFERENCES = json.loads((HERE / "references.json").read_text(encoding="utf-8"))
ALLOWED = 1e-4
LOOSE = {
    "double_pendulum_init_tip": 3e-2,  # chaotic: 4e-6 at the start grows with the motion
    "forces_and_torques": 5e-4,  # 95 rad/s without damping: the phase gains the error of each turn
    "frame_forces_and_torques": 5e-4,  # the same mechanism
    "fourbar_joint_usr": 2e-2,  # errors grow at each passage of the dead centre at s = 0.002
    "initialization_rotor1d": 2e-2,  # the reference is 1.2e-2 off the closed form of two rotors on a spring
    "point_gravity": 6e-2,  # the reference loses 5.4e-4 of the energy of body2, which passes the centre at 0.07 m
    "rolling_wheel": 1e-3,  # a wheel that leans and does not lose its energy: the phase of its path
}
ZERO = 1e-6  # values below are zero in the reference: its tolerance


@pytest.mark.parametrize("name", REFERENCES)
def test_results_are_those_of_the_reference(name):
    run = _run(name, 1e-9)
    off = max(_differences(name, run).values())
    allowed = LOOSE.get(name, ALLOWED)
    assert off < allowed


@each("name", LOOSE)
def test_where_the_reference_is_far_off_results_of_two_tolerances_agree(name):
    """A run with a hundredth of the tolerance, and by another method, is the same to a hundredth of what is allowed."""
    run, other = _run(name, 1e-9), _run(name, 1e-11, method="tsit5")
    for column in REFERENCES[name]["columns"].values():
        one, two = _values(run, column), _values(other, column)
        assert np.abs(one - two).max() <= 0.01 * LOOSE[name] * max(np.abs(one).max(), ZERO)


def _run(name, rtol, **options):
    run = cardan.simulate(cardan.load(HERE / f"{name}.yaml"), times=REFERENCES[name]["t"], rtol=rtol, **options)
    assert run.ok, run.message
    return run


def _differences(name, run):
    """The largest difference of each quantity over its largest value."""
    found = {}
    for quantity, column in REFERENCES[name]["columns"].items():
        values = np.array(column["values"])
        size = np.abs(values).max()
        found[quantity] = np.abs(_values(run, column) - values).max() / (size if size > ZERO else 1.0)
    return found


def _values(run, column):
    """The result of a run that a quantity is compared with: components by instants."""
    words = column["result"].split()
    if words[0] in ANGLES:
        out = ANGLES[words[0]](_axes(run, words[1]))
    elif words[0] == "quat":
        turned = run.array(f"{words[1]}.orientation")[:, [1, 2, 3, 0]]  # Modelica's scalar part comes last
        out = turned * np.sign(np.sum(turned * np.array(column["values"]).T, axis=1))[:, None]  # of both signs
    elif words[0] == "local":
        out = np.einsum("tji,tj->ti", _axes(run, words[1]), run.array(words[2]))
    else:
        result, _, component = words[0].removeprefix("-").partition("[")
        out = np.array(run.array(result)) + (np.array(words[2:], dtype=float) if words[1:2] == ["+"] else 0.0)
        out = -out if words[0].startswith("-") else out
        out = out[:, int(component[0])] if component else out
    return out.reshape(len(out), -1)[:, column["components"]].T


def _axes(run, body):
    """Matrices from body axes to those of the world."""
    w, x, y, z = run.array(f"{body}.orientation").T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def _about_xyz(A):
    """Angles of A = Rx Ry Rz, without jumps."""
    return np.unwrap(
        np.stack([np.arctan2(-A[:, 1, 2], A[:, 2, 2]), np.arcsin(A[:, 0, 2]), np.arctan2(-A[:, 0, 1], A[:, 0, 0])], 1),
        axis=0,
    )


def _about_zyx(A):
    """Angles of A = Rz Ry Rx, without jumps."""
    return np.unwrap(
        np.stack([np.arctan2(A[:, 1, 0], A[:, 0, 0]), np.arcsin(-A[:, 2, 0]), np.arctan2(A[:, 2, 1], A[:, 2, 2])], 1),
        axis=0,
    )


ANGLES = {"angles": _about_xyz, "headings": _about_zyx}


if __name__ == "__main__":  # the table of docs/validation.md
    for each in REFERENCES:
        print(f"{each:28} {max(_differences(each, _run(each, 1e-9)).values()):.1e}")
