"""Friction of a point on a surface, with the normal force of its equation, against the equations of a particle.

Tolerances: runs at rtol 1e-11 and atol 1e-13, SciPy at 1e-12 and 1e-14, over some seconds: 1e-8 of values of order 1.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan
from cardan.errors import ModelError

pytestmark = pytest.mark.exhaustive


FINE = {"rtol": 1e-11, "atol": 1e-13}
SCIPY = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}
G, MASS = 9.81, 2.0
TIMES = np.linspace(0.05, 2.0, 40)


def bead(equation, friction, parent="ground", **more):
    """A bead of 2 kg on a surface, with the weight along −z."""
    return cardan.Model(
        gravity=[0, 0, -G],
        parameters={"r": 1.5},
        bodies={"bead": {"mass": MASS, "inertia": [0.1, 0.1, 0.1]}, **more.pop("bodies", {})},
        joints={**more.pop("joints", {}), "free": {"type": "free", "parent": "ground", "child": "bead"}},
        constraints={
            "surface": {
                "type": "point_on_curve",
                "parent": parent,
                "child": "bead",
                "equations": [equation],
                "friction": friction,
            }
        },
        **more,
    )


def surface_motion(law, gradient, hessian, p, v):
    """(acceleration, force of friction, normal force) of the bead: m a = m g + N n − friction w/|w|, with n·a from
    the second derivative of the equation, ∇φ·a = −v·H v.

    The point moves along the surface, so that friction, along v, does not change the normal force.
    """
    g = gradient(p)
    n = g / np.linalg.norm(g)
    N = MASS * (-(v @ hessian(p) @ v) / np.linalg.norm(g) + G * n[2])
    s = np.linalg.norm(v)
    dry = law["coefficient"] * (abs(N) + law.get("preload", 0)) if "coefficient" in law else law["effort"]
    F = -(np.tanh(s / law["regularize"]) * dry + law.get("viscous", 0) * s * np.tanh(s / law["regularize"])) * v / s
    return (N * n + F) / MASS - np.array([0, 0, G]), F, N


BOWL = "x**2 + y**2 + (z - r)**2 - r**2"
SADDLE = "z - x**2/2 + y**2/4 - x*y/8"
SURFACES = {
    BOWL: (lambda p: 2 * (p - [0, 0, 1.5]), lambda p: 2 * np.eye(3), [0.6, 0, 1.5 - np.sqrt(1.5**2 - 0.36)]),
    SADDLE: (
        lambda p: np.array([-p[0] - p[1] / 8, p[1] / 2 - p[0] / 8, 1]),
        lambda p: np.array([[-1, -1 / 8, 0], [-1 / 8, 1 / 2, 0], [0, 0, 0]]),
        [0.8, -0.2, 0.32 - 0.01 - 0.02],
    ),
}
LAWS = [
    {"effort": 3.0, "viscous": 0.2, "regularize": 0.3},
    {"coefficient": 0.2, "regularize": 0.3},
    {"coefficient": 0.1, "preload": 4, "regularize": 0.3},
]


@pytest.mark.parametrize(("surface", "law"), [(BOWL, law) for law in LAWS] + [(SADDLE, LAWS[1])])
def test_a_bead_slides_on_a_curved_surface(surface, law):
    """Way, force, normal force and heat in a bowl, round which the bead turns, and on a saddle."""
    gradient, hessian, place = SURFACES[surface]
    place = np.array(place)
    n = gradient(place) / np.linalg.norm(gradient(place))
    start = np.array([0.5, 1.5, 0])
    start[2] = -(start @ n) / n[2]
    times = TIMES if surface == BOWL else TIMES[:12]

    def rates(t, y):
        a, F, _ = surface_motion(law, gradient, hessian, y[:3], y[3:6])
        return [*y[3:6], *a, -F @ y[3:6]]

    y = solve_ivp(rates, (0, times[-1]), [*place, *start, 0], t_eval=times, **SCIPY).y.T
    given = {"free.x": place[0], "free.y": place[1], "free.z": {"guess": place[2]}}
    given |= {"free.vx.v": start[0], "free.vy.v": start[1]}
    run = cardan.simulate(bead(surface, law), times=times, initial=given, **FINE)
    assert run.ok, run.message
    np.testing.assert_allclose(run.array("bead.position"), y[:, :3], atol=1e-8)
    np.testing.assert_allclose(run.array("bead.velocity"), y[:, 3:6], atol=1e-8)
    np.testing.assert_allclose(run.array("surface.heat"), y[:, 6], atol=1e-8 * y[-1, 6])
    found = [surface_motion(law, gradient, hessian, each[:3], each[3:6]) for each in y]
    F, N = np.array([each[1] for each in found]), np.array([each[2] for each in found])
    np.testing.assert_allclose(run.array("surface.friction_force"), F, atol=1e-7)
    np.testing.assert_allclose(run.array("surface.friction"), -np.linalg.norm(F, axis=1), atol=1e-7)
    normals = np.array([gradient(each[:3]) / np.linalg.norm(gradient(each[:3])) for each in y])
    np.testing.assert_allclose(run.array("surface.force"), F + N[:, None] * normals, atol=1e-7)
    if "coefficient" in law:
        most = law["coefficient"] * (np.abs(N) + law.get("preload", 0))
        np.testing.assert_allclose(run.array("surface.friction_limit"), most, atol=1e-7)
    assert run.report.relative_energy_error < 1e-9


def test_a_plane_as_a_surface_rubs_as_a_planar_joint():
    """A bead on an inclined plane, thrown sideways, beside a disc on a planar joint of the same inclination."""
    angle, law = 0.4, {"coefficient": 0.3, "regularize": 0.2}
    one = bead(f"z*cos({angle}) + x*sin({angle})", law)
    run = cardan.simulate(one, times=TIMES, initial={"free.vx.v": 1.0 * np.cos(angle), "free.vy.v": 2.0}, **FINE)
    disc = cardan.Model(
        gravity=[0, 0, -G],
        ground={"markers": {"slope": {"rpy": [0, angle, 0]}}},
        bodies={"bead": {"mass": MASS, "inertia": [0.1, 0.1, 0.1]}},
        joints={"surface": {"type": "planar", "parent": "ground.slope", "child": "bead", "friction": law}},
    )
    other = cardan.simulate(disc, times=TIMES, initial={"surface.x.v": 1.0, "surface.y.v": 2.0}, **FINE)
    assert run.ok, run.message
    for name in ("bead.position", "bead.velocity", "surface.friction", "surface.friction_force", "surface.heat"):
        np.testing.assert_allclose(run.array(name), other.array(name), atol=1e-8, err_msg=name)
    assert "surface.friction_moment" not in run.names


def test_a_moving_surface_carries_the_bead_along():
    """A turntable of a given speed: the bead, at rest on it at first, slides against it; velocities are relative."""
    law, speed, v0 = {"coefficient": 0.3, "regularize": 0.2}, 1.2, 0.2
    table = {"type": "revolute", "parent": "ground", "child": "table", "axis": "z"}
    model = bead(
        "z",
        law,
        parent="table",
        bodies={"table": {"mass": 1, "inertia": [1, 1, 1]}},
        joints={"turn": table},
        motions={"turn": f"{speed}*t"},
    )
    run = cardan.simulate(model, times=TIMES, initial={"free.x": 0.5}, **FINE)
    assert run.ok, run.message

    def rates(t, y):
        w = y[2:] - speed * np.array([-y[1], y[0]])
        s = np.linalg.norm(w)
        return [*y[2:], *(-0.3 * G * np.tanh(s / v0) * w / s)]

    y = solve_ivp(rates, (0, TIMES[-1]), [0.5, 0, 0, 0], t_eval=TIMES, **SCIPY).y.T
    np.testing.assert_allclose(run.array("bead.position")[:, :2], y[:, :2], atol=1e-8)
    # friction on the table is the opposite: the drive overcomes its moment
    F = np.array([MASS * np.array(rates(0, each)[2:]) for each in y])
    moment = -(y[:, 0] * F[:, 1] - y[:, 1] * F[:, 0])
    np.testing.assert_allclose(run.array("turn.effort"), -moment, atol=1e-7)


def test_formulations_agree_on_it():
    """Also bond graphs, which the given part of friction is a part of."""
    assert cardan.verify(bead(BOWL, LAWS[0])).ok
    assert cardan.verify(bead(BOWL, LAWS[1])).ok


def test_equations_that_fix_the_point_leave_it_no_friction():
    model = bead("z", {"effort": 1, "regularize": 0.1})
    fixed = model.constraints["surface"].replace(equations=["x", "y", "z"])
    with pytest.raises(ModelError, match="neither a curve nor a surface"):
        cardan.simulate(model.replace(constraints={"surface": fixed}), until=0.1)


def test_motions_may_prescribe_its_way():
    """A gantry of 1 kg and 1 kg moves the bead on a circle: its drives overcome μ m g. Elsewhere this is refused."""
    law, circle = {"coefficient": 0.3, "prescribed": True}, {"x": "0.2*cos(t)", "y": "0.2*sin(t)"}
    ends = {"x": ("ground", "beam"), "y": ("beam", "trolley"), "z": ("trolley", "bead")}
    guides = {
        axis: {"type": "prismatic", "parent": parent, "child": child, "axis": axis}
        for axis, (parent, child) in ends.items()
    }
    gantry = bead("z", law).replace(
        bodies={"beam": {"mass": 1}, "trolley": {"mass": 1}, "bead": {"mass": MASS}}, joints=guides, motions=circle
    )
    times = np.linspace(0, 3, 7)
    out, along = np.array([np.cos(times), np.sin(times)]), np.array([-np.sin(times), np.cos(times)])
    expected = np.array([[-4], [-3]]) * 0.2 * out + 0.3 * MASS * G * along
    for run in (cardan.simulate(gantry, times=times, **FINE), cardan.kinetostatics(gantry, times=times)):
        assert run.ok, run.message
        np.testing.assert_allclose([run.array("x.effort"), run.array("y.effort")], expected, rtol=0, atol=1e-9)
    with pytest.raises(ModelError, match="no motion prescribes how the constraint 'surface' moves"):
        cardan.simulate(bead("z", law), until=0.1)


@pytest.mark.parametrize("law", [{"coefficient": 0.3}, {"type": "lugre", "effort": 1, "bristle": 1e4}])
def test_friction_that_sticks_or_has_bristles_there_is_refused(law):
    with pytest.raises(ModelError, match=r"(?s)'surface' leaves its point a surface.*write regularize: 1 mm/s"):
        cardan.simulate(bead(BOWL, law), until=0.1)
