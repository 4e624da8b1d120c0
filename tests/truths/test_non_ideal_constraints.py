"""Reactions of which a part is given, against equations of motion written by hand.

Source: Do Sanh, Dinh Van Phong & Do Dang Khoa 2013, eqs. 17–23 (a known part of the reaction, in world or moving axes)
"""

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan
from cardan.errors import ModelError, ModelWarning
from tests.selection import each

G, M = 9.81, 2.0
TIGHT = {"rtol": 1e-12, "atol": 1e-13}
CLOSE = 1e-9  # both integrations run at 1e-12


def bead(constraint, initial=None, **parts):
    """A point mass with one constraint; gravity along −z."""
    slides = {
        "x": {"type": "prismatic", "parent": "ground", "child": "sledge", "axis": "x"},
        "y": {"type": "prismatic", "parent": "sledge", "child": "carriage", "axis": "y"},
        "z": {"type": "prismatic", "parent": "carriage", "child": "bead", "axis": "z"},
    }
    more = {"joints": slides, "bodies": {"sledge": {}, "carriage": {}, "bead": {"mass": M}}} | parts
    return cardan.Model(constraints={"wire": constraint}, initial=initial or {}, **more)


def in_plane(constraint, initial=None):
    joints = {
        "x": {"type": "prismatic", "parent": "ground", "child": "carriage", "axis": "x"},
        "z": {"type": "prismatic", "parent": "carriage", "child": "bead", "axis": "z"},
    }
    return bead(constraint, initial, joints=joints, bodies={"carriage": {}, "bead": {"mass": M}}, planar="xz")


def on_slides(rod, constraints, plane="xz", **more):
    """A rod in a plane, free by two slides and a hinge, with constraints."""
    first, second = plane
    slide, normal = {"type": "prismatic", "parent": "ground"}, ({*"xyz"} - {*plane}).pop()
    return cardan.Model(
        planar=plane,
        gravity=[-G * (axis == second) for axis in "xyz"],
        bodies={"cart": {}, "lift": {}, "rod": rod},
        joints={
            first: slide | {"child": "cart", "axis": first},
            second: slide | {"parent": "cart", "child": "lift", "axis": second},
            "turn": {"type": "revolute", "parent": "lift", "child": "rod", "axis": normal},
        },
        constraints=constraints,
        **more,
    )


def along(rates, start, times):
    return solve_ivp(rates, (0, times[-1]), start, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=times).y


SLOPE = np.radians(30)
LINE = {"type": "point_on_line", "parent": {"body": "ground", "rpy": [0, SLOPE, 0]}, "child": "bead", "axis": "x"}
DOWN = np.array([np.cos(SLOPE), 0, -np.sin(SLOPE)])  # tangent of the line


@each("embed", [True, False])
@each(
    "given",
    [
        {"frame": "path", "value": ["-0.7*speed - 0.4*speed*abs(speed)", 0, "2*t"]},
        {"frame": "parent", "value": ["-0.7*wire.speed - 0.4*wire.speed*abs(wire.speed)", "3*t", 0]},
        {
            "value": [
                "-(0.7*x.v/cos(pi/6) + 0.4*x.v*abs(x.v)/cos(pi/6)**2)*cos(pi/6)",
                0,
                "(0.7*x.v/cos(pi/6) + 0.4*x.v*abs(x.v)/cos(pi/6)**2)*sin(pi/6) + 5",
            ]
        },
    ],
)
def test_drag_on_a_straight_wire(given, embed):
    times = np.linspace(0, 1, 11)
    lift = 5 if "frame" not in given else 0  # a given force across the wire: the ideal part takes it

    def rates(t, s):
        drag = 0.7 * s[1] + 0.4 * s[1] * abs(s[1])
        return [s[1], (G - lift / M) * np.sin(SLOPE) - drag / M]

    s = along(rates, [0, -0.5], times)
    run = cardan.simulate(
        in_plane(LINE | {"given": given}, {"x.v": -0.5 * np.cos(SLOPE), "z.v": 0.5 * np.sin(SLOPE)}),
        times=times,
        embed=embed,
        **TIGHT,
    )
    np.testing.assert_allclose(run["x.q"].values, s[0] * np.cos(SLOPE), rtol=0, atol=CLOSE)
    R = run.reaction("wire", frame="path")["force"].values
    drag = 0.7 * s[1] + 0.4 * s[1] * np.abs(s[1])
    tangential = lift * DOWN[2] - drag  # of the whole reaction: the lift has a part along the wire
    np.testing.assert_allclose(R[:, 0], tangential, rtol=0, atol=1e-8)
    normal = np.array([-np.sin(SLOPE), 0, -np.cos(SLOPE)])  # binormal y × tangent
    np.testing.assert_allclose(R[:, 1], M * G * normal[2], rtol=0, atol=1e-8)
    world = run.reaction("wire")["force"].values
    np.testing.assert_allclose(
        world[:, [0, 2]], (np.outer(R[:, 0], DOWN) + np.outer(R[:, 1], normal))[:, [0, 2]], atol=1e-9
    )
    assert run.report.relative_energy_error < 1e-9
    np.testing.assert_allclose(run["wire.power"].values, tangential * s[1], rtol=0, atol=1e-7)


def test_drag_on_a_hoop_in_space():
    """A bead on a circle in a plane that is inclined by 40°: two equations make a path with tangent and binormal."""
    r, tilt = 0.6, np.radians(40)
    hoop = {"type": "point_on_curve", "parent": {"body": "ground", "rpy": [tilt, 0, 0]}, "child": "bead"}
    hoop |= {"equations": [f"x**2 + y**2 - {r}**2", "z"], "given": {"frame": "path", "value": ["-0.3*speed", 0, 0]}}
    times = np.linspace(0, 1.5, 16)

    def rates(t, s):
        return [s[1], (-G * np.sin(tilt) * np.cos(s[0]) - 0.3 * s[1] * r / M) / r]

    a = along(rates, [0, 1.0], times)
    start = {"x": r, "y": 0, "z": 0, "y.v": r * np.cos(tilt), "z.v": r * np.sin(tilt)}
    run = cardan.simulate(bead(hoop, start), times=times, **TIGHT)
    np.testing.assert_allclose(run["x.q"].values, r * np.cos(a[0]), rtol=0, atol=CLOSE)
    R = run.reaction("wire", frame="path")["force"].values
    np.testing.assert_allclose(np.abs(R[:, 0]), 0.3 * r * np.abs(a[1]), rtol=0, atol=1e-8)
    inward = M * (r * a[1] ** 2 - G * np.sin(tilt) * np.sin(a[0]))
    np.testing.assert_allclose(R[:, 1], -inward, rtol=0, atol=1e-7)
    np.testing.assert_allclose(np.abs(R[:, 2]), M * G * np.cos(tilt), rtol=0, atol=1e-8)
    assert cardan.verify(bead(hoop, start), states=2).ok


def test_an_equation_of_the_users_own_with_a_point():
    """z = x²/2 as an expression: the reaction is a force on the bead, and its given part a drag along the path."""
    curve = {"type": "expression", "expression": "bead.z - bead.x**2/2"}
    curve |= {"given": {"child": "bead", "frame": "path", "value": ["-0.5*speed", 0, 0]}}
    times = np.linspace(0, 1, 11)

    def rates(t, s):
        x, v = s
        metric = 1 + x**2
        return [v, -(x * v**2 + G * x) / metric - 0.5 * v / M]

    s = along(rates, [0.8, 0], times)
    model = in_plane(curve, {"x": 0.8, "z": 0.32})
    run = cardan.simulate(model, times=times, **TIGHT)
    np.testing.assert_allclose(run["x.q"].values, s[0], rtol=0, atol=CLOSE)
    a = np.array([rates(0, one)[1] for one in s.T])
    force = M * np.column_stack([a, s[1] ** 2 + s[0] * a + G])
    np.testing.assert_allclose(run["wire.force"].values[:, [0, 2]], force, rtol=0, atol=1e-7)
    assert cardan.verify(model, states=2).ok


def test_a_reaction_that_switches_with_the_speed():
    """Constant braking along the wire: the step ends where the bead turns, so that the energy is exact to 1e-10."""
    run = cardan.simulate(
        in_plane(
            LINE | {"given": {"frame": "path", "value": ["-3*sign(speed)", 0, 0]}},
            {"x.v": -2, "z.v": 2 * np.tan(SLOPE)},
        ),
        times=[0, 1.0],
        **TIGHT,
    )
    up, down = G * np.sin(SLOPE) + 3 / M, G * np.sin(SLOPE) - 3 / M
    v = 2 / np.cos(SLOPE)
    turn = v / up
    s = -v * turn / 2 + down * (1 - turn) ** 2 / 2
    assert run["x.q"].values[-1] == pytest.approx(s * np.cos(SLOPE), abs=1e-10)


def test_the_wire_may_move():
    """A bead on a turning arm: the given part acts against the motion on the arm, its opposite on the arm."""
    model = cardan.Model(
        planar="xy",
        gravity=[0, 0, 0],
        bodies={"arm": {"mass": 1, "inertia": [0, 0, 0.5]}, "sledge": {}, "bead": {"mass": M}},
        joints={
            "hinge": {"type": "revolute", "parent": "ground", "child": "arm", "axis": "z"},
            "x": {"type": "prismatic", "parent": "ground", "child": "sledge", "axis": "x"},
            "y": {"type": "prismatic", "parent": "sledge", "child": "bead", "axis": "y"},
        },
        constraints={
            "wire": {
                "type": "point_on_line",
                "parent": "arm",
                "child": "bead",
                "axis": "x",
                "given": {"frame": "path", "value": ["-0.8*speed", 0, 0]},
            }
        },
        initial={"x": 0.3, "y": 0, "hinge.v": 2, "y.v": 0.6},
    )
    times = np.linspace(0, 1, 11)

    def rates(t, s):
        r, dr, w = s[0], s[1], s[3]
        inertia = 0.5 + M * r**2
        return [dr, r * w**2 - 0.8 * dr / M, w, -2 * M * r * dr * w / inertia]

    s = along(rates, [0.3, 0, 0, 2], times)
    run = cardan.simulate(model, times=times, **TIGHT)
    np.testing.assert_allclose(run["hinge.q"].values, s[2], rtol=0, atol=CLOSE)
    np.testing.assert_allclose(run["x.q"].values, s[0] * np.cos(s[2]), rtol=0, atol=CLOSE)
    np.testing.assert_allclose(run.array("wire.force.path")[:, 0], -0.8 * s[1], rtol=0, atol=1e-8)
    assert run.report.relative_energy_error < 1e-9


def test_a_given_part_that_feeds_energy_in_is_named_with_the_time():
    with pytest.warns(
        ModelWarning, match=r"reaction of 'line' feeds energy into the mechanism from t = 0 to 0\.07\d* s"
    ):
        cardan.simulate(cardan.load("digging_machine").replace(accept=[]))


def test_the_force_of_the_digging_machine_in_the_axes_of_its_path():
    run = cardan.simulate(cardan.load("digging_machine"), times=np.linspace(0, 0.3, 7))
    world, moving = run.array("line.force"), run.array("line.force.path")
    t, n = -np.array([1, 1, 0]) / np.sqrt(2), np.array([1, -1, 0]) / np.sqrt(2)
    np.testing.assert_allclose(moving, np.column_stack([world @ t, world @ n, world[:, 2]]), atol=1e-12)


@each(
    "constraint, text",
    [
        (
            {"type": "expression", "expression": "x - z"},
            "constraints.wire.given.child: nothing says where the given force",
        ),
        (LINE | {"given": {"child": "bead"}}, "constraints.wire.given.child: child stands in the constraint already"),
        (
            {"type": "expression", "expression": "x - z", "given": {"child": "beat"}},
            "constraints.wire.given.child: there is no body 'beat'",
        ),
        (
            {"type": "expression", "expression": "x - z", "given": {"child": "bead", "parent": "bead"}},
            "both ends are on one body",
        ),
        (
            LINE | {"given": {"value": ["2 m", 0, 0]}},
            "constraints.wire.given.value[0]: '2 m' is a length, but a force is needed",
        ),
        (LINE | {"given": {"value": ["c*sped", 0, 0]}}, "names 'sped', which is nothing in this model"),
        (LINE | {"given": {"frame": "moving"}}, "write 'world', 'parent', 'child' or 'path'"),
    ],
)
def test_wrong_given_parts_are_refused_at_their_place(constraint, text):
    whole = {"value": [0, 0, 0]} | constraint.get("given", {})
    with pytest.raises(ModelError) as error:
        in_plane(constraint | {"given": whole})
    assert text in str(error.value)


def test_a_given_part_that_chatters_at_rest_names_the_key_that_sticks():
    """Friction of 20 N would hold the bead, whose weight pulls it down the slope with 9.81 N; sign(speed) does not."""
    run = cardan.simulate(in_plane(LINE | {"given": {"frame": "path", "value": ["-20*sign(speed)", 0, 0]}}), until=1)
    assert run.status == "chattering"
    assert "'-20*sign(speed)' in constraints.wire.given.value[0]: " in run.message
    assert "write friction: of the constraint 'wire'" in run.message


@each("given, key", [({"frame": "path", "value": ["-1", 0, 0]}, "frame"), ({"value": ["-2*speed", 0, 0]}, "value")])
def test_a_surface_has_no_tangent(given, key):
    with pytest.raises(ModelError) as error:
        cardan.simulate(
            bead({"type": "point_on_curve", "child": "bead", "equations": ["z - x**2"], "given": given}), until=1
        )
    assert f"constraints.wire.given.{key}: the equation leaves its point no path" in str(error.value)


def test_a_path_is_no_frame_of_a_joint():
    run = cardan.simulate(in_plane(LINE), times=[0, 0.1])
    with pytest.raises(KeyError, match=r'"x" is not known in the axes of a path; use frame="world"'):
        run.reaction("x", frame="path")


FRICTION = {"frame": "path", "value": ["-0.3*abs(normal)*sign(speed)", 0, 0]}


def test_friction_of_a_straight_wire_is_the_textbook_s():
    """Up the slope with g (sin + μ cos), down with g (sin − μ cos)."""
    start = {"x.v": -1, "z.v": np.tan(SLOPE)}
    run = cardan.simulate(in_plane(LINE | {"given": FRICTION}, start), times=[0, 1.0], **TIGHT)
    up, down = G * (np.sin(SLOPE) + 0.3 * np.cos(SLOPE)), G * (np.sin(SLOPE) - 0.3 * np.cos(SLOPE))
    turn = 1 / np.cos(SLOPE) / up
    s = -turn / np.cos(SLOPE) / 2 + down * (1 - turn) ** 2 / 2
    assert run["x.q"].values[-1] == pytest.approx(s * np.cos(SLOPE), abs=1e-10)
    assert run.report.relative_energy_error < 1e-9


def test_friction_changes_the_normal_force_that_it_depends_on():
    """A rod whose end slides on the floor: N enters the moment that turns the rod, and so N itself."""
    c, m, mu = 0.5, 2.0, 0.3
    inertia = m * (2 * c) ** 2 / 12
    rod = {"mass": m, "com": [c, 0, 0], "inertia": [0, 0, inertia]}
    rubs = {"given": {"frame": "path", "value": ["-mu*abs(normal)*sign(speed)", 0, 0]}}
    base = {"base": {"type": "point_on_line", "child": "rod", "axis": "x", **rubs}}
    model = on_slides(rod, base, "xy", parameters={"mu": mu}, initial={"turn": 1.2, "x.v": 0.8})

    def solution(s):
        """Accelerations of the end and of the angle, and N: linear equations while N > 0 and the end moves to +x."""
        _, _, angle, rate = s
        cos, sin = np.cos(angle), np.sin(angle)
        # m (a − c sin α̈ − c cos ω²) = −μ N;  m (c cos α̈ − c sin ω²) = N − m g;  I α̈ = −c cos N − μ N c sin
        A = np.array([[m, -m * c * sin, mu], [0, m * c * cos, -1], [0, inertia, c * cos + mu * c * sin]])
        b = [m * c * cos * rate**2, m * c * sin * rate**2 - m * G, 0]
        return np.linalg.solve(A, b)

    def rates(t, s):
        a, alpha, _ = solution(s)
        return [s[1], a, s[3], alpha]

    times = np.linspace(0, 0.06, 7)
    by_hand = along(rates, [0, 0.8, 1.2, 0], times)
    run = cardan.simulate(model, times=times, **TIGHT)
    assert (by_hand[1] > 0).all()
    np.testing.assert_allclose(run["x.q"].values, by_hand[0], rtol=0, atol=CLOSE)
    np.testing.assert_allclose(run["turn.q"].values, by_hand[2], rtol=0, atol=CLOSE)
    N = np.array([solution(s)[2] for s in by_hand.T])
    assert (N > 0).all()
    R = run.array("base.force.path")
    np.testing.assert_allclose(R[:, 1], N, rtol=0, atol=1e-7)
    np.testing.assert_allclose(R[:, 0], -mu * N, rtol=0, atol=1e-7)
    np.testing.assert_allclose(run.array("base.power").ravel(), -mu * N * by_hand[1], rtol=0, atol=1e-6)


def test_friction_of_a_wire_acts_beside_elastic_stops_and_friction_that_never_sticks(tmp_path):
    """The bead slides in oil and turns round at its stop; forces F give it F·t − 0.3 |F·n| along the wire."""
    stop, oil = {"upper": 1, "stiffness": 800, "damping": 5}, {"type": "viscous", "viscous": 1.5}
    model = in_plane(LINE | {"given": FRICTION}, {"x.v": 2 * np.cos(SLOPE), "z.v": -2 * np.sin(SLOPE)})
    changes = {"x": {"limits": stop}, "z": {"friction": oil}}
    joints = {name: joint.replace(**changes[name]) for name, joint in model.joints.items()}
    run = cardan.simulate(model.replace(joints=joints), 0.75, **TIGHT)
    along_wire, across = DOWN[[0, 2]], np.array([np.sin(SLOPE), np.cos(SLOPE)])

    def push(s):
        return stop["stiffness"] * (s[0] * along_wire[0] - stop["upper"]) + stop["damping"] * s[1] * along_wire[0]

    def rates(_, s, touches):
        F = np.array([-push(s) * touches, -M * G - oil["viscous"] * s[1] * along_wire[1]])
        return [s[1], (F @ along_wire - 0.3 * abs(F @ across) * np.sign(way)) / M]

    def meets(_, s, touches):
        return s[0] * along_wire[0] - stop["upper"] if not touches else -push(s)

    def turns(_, s, touches):
        return -way * s[1]

    t, s, touches, way, met = 0.0, [0, 2], False, 1, []
    meets.terminal = turns.terminal = meets.direction = turns.direction = True
    while t < 0.75:
        part = solve_ivp(rates, (t, 0.75), s, "DOP853", events=(meets, turns), args=(touches,), rtol=1e-12, atol=1e-14)
        t, s = part.t[-1], part.y[:, -1]
        if part.t_events[0].size:
            touches, met = not touches, [*met, t]
        elif part.t_events[1].size:
            way, s = -way, [s[0], -way * 1e-300]
    assert len(met) == 2
    np.testing.assert_allclose([event.t for event in run.events if event.name == "x"], met, rtol=0, atol=1e-10)
    assert run.array("x.q")[-1] == pytest.approx(s[0] * np.cos(SLOPE), abs=CLOSE)
    touches = (run.t > met[0]) & (run.t < met[1])
    pushed = stop["stiffness"] * (run.array("x.q") - stop["upper"]) + stop["damping"] * run.array("x.v")
    between = np.abs(run.t[:, None] - met).min(axis=1) > 1e-9  # not the two states of the instant of an event
    np.testing.assert_allclose(run.array("x.stop_force")[between], (-pushed * touches)[between], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(run.array("z.friction"), -oil["viscous"] * run.array("z.v"), rtol=1e-12)
    cardan.save_run(run, tmp_path / "bead.csv")
    assert cardan.load_run(tmp_path / "bead.csv").array("x.stop_force")[-1] == run.array("x.stop_force")[-1]


def test_friction_of_a_wire_in_space_follows_both_parts_across_it():
    """An inclined straight wire under gravity and a cross wind."""
    wire = LINE | {"given": {"frame": "path", "value": ["-0.3*hypot(normal, binormal)*sign(speed)", 0, 0]}}
    start = {"x.v": np.cos(SLOPE), "z.v": -np.sin(SLOPE)}
    run = cardan.simulate(bead(wire, start, gravity=[0, 3, -G]), times=[0, 0.5], **TIGHT)
    across = np.hypot(G * np.cos(SLOPE), 3)
    s = 0.5 + (G * np.sin(SLOPE) - 0.3 * across) * 0.125
    assert run["x.q"].values[-1] == pytest.approx(s * np.cos(SLOPE), abs=1e-10)


@each(
    "change, text",
    [
        ({"joints": {"x": {"friction": {"effort": 1}}}}, "beside friction of 'x' that sticks"),
        (
            {"joints": {"x": {"friction": {"coefficient": 0.1, "length": 0.1, "regularize": 0.01}}}},
            "write the friction of 'x' with effort",
        ),
        ({"joints": {"x": {"friction": {"effort": 1, "prescribed": True}}}}, "regularize, in place of prescribed"),
        ({"joints": {"z": {"limits": {"lower": -1}}}}, "give the limits of 'z' a stiffness"),
        ({"motions": {"bead": {"value": ["t", "0"], "by": ["x", "z"]}}}, "which is not supported yet"),
    ],
)
def test_what_is_not_built_beside_friction_of_a_constraint_is_refused(change, text):
    model = in_plane(LINE | {"given": FRICTION})
    joints = {name: joint.replace(**change.get("joints", {}).get(name, {})) for name, joint in model.joints.items()}
    motions = {"bead.position": change["motions"]["bead"]} if "motions" in change else {}
    with pytest.raises(ModelError) as error:
        cardan.simulate(model.replace(joints=joints, motions=motions), until=1)
    assert text in str(error.value)
    assert "constraints.wire.given.value: " in str(error.value)


def test_a_program_has_no_ideal_part():
    machine = cardan.load("digging_machine")
    line = machine.constraints["line"]
    given = {"child": "scoop", "frame": "path", "value": ["-normal", 0, 0]}
    with pytest.raises(ModelError, match="drives keep the relation, so that its reaction has no ideal part"):
        cardan.simulate(machine.replace(constraints={"line": line.replace(given=given)}))


def test_all_formulations_agree_under_friction_of_a_constraint():
    report = cardan.verify(in_plane(LINE | {"given": FRICTION}), states=2)
    assert report.ok, str(report)
    assert "bond_graph agrees with composite_body" in str(report)
    assert "F R + F₀ = 0 and N R = 0 give the reactions" in str(report)


def test_equations_to_read_refuse_what_follows_their_solution():
    with pytest.raises(ModelError, match=r"'wire\.normal' is the ideal part of a reaction"):
        cardan.equations(in_plane(LINE | {"given": FRICTION}))


def on_slope(value, **arguments):
    """The speed along the wire at the end of a run with a given tangential force."""
    run = cardan.simulate(in_plane(LINE | {"given": {"frame": "path", "value": [value, 0, 0]}}), **arguments, **TIGHT)
    return run, run["x.v"].values[-1] / np.cos(SLOPE)


@each(
    "table, law",
    [
        ({"table": [[0, 0], [1, -0.7], [6, -4.2]], "of": "speed"}, "-0.7*speed"),
        (
            {"table": [[k / 4, -0.1 * (k / 4) ** 3] for k in range(25)], "of": "speed", "interpolation": "cubic"},
            "-0.1*speed**3",
        ),
        (
            {"table": [[v, t, -0.7 * v * t] for v in (0, 2, 6) for t in (0, 0.4, 1)], "of": ["speed", "t"]},
            "-0.7*speed*t",
        ),
        ({"table": [[0, 0], [0.5, -2], [1, -1]]}, "-4*t + 6*max(t - 0.5, 0)"),
    ],
)
def test_tables_give_what_their_laws_give(table, law):
    """Within round-off of both runs: all four tables interpolate their laws exactly."""
    assert on_slope(table, until=1.0)[1] == pytest.approx(on_slope(law, until=1.0)[1], rel=1e-9)


@each("settings", [{}, {"method": "rodas5p"}, {"method": "tsit5"}])
def test_a_run_ends_where_its_table_does(settings):
    """v̇ = g sin 30° − 0.35 v reaches 3 m/s at t = −ln(1 − 0.35·3/4.905)/0.35."""
    table = {"table": [[0, 0], [0.7, -0.49], [3, -2.1]], "of": "speed"}
    run, v = on_slope(table, until=1.0, **settings)
    assert run.status == "outside_table"
    assert (
        "'speed' is 3, and the table of 'wire' goes from 0 to 3: measure further, or write outside: hold" in run.message
    )
    assert run.t[-1] == pytest.approx(-np.log(1 - 0.35 * 3 / (G / 2)) / 0.35, abs=1e-8)
    assert v == pytest.approx(3, abs=1e-8)
    assert len(run.t) > 300  # what was computed before is kept
    kept, _ = on_slope(table | {"outside": "extend"}, until=1.0)
    assert kept.status == "completed"


def test_a_start_beyond_a_table_is_no_motion():
    run, _ = on_slope({"table": [[1, 0], [2, -1]], "of": "speed"}, until=1.0)
    assert run.status == "outside_table"
    assert "'speed' is 0, and the table of 'wire' goes from 1 to 2" in run.message
    assert run.t[-1] == 0
    with warnings.catch_warnings():  # not of a singular position: the force is unknown
        warnings.simplefilter("error")
        assert np.isnan(run.array("wire.force")).all()


def test_files_of_measurements_with_units(tmp_path):
    (tmp_path / "drag.csv").write_text("speed [mm/s], F [kN]\n0, 0\n1000, -7e-4\n6000, -42e-4\n")
    table = {"file": str(tmp_path / "drag.csv"), "of": "speed", "column": "F"}
    assert on_slope(table, until=1.0)[1] == pytest.approx(on_slope("-0.7*speed", until=1.0)[1], rel=1e-9)
    model = in_plane(LINE | {"given": {"frame": "path", "value": [table, 0, 0]}})
    cardan.save(model, tmp_path / "model.yaml")
    assert cardan.load(tmp_path / "model.yaml") == model
    (tmp_path / "drag.csv").write_text("speed [mm/s], F [kg]\n0, 0\n1000, -7e-4\n")
    wrong = r"wire\.given\.value\[0\]: the column 'F \[kg\]' is a mass, but a force is needed here\n.*\"F \[N\]\""
    with pytest.raises(ModelError, match=wrong):
        on_slope(table, until=1.0)
    (tmp_path / "drag.csv").write_text("speed [mm], F [N]\n0, 0\n1000, -7e-4\n")
    with pytest.raises(
        ModelError,
        match=r"given\.value\[0\]\.of: 'speed' is a speed, but the table is over a length, in the .* 'speed \[mm\]'",
    ):
        on_slope(table, until=1.0)
    (tmp_path / "drag.csv").write_text("speed, F\n0, 0\n1, \n2, 3\n")
    with pytest.raises(ModelError, match=r"drag\.csv, row 3, column \d: no"):
        on_slope(table, until=1.0)


def test_one_file_with_a_column_for_each_component(tmp_path):
    (tmp_path / "drag.csv").write_text("speed, tangential [N], across [N]\n0, 0, 1\n6, -4.2, 1\n")
    table = {"file": str(tmp_path / "drag.csv"), "of": "speed", "columns": ["tangential", "across"]}
    run = cardan.simulate(in_plane(LINE | {"given": {"frame": "path", "table": table}}), until=1.0, **TIGHT)
    assert run["x.v"].values[-1] / np.cos(SLOPE) == pytest.approx(on_slope("-0.7*speed", until=1.0)[1], rel=1e-9)
    with pytest.raises(ModelError, match=r"given\.table: the table does not give the components"):
        in_plane(LINE | {"given": {"frame": "path", "table": table | {"columns": "tangential"}}})


def test_a_file_beside_the_model_is_found(tmp_path):
    (tmp_path / "drag.csv").write_text("speed, F\n0, 0\n1, -0.7\n6, -4.2\n")
    model = in_plane(LINE | {"given": {"frame": "path", "value": ["-0.7*speed", 0, 0]}})
    cardan.save(model, tmp_path / "model.yaml")
    text = (tmp_path / "model.yaml").read_text()
    (tmp_path / "model.yaml").write_text(text.replace("-0.7*speed", "{file: drag.csv, of: speed}"))
    assert cardan.simulate(cardan.load(tmp_path / "model.yaml"), until=0.5).ok


def rod_on_a_wire(mu, angle, rate, speed):
    """A rod of 1 kg and 1 m, J = 0.02 kg m² about its middle, whose end slides on a line."""
    rod = {"mass": 1, "inertia": [0, 0.02, 0], "markers": {"tip": {"position": [-0.5, 0, 0]}}}
    rubs = {"given": {"frame": "path", "value": [f"-{mu}*abs(normal)*sign(speed)", 0, 0]}}
    wire = {"type": "point_on_line", "parent": "ground", "child": "rod.tip", "axis": "x", **rubs}
    initial = {"turn": angle, "turn.v": rate, "x.v": speed, "z": {"guess": 0.42}}
    return on_slides(rod, {"wire": wire}, initial=initial)


def determinants(mu, angle):
    """1 + (r_x² ± μ r_x r_z)/J: N times it is what the ideal part would be without friction, by the sign of N."""
    rx, rz = -0.5 * np.cos(angle), 0.5 * np.sin(angle)
    return [1 + (rx**2 + sign * mu * rx * rz) / 0.02 for sign in (1, -1)]


@each("speed", [4.0, -4.0])
def test_friction_with_several_solutions_or_none_ends_the_run_at_its_start(speed):
    """Painlevé's paradox: with either sign of N a determinant is negative."""
    assert min(determinants(1.0, -1.0)) < 0 < min(determinants(0.5, -1.0))
    run = cardan.simulate(rod_on_a_wire(1.0, -1.0, 0.0, speed), until=0.1)
    assert run.status == "friction_indeterminate"
    assert run.t[-1] == 0
    assert "'wire' has friction with several solutions or none" in run.message
    assert cardan.simulate(rod_on_a_wire(0.5, -1.0, 0.0, speed), until=0.01).status == "completed"


def test_a_run_ends_where_friction_of_a_constraint_gets_several_solutions():
    run = cardan.simulate(rod_on_a_wire(1.0, -0.7, -6.0, -4.0), until=0.2, **TIGHT)
    assert run.status == "friction_indeterminate"
    assert 0 < run.t[-1] < 0.2
    least = [min(determinants(1.0, angle)) for angle in run["turn.q"].values]
    assert min(least[:-1]) > 0
    assert least[-1] == pytest.approx(0, abs=1e-8)
    F = run.array("wire.force.path")
    np.testing.assert_allclose(np.abs(F[:, 0]), np.abs(F[:, 1]), rtol=1e-9, atol=0)


def jammed(direction, height="0.3 + 0.3*t"):
    """A rod whose hinge is pushed along the ground and lifted, with friction at the end that slides on the ground."""
    place = {"position": [1, 0, 0]}
    rod = {"mass": 2, "inertia": [0, 0.2, 0], "com": [0.5, 0, 0], "markers": {"tip": place}}
    line = {"type": "point_on_line", "parent": "ground", "child": "rod.tip", "axis": "x"}
    line |= {"given": {"frame": "path", "value": ["-0.8*abs(normal)*sign(speed)", 0, 0]}}
    motions = {"x": f"{direction}*t", "z": height}
    return on_slides(rod, {"line": line}, motions=motions, initial={"turn": {"guess": "20 deg"}})


@each("direction", [-1, 1])
def test_prescribed_motions_end_where_friction_jams(direction):
    """N (cos θ ∓ μ sin θ) is what the rod's moments leave: the rod jams as tan θ = 1/μ, whichever way it slides.

    Pushed before the hinge the force grows without bound on the way there; drawn behind it the determinant with the
    sign of N turned vanishes there, and N itself stays finite.
    """
    model = jammed(direction)
    loads = cardan.kinetostatics(model, np.linspace(0, 2, 201))
    assert loads.status == "friction_indeterminate"
    height = np.sin(np.arctan(1 / 0.8))
    assert loads.statistics["reached"] == pytest.approx((height - 0.3) / 0.3, abs=1e-7)  # rtol 1e-8 of 1/(t − t*)
    assert "'line' has friction with several solutions or none" in loads.message
    assert "decided by" not in loads.message


@each("way", [cardan.kinetostatics, cardan.simulate])
@each("height, status", [(0.5, "completed"), (0.9, "friction_indeterminate")])
def test_one_instant_is_tested_as_well(way, height, status):
    assert way(jammed(-1, f"{height} + 0*t"), times=[0.0]).status == status


@each(
    "table, status",
    [
        ([[0, 0], [2, -1], [4, -5], [10, -8]], "completed"),
        ([[0, 0], [3, -1], [4, -6], [10, -7]], "friction_indeterminate"),  # it comes to the steep part
        ([[0, 0], [3, -1], [3.2, -6], [10, -7]], "friction_indeterminate"),  # it starts there
    ],
)
def test_a_law_too_steep_for_newton_s_method_ends_the_run(table, status):
    """A rod of 1 kg slides on a line whose drag is a table of the load: m a = F up to the end of the run."""
    law = {"table": table, "of": "-normal", "outside": "hold"}
    rod = {"mass": 1, "com": [0.5, 0, 0], "inertia": [0, 0.083, 0]}
    wire = {"type": "point_on_line", "child": "rod", "axis": "x", "given": {"frame": "path", "value": [law, 0, 0]}}
    initial, outputs = {"x.v": 1, "turn": "-60 deg"}, {"ax": "rod.com.acceleration.x"}
    model = on_slides(rod, {"wire": wire}, initial=initial, outputs=outputs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cardan.ModelWarning)  # the law may push
        run = cardan.simulate(model, until=0.15)
    assert run.status == status, run.message
    before = run.t < 0.15 if status == "completed" else run.t < run.t[-1]
    np.testing.assert_allclose(run.array("ax")[before], run.array("wire.force")[before, 0], rtol=0, atol=1e-11)
