"""Force laws: power against generalised forces, gradients of potentials, and the laws by hand."""

import casadi as ca
import numpy as np
import pytest

from cardan.kinematics import energy, loads
from cardan.kinematics.build import build
from cardan.kinematics.jacobian import jacobian
from cardan.kinematics.motion import motion
from cardan.model import Model

ROUND_OFF = 1e-12  # some thousand operations on numbers up to ten


def two_bodies(**forces):
    """A flying body and a slider, with forces between them."""
    bodies = {
        "slider": {"mass": 1, "markers": {"hook": {"position": [0.3, 0, 0], "rpy": [0, 0, 0.5]}}},
        "kite": {"mass": 2, "com": [0, 0, 0.1], "markers": {"ear": {"position": [0.1, 0.4, 0], "rpy": [0.3, 0, 0]}}},
    }
    joints = {
        "slide": {"type": "prismatic", "parent": "ground", "child": "slider", "axis": "x"},
        "fly": {"type": "free", "parent": "ground", "child": "kite"},
    }
    return Model(gravity=[0, 0, 0], bodies=bodies, joints=joints, forces=forces)


Q = np.array([0.2, 1.0, 0.5, -0.3, 0.5, -0.1, 0.7, 0.5])
V = np.array([0.4, -0.3, 0.2, 0.6, 1.0, -0.5, 0.8])


def wrench(model, t=0.0):
    """(force law's wrench, marker motions of parent and child) at Q, V as arrays."""
    tree = build(model, p=ca.DM(0, 1))
    state = motion(tree, ca.DM(Q), ca.DM(V), t=t)
    load = tree.loads[0]
    total = loads.load_wrench(tree, state, load)
    return np.array(ca.DM(total.n)).ravel(), np.array(ca.DM(total.f)).ravel(), tree, state, load


def place(tree, state, name):
    """(R, p) of a marker."""
    where = tree.places[name]
    T = np.array(ca.DM(state.T_WL[where.link] @ where.T_LM))
    return T[:3, :3], T[:3, 3]


def velocity(tree, state, name):
    """(ω, ṗ) of a marker."""
    twist = np.array(ca.DM(jacobian(tree, state, tree.places[name]))) @ V
    return twist[:3], twist[3:]


def test_spring_damper_pulls_along_its_line():
    """F = k (ℓ − ℓ0) + d dℓ/dt on the child, towards the parent when positive (docs/notation.md §7)."""
    between = {"parent": "slider.hook", "child": "kite.ear"}
    spring = {"type": "spring_damper", **between, "stiffness": 20, "damping": 3, "rest_length": 0.4}
    n, f, tree, state, _ = wrench(two_bodies(spring=spring))
    d = place(tree, state, "kite.ear")[1] - place(tree, state, "slider.hook")[1]
    d_dot = velocity(tree, state, "kite.ear")[1] - velocity(tree, state, "slider.hook")[1]
    length = np.linalg.norm(d)
    size = 20 * (length - 0.4) + 3 * (d @ d_dot) / length
    np.testing.assert_allclose(f, -size * d / length, rtol=ROUND_OFF)
    assert not n.any()
    assert float(energy.potential(tree, state)) == pytest.approx(10 * (length - 0.4) ** 2, rel=ROUND_OFF)


def test_point_spring_is_regular_where_its_ends_meet():
    spring = {"type": "spring_damper", "parent": "slider", "child": "kite", "stiffness": 20}
    tree = build(two_bodies(spring=spring), p=ca.DM(0, 1))
    for q in ([0.2, 0.2, 0, 0, *Q[4:]], Q):
        state = motion(tree, ca.DM(q), ca.DM.zeros(7))
        f = np.array(ca.DM(loads.load_wrench(tree, state, tree.loads[0]).f)).ravel()
        d = place(tree, state, "kite")[1] - place(tree, state, "slider")[1]
        np.testing.assert_allclose(f, -20 * d, rtol=0, atol=ROUND_OFF)


def test_torsion_spring_in_a_plane_is_a_linear_spring():
    """M = k (θ − θ0) + d θ̇ about the axis when the bodies turn about nothing else."""
    between = {"parent": "ground", "child": "b", "axis": [0, 0, 2]}
    twist = {"type": "torsion_spring", **between, "stiffness": 2, "damping": 0.3, "rest": 0.4}
    joints = {"j": {"type": "revolute", "parent": "ground", "child": "b", "axis": "z"}}
    tree = build(Model(bodies={"b": {"mass": 1}}, joints=joints, forces={"twist": twist}), p=ca.DM(0, 1))
    for q in (-1.0, 0.4, 3.0):
        state = motion(tree, ca.DM(q), ca.DM(0.7))
        n = np.array(ca.DM(loads.load_wrench(tree, state, tree.loads[0]).n)).ravel()
        np.testing.assert_allclose(n, [0, 0, -2 * (q - 0.4) - 0.3 * 0.7], rtol=0, atol=ROUND_OFF)
        assert float(energy.potential(tree, state)) == pytest.approx((q - 0.4) ** 2, abs=ROUND_OFF)


def test_torsion_spring_turns_back_the_shorter_way():
    twist = {"type": "torsion_spring", "parent": "ground", "child": "b", "axis": "z", "stiffness": 2, "rest": "170 deg"}
    joints = {"j": {"type": "revolute", "parent": "ground", "child": "b", "axis": "z"}}
    tree = build(Model(bodies={"b": {"mass": 1}}, joints=joints, forces={"twist": twist}), p=ca.DM(0, 1))
    state = motion(tree, ca.DM(np.deg2rad(-170)), ca.DM(0))
    n = np.array(ca.DM(loads.load_wrench(tree, state, tree.loads[0]).n)).ravel()
    assert n[2] == pytest.approx(-2 * np.deg2rad(20), rel=ROUND_OFF)


def test_a_mechanism_without_forces_has_no_wrenches():
    tree = build(two_bodies(), p=ca.DM(0, 1))
    state = motion(tree, ca.DM(Q), ca.DM(V))
    acting = loads.wrenches(tree, state)
    assert set(acting.conservative) == set(acting.other) == {None}
    assert float(loads.load_power(tree, state)) == 0.0
