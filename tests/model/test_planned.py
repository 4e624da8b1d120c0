"""Keys and kinds that do not exist yet say so, instead of pointing at others of a similar name."""

import pytest

from cardan.errors import ModelError
from cardan.formats.yaml import loads
from cardan.model.constraints import CONSTRAINTS
from cardan.model.forces import FORCES
from cardan.model.joints import JOINTS
from cardan.model.model import Model
from cardan.model.motors import MOTORS
from cardan.model.records.key_advice import _PLANNED
from tests.selection import each

PENDULUM = """cardan: 1
bodies: {rod: {mass: 1 kg, com: [0, 0, -1]}}
joints: {hinge: {type: revolute, parent: ground, child: rod, axis: y}}
"""
MOTOR = "joint: hinge, resistance: 1 ohm, torque_constant: 0.1 N*m/A, back_emf_constant: 0.1 V*s/rad"


@each(
    "text, said",
    [
        (f"motors: {{m: {{type: bldc, {MOTOR}}}}}", r"no motor type 'bldc'\n.*a source of drives: dc, pmsm"),
        (f"motors: {{m: {{type: dc, {MOTOR}, thermal_resistance: 3}}}}", r"'thermal_resistance'\n.*a node of thermal:"),
    ],
)
def test_what_does_not_exist_yet_says_so(text, said):
    with pytest.raises(ModelError, match=said):
        loads(PENDULUM + text)


def test_what_exists_is_not_called_planned():
    """And what the advice names exists: forces spring_damper and torsion_spring, the motor dc, sections, keys."""
    kinds = {**JOINTS, **MOTORS, **FORCES, **CONSTRAINTS}
    known = {*kinds, *Model.model_fields, *(key for kind in kinds.values() for key in kind.model_fields)}
    assert not known & set(_PLANNED)
    assert {
        "spring_damper",
        "torsion_spring",
        "dc",
        "states",
        "inputs",
        "forces",
        "stiffness",
        "ratio",
        "limits",
    } <= known
