"""Friction of balls in sockets, rods in sleeves and discs on planes against the equations of one body.

Tolerances: runs at rtol 1e-11 and atol 1e-13, SciPy at 1e-12 and 1e-14, over some seconds: 1e-8 of values of order 1.
"""

import casadi as ca
import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from cardan.system.response import accelerations_and_multipliers
from cardan.system.state import symbolic_state
from cardan.system.system import build_system
from tests.truths.rubbing_mechanisms import one_body

FINE = {"rtol": 1e-11, "atol": 1e-13}
G = np.array([0, 0, -9.81])
TIMES = np.linspace(0.05, 1.5, 30)


@pytest.mark.parametrize("law", [{"effort": 0.8}, {"coefficient": 0.4, "radius": 0.2, "preload": 10}])
def test_at_rest_friction_is_a_damping(law):
    """F tanh(|ω|/v₀) ω/|ω| is F/v₀ ω near rest, also in its derivatives at rest itself, as stiff methods need them."""
    body, joint = {"mass": 1, "inertia": [0.1, 0.2, 0.4]}, {"type": "spherical", "friction": law | {"regularize": 0.3}}
    system = build_system(one_body(joint, body))
    s = symbolic_state(system)
    change = ca.jacobian(accelerations_and_multipliers(system, s)[0], s.v)
    at_rest = ca.Function("change", [s.t, s.x, s.u, system.tree.p], [change])
    F = law.get("effort", 0.4 * 0.2 * (9.81 + 10))
    expected = -F / 0.3 * np.diag([10, 5, 2.5])
    np.testing.assert_allclose(at_rest(0, [1, 0, 0, 0, 0, 0, 0, 0], [], []).full(), expected, rtol=1e-12, atol=1e-12)


# a rod in a level sleeve along x, its centre of mass beside the axis

OFF, ALONG, J_ROD, RADIUS = 0.03, 0.12, 0.02, 0.04
ROD = {"mass": 3.0, "com": [ALONG, 0, -OFF], "inertia": [J_ROD, 0.3, 0.3]}


@pytest.mark.exhaustive
def test_which_part_of_a_joint_is_the_child_changes_nothing():
    """A sleeve on a fixed rod, as the child and as the parent of their joint."""
    law = {"coefficient": 0.15, "radius": RADIUS, "regularize": 0.05}
    runs = []
    for parent, child, sign in (("rod", "sleeve", 1), ("sleeve", "rod", -1)):
        joint = {"type": "cylindrical", "parent": parent, "child": child, "axis": "x", "friction": law}
        model = cardan.Model(
            gravity=list(G),
            bodies={"rod": {"mass": 1, "inertia": [1, 1, 1]}, "sleeve": ROD},
            joints={"wall": {"type": "fixed", "parent": "ground", "child": "rod"}, "joint": joint},
        )
        given = {"joint.d.v": 2.0 * sign, "joint.r.v": 9.0 * sign}
        runs.append(cardan.simulate(model, times=TIMES, initial=given, **FINE))
    one, other = runs
    for name in ("sleeve.position", "joint.friction", "joint.heat"):
        np.testing.assert_allclose(other.array(name), one.array(name), atol=1e-8)
    for name in ("joint.friction_force", "joint.reaction_force"):
        np.testing.assert_allclose(other.array(name), -one.array(name), atol=1e-7)  # forces of some 30 N


# a disc that slides and spins on a level plane

PUCK = {"mass": 0.5, "inertia": [0.1, 0.1, 0.2]}


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("law", [{"effort": 0.5 * 0.3 * 9.81}, {"coefficient": 0.3}])
def test_a_disc_slides_straight_on_a_plane(law, cut):
    """v̇ = −μ g tanh(v/v₀), so that sinh(v/v₀) falls as exp(−μ g t/v₀); its spin goes on."""
    v0, start, way, mu_g = 0.2, 3.0, np.array([0.6, -0.8]), 0.3 * 9.81
    pre = "free.v" if cut else "joint."
    joint = {"type": "planar", "friction": law | {"regularize": v0}}
    spin = "free.wz.v" if cut else "joint.rz.v"
    given = {f"{pre}x.v": start * way[0], f"{pre}y.v": start * way[1], spin: 5.0}
    run = cardan.simulate(one_body(joint, PUCK, cut=cut), times=TIMES, initial=given, **FINE)
    assert run.ok, run.message
    v = v0 * np.arcsinh(np.sinh(start / v0) * np.exp(-mu_g * TIMES / v0))
    velocity = run.array("body.velocity")
    np.testing.assert_allclose(velocity[:, :2], v[:, None] * way, atol=1e-8)
    np.testing.assert_allclose(run.array(spin), 5, atol=1e-9)
    force = -0.5 * mu_g * np.tanh(v / v0)[:, None] * way
    np.testing.assert_allclose(run.array("joint.friction_force")[:, :2], force, atol=1e-7)  # tanh falls over v0 = 0.2
    np.testing.assert_allclose(run.array("joint.reaction_force")[:, :2], force, atol=1e-7)
    heat = 0.25 * (start**2 - v**2)
    np.testing.assert_allclose(run.array("joint.heat"), heat, atol=1e-8)


def test_the_drives_of_a_disc_on_a_circle_overcome_its_friction():
    """Kineto-statics: m a, and μ m g along the velocity once round the circle in 2π seconds."""
    joint = {"type": "planar", "friction": {"coefficient": 0.3, "regularize": "1 mm/s"}}
    circle = {"joint.x": "0.2*cos(t)", "joint.y": "0.2*sin(t)"}
    run = cardan.kinetostatics(one_body(joint, PUCK, motions=circle | {"joint.rz": "3*t"}), times=TIMES)
    out, along = np.array([np.cos(TIMES), np.sin(TIMES)]), np.array([-np.sin(TIMES), np.cos(TIMES)])
    expected = -0.5 * 0.2 * out + 0.3 * 0.5 * 9.81 * along  # tanh(200) = 1
    found = [run.array(f"joint.{x}.effort") for x in "xy"]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run.array("joint.rz.effort"), 0, atol=1e-12)


def refused(kind, friction, axis=None, **more):
    joint = {"type": kind, "parent": "ground", "child": "b", "friction": friction}
    if axis is not None:
        joint["axis"] = axis
    cardan.Model(bodies={"b": {"mass": 1, "inertia": [1, 1, 1]}}, joints={"j": joint}, **more)


@pytest.mark.parametrize(
    ("kind", "friction", "axis", "words"),
    [
        ("planar", {"effort": 1, "static": 2, "regularize": 0.1}, None, "never sticks, so static has no meaning"),
        (
            "spherical",
            {"coefficient": 0.1, "regularize": 0.1},
            None,
            "joint of type spherical needs a radius",
        ),
        (
            "spherical",
            {"effort": 1, "radius": 1, "regularize": 0.1},
            None,
            "effort in a joint of type spherical has no",
        ),
        (
            "cylindrical",
            {"effort": 1, "regularize": 0.1},
            "z",
            "effort in a joint of type cylindrical needs a",
        ),
        ("planar", {"coefficient": 1, "radius": 1, "regularize": 0.1}, None, "joint of type planar has no radius"),
    ],
)
def test_friction_that_several_motions_cannot_have_is_refused(kind, friction, axis, words):
    with pytest.raises(ModelError, match=words):
        refused(kind, friction, axis)


def test_friction_across_the_plane_of_a_planar_model_is_refused():
    with pytest.raises(ModelError, match="load along the normal of the plane xy, which has no such loads"):
        refused("planar", {"coefficient": 0.1, "regularize": 0.1}, planar="xy")
