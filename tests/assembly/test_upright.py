"""A loop that would close with its joint half a turn off, where Φ = 0 as well, is refused."""

import numpy as np
import pytest

import cardan
from cardan.errors import AssemblyError
from cardan.model.joints import JOINTS
from tests.selection import each

TURNED = [  # joint, and an axis about which half a turn leaves its equations zero
    ("revolute", {"axis": "x"}, [0, 1, 0]),
    ("cylindrical", {"axis": "x"}, [0, 1, 0]),
    ("screw", {"axis": "x", "lead": 0.1}, [0, 1, 0]),
    ("planar", {}, [0, 1, 0]),
    ("prismatic", {"axis": "x"}, [1, 0, 0]),
    ("prismatic", {"axis": "x"}, [0, 1, 0]),
    ("fixed", {}, [1, 2, 3]),
]


def assembled(kind, keys, about, angle):
    """A body on a ball joint and a flying one, joined by one more joint, from a guess turned by an angle."""
    joints = {
        "ball": {"type": "spherical", "parent": "ground", "child": "a"},
        "fly": {"type": "free", "parent": "ground", "child": "b"},
        "close": {"type": kind, "parent": "a", "child": "b", "cut": True, **keys},
    }
    model = cardan.Model(bodies={name: {"mass": 1, "inertia": [1, 1, 1]} for name in ("a", "b")}, joints=joints)
    found = cardan.assemble(model, {"ball": {"guess": {"axis_angle": {"axis": about, "angle": angle}}}})
    return [np.array([found.q[f"{joint}.q{k}"] for k in "wxyz"]) for joint in ("ball", "fly")]


@each("kind, keys, about", TURNED)
def test_a_guess_less_than_a_quarter_of_a_turn_off_closes_the_right_way_round(kind, keys, about):
    ball, fly = assembled(kind, keys, about, 1.2)
    assert abs(ball @ fly) == pytest.approx(1)  # nothing turns them about the joint's own axis


@each("kind, keys, about", TURNED)
def test_half_a_turn_off_is_refused(kind, keys, about):
    with pytest.raises(AssemblyError, match="the loop closes with 'close' half a turn off"):
        assembled(kind, keys, about, 2.5)


def test_all_joints_that_could_close_half_a_turn_off_are_tried():
    others = {"spherical", "universal", "free", "translational", "modal"}
    assert {kind for kind, _, _ in TURNED} | others == set(JOINTS)
