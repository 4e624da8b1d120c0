"""Jacobians against the motion of markers, on random mechanisms of all joint types."""

import casadi as ca
import numpy as np

from cardan.kinematics.build import build
from cardan.kinematics.jacobian import jacobian
from cardan.kinematics.motion import coordinate_rate, marker_motion, motion, normalised
from cardan.model import Model
from tests.mechanisms import random_model, random_state
from tests.selection import each

ROUND_OFF = 1e-12  # some thousand operations on numbers up to ten


@each("seed", range(9))
def test_jacobian_times_velocity_is_the_twist_and_the_rate_of_the_pose(seed):
    """J v = (ω; ṗ), and the pose moves so: ṗ = dp/dt, Ṙ = [ω×] R, with q̇ = N(q) v."""
    model = random_model(seed)
    tree = build(model, p=ca.DM([1.5]))
    q, v = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    state, rate = motion(tree, q, v), coordinate_rate(tree, q, v)
    places = ["b0.a", "b3.b", f"b{len(model.bodies) - 1}.com"]
    outputs = []
    for name in places:
        marker = marker_motion(state, tree.places[name])
        R, p = ca.densify(ca.SX(marker.R)), ca.densify(ca.SX(marker.p))
        R_dot = ca.reshape(ca.jtimes(ca.vec(R), q, rate), 3, 3)
        outputs += [jacobian(tree, state, tree.places[name]), marker.w, marker.v, ca.jtimes(p, q, rate), R_dot @ R.T]
    numbers = [np.array(x) for x in ca.Function("f", [q, v], outputs)(*random_state(model, seed))]
    v_0 = random_state(model, seed)[1]
    for k in range(len(places)):
        J, w, u, p_dot, W = numbers[5 * k : 5 * k + 5]
        np.testing.assert_allclose(J @ v_0, np.concatenate([w, u]).ravel(), rtol=0, atol=ROUND_OFF)
        np.testing.assert_allclose(p_dot, u, rtol=0, atol=ROUND_OFF)
        np.testing.assert_allclose([W[2, 1], W[0, 2], W[1, 0]], w.ravel(), rtol=0, atol=ROUND_OFF)
        np.testing.assert_allclose(W, -W.T, rtol=0, atol=ROUND_OFF)


def test_the_ground_does_not_move():
    model = random_model(0)
    tree = build(model)
    state = motion(tree, ca.DM(tree.neutral), ca.DM.ones(tree.nv))
    J = jacobian(tree, state, tree.places["ground"])
    assert J.shape == (6, tree.nv)
    assert J.nnz() == 0
    marker = marker_motion(state, tree.places["ground"])
    assert float(ca.norm_2(marker.v)) == float(ca.norm_2(marker.w)) == 0.0


def test_a_mechanism_that_cannot_move_has_an_empty_jacobian():
    model = Model(bodies={"b": {"mass": 1}}, joints={"weld": {"type": "fixed", "parent": "ground", "child": "b"}})
    tree = build(model)
    state = motion(tree, ca.DM(0, 1), ca.DM(0, 1))
    assert jacobian(tree, state, tree.places["b"]).shape == (6, 0)
    assert coordinate_rate(tree, ca.DM(0, 1), ca.DM(0, 1)).shape == (0, 1)


def test_normalised_changes_the_length_of_quaternions_and_nothing_else():
    model = random_model(5)  # spherical, planar, free, fixed, revolute, prismatic
    tree = build(model)
    q, _ = random_state(model, 5)
    longer = q.copy()
    for link in tree.links:
        if len(link.q) in (4, 7):
            longer[list(link.q[-4:])] *= 1.7
    np.testing.assert_allclose(np.array(normalised(tree, ca.DM(longer))).ravel(), q, rtol=0, atol=1e-15)
