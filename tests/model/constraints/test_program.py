"""Program constraints: what they refuse, their feedback, relations of velocities, motors that drive them."""

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from cardan.formats.yaml import dump, loads
from tests.selection import each


def digging(**line):
    """The digging machine with other keys of its program."""
    model = cardan.load("digging_machine")
    return model.replace(constraints={"line": model.constraints["line"].replace(**line)})


def cart(motors=None, about_com=0.01, **law):
    """A cart with a pendulum."""
    joints = {
        "slide": {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x"},
        "swing": {"type": "revolute", "parent": "cart", "child": "bob", "axis": "-y"},
    }
    bodies = {"cart": {"mass": 2}, "bob": {"mass": 1, "com": [0, 0, -0.5], "inertia": [about_com] * 3}}
    program = {"type": "program", "by": ["slide"]} | law
    return cardan.Model(bodies=bodies, joints=joints, motors=motors or {}, constraints={"law": program})


def test_round_trip():
    model = digging(feedback={"kp": "400", "kd": "40"}, realize={"share": {"phi1": 1, "phi2": -1}})
    assert loads(dump(model)) == model


@each(
    "law, words",
    [
        ({"expression": "slide", "by": None}, "nothing says which joints drive the program"),
        ({"expression": "slide", "by": ["slip"]}, "'slip' is not a joint with an effort"),
        ({"expression": "slide", "realize": {"zero": ["slide"]}}, "0 of 1 joints are left"),
        ({}, "give either expression or velocity"),
        ({"expression": "slide", "by": ["slide", "slide"]}, "a joint is named twice"),
    ],
)
def test_a_program_that_cannot_be_is_refused(law, words):
    with pytest.raises(ModelError, match=words):
        cart(**law)


def test_one_drive_keeps_one_relation():
    model = cart(expression="slide - sin(t)")
    law = model.constraints["law"]
    with pytest.raises(ModelError, match="the joint 'slide' drives 'law' already"):
        model.replace(constraints={"law": law, "other": law})
    with pytest.raises(ModelError, match="the joint 'slide' drives 'law' already"):
        model.replace(motions={"slide": "sin(t)"})


def test_a_drive_that_does_not_act_is_named():
    """A point mass that hangs straight down does not feel the force on its trolley."""
    with pytest.raises(ModelError, match="the effort of slide cannot drive 'law'"):
        cardan.simulate(cart(about_com=0, expression="slide + 0.5*sin(swing) - 0.1*t**2"), until=0.1)


def test_an_ideal_program_needs_a_drive_wherever_its_force_acts():
    with pytest.raises(ModelError, match="acts on swing too, where no drive of it is"):
        cardan.simulate(cart(expression="slide - 0.3*swing", realize="ideal"), until=0.1)


@each("stabilization", ["projection", "baumgarte", "none"])
def test_feedback_brings_a_wrong_start_back(stabilization):
    """φ̈ + 40 φ̇ + 400 φ = 0: φ = (φ0 + (φ̇0 + 20 φ0) t) e^(−20 t); without gains it drifts, φ0 + φ̇0 t."""
    t = np.linspace(0, 0.3, 7)
    for kp, kd in ((400, 40), (0, 0)):
        fed = digging(feedback={"kp": kp, "kd": kd})
        run = cardan.simulate(fed, times=t, initial={"phi1": 1.28}, stabilization=stabilization)
        residual, v = run["line.residual"].values, run["scoop.velocity"].values[0]
        first, rate = residual[0], v[0] - v[1]
        expected = (first + (rate + 20 * first) * t) * np.exp(-20 * t) if kp else first + rate * t
        assert abs(first) > 0.01
        np.testing.assert_allclose(residual, expected, rtol=0, atol=1e-8)  # run at rtol 1e-8


def test_a_relation_of_velocities_is_kept():
    """The cart runs at 0.2 m/s + 0.5 m times the pendulum's speed: Newton's law of the bob alone gives its swing."""
    model = cart(velocity="slide.v - 0.2 - 0.5*swing.v")
    run = cardan.simulate(model, until=1.0, initial={"swing": 0.3, "swing.v": 0.0, "slide.v": 0.2})
    assert run.ok
    v, w = run["slide.v"].values, run["swing.v"].values
    np.testing.assert_allclose(v, 0.2 + 0.5 * w, atol=1e-10)
    q, a = run["swing.q"].values, run["swing.a"].values
    np.testing.assert_allclose((0.25 + 0.01) * a + 0.5 * 0.5 * a * np.cos(q) + 9.81 * 0.5 * np.sin(q), 0, atol=1e-9)
    fed_back = model.replace(constraints={"law": model.constraints["law"].replace(feedback={"kp": 5})})
    run = cardan.simulate(fed_back, times=[0, 0.2, 0.4], initial={"swing": 0.3, "slide.v": 0.3})
    np.testing.assert_allclose(run["law.residual"].values, 0.1 * np.exp(-5 * run.t), atol=1e-8)


def test_a_motor_that_drives_a_program_shows_its_current():
    motor = {"type": "dc", "joint": "slide", "ratio": 50, "resistance": 2, "inductance": 0.01, "torque_constant": 0.1}
    motor |= {"back_emf_constant": 0.1, "rotor_inertia": 1e-5, "rotor_damping": 0}
    model = cart(motors={"drive": motor}, expression="slide + 0.5*swing - 0.1*t**2")
    run = cardan.simulate(model, times=np.linspace(0, 0.5, 6))
    np.testing.assert_allclose(run["drive.current"].values, run["slide.effort"].values / 5, rtol=1e-12)
    assert np.isfinite(run["drive.voltage"].values).all()
    assert run.report.relative_energy_error < 1e-7
    with pytest.raises(ModelError, match="the motion of 'law' drives the motor 'drive'"):
        model.replace(inputs={"drive": 10})


@pytest.mark.parametrize("name", ["four_bar", "four_bar_spatial", "cart"])
def test_reactions_and_summary_of_a_relation_with_feedback(name):
    """From a start that meets the relation, feedback changes no load; reactions of the open chain are unique."""
    if name == "cart":
        model, law, joint = cart(expression="slide - 0.1*t**2"), "law", "slide"
    else:
        model, law = cardan.load(name), "law"
        joint = next(iter(model.initial))
        start = model.initial[joint].value
        program = {"type": "program", "expression": f"{joint} - ({start}) - t**2", "by": [joint]}
        model = model.replace(
            constraints={law: program}, initial={k: v for k, v in model.initial.items() if ".v" not in k}
        )
    fed = model.replace(constraints={law: model.constraints[law].replace(feedback={"kp": 100, "kd": 20})})
    runs = [cardan.simulate(each, times=[0.0, 0.1], motors="none", rtol=1e-10, atol=1e-12) for each in (model, fed)]
    assert "completed" in str(runs[1])
    for reaction in model.joints:
        forces = [run.reaction(reaction)["force"] for run in runs]
        np.testing.assert_allclose(forces[1], forces[0], rtol=1e-6, atol=1e-6)
        assert forces[0].attrs == forces[1].attrs


def followed(**program):
    """A slider on which a program acts, and a load that hangs on it by a spring."""
    line = {"type": "program", "by": ["x"], **program}
    return cardan.Model(
        gravity=[0, 0, 0],
        bodies={"block": {"mass": 2}, "load": {"mass": 1}},
        joints={
            "x": {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x"},
            "s": {"type": "prismatic", "parent": "block", "child": "load", "axis": "x", "stiffness": 50},
        },
        constraints={"line": line},
    )


@each(
    "program, fault",
    [
        ({"expression": "x - 0.1*step(t - 0.5)"}, "the value of the relation of the program 'line' jumps at t = 0.5 s"),
        ({"expression": "x - 0.1*abs(t - 0.5)"}, "the rate of the relation of the program 'line' jumps at t = 0.5 s"),
        ({"expression": "x*(1 + step(t - 0.5)) - 0.1*t"}, "the value of the relation .* jumps at t = 0.5 s"),
        ({"velocity": "x.v - 0.1*step(t - 0.5)"}, "the value of the relation .* jumps at t = 0.5 s"),
        ({"velocity": "(1 + step(t - 0.5))*x.v - 0.1*t"}, "the value of the relation .* jumps at t = 0.5 s"),
    ],
)
def test_programs_that_jump_are_refused(program, fault):
    with pytest.raises(ModelError, match=rf"constraints\.line: {fault}"):
        cardan.simulate(followed(**program), until=1)


@each(
    "program",
    [
        {"expression": "x - 0.1*max(0, t - 0.5)**2"},  # the acceleration jumps, as efforts may
        {"expression": "x - 0.1*max(0, t - 2)"},  # after the end
        {"velocity": "x.v - 0.1*max(0, t - 0.5)"},
        {"expression": "x - 0.1*step(t - 0.5)", "feedback": {"kp": "100 1/s^2", "kd": "20 1/s"}},
    ],
)
def test_programs_may_jump_in_acceleration(program):
    assert cardan.simulate(followed(**program), until=1).ok


def test_the_third_derivative_counts_where_the_drive_acts_on_the_fourth():
    """The block drives the load by the spring between them."""
    with pytest.raises(
        ModelError, match=r"the third derivative of the relation of the program 'line' jumps at t = 0\.5"
    ):
        cardan.simulate(followed(expression="x + s - max(0, t - 0.5)**3"), until=1)
    assert cardan.simulate(followed(expression="x + s - max(0, t - 0.5)**4"), until=1).ok
