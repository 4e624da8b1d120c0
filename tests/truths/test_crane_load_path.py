"""A crane whose load follows a path: drives that act on the path's fourth derivative, against the closed form.

The rope pulls along itself, T n = m (a + g e_z) with the acceleration a of the load, so that the path gives the angle
and the tension, the trolley stands where the rope ends, and its acceleration holds the fourth derivative of the path.

Source: Fliess, Lévine, Martin & Rouchon 1995, Int. J. Control 61:1327, §5 (the crane)
"""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import cardan
from cardan import Model, ModelError
from tests.selection import each, few

CLOSE = 1e-9
M_TROLLEY, M_LOAD, G, T = 60.0, 40.0, 9.81, 4.0
t = sp.Symbol("t")


def arc():
    """Centre, radius, first angle and turn of the arc through the points of the model."""
    (x0, z0), *others = points = [(0.0, -4.0), (1.5, -2.4), (3.0, -2.5)]
    A = np.array([[2 * (x - x0), 2 * (z - z0)] for x, z in others])
    centre = np.linalg.solve(A, [x**2 + z**2 - x0**2 - z0**2 for x, z in others])
    angles = [np.arctan2(z - centre[1], x - centre[0]) for x, z in points]
    return centre, float(np.hypot(*(np.array(points[0]) - centre))), angles[0], angles[2] - angles[0]


def second(x):
    """Second derivative by time; SymPy, asked for both at once, also looks for factors, ten times as long."""
    return sp.diff(sp.diff(x, t), t)


def flat(x, z, instants):
    """Results by name from the path (x, z) as expressions of t."""
    ax, az = second(x), second(z) + G
    swing = sp.atan2(-ax, az)
    hoist = -z / sp.cos(swing)
    travel = x - hoist * sp.sin(swing)
    tension = M_LOAD * sp.sqrt(ax**2 + az**2)
    force = M_TROLLEY * second(travel) - tension * sp.sin(swing)
    named = {"swing.q": swing, "hoist.q": hoist, "travel.q": travel, "hoist.effort": -tension, "travel.effort": force}
    named["swing.v"] = sp.diff(swing, t)
    return {name: sp.lambdify(t, expression, cse=True)(instants) for name, expression in named.items()}


def path_of_the_gallery():
    centre, radius, first, turn = arc()
    w = t / T
    angle = first + turn * w**5 * (126 - 420 * w + 540 * w**2 - 315 * w**3 + 70 * w**4)
    return centre[0] + radius * sp.cos(angle), centre[1] + radius * sp.sin(angle)


INSTANTS = np.linspace(0, T, 101)


@cache
def of_the_gallery():
    """Results at `INSTANTS`."""
    return flat(*path_of_the_gallery(), INSTANTS)


@pytest.mark.parametrize("way", [cardan.kinetostatics, cardan.simulate])
def test_efforts_and_angle_are_those_of_the_flat_output(way):
    found = way(cardan.load("crane_load_path"), times=INSTANTS)
    assert found.ok
    for name, expected in of_the_gallery().items():
        assert found.array(name) == pytest.approx(expected, rel=CLOSE, abs=CLOSE * np.abs(expected).max()), name


def test_it_rests_before_and_after_the_path():
    loads = cardan.kinetostatics(cardan.load("crane_load_path"), [0.0, 4.5, 5.0])
    assert loads.array("hoist.effort") == pytest.approx([-M_LOAD * G] * 3, rel=CLOSE)
    assert np.abs(loads.array("swing.q")).max() < 1e-12
    assert loads.array("load.position")[-1] == pytest.approx([3.0, 0.0, -2.5], abs=1e-12)


def programs(**more):
    """The crane with a program for each component of another path, and other changes."""
    model = cardan.load("crane_load_path")
    along = {"type": "program", "expression": "load.x - 0.5*sin(t)", "by": ["travel"], **more}
    height = {"type": "program", "expression": "load.z + 3 - 0.2*sin(2*t)", "by": ["hoist"]}
    return model.replace(motions={}, constraints={"along": along, "height": height})


def test_programs_of_which_one_drive_acts_on_neither_alone():
    instants = np.linspace(0, 3, 61)
    expected = flat(0.5 * sp.sin(t), -3 + 0.2 * sp.sin(2 * t), instants)
    for found in (
        cardan.simulate(programs(), times=instants, motors="none"),
        cardan.kinetostatics(programs(), instants, motors="none"),
    ):
        assert found.ok
        for name in expected:
            largest = np.abs(expected[name]).max()
            assert found.array(name) == pytest.approx(expected[name], abs=CLOSE * largest), name
        assert np.abs(found.array("along.residual")).max() < 1e-10


def test_every_freedom_follows_from_the_path():
    report = cardan.mobility(cardan.load("crane_load_path"))
    assert (report.degrees_of_freedom, report.remaining) == (3, 0)
    assert cardan.assemble(programs()).q["swing"] == pytest.approx(0, abs=1e-12)


def test_a_damped_rope_takes_one_derivative_less():
    """The rope's damper pulls across it, so that the hidden relation names the speed of the angle."""
    model = cardan.load("crane_load_path")
    swing = model.joints["swing"].replace(damping="5 N*m*s/rad")
    damped = model.replace(joints={**model.joints, "swing": swing})
    loads = cardan.kinetostatics(damped, np.linspace(0, 5, 51))
    assert loads.ok
    assert loads.report.energy_error < 1e-6 * loads.report.energy_scale
    l, c = loads.array("hoist.q"), 5.0
    a = loads.array("load.acceleration") if "load.acceleration" in loads.channels else None
    across = -c * loads.array("swing.v") / l  # force of the rope across itself
    swing_q = loads.array("swing.q")
    assert a is None or M_LOAD * a[:, 0] == pytest.approx(
        loads.array("hoist.effort") * np.sin(swing_q) + across * np.cos(swing_q), abs=1e-6
    )


@each(
    "change, fault",
    [
        ({"profile": "quintic"}, "jerk of the motion 'load.position' jumps"),
        ({"profile": "trapezoid"}, "acceleration of the motion 'load.position' jumps"),
        ({"curve": "spline"}, "jerk of the motion 'load.position' jumps"),  # where it passes the inner point
    ],
)
def test_paths_that_jump_where_the_drives_act_are_refused(change, fault):
    model = cardan.load("crane_load_path")
    motion = model.motions["load.position"].replace(**change)
    with pytest.raises(ModelError, match=fault):
        cardan.simulate(model.replace(motions={"load.position": motion}))


@each("target, law", [("load.x", "0.2*sin(t)"), ("load.z", "-2 + 0.1*t**4")])
def test_the_trolley_alone_is_refused(target, law):
    model = cardan.load("crane_load_path")
    motions = {target: {"value": law, "by": ["travel"]}}
    with pytest.raises(ModelError, match=f"effort of travel does not act on '{target}' up to its fourth derivative"):
        cardan.simulate(model.replace(motions=motions), until=1)


def test_feedback_is_refused():
    with pytest.raises(ModelError, match="feedback cannot bring back what the drives do not act on before the third"):
        cardan.simulate(programs(feedback={"kp": 100, "kd": 20}), until=1)


def test_a_start_beside_a_hidden_relation_is_refused_without_stabilization_too():
    with pytest.raises(cardan.AssemblyError):
        cardan.simulate(programs(), until=1, initial={"swing": 0.3, "travel": 0.5, "hoist": 1}, stabilization="none")


def test_inputs_that_change_the_hidden_relation_are_refused():
    with pytest.raises(ModelError, match=r"inputs\.swing: .*'along', which this input changes"):
        cardan.simulate(programs(), until=1, inputs={"swing": "2 N*m"})


def test_states_that_change_the_hidden_relation_are_refused():
    kick = {"type": "torque", "parent": "trolley", "child": "rope", "value": [0, "e", 0]}
    model = programs().replace(states={"e": {"rate": "-e", "initial": 1}}, forces={"kick": kick})
    with pytest.raises(ModelError, match="which states of motors or your own change"):
        cardan.simulate(model, until=1)


def test_relations_that_are_not_linear_in_velocities_are_refused():
    kick = {"type": "torque", "parent": "trolley", "child": "rope", "value": [0, "swing.v**3", 0]}
    with pytest.raises(ModelError, match="not linear in the velocities"):
        cardan.simulate(programs().replace(forces={"kick": kick}), until=1)


def test_a_drive_that_acts_on_the_second_derivative_is_left_as_it_is():
    """A load on a stiff arm: nothing is hidden, and the relation keeps its free motion."""
    body = {"mass": 2, "markers": {"tip": {"position": [1, 0, 0]}}}
    model = Model(
        planar="xz",
        bodies={"arm": body},
        joints={"pin": {"type": "revolute", "parent": "ground", "child": "arm", "axis": "y"}},
        motions={"arm.tip.z": {"value": "-0.3*sin(t)", "by": ["pin"]}},
    )
    assert cardan.kinetostatics(model.replace(bodies={"arm": {**body, "com": [0.5, 0, 0]}}), [0.0, 0.1]).ok


def test_drag_of_the_load_follows_from_its_path():
    """Drag linear and quadratic in the speed of the load is known from the path, so that the angle still is."""
    instants, c, k = np.linspace(0, 3, 61), 5.0, 2.0
    drag = {"type": "force", "child": "load", "value": [f"-{c}*load.vx - {k}*load.vx*abs(load.vx)", 0, 0]}
    loads = cardan.kinetostatics(programs().replace(forces={"drag": drag}), instants, motors="none")
    assert loads.ok
    speed, x2, z2 = 0.5 * np.cos(instants), -0.5 * np.sin(instants), -0.8 * np.sin(2 * instants)
    pull = M_LOAD * x2 + c * speed + k * speed * np.abs(speed), M_LOAD * (z2 + G)
    assert loads.array("swing.q") == pytest.approx(np.arctan2(-pull[0], pull[1]), abs=CLOSE)
    assert -loads.array("hoist.effort") == pytest.approx(np.hypot(*pull), rel=CLOSE)


def test_friction_is_refused():
    model = cardan.load("crane_load_path")
    swing = model.joints["swing"].replace(friction={"type": "coulomb", "effort": "5 N*m", "prescribed": True})
    with pytest.raises(ModelError, match=r"joints\.swing\.friction: .*'load\.position', which this changes"):
        cardan.simulate(model.replace(joints={**model.joints, "swing": swing}), until=1)


@each("damping", [0, 2])
def test_a_motor_moves_a_link_through_an_elastic_shaft(damping):
    """J₂ θ̈ = −k s − d ṡ of the link gives the twist s of the shaft, and J₁ (θ − s)″ + J₂ θ̈ the moment of the motor.

    Source: Spong 1987, J. Dyn. Syst. Meas. Control 109:310 (robots with elastic joints), without gravity
    """
    J1, J2, k, instants = 0.2, 1.5, 300.0, np.linspace(0, 2, 41)
    shaft = {"type": "revolute", "parent": "rotor", "child": "link", "axis": "z", "stiffness": k, "damping": damping}
    program = {"type": "program", "expression": "motor + shaft - 0.3*sin(2*t)", "by": ["motor"]}
    model = Model(
        gravity=[0, 0, 0],
        bodies={"rotor": {"mass": 1, "inertia": [0, 0, J1]}, "link": {"mass": 1, "inertia": [0, 0, J2]}},
        joints={"motor": {"type": "revolute", "parent": "ground", "child": "rotor", "axis": "z"}, "shaft": shaft},
        constraints={"law": program},
    )
    if damping:  # the twist is a state that decays to its own law
        run = cardan.simulate(model, times=instants)
        s, s_rate, a = run.array("shaft.q"), run.array("shaft.v"), -1.2 * np.sin(2 * instants)
        assert run.ok
        assert -k * s - damping * s_rate == pytest.approx(J2 * a, abs=1e-6)  # rtol 1e-8 of some hundred N m
        return
    loads = cardan.kinetostatics(model, instants)
    theta = 0.3 * np.sin(2 * instants)
    twist, twist_2 = -J2 / k * (-4 * theta), -J2 / k * 16 * theta
    assert loads.array("shaft.q") == pytest.approx(twist, abs=1e-12)
    assert loads.array("motor.effort") == pytest.approx(J1 * (-4 * theta - twist_2) + J2 * (-4 * theta), abs=1e-9)


def test_a_bridge_crane_in_space_carries_its_load_along_a_path():
    """The tension points from the load to the trolley, in both planes."""
    swing = {"type": "universal", "parent": "trolley", "child": "rope", "axes": ["x", "y"]}
    model = Model(
        bodies={"bridge": {"mass": 100}, "trolley": {"mass": 60}, "rope": {}, "load": {"mass": M_LOAD}},
        joints={
            "travel": {"type": "prismatic", "parent": "ground", "child": "bridge", "axis": "x"},
            "cross": {"type": "prismatic", "parent": "bridge", "child": "trolley", "axis": "y"},
            "swing": swing,
            "hoist": {"type": "prismatic", "parent": "rope", "child": "load", "axis": [0, 0, -1]},
        },
        gravity=[0, 0, -G],
        motions={
            "load.position": {
                "value": ["sin(t)", "0.5*cos(2*t)", "-4 + 0.3*sin(t)"],
                "by": ["travel", "cross", "hoist"],
            }
        },
        initial={"hoist": {"guess": 4}},
    )
    instants = np.linspace(0, 3, 31)
    loads = cardan.kinetostatics(model, instants)
    pull = np.array([-np.sin(instants), -2 * np.cos(2 * instants), G - 0.3 * np.sin(instants)]).T
    assert -loads.array("hoist.effort") == pytest.approx(M_LOAD * np.linalg.norm(pull, axis=1), rel=CLOSE)
    rope = loads.array("trolley.position") - loads.array("load.position")
    across = np.cross(rope, pull)
    assert np.abs(across).max() < CLOSE * np.abs(rope).max() * np.abs(pull).max()


@pytest.mark.parametrize("way", few([cardan.kinetostatics, cardan.simulate], 1))
def test_friction_in_the_rail_and_the_hoist_is_what_their_drives_add(way):
    """The path, and so the motion, are those without friction; its sign is that of the velocity of each drive."""
    model = cardan.load("crane_load_path")
    rough = {
        "travel": {"coefficient": 0.05, "prescribed": True},
        "hoist": {"effort": "30 N", "prescribed": True},
    }
    joints = {name: model.joints[name].replace(friction=law) for name, law in rough.items()}
    model = model.replace(joints={**model.joints, **joints})
    instants = np.linspace(0.1, T - 0.1, 77)  # within, where both drives move
    found = way(model, times=np.array([0.0, *instants]))
    assert found.ok
    expected = flat(*path_of_the_gallery(), instants)
    for name in ("swing.q", "hoist.q", "travel.q"):
        assert found.array(name)[1:] == pytest.approx(expected[name], abs=CLOSE * np.abs(expected[name]).max()), name
    tension = -expected["hoist.effort"]
    load = M_TROLLEY * G + tension * np.cos(expected["swing.q"])
    for name, size in (("travel", 0.05 * load), ("hoist", 30.0)):
        added = found.array(f"{name}.effort")[1:] - expected[f"{name}.effort"]
        assert added == pytest.approx(size * np.sign(found.array(f"{name}.v")[1:]), abs=1e-5), name
    assert found.report.energy_error < 1e-6 * found.report.energy_scale
