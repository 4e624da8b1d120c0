"""Constraints beside the joints, each against a motion that is known in closed form or by an ODE of its own."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan
from cardan.errors import ModelError
from cardan.model.model import Model
from tests.selection import each

G = 9.81
TIGHT = {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}
TIMES = np.linspace(0, 2, 9)


def point(**more):
    """A point mass of 2 kg in the xz plane on two slides, `x` and `z`."""
    return Model(
        planar="xz",
        bodies={"slide": {}, "bead": {"mass": 2}},
        joints={
            "x": {"type": "prismatic", "parent": "ground", "child": "slide", "axis": "x"},
            "z": {"type": "prismatic", "parent": "slide", "child": "bead", "axis": "z"},
        },
        **more,
    )


def run_of(model, **options):
    run = cardan.simulate(model, times=TIMES, **(TIGHT | options))
    assert run.ok, run.message
    assert run.report.constraint_violation < 1e-10
    assert run.report.relative_energy_error < 1e-8
    return run


def test_a_rod_of_constant_length_makes_a_pendulum():
    """Against θ̈ = −(g/ℓ) sin θ; the rod pulls with m (g cos θ + ℓ θ̇²)."""
    rod = {"type": "distance", "child": "bead", "length": 0.8}
    run = run_of(point(constraints={"rod": rod}, initial={"x": {"guess": 0.8}, "z": 0}))
    known = solve_ivp(
        lambda t, y: [y[1], -G / 0.8 * np.sin(y[0])], (0, 2), [np.pi / 2, 0], "DOP853", TIMES, rtol=1e-12, atol=1e-13
    )
    theta, rate = known.y
    np.testing.assert_allclose(run.array("x.q"), 0.8 * np.sin(theta), rtol=0, atol=1e-8)
    np.testing.assert_allclose(run.array("z.q"), -0.8 * np.cos(theta), rtol=0, atol=1e-8)
    pull = 2 * (G * np.cos(theta) + 0.8 * rate**2)
    force = -pull[:, None] * np.column_stack([np.sin(theta), 0 * theta, -np.cos(theta)])
    np.testing.assert_allclose(run.array("rod.force"), force, rtol=0, atol=1e-6)


def test_a_gear_pair_accelerates_by_the_reflected_inertia():
    """φ1 z1 + φ2 z2 = 0 for wheels that mesh outside: (J1 + (z1/z2)² J2) φ̈1 = τ."""
    hinge = {"type": "revolute", "parent": "ground", "axis": "z"}
    model = Model(
        parameters={"z1": 20, "z2": 50, "J1": 0.1, "J2": 0.8},
        bodies={"pinion": {"mass": 1, "inertia": ["J1", "J1", "J1"]}, "wheel": {"mass": 4, "inertia": ["J2"] * 3}},
        joints={name: hinge | {"child": name} for name in ("pinion", "wheel")},
        constraints={"mesh": {"type": "coupler", "terms": {"pinion": "z1", "wheel": "z2"}}},
        forces={"drive": {"type": "torque", "child": "pinion", "value": [0, 0, 3]}},
    )
    run = run_of(model)
    a = 3 / (0.1 + 0.4**2 * 0.8)
    np.testing.assert_allclose(run.array("pinion.q"), a * TIMES**2 / 2, rtol=1e-9)
    np.testing.assert_allclose(run.array("wheel.q"), -0.4 * a * TIMES**2 / 2, rtol=1e-9)


def test_a_rack_starts_from_its_offset():
    """x − r φ = offset."""
    model = Model(
        gravity=[0, 0, 0],
        bodies={"rack": {"mass": 2}, "pinion": {"mass": 1, "inertia": [0.1, 0.1, 0.1]}},
        joints={
            "x": {"type": "prismatic", "parent": "ground", "child": "rack", "axis": "x"},
            "phi": {"type": "revolute", "parent": "ground", "child": "pinion", "axis": "z"},
        },
        constraints={"mesh": {"type": "coupler", "terms": {"x": 1, "phi": "-0.05 m"}, "offset": "0.3 m"}},
        initial={"phi": 0.0, "x": {"guess": 0}, "phi.v": 2.0},
    )
    run = run_of(model)
    np.testing.assert_allclose(run.array("x.q"), 0.3 + 0.05 * 2 * TIMES, rtol=0, atol=1e-12)


def test_a_bead_slides_down_a_straight_wire():
    """s = ½ g sin α t², pressed on with m g cos α."""
    alpha = 0.4
    wire = {"type": "point_on_line", "child": "bead", "axis": [np.cos(alpha), 0, -np.sin(alpha)]}
    run = run_of(point(constraints={"wire": wire}))
    s = G * np.sin(alpha) * TIMES**2 / 2
    np.testing.assert_allclose(run.array("x.q"), s * np.cos(alpha), rtol=1e-9, atol=1e-12)
    normal = 2 * G * np.cos(alpha) * np.array([np.sin(alpha), 0, np.cos(alpha)])
    np.testing.assert_allclose(
        run.array("wire.force")[:, [0, 2]], np.tile(normal[[0, 2]], (len(TIMES), 1)), rtol=0, atol=1e-9
    )


def test_a_bead_on_a_parabola():
    """z = x²: (1 + 4x²) ẍ + 4 x ẋ² + 2 g x = 0."""
    bowl = {"type": "point_on_curve", "child": "bead", "equations": ["z - x**2/L", "y"]}
    model = point(parameters={"L": "1 m"}, constraints={"bowl": bowl}, initial={"x": 0.5, "z": {"guess": 0.2}})
    model = model.replace(planar=None)
    known = solve_ivp(
        lambda t, y: [y[1], -(4 * y[0] * y[1] ** 2 + 2 * G * y[0]) / (1 + 4 * y[0] ** 2)],
        (0, 2), [0.5, 0], "DOP853", TIMES, rtol=1e-12, atol=1e-13,
    )  # fmt: skip
    np.testing.assert_allclose(run_of(model).array("x.q"), known.y[0], rtol=0, atol=1e-8)


def test_a_cam_lifts_its_follower():
    """An excentric disc of radius R turned at constant speed under a pin: h = e sin φ + √(R² − e² cos² φ)."""
    model = Model(
        planar="xz",
        parameters={"e": "0.1 m", "R": "0.3 m", "w": 4},
        bodies={"cam": {"mass": 1, "inertia": [1, 1, 1]}, "pin": {"mass": 0.2}},
        joints={
            "phi": {"type": "revolute", "parent": "ground", "child": "cam", "axis": "-y"},
            "h": {"type": "prismatic", "parent": "ground", "child": "pin", "axis": "z"},
        },
        constraints={
            "contact": {
                "type": "point_on_curve", "parent": "cam", "child": "pin", "equations": ["(x - e)**2 + z**2 - R**2"],
            },
            "drive": {"type": "expression", "expression": "phi - w*t"},
        },
        initial={"h": {"guess": 0.3}},
    )  # fmt: skip
    run = run_of(model)
    phi = 4 * TIMES
    np.testing.assert_allclose(run.array("phi.q"), phi, rtol=0, atol=1e-9)
    h = 0.1 * np.sin(phi) + np.sqrt(0.3**2 - 0.1**2 * np.cos(phi) ** 2)
    np.testing.assert_allclose(run.array("h.q"), h, rtol=0, atol=1e-9)


def test_a_slide_that_follows_time_takes_the_work_it_needs():
    """x = A sin ωt: the guidance does the work ½ m ẋ², which the balance counts under forces."""
    drive = {"type": "expression", "expression": "x - A*sin(w*t)"}
    model = point(parameters={"A": "0.1 m", "w": 5}, gravity=[0, 0, 0], constraints={"drive": drive})
    run = run_of(model)
    np.testing.assert_allclose(run.array("x.q"), 0.1 * np.sin(5 * TIMES), rtol=0, atol=1e-10)
    kinetic = 0.5 * 2 * (0.5 * np.cos(5 * TIMES)) ** 2
    np.testing.assert_allclose(run.array("work.forces"), kinetic - kinetic[0], rtol=0, atol=1e-9)


@each("equation", ["slide.v - r*spin.v", "disc.vx - r*disc.wy"])
def test_a_disc_rolls_down_an_incline(equation):
    """a = g sin α / (1 + J/(m r²)) = ⅔ g sin α for a full disc, also where points say it instead of coordinates."""
    alpha, r, m = 0.3, 0.3, 2.0
    model = Model(
        planar="xz",
        gravity=[G * np.sin(alpha), 0, -G * np.cos(alpha)],  # x down the incline
        parameters={"r": "0.3 m"},
        bodies={"cart": {}, "disc": {"mass": m, "inertia": [m * r**2 / 4, m * r**2 / 2, m * r**2 / 4]}},
        joints={
            "slide": {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x"},
            "spin": {"type": "revolute", "parent": "cart", "child": "disc", "axis": "y"},
        },
        constraints={"rolling": {"type": "expression", "velocity": equation}},
    )
    run = run_of(model)
    s = 2 / 3 * G * np.sin(alpha) * TIMES**2 / 2
    np.testing.assert_allclose(run.array("slide.q"), s, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(run.array("spin.q"), s / r, rtol=1e-9, atol=1e-12)


def test_a_wheel_that_rolls_upright_runs_in_a_circle():
    """Constant turning and spinning rates: x = (r ω/Ω) sin Ωt, y = (r ω/Ω)(1 − cos Ωt); nonholonomic, in space."""
    r, spin, turn = 0.3, 5.0, 2.0
    model = Model(
        bodies={"fork": {}, "wheel": {"mass": 2, "inertia": [0.05, 0.09, 0.05]}},
        joints={
            "base": {"type": "planar", "parent": "ground", "child": "fork"},
            "spin": {"type": "revolute", "parent": "fork", "child": "wheel", "axis": "y"},
        },
        constraints={
            "along": {"type": "expression", "velocity": f"base.x.v - {r}*cos(base.rz)*spin.v"},
            "across": {"type": "expression", "velocity": f"base.y.v - {r}*sin(base.rz)*spin.v"},
        },
        initial={"spin.v": spin, "base.rz.v": turn},
    )
    run = run_of(model)
    assert cardan.mobility(model).degrees_of_freedom == 2
    radius = r * spin / turn
    np.testing.assert_allclose(run.array("base.x.q"), radius * np.sin(turn * TIMES), rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.array("base.y.q"), radius * (1 - np.cos(turn * TIMES)), rtol=0, atol=1e-9)


def test_chaplygins_sleigh():
    """A knife edge, the centre of mass a before it: v̇ = a ω², (J + m a²) ω̇ = −m a v ω.   Source: Bloch 2015, §1.7"""
    m, J, a = 2.0, 0.3, 0.25
    model = Model(
        gravity=[0, 0, 0],
        bodies={"sleigh": {"mass": m, "com": [a, 0, 0], "inertia": [J, J, J]}},
        joints={"s": {"type": "planar", "parent": "ground", "child": "sleigh"}},
        constraints={"edge": {"type": "expression", "velocity": "s.y.v*cos(s.rz) - s.x.v*sin(s.rz)"}},
        initial={"s.x.v": 1.0, "s.rz.v": 3.0},
    )

    def rates(t, y):
        psi, v, w = y[2:]
        return [v * np.cos(psi), v * np.sin(psi), w, a * w**2, -m * a * v * w / (J + m * a**2)]

    known = solve_ivp(rates, (0, 2), [0, 0, 0, 1, 3], "DOP853", TIMES, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(run_of(model).x[:, :3], known.y[:3].T, rtol=0, atol=1e-8)


def linkage(coupler: dict, **more) -> Model:
    """A planar four-bar whose coupler, in the middle of the chain, is given."""
    bar = {"mass": 1, "com": [0.5, 0, 0], "inertia": [0, 0.1, 0.1], "markers": {"end": {"position": [1, 0, 0]}}}
    return Model(
        planar="xz",
        bodies={
            "frame": {"markers": {"D": {"position": [1.5, 0, 0]}}},
            "crank": bar,
            "rocker": bar,
            **more.pop("bodies", {}),
        },
        joints={
            "frame": {"type": "fixed", "parent": "ground", "child": "frame"},
            "A": {"type": "revolute", "parent": "frame", "child": "crank", "axis": "-y"},
            "D": {"type": "revolute", "parent": "frame.D", "child": "rocker", "axis": "-y"},
            **more.pop("joints", {}),
        },
        constraints=coupler,
        initial={"A": 1.2, "D": {"guess": 1.7}, **more.pop("initial", {})},
    )


def test_a_coupler_without_mass_is_a_rod_of_constant_length():
    """M of the cut-open tree is singular: the exact augmented form M + α ΦqᵀΦq solves it."""
    rod = linkage({"rod": {"type": "distance", "parent": "crank.end", "child": "rocker.end", "length": 1.4}})
    joints = {
        "B": {"type": "revolute", "parent": "crank.end", "child": "link", "axis": "-y"},
        "C": {"type": "revolute", "parent": "link.end", "child": "rocker.end", "axis": "-y"},
    }
    link = linkage(
        {},
        bodies={"link": {"markers": {"end": {"position": [1.4, 0, 0]}}}},
        joints=joints,
        initial={"B": {"guess": -1.2}},
    )
    runs = [run_of(rod), run_of(link)]
    for name in ("A.q", "D.q", "A.v"):
        np.testing.assert_allclose(runs[0].array(name), runs[1].array(name), rtol=0, atol=1e-8)
    np.testing.assert_allclose(
        runs[0].array("rod.force")[:, [0, 2]], runs[1].array("C.reaction_force")[:, [0, 2]], rtol=0, atol=1e-7
    )


def test_a_motion_without_inertia_is_named_also_where_loops_are_closed():
    loose = linkage(
        {"rod": {"type": "distance", "parent": "crank.end", "child": "rocker.end", "length": 1.4}},
        bodies={"tail": {}},
        joints={"flap": {"type": "revolute", "parent": "crank.end", "child": "tail", "axis": "-y"}},
    )
    with pytest.raises(ModelError, match="coordinate 'flap' has no inertia"):
        cardan.simulate(loose, until=1)


def test_redundant_equations_change_nothing():
    """The four-bar in space has three equations too many, which are left out: the motion is that in the plane."""
    plane, space = (
        cardan.simulate(cardan.load(name), times=np.linspace(0, 1, 5), **TIGHT)
        for name in ("four_bar", "four_bar_spatial")
    )
    np.testing.assert_allclose(plane.x, space.x, rtol=0, atol=1e-9)
    for joint in "ABCD":
        np.testing.assert_allclose(
            plane.array(f"{joint}.reaction_force")[:, :2],
            space.array(f"{joint}.reaction_force")[:, :2],
            rtol=0,
            atol=1e-6,
        )


SLIDES = {
    "bodies": {"a": {"mass": 1}, "b": {"mass": 1}},
    "joints": {
        "x": {"type": "prismatic", "parent": "ground", "child": "a", "axis": "x"},
        "y": {"type": "prismatic", "parent": "ground", "child": "b", "axis": "x"},
    },
}


@each(
    "equation, place, words",
    [
        ({"velocity": "x.v**2 - y.v"}, "constraints.bound.velocity", "not linear in the velocities"),
        ({"velocity": "x - y"}, "constraints.bound.velocity", "no velocity stands"),
        ({"expression": "x.v - y.v"}, "constraints.bound.expression", "velocities stand in an equation on positions"),
    ],
)
def test_equations_of_the_wrong_stage_are_refused(equation, place, words):
    model = Model(**SLIDES, constraints={"bound": {"type": "expression", **equation}})
    with pytest.raises(ModelError, match=words) as error:
        cardan.simulate(model, until=1)
    assert error.value.issues[0].key == place


def test_an_equation_does_not_bind_currents():
    motor = {
        "type": "dc", "joint": "x", "resistance": 1, "inductance": 1e-3, "torque_constant": 1, "back_emf_constant": 1,
    }  # fmt: skip
    model = Model(
        **SLIDES,
        motors={"m": motor | {"ratio": "1 rad/m"}},
        constraints={"c": {"type": "expression", "expression": "x - m.current"}},
    )
    with pytest.raises(ModelError, match="a current stands in the equation"):
        cardan.simulate(model, until=1)
