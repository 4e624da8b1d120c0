"""Prescribed motions against hand-written mechanics."""

import numpy as np
import pytest

import cardan
from cardan import Model, ModelError, ModelWarning
from tests.selection import each

ROUND_OFF = 1e-9  # relative, of the tests that compare two independent derivations

ARM = {
    "gravity": [0, -9.81, 0],
    "planar": "xy",
    "bodies": {
        "upper": {"mass": 1.2, "com": [0.5, 0, 0], "inertia": [0, 0, 0.1], "markers": {"end": {"position": [1, 0, 0]}}},
        "lower": {
            "mass": 0.8,
            "com": [0.4, 0, 0],
            "inertia": [0, 0, 0.05],
            "markers": {"tip": {"position": [0.9, 0, 0]}},
        },
    },
    "joints": {
        "shoulder": {"type": "revolute", "parent": "ground", "child": "upper", "axis": "z"},
        "elbow": {"type": "revolute", "parent": "upper.end", "child": "lower", "axis": "z"},
    },
}
CIRCLE = {"lower.tip.position": {"value": ["1.1 + 0.2*cos(2*t)", "0.3 + 0.2*sin(2*t)"], "by": ["shoulder", "elbow"]}}
BENT = {"shoulder": {"guess": -0.6}, "elbow": {"guess": 1.5}}


def arm_efforts(q, v, a):
    """Efforts of the arm by Lagrange's equations, written by hand (Craig 2005, §6.7)."""
    m1, m2, l1, c1, c2, I1, I2, g = 1.2, 0.8, 1.0, 0.5, 0.4, 0.1, 0.05, 9.81
    (q1, q2), (v1, v2), (a1, a2) = q, v, a
    M11 = I1 + I2 + m1 * c1**2 + m2 * (l1**2 + c2**2 + 2 * l1 * c2 * np.cos(q2))
    M12 = I2 + m2 * (c2**2 + l1 * c2 * np.cos(q2))
    M22, h = I2 + m2 * c2**2, m2 * l1 * c2 * np.sin(q2)
    g2 = m2 * g * c2 * np.cos(q1 + q2)
    g1 = (m1 * c1 + m2 * l1) * g * np.cos(q1) + g2
    return M11 * a1 + M12 * a2 - h * (2 * v1 * v2 + v2**2) + g1, M12 * a1 + M22 * a2 + h * v1**2 + g2


def test_a_tip_that_two_joints_drive_takes_the_efforts_of_lagranges_equations():
    loads = cardan.kinetostatics(Model(**ARM, motions=CIRCLE), np.linspace(0, 4, 81), initial=BENT)
    assert loads.ok
    t, names = loads.t, ("shoulder", "elbow")
    assert loads.array("lower.tip.position")[:, :2] == pytest.approx(
        np.transpose([1.1 + 0.2 * np.cos(2 * t), 0.3 + 0.2 * np.sin(2 * t)]), abs=1e-12
    )
    # velocities and accelerations by the inverse of the tip's Jacobian, by hand
    q = np.array([loads.array(f"{name}.q") for name in names])
    s1, s12, c1, c12 = np.sin(q[0]), np.sin(q.sum(0)), np.cos(q[0]), np.cos(q.sum(0))
    J = np.transpose([[-s1 - 0.9 * s12, -0.9 * s12], [c1 + 0.9 * c12, 0.9 * c12]], (2, 0, 1))
    v = np.linalg.solve(J, 0.4 * np.transpose([-np.sin(2 * t), np.cos(2 * t)])[..., None])[..., 0]
    w = v.sum(1)
    towards = np.transpose([-c1 * v[:, 0] ** 2 - 0.9 * c12 * w**2, -s1 * v[:, 0] ** 2 - 0.9 * s12 * w**2])
    a = np.linalg.solve(J, (-0.8 * np.transpose([np.cos(2 * t), np.sin(2 * t)]) - towards)[..., None])[..., 0]
    expected = arm_efforts(q, v.T, a.T)
    for k, name in enumerate(names):
        assert loads.array(f"{name}.effort") == pytest.approx(expected[k], rel=ROUND_OFF, abs=1e-9)


def test_simulate_and_kinetostatics_agree_where_every_freedom_is_prescribed():
    model, t = Model(**ARM, motions=CIRCLE), np.linspace(0, 2, 41)
    loads, run = cardan.kinetostatics(model, t, initial=BENT), cardan.simulate(model, times=t, initial=BENT)
    for name in ("shoulder.q", "elbow.v", "shoulder.effort", "elbow.effort", "elbow.reaction_force"):
        assert run.array(name) == pytest.approx(loads.array(name), rel=1e-9, abs=1e-9)


def test_the_basket_arm_from_shapes_takes_nearly_the_same_moments():
    """Its masses are within 3 % of the stated ones; the centre of the load is lower, which no moment feels much."""
    drawn, stated = (cardan.kinetostatics(cardan.load(n), [0.0, 2.0, 4.0]) for n in ("basket_arm_shapes", "basket_arm"))
    for name in ("M1", "M2", "SFORCE_1"):
        assert drawn.array(name) == pytest.approx(stated.array(name), rel=0.03)


def test_the_basket_arm_takes_the_moments_of_three_bodies_in_balance():
    loads = cardan.kinetostatics(cardan.load("basket_arm"), np.linspace(0, 4, 101))
    t, h = loads.t, np.deg2rad([50.0, -70.0])
    s = t / 4
    shape = 10 * s**3 - 15 * s**4 + 6 * s**5
    rate, bend = 30 * (s**2 - 2 * s**3 + s**4) / 4, 60 * (s - 3 * s**2 + 2 * s**3) / 16
    angle1, angle2 = np.deg2rad(20) + h[0] * shape, np.deg2rad(10) + (h[0] + h[1]) * shape
    w1, w2, b1, b2 = h[0] * rate, (h[0] + h[1]) * rate, h[0] * bend, (h[0] + h[1]) * bend
    L1, L2, m1, m2, mb, g = 2.0, 1.5, 80.0, 50.0, 120.0, 9.81

    def point(angle, w, b, r):
        """Position and acceleration of a point at the distance r on a turning arm."""
        e, n = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        return r * e, r * (b * n - w**2 * e)

    def moment(r, f):
        return r[0] * f[1] - r[1] * f[0]

    up = np.array([[0.0], [g]])
    (r1, a1), (p1, u1) = point(angle1, w1, b1, L1 / 2), point(angle1, w1, b1, L1)
    (r2, a2), (p2, u2) = point(angle2, w2, b2, L2 / 2), point(angle2, w2, b2, L2)
    f_basket = mb * (u1 + u2 + up)  # the basket does not turn: every point of it has the acceleration of its hinge
    f2 = m2 * (u1 + a2 + up)
    M3 = 0.4 * f_basket[1] - 0.5 * f_basket[0]
    M2 = M3 + moment(p2, f_basket) + moment(r2, f2) + m2 * L2**2 / 12 * b2
    M1 = M2 + moment(p1, f_basket + f2) + moment(r1, m1 * (a1 + up)) + m1 * L1**2 / 12 * b1
    for name, expected in (("M1", M1), ("M2", M2), ("SFORCE_1", M3)):
        assert loads.array(name) == pytest.approx(expected, rel=ROUND_OFF)
    assert loads.array("x") == pytest.approx((p1 + p2)[0], rel=1e-12)
    assert loads.array("y") == pytest.approx((p1 + p2)[1], rel=1e-12)


CRANE = {
    "bodies": {"trolley": {"mass": 2}, "load": {"mass": 0.9, "com": [0, 0, -0.7]}},
    "joints": {
        "travel": {"type": "prismatic", "parent": "ground", "child": "trolley", "axis": "x", "damping": 2},
        "swing": {"type": "revolute", "parent": "trolley", "child": "load", "axis": "-y"},
    },
    "motors": {
        "drive": {
            "type": "dc",
            "joint": "travel",
            "ratio": 400,
            "resistance": 1,
            "inductance": "20 mH",
            "torque_constant": 0.1,
            "back_emf_constant": 0.1,
            "rotor_inertia": 1e-4,
            "rotor_damping": 1e-3,
        }
    },
}


def test_a_load_swings_freely_under_a_trolley_that_follows_a_profile():
    """L θ̈ + g sin θ + ẍ cos θ = 0 under the prescribed trolley, integrated independently."""
    from scipy.integrate import solve_ivp

    model = Model(**CRANE, motions={"travel": "0.5*(1 - cos(3*t))"})
    t = np.linspace(0, 3, 61)
    run = cardan.simulate(model, times=t, rtol=1e-10, atol=1e-12)
    assert run.ok

    def rates(t, y):
        return y[1], -(9.81 * np.sin(y[0]) + 4.5 * np.cos(3 * t) * np.cos(y[0])) / 0.7

    truth = solve_ivp(rates, (0, 3), (0, 0), "DOP853", t, rtol=1e-12, atol=1e-13).y
    assert run.array("swing.q") == pytest.approx(truth[0], abs=1e-8)  # two integrations at 1e-10 and 1e-12 over 3 s
    x_t, a = 1.5 * np.sin(3 * t), 4.5 * np.cos(3 * t)
    swing_a = np.array([rates(*pair)[1] for pair in zip(t, truth.T, strict=True)])
    pull = 0.9 * (a + 0.7 * (swing_a * np.cos(truth[0]) - truth[1] ** 2 * np.sin(truth[0])))
    force = (2 + 400**2 * 1e-4) * a + (2 + 400**2 * 1e-3) * x_t + pull
    assert run.array("travel.effort") == pytest.approx(force, rel=1e-7, abs=1e-7 * np.abs(force).max())
    i = force / (400 * 0.1)
    assert run.array("drive.current") == pytest.approx(i, abs=1e-7 * np.abs(i).max())
    assert run.report.relative_energy_error < 1e-8
    fine = np.linspace(1, 1.001, 11)
    close = cardan.simulate(model, times=fine, rtol=1e-11, atol=1e-13)
    i = close.array("drive.current")
    rate = (i[8] - i[2]) / (fine[8] - fine[2])  # central difference: error h² i''' / 6 < 1e-5
    u = close.array("drive.voltage")[5]
    assert u == pytest.approx(i[5] + 0.02 * rate + 0.1 * 400 * 1.5 * np.sin(3 * fine[5]), rel=1e-6)


@each("motors", ["full", "simplified", "none"])
def test_a_driven_motor_has_no_current_among_the_states(motors):
    model = Model(**CRANE, motions={"travel": "0.5*(1 - cos(3*t))"})
    setup = cardan.prepare(model, until=1, motors=motors)
    assert setup.conditions.system.state_names == ("travel.q", "swing.q", "travel.v", "swing.v")
    assert setup.conditions.system.input_names == (("swing",) if motors == "none" else ())
    assert ("drive.current" in setup.run()) == (motors != "none")


@each("name, joint", [("four_bar", "A"), ("slider_crank", "crank"), ("andrews_squeezer", "beta")])
def test_a_loop_is_driven_through_a_whole_turn(name, joint):
    model = cardan.load(name)
    start = {"four_bar": 1.0471975511965976, "slider_crank": 0.0, "andrews_squeezer": -0.0617138900142764}[name]
    motion = {joint: f"{start!r} + 2*pi*t"}
    loads = cardan.kinetostatics(model, np.linspace(0, 1, 201), motions=motion)
    assert loads.ok, loads.message
    assert loads.report.constraint_violation < 1e-10
    assert loads.report.relative_energy_error < 1e-7  # rtol 1e-8 over a few hundred steps
    effort, speed = loads.array(f"{joint}.effort"), loads.array(f"{joint}.v")
    assert speed == pytest.approx(np.full(201, 2 * np.pi), rel=1e-12)
    assert np.isfinite(effort).all()


def test_a_motion_beyond_the_reach_ends_as_unreachable_with_its_gap():
    line = {"lower.tip.position": {"value": ["1.2 + t", "0.3"], "by": ["shoulder", "elbow"]}}
    loads = cardan.kinetostatics(Model(**ARM, motions=line), np.linspace(0, 2, 81), initial=BENT)
    assert loads.status == "unreachable"
    assert not loads.ok
    end = (1.9**2 - 0.3**2) ** 0.5 - 1.2  # the arm is stretched
    assert loads.t[-1] == pytest.approx(end, abs=0.05)  # up to one instant and a step of the search before it
    assert "gap of 'lower.tip.position'" in loads.message
    assert np.isfinite(loads.array("shoulder.q")).all()


def test_a_motion_that_no_position_follows_at_the_start_is_an_error():
    far = {"lower.tip.position": {"value": ["2.5", "0.3 + t"], "by": ["shoulder", "elbow"]}}
    with pytest.raises(cardan.AssemblyError, match=r"the motion of 'lower.tip.position' cannot be followed"):
        cardan.kinetostatics(Model(**ARM, motions=far), [0, 1])


def test_free_motions_are_named():
    with pytest.raises(ModelError, match=r"the motions leave 1 freedom: swing"):
        cardan.kinetostatics(Model(**CRANE, motions={"travel": "sin(t)"}), [0, 1])


def test_free_motions_of_models_with_friction_are_named():
    with pytest.raises(ModelError, match=r"^motions: the motions leave 1 freedom: slip"):
        cardan.kinetostatics(cardan.load("stick_slip_slider"))
    law = {"coefficient": 0.1, "radius": 0.01, "prescribed": True}
    joints = CRANE["joints"] | {"swing": {**CRANE["joints"]["swing"], "friction": law}}
    with pytest.raises(ModelError, match=r"^motions: the motions leave 1 freedom: swing"):
        cardan.kinetostatics(Model(**CRANE | {"joints": joints}, motions={"travel": "sin(t)"}), [0, 1])


def test_kinetostatics_without_motions_or_without_an_end_says_what_to_write():
    with pytest.raises(ModelError, match="the model has no motions"):
        cardan.kinetostatics(Model(**ARM), [0, 1])
    with pytest.raises(ModelError, match="nothing says when the motion ends"):
        cardan.kinetostatics(Model(**ARM, motions=CIRCLE))


def test_motions_of_the_call_replace_those_of_the_model_and_what_it_gives_for_their_joints():
    model = cardan.load("slider_crank")  # with an input for its motor and an initial crank angle
    loads = cardan.kinetostatics(model, [0.0, 0.25], motions={"crank": "2*pi*t"})
    assert loads.array("crank.q") == pytest.approx([0, np.pi / 2])
    with pytest.raises(ModelError, match=r"motions\.crnk"):
        cardan.kinetostatics(model, [0.0], motions={"crnk": "t"})
    with pytest.raises(ModelError, match=r"motions\.crank.*no law"):
        cardan.kinetostatics(model, [0.0], motions={"crank": {"points": 3}})
    arm = cardan.load("basket_arm")
    with pytest.raises(ModelError, match="the motions leave 1 freedom: basket"):
        cardan.kinetostatics(arm, motions={"basket": None})
    half = {"half": {"when": "crank - 1", "do": {"set": {"drive": "0 V"}}}}  # sets an input that the motion replaces
    loads = cardan.kinetostatics(model.replace(events=half), [0.0, 0.25], motions={"crank": "2*pi*t"})
    assert [(event.name, event.did) for event in loads.events] == [("half", "record")]
    assert loads.events[0].t == pytest.approx(1 / (2 * np.pi), abs=1e-12)
    both = {"half": {"when": "crank - 1", "do": {"set": {"drive": "0 V", "count": "count + 1"}}}}
    counted = model.replace(events=both, states={"count": {"rate": 0}})
    loads = cardan.simulate(counted, until=0.25, motions={"crank": "2*pi*t"})
    assert loads.array("count")[-1] == 1


LEG = {"mass": 1, "com": [0.25, 0, 0], "inertia": [0, 0, 0.02], "markers": {"end": {"position": [0.5, 0, 0]}}}
FIVE_BAR = {
    "gravity": [0, -9.81, 0],
    "planar": "xy",
    "bodies": {"a1": LEG, "a2": LEG, "b1": LEG, "b2": LEG},
    "joints": {
        "A1": {"type": "revolute", "parent": "ground", "child": "a1", "axis": "z"},
        "A2": {"type": "revolute", "parent": "a1.end", "child": "a2", "axis": "z"},
        "B1": {"type": "revolute", "parent": {"body": "ground", "position": [0.6, 0, 0]}, "child": "b1", "axis": "z"},
        "B2": {"type": "revolute", "parent": "b1.end", "child": "b2", "axis": "z"},
        "P": {"type": "revolute", "parent": "a2.end", "child": "b2.end", "axis": "z", "cut": True},
    },
    "initial": {name: {"guess": q} for name, q in (("A1", 2.2), ("A2", -1.2), ("B1", 0.9), ("B2", 1.2))},
}
WAYS = [
    ("minimum_norm", lambda tau: tau),
    ({"weights": {"A2": 4}}, lambda tau: tau * [1, 4, 1, 1]),
    ({"zero": "A2"}, None),
    ({"zero": ["A2", "B1"]}, None),
    ({"given": {"A2": "0.3*cos(t)"}}, None),
    ({"limits": {"A1": "0.2 N*m", "A2": 100}}, None),
    ("ideal", None),
]


def two_legs(realize, by=("A1", "A2", "B1", "B2")):
    value = ["0.3 + 0.05*cos(3*t)", "0.7 + 0.05*sin(3*t)"]
    motions = {"a2.end.position": {"value": value, "by": list(by), "realize": realize}}
    loads = cardan.kinetostatics(Model(**FIVE_BAR, motions=motions), np.linspace(0, 2, 21))
    assert loads.ok
    return loads, np.transpose([loads.array(f"{name}.effort") for name in by])


@pytest.mark.parametrize(("realize", "gradient"), WAYS, ids=[str(way) for way, _ in WAYS])
@pytest.mark.exhaustive
def test_drives_share_a_motion_as_its_key_realize_says(realize, gradient):
    """All ways do the same virtual work Tᵀ τ, T = ∂(A1, A2, B1, B2)/∂(x, y); each keeps its own rule."""
    loads, tau = two_legs(realize)
    _, other = two_legs({"zero": ["A2", "B2"]})
    q = {name: loads.array(f"{name}.q") for name in ("A1", "A2", "B1", "B2")}
    for i in range(len(tau)):
        columns = []
        for first, second in (("A1", "A2"), ("B1", "B2")):
            a, b = q[first][i], q[first][i] + q[second][i]
            J = 0.5 * np.array([[-np.sin(a) - np.sin(b), -np.sin(b)], [np.cos(a) + np.cos(b), np.cos(b)]])
            columns.append(np.linalg.inv(J))
        T = np.vstack(columns)
        assert T.T @ tau[i] == pytest.approx(T.T @ other[i], abs=1e-9)  # efforts of some N m, round-off of the loop
        if gradient is not None:  # least Σ w τ²: its gradient w τ is in the range of T
            wanted = gradient(tau[i])
            assert wanted - T @ np.linalg.lstsq(T, wanted, rcond=None)[0] == pytest.approx(np.zeros(4), abs=1e-9)
    if realize == {"zero": "A2"}:
        assert np.abs(tau[:, 1]).max() == 0
    if realize == {"zero": ["A2", "B1"]}:
        assert np.abs(tau[:, 1:3]).max() == 0
    if "given" in realize:
        assert tau[:, 1] == pytest.approx(0.3 * np.cos(loads.t), abs=1e-12)
    if "limits" in realize:
        assert np.abs(tau[:, 0]).max() == pytest.approx(0.2, abs=1e-12)


def test_limits_that_cannot_be_kept_are_named_with_drive_and_instant():
    with pytest.warns(
        ModelWarning, match=r"on 'A2' reaches .* N\*m at t = .* s, beyond its limit of 0\.1 N\*m"
    ) as said:
        two_legs({"limits": {"A1": 0.1, "A2": 0.1, "B1": 0.1, "B2": 0.1}})
    assert any("cannot keep 'a2.end.position' within their limits" in str(one.message) for one in said)


@each("names, limits", [("ab", {"a": 1, "b": 1}), ("abc", {"a": 1, "b": 1, "c": 2})])
def test_equal_drives_beyond_their_limits_still_keep_the_motion(names, limits):
    """Carriages that couplers hold together: the efforts add up to the force of the whole, whatever the limits."""
    model = Model(
        bodies={name: {"mass": 2} for name in names},
        joints={name: {"type": "prismatic", "parent": "ground", "child": name, "axis": "x"} for name in names},
        constraints={f"g{name}": {"type": "coupler", "terms": {"a": 1, name: -1}} for name in names[1:]},
        motions={"a": {"value": "0.2*sin(3*t)", "by": list(names), "realize": {"limits": limits}}},
    )
    t = np.linspace(0, 1, 11)
    with pytest.warns(ModelWarning, match="cannot keep 'a' within their limits"):
        loads = cardan.kinetostatics(model, t)
    whole = sum(loads.array(f"{name}.effort") for name in names)
    assert whole == pytest.approx(-2 * len(names) * 1.8 * np.sin(3 * t), abs=1e-9)


@pytest.mark.filterwarnings("error")
def test_limits_that_are_kept_give_no_warning():
    two_legs({"limits": {"A1": "0.2 N*m", "A2": 100}})


def test_shares_are_proportions_of_the_efforts():
    motions = {"A1": {"value": "1.9 + 0.1*sin(t)", "by": ["A1", "B1"], "realize": {"share": {"A1": 0.3, "B1": 0.7}}}}
    model = Model(**FIVE_BAR, motions={**motions, "B1": {"value": "1.2", "by": ["A2"]}})
    loads = cardan.kinetostatics(model, np.linspace(0, 1, 5))
    assert loads.array("B1.effort") == pytest.approx(loads.array("A1.effort") * 7 / 3, rel=1e-9)


def test_realize_of_the_call_replaces_that_of_the_motions():
    motions = {"a2.end.position": {"value": ["0.3", "0.7 + 0.01*sin(t)"], "by": ["A1", "A2", "B1"]}}
    model = Model(**FIVE_BAR, motions=motions)
    loads = cardan.kinetostatics(model, [0.0, 1.0], realize={"zero": ["A2"]})
    assert np.abs(loads.array("A2.effort")).max() == 0
    with pytest.raises(ModelError, match="nothing to share"):
        cardan.kinetostatics(Model(**ARM, motions=CIRCLE), [0.0], initial=BENT, realize="minimum_norm")


@each(
    "realize, fault",
    [
        ("best", "no way to share"),
        ({"zero": ["A1"], "share": {"A1": 1}}, "several ways"),
        ({"zero": ["C1"]}, "'C1' does not drive this motion"),
        ({"zero": ["A1", "A2", "B1"]}, "1 of 4 joints"),
        ({"share": {"A1": 1}}, "shares are for one component"),
        ({"limits": {"A1": 3, "A9": 2}}, "'A9' does not drive"),
        ({"limits": {"A1": "3 m"}}, r"a limit in N\*m is needed"),
    ],
)
def test_impossible_ways_to_share_are_refused(realize, fault):
    with pytest.raises(ModelError, match=fault):
        two_legs(realize)


def test_shares_that_are_all_zero_are_refused():
    share = {"share": {"A1": "s", "B1": "2*s"}}
    motions = {"A1": {"value": "1.9 + 0.1*sin(t)", "by": ["A1", "B1"], "realize": share}}
    model = Model(**FIVE_BAR, motions=motions, parameters={"s": 1})
    assert cardan.simulate(model, until=0.1).ok
    with pytest.raises(ModelError, match="all shares are zero, so that no joint drives"):
        cardan.simulate(model, until=0.1, parameters={"s": 0})


def test_a_drive_that_cannot_move_what_it_has_to_is_refused():
    path = {"load.com.x": {"value": "0.1*sin(t)", "by": ["travel"]}}
    with pytest.raises(ModelError, match=r"the effort of travel cannot drive 'load\.com\.x'"):
        cardan.simulate(Model(**CRANE, motions=path), until=1)


def test_motions_that_loops_or_other_motions_decide_are_refused():
    with pytest.raises(cardan.AssemblyError, match=r"does not close the loop of A, D, B.*against 'D'"):
        cardan.kinetostatics(cardan.load("four_bar"), [0.0, 0.1], motions={"A": "1 + t", "D": "1.9 + t"})
    twice = {"shoulder": "0.3*t", "upper.angle": {"value": "0.3*t", "by": ["elbow"]}}
    with pytest.raises(ModelError, match=r"decide 'upper\.angle' already"):
        cardan.kinetostatics(Model(**ARM), [0.0, 0.1], motions=twice)


@each(
    "law, fault",
    [
        ("step(t - 1)", "the position of the motion 'travel' jumps at t = 1 s"),
        ("abs(t - 1)", "the velocity of the motion 'travel' jumps at t = 1 s"),
        ("sqrt(t)", "not finite at t = 0 s"),
    ],
)
def test_motions_that_jump_are_refused_with_the_instant(law, fault):
    with pytest.raises(ModelError, match=fault):
        cardan.simulate(Model(**CRANE, motions={"travel": law}), until=2)


def test_an_acceleration_may_jump():
    run = cardan.simulate(Model(**CRANE, motions={"travel": "0.1*step(t - 1)*(t - 1)**2"}), times=[0.5, 1.5, 2.0])
    assert run.array("travel.a") == pytest.approx([0, 0.2, 0.2])


def test_the_angle_of_a_body_follows_and_passes_whole_turns():
    model = Model(**ARM, motions={"shoulder": "0.3*sin(t)", "lower.angle": {"value": "4*t", "by": ["elbow"]}})
    loads = cardan.kinetostatics(model, np.linspace(0, 3, 31))
    assert loads.array("shoulder.q") + loads.array("elbow.q") == pytest.approx(4 * loads.t, abs=1e-9)


def test_an_orientation_follows_roll_pitch_and_yaw():
    axes = {"r1": "z", "r2": "y", "r3": "x"}
    chain = {"r1": ("ground", "a"), "r2": ("a", "b"), "r3": ("b", "c")}
    model = Model(
        bodies={name: {"mass": 1, "inertia": [0.1, 0.2, 0.25]} for name in "abc"},
        joints={k: {"type": "revolute", "parent": p, "child": c, "axis": axes[k]} for k, (p, c) in chain.items()},
        motions={"c.orientation": {"value": ["0.3*sin(t)", "0.5*sin(2*t)", "3*t"], "by": list(chain)}},
    )
    loads = cardan.kinetostatics(model, np.linspace(0, 3, 31))
    t = loads.t
    for name, law in (("r1", 3 * t), ("r2", 0.5 * np.sin(2 * t)), ("r3", 0.3 * np.sin(t))):
        assert loads.array(f"{name}.q") == pytest.approx(law, abs=1e-10)


def test_every_call_that_moves_a_model_takes_motions():
    model, law = Model(**CRANE), {"travel": {"profile": "quintic", "points": [[0, 0], [1, 0.5]]}}
    run = cardan.simulate(model, 1.0, motions=law, times=[0.5, 1.0])
    assert run.array("travel.q") == pytest.approx([0.25, 0.5])
    assert cardan.prepare(model, 1.0, motions=law, times=[0.5, 1.0]).run().array("travel.q") == pytest.approx(
        [0.25, 0.5]
    )
    found = cardan.sweep(model, 1.0, motions=law, initial={"swing": [0.0, 0.1]}, outputs=["final(travel.q)"])
    assert found["final(travel.q)"].values == pytest.approx([0.5, 0.5])


def test_a_mechanism_at_rest_has_its_static_loads():
    loads = cardan.kinetostatics(Model(**ARM, motions={"shoulder": 0.3, "elbow": "0.4 + 0*t"}), [0.0, 1.0])
    g1, g2 = arm_efforts((0.3, 0.4), (0, 0), (0, 0))
    assert loads.array("shoulder.effort") == pytest.approx([g1, g1], rel=1e-12)
    assert loads.array("elbow.effort") == pytest.approx([g2, g2], rel=1e-12)


def test_names_beside_the_motions_of_a_call_are_refused():
    driven = Model(**CRANE, motions={"travel": "0.1*sin(t)"})
    with pytest.raises(ModelError, match=r"inputs\.drive.*the motion of 'travel' drives the motor 'drive'"):
        cardan.simulate(driven, until=1, inputs={"drive": 3})
    with pytest.raises(ModelError, match=r"initial\.drive\.current.*drives the motor"):
        cardan.simulate(driven, until=1, initial={"drive.current": 3})
    with pytest.raises(ModelError, match=r"inputs\.travel.*drives the joint"):
        cardan.simulate(driven, until=1, inputs={"travel": 3}, motors="none")
    for name in ("elbw", "elbow.v"):
        with pytest.raises(ModelError, match=rf"there is no coordinate '{name}'"):
            cardan.kinetostatics(Model(**ARM, motions=CIRCLE), [0.0], initial={name: 0.1})


def test_a_run_along_a_table_steps_to_its_rows():
    """The third derivative of a spline jumps at its rows: a step over one of them would be rejected."""
    rows = [[0.1 * k, 0.01 * (k % 3)] for k in range(13)]
    run = cardan.simulate(Model(**CRANE, motions={"travel": {"table": rows}}), until=1.2, motors="none")
    assert set(np.round(0.1 * np.arange(1, 12), 12)) <= set(np.round(run.t, 12))
    assert run.statistics["rejected"] < run.statistics["steps"] / 2
