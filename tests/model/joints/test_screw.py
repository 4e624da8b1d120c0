"""The screw joint keeps the contract of joints."""

import pytest

import cardan
from cardan.model.joints.screw import Screw
from tests.contracts.joint_contract import JointContract
from tests.selection import each


class TestScrew(JointContract):
    sample = Screw(parent="ground", child="body", axis=(0, 0, -1), lead="5 mm")
    size = (1, 1)


@each("off", [0.1, 0.3, 0.45])
def test_a_loop_closes_at_the_nearest_thread_from_a_guess_between_two(off):
    """Also from more than a quarter of a turn, beyond which the sine of the angle leads half a turn away."""
    lead = 0.2
    model = cardan.Model(
        bodies={name: {"mass": 1, "inertia": [1, 1, 1]} for name in ("nut", "slide")},
        joints={
            "turn": {"type": "revolute", "parent": "ground", "child": "nut", "axis": "z"},
            "shift": {"type": "prismatic", "parent": "ground", "child": "slide", "axis": "z"},
            "thread": {"type": "screw", "parent": "slide", "child": "nut", "axis": "z", "lead": lead, "cut": True},
        },
        initial={"turn": 0.0, "shift": {"guess": off * lead}},
    )
    assert cardan.assemble(model).q["shift"] == pytest.approx(0, abs=1e-12)
