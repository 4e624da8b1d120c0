"""Responses that the reset of a run computes: the same equations with other joints that stick, or without friction.

Tolerances: 1e-12 is the round-off of one solution of a mechanism with values of order 1.
"""

import casadi as ca
import numpy as np
from tests.selection import each

import cardan
from cardan.simulation.hybrid.contacts.responses import Responses
from cardan.simulation.hybrid.contacts.rubbing import place
from cardan.system.response import response


def blocks(lower):
    """A block on a block on a table, pulled and pushed; the lower one has the friction `lower`."""
    slide = {"type": "prismatic", "axis": "x"}
    joints = {"low": {**slide, "parent": "ground", "child": "a"}, "up": {**slide, "parent": "a", "child": "b"}}
    joints["up"]["friction"] = {"coefficient": 0.4}
    if lower is not None:
        joints["low"]["friction"] = lower
    pull = {"type": "force", "child": "b", "value": [2.0, 0, 1.0]}
    return cardan.Model(bodies={"a": {"mass": 2}, "b": {"mass": 1}}, joints=joints, forces={"pull": pull})


def motion(model, ways, without=()):
    """Accelerations of both joints, and the efforts of friction, where joints slide the given ways."""
    functions = cardan.prepare(model, until=0.1).task.moving
    s, system = functions.symbols.inputs, functions.system
    z = ca.SX(functions.state.z)
    nq, nv = functions.coordinates.counts
    of = {block.name: block for block in system.frictions}
    for name, way in ways.items():
        if name in of:
            z[place(functions, of[name].names[0]) - nq - nv] = way
    found = Responses(functions)(z, {of[name].velocity: ca.SX(0) for name in without})
    efforts = [found.phi.get(of[name].velocity, 0) if name in of else 0 for name in ("low", "up")]
    inputs = [s[name] for name in ("t", "x", "u", "p")]
    out = ca.Function("out", inputs, [ca.vertcat(found.a, *efforts)])
    values = [np.zeros(each.shape[0]) for each in inputs]
    values[3] = cardan.prepare(model, until=0.1).task.problem.p
    return np.array(out(*values)).ravel()


@each("lower", [{"coefficient": 0.1}, {"effort": 1.5}])
@each("ways", [{"low": 1, "up": 0}, {"low": 0, "up": 1}, {"low": -1, "up": -1}, {"low": 0, "up": 0}])
def test_without_the_friction_of_a_joint_it_moves_as_if_there_were_none(lower, ways):
    """What the other one needs or rubs follows from the motion without it, where nothing holds the first one."""
    rubs, free = motion(blocks(lower), ways, without=["low"]), motion(blocks(None), ways)
    np.testing.assert_allclose(rubs, free, rtol=0, atol=1e-12)
    assert abs(motion(blocks(lower), ways)[0] - free[0]) > 0.1


def test_it_is_the_motion_of_the_state_with_these_ways():
    model = blocks({"coefficient": 0.1})
    functions = cardan.prepare(model, until=0.1).task.moving
    found, called = response(functions.system, functions.state), Responses(functions)(functions.state.z)
    s = functions.symbols.inputs
    parts = [
        ca.vertcat(each.a, each.determinant, *each.limits.values(), *each.sizes.values()) for each in (found, called)
    ]
    out = ca.Function("out", [s[name] for name in ("t", "x", "u", "p")], parts)
    rng = np.random.default_rng(5)
    one, two = out(0.1, rng.standard_normal(s["x"].shape[0]), [], [])
    np.testing.assert_allclose(np.array(one), np.array(two), rtol=1e-12)
