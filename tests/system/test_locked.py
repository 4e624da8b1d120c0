"""Joints of a tree that stick: locking them gives the same motion as the efforts that hold them."""

import casadi as ca
import numpy as np
import pytest

import cardan
from cardan.functions.system_functions import functions_of
from cardan.system import constrained
from cardan.system.contacts.unknown_efforts import stuck
from cardan.system.efforts import actuator_efforts

N = 6


def chain(n):
    """Links one behind the other, whose joints rub, about z and y in turn."""
    link = {"mass": 1, "com": [0.1, 0, 0], "inertia": [0.01, 0.02, 0.02]}
    return cardan.Model(
        bodies={f"l{k}": link for k in range(n)},
        joints={
            f"j{k}": {
                "type": "revolute",
                "parent": {"body": f"l{k - 1}", "position": [0.2, 0, 0]} if k else "ground",
                "child": f"l{k}",
                "axis": "y" if k % 2 else "z",
                "friction": {"effort": 0.5},
            }
            for k in range(n)
        },
    )


@pytest.mark.parametrize("slides", [(1, 0, -1, 0, 0, 1), (0,) * N, (1,) * N, (0, 1, 0, 0, -1, 1) * 3])
def test_locked_joints_and_efforts_that_hold_them_are_the_same(slides, monkeypatch):
    """From one factorisation in short chains, from link to link in long ones."""
    n = len(slides)
    functions, found = functions_of(chain(n), "none", (), constrained.NO_CONSTRAINTS), []
    system, state, inputs = functions.system, functions.state, functions.symbols.inputs
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(-1, 1, (2, n)).ravel(), np.ravel([slides, np.zeros(n)], order="F")])
    for is_locked in (True, False):
        monkeypatch.setattr(constrained, "locks", lambda *arguments, given=is_locked: given)
        held, tau = stuck(system, state), actuator_efforts(system, state)
        one = constrained.solved(system.reduced, state.motion, tau, system.choice, None, held)
        out = ca.vertcat(one.a, *(one.phi[k] for k in range(n)))
        law = ca.Function("law", [inputs["x"], inputs["u"]], [out])
        found.append(np.array(law(x, np.zeros(n))).ravel())
    assert found[0] == pytest.approx(found[1], rel=1e-9, abs=1e-9)  # some hundred operations on accelerations up to 1e3
    assert not found[0][:n][np.array(slides) == 0].any()


def test_friction_takes_no_more_operations_than_motion_without_it():
    """Locked joints hand on whole inertias: 1.08 times the operations of the chain of 24 links without friction."""
    rough = chain(24)
    smooth = rough.replace(joints={name: joint.replace(friction=None) for name, joint in rough.joints.items()})
    rough_length, smooth_length = (
        functions_of(one, "none", (), constrained.NO_CONSTRAINTS).interpreted("derivative").n_instructions()
        for one in (rough, smooth)
    )
    assert rough_length < 1.2 * smooth_length
