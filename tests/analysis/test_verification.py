"""`verify`: the gallery and random mechanisms pass; a law that is broken on purpose fails the check for it."""

from dataclasses import replace
from functools import cache

import casadi as ca
import numpy as np
import pytest

import cardan
from cardan.analysis import laws, verification
from cardan.analysis.loads import balance
from cardan.errors import ModelError
from cardan.formulations import composite_body, newton_euler, trace_lagrange
from cardan.kinematics import constraints, energy, loads
from cardan.matrix_form.terms import FORMULATIONS
from cardan.model.model import Model
from cardan.system import constrained, energies
from tests.mechanisms import WITH_BODIES, WITH_MOTORS, random_closed, random_model
from tests.selection import each, few, of_gallery
from tests.truths.flat_mechanisms import parallelogram, three_cranks

OF_TREES = {
    "M is symmetric",
    "M is not negative",
    "dM/dt - 2C is skew",
    "kinetic energy is v'Mv/2",
    "g is the gradient of the potential energy",
    "energy changes by the powers",
    "accelerations solve the matrix equation",
    "reactions balance every body",
    *(f"{name} agrees with composite_body" for name in FORMULATIONS if name != "composite_body"),
}
OF_FRICTION = {"energy changes by the powers and the heat of friction", "friction takes energy"}
OF_LOOPS = {
    "Phi_q is the derivative of Phi",
    "gamma is the rest of the second derivative",
    "accelerations keep the loops closed",
}


REACTIONS = "F R + F₀ = 0 and N R = 0 give the reactions"
COMPATIBLE = {"D A v̇ = D (Q + Q⁰ − Q*) gives the accelerations", REACTIONS}


def failed(model, motors="full", states=2):
    """Names of the checks that fail."""
    return {check.name for check in cardan.verify(model, motors, states=states).failed}


loaded = cache(cardan.load)


@cache
def holds(model):
    """Whether no check fails, before a law is broken."""
    return not failed(model)


CASES = [(name, "full" if name in WITH_MOTORS else "none") for name in WITH_BODIES]
CASES += [("overhead_crane", "simplified"), ("overhead_crane", "none")]


@pytest.mark.parametrize(("name", "motors"), of_gallery(CASES))
def test_the_gallery_passes(name, motors):
    model = cardan.load(name)
    report = cardan.verify(model, motors, states=3)
    assert report.ok, f"\n{report}"
    missing = {
        f"{words.partition(':')[0]} agrees with composite_body" for words in report.left_out if "no matrix" not in words
    }
    expected = OF_TREES | (OF_LOOPS if _has_loops(model) else set()) | (COMPATIBLE if _has_reactions(model) else set())
    expected |= OF_FRICTION if any(joint.friction for joint in model.joints.values()) else set()
    singular = {REACTIONS} if name == "car_axis" else set()  # a wheel without mass: there is no A⁻¹
    assert {check.name for check in report.checks} | missing | singular == expected
    assert not missing or name == "car_axis"  # articulated bodies cannot treat its wheel, which has no mass


def _has_loops(model: Model) -> bool:
    return bool(model.constraints or model.motions) or len(model.joints) > len(model.bodies)


def _has_reactions(model: Model) -> bool:
    """Whether loops or constraints act with forces that equations of motion need: a door's second hinge does not."""
    return model.name != "door on two hinges" and (
        len(model.joints) > len(model.bodies) or any(not record.drives for record in model.constraints.values())
    )


@pytest.mark.parametrize("seed", few([0, 4, 7], 1))
def test_random_trees_pass(seed):
    """All nine joints, motors on moving bodies, springs, dampers, and forces that follow the motion."""
    report = cardan.verify(random_model(seed), "simplified", states=2)
    assert report.ok, f"\n{report}"


@pytest.mark.parametrize("seed", few([0, 3, 5], 1))
def test_random_loops_pass(seed):
    report = cardan.verify(random_closed(seed), states=2)
    assert report.ok, f"\n{report}"


@each("model", [parallelogram(angle=0.0), three_cranks(0.0, 2.0)])
@each("seed", [0])
def test_mechanisms_that_start_in_a_singular_position_pass(model, seed):
    """States are drawn away from it; in it, accelerations are those of a damped solution."""
    report = cardan.verify(model, seed=seed)
    assert report.ok, f"\n{report}"


@pytest.mark.parametrize(
    "equation",
    [
        {"type": "expression", "velocity": "wheel.vx - 0.3*wheel.wy"},
        {"type": "expression", "expression": "axle - 0.3*spin"},
        {"type": "expression", "expression": "axle - 0.3*spin - 0.1*t**2"},
        {"type": "coupler", "terms": {"axle": 1, "spin": -0.3}},
        {"type": "distance", "child": "wheel.rim", "length": 0.3},
        {"type": "point_on_line", "child": "wheel.rim", "axis": [0, 1, 0]},
        {"type": "point_on_curve", "child": "wheel.rim", "equations": ["x**2 + z**2 - 0.09"]},
    ],
)
def test_constraints_beside_the_joints_pass(equation):
    """A wheel on an axle that slides: equations of points, of coordinates, of velocities, and one that follows time."""
    model = Model(
        bodies={
            "axle": {"mass": 0.5},
            "wheel": {
                "mass": 2,
                "com": [0.02, 0, 0.01],
                "inertia": [0.1, 0.15, 0.1],
                "markers": {"rim": {"position": [0.3, 0, 0]}},
            },
        },
        joints={
            "axle": {"type": "prismatic", "parent": "ground", "child": "axle", "axis": "x"},
            "lift": {"type": "cylindrical", "parent": "axle", "child": "wheel", "axis": "y"},
        }
        if equation["type"].startswith("point_on")
        else {
            "axle": {"type": "prismatic", "parent": "ground", "child": "axle", "axis": "x"},
            "spin": {"type": "revolute", "parent": "axle", "child": "wheel", "axis": "y"},
        },
        constraints={"bound": equation},
        initial={"axle": {"guess": 0.1}},
    )
    report = cardan.verify(model, states=2)
    assert report.ok, f"\n{report}"
    assert {check.name for check in report.checks} >= OF_LOOPS


@each(
    "relation",
    [
        {"expression": "x - 0.1*y", "feedback": {"kp": 25, "kd": 10}},
        {"velocity": "x.v - 0.1*y.v - 0.2", "feedback": {"kp": 5}},
    ],
)
def test_programs_with_feedback_pass_also_off_their_relation(relation):
    model = cardan.Model(
        bodies={"a": {"mass": 1}, "b": {"mass": 1}},
        joints={
            "x": {"type": "prismatic", "parent": "ground", "child": "a", "axis": "x"},
            "y": {"type": "prismatic", "parent": "a", "child": "b", "axis": "y"},
        },
        constraints={"p": {"type": "program", "by": ["x"], **relation}},
        initial={"x": 0.1, "y": 0},
    )
    found = cardan.verify(model)
    assert found.ok, found


@each("size", [1e-3, 1.0, 1e3])
def test_differences_follow_the_scale_of_the_function(size):
    """sin, exp and a polynomial of arguments in units of `size`: ε^(4/5) = 3e-13 times fifth derivatives."""
    functions = [lambda x: np.sin(1 + x / size), lambda x: np.exp(x / size), lambda x: (2 + x / size) ** 3]
    exact = np.array([np.cos(1), 1, 12]) / size
    found = laws._slope(lambda h: np.array([f(h) for f in functions]), laws.H)
    np.testing.assert_allclose(found, exact, rtol=1e-9 if size > 1 else 1e-10)  # long waves: round-off over the step


def test_round_off_that_agrees_by_chance_is_no_derivative():
    """Values in steps of 1e-12: a difference with the step h has up to 1.5 · 1e-12/h, the shortest 4⁷ times that."""
    phases = np.linspace(0, 6, 2000)
    found = laws._slope(lambda h: np.round(np.sin(phases + h), 12), laws.H)
    assert np.abs(found - np.cos(phases)).max() < 4 * 1.5e-12 / laws.H  # of the longest step or the next


def test_a_rod_that_hardly_resists_its_spin_passes():
    """Efforts of 1 N m on a moment of 1e-10 kg m² make accelerations of 1e10 rad/s², whose round-off is not γ's."""
    rod = {"mass": 0.1, "com": [0.2, 0, 0], "inertia": [1e-10, 1e-3, 1e-3]}
    joints = {
        "turn": {"type": "revolute", "parent": "ground", "child": "crank", "axis": "y"},
        "near": {"type": "spherical", "parent": {"body": "crank", "position": [0.2, 0, 0]}, "child": "rod"},
        "line": {
            "type": "prismatic",
            "parent": {"body": "ground", "position": [0.6, 0, 0]},
            "child": "slide",
            "axis": "x",
        },
        "far": {"type": "spherical", "parent": {"body": "rod", "position": [0.4, 0, 0]}, "child": "slide", "cut": True},
    }
    bodies = {"crank": {"mass": 1, "com": [0.1, 0, 0], "inertia": [1e-2] * 3}, "rod": rod, "slide": {"mass": 1}}
    model = Model(bodies=bodies, joints=joints, initial={"turn": 0.5, "line": {"guess": -0.1}})
    found = cardan.verify(model, states=3)
    assert found.ok, found
    residuals = {check.name: check.residual for check in found.checks}
    assert residuals["gamma is the rest of the second derivative"] < 1e-10  # ε/h = 3e-13, of some hundred operations


def _scaled(original, field, factor):
    """A law with one field of its result scaled."""
    return lambda *args, **options: replace(
        result := original(*args, **options), **{field: factor * getattr(result, field)}
    )


def break_trace(patch):
    patch.setattr(trace_lagrange, "_gravity", lambda tree, bodies: ca.SX.ones(tree.nv))


def break_mass(patch):
    patch.setitem(FORMULATIONS, "composite_body", _scaled(composite_body.terms, "M", ca.DM([[1, 1], [2, 1]])))


def break_sign(patch):
    patch.setitem(FORMULATIONS, "composite_body", _scaled(composite_body.terms, "M", -1))


def break_coriolis(patch):
    patch.setitem(FORMULATIONS, "composite_body", _scaled(composite_body.terms, "C", 1.01))


def break_potential(patch):
    patch.setattr(loads, "potential", lambda tree, state: 3 * state.q[0])


def break_kinetic(patch):
    original = energy.kinetic
    patch.setattr(energy, "kinetic", lambda tree, state: 1.01 * original(tree, state))


def break_power(patch):
    patch.setattr(energies, "load_power", lambda tree, state: ca.DM(1))


def break_inertia_forces(patch):
    original = newton_euler._newton_euler
    patch.setattr(newton_euler, "_newton_euler", lambda link, own: original(link, own) + ca.DM([0, 0, 0, 0, 1, 0]))


def break_reactions(patch):
    original = balance.reactions
    patch.setattr(
        balance, "reactions", lambda *args, **options: [1.01 * vector for vector in original(*args, **options)]
    )


def break_jacobian(patch):
    patch.setattr(laws, "constraint_terms", _scaled(constraints.constraint_terms, "Phi_q", 1.01))


def break_gamma(patch):
    for place in (laws, constrained):
        patch.setattr(place, "constraint_terms", _scaled(constraints.constraint_terms, "gamma", 1.01))


def break_solution(patch):
    original = laws.accelerations_and_multipliers
    patch.setattr(laws, "accelerations_and_multipliers", lambda *args: [1.01 * x for x in original(*args)])


BREAKS = {
    break_trace: "trace_lagrange agrees with composite_body",
    break_mass: "M is symmetric",
    break_sign: "M is not negative",
    break_coriolis: "dM/dt - 2C is skew",
    break_potential: "g is the gradient of the potential energy",
    break_kinetic: "kinetic energy is v'Mv/2",
    break_power: "energy changes by the powers",
    break_inertia_forces: "accelerations solve the matrix equation",
    break_reactions: "reactions balance every body",
    break_jacobian: "Phi_q is the derivative of Phi",
    break_gamma: "gamma is the rest of the second derivative",
    break_solution: "accelerations keep the loops closed",
}


@pytest.mark.parametrize(("broken", "check"), BREAKS.items(), ids=lambda x: getattr(x, "__name__", None))
def test_a_broken_law_fails_its_check(broken, check, monkeypatch):
    looped = check in OF_LOOPS or broken is break_inertia_forces  # trees may move without Newton–Euler
    model = loaded("four_bar" if looped else "planar_manipulator")
    assert holds(model)
    broken(monkeypatch)
    assert check in failed(model)


def test_a_nan_fails():
    assert not verification.Check("law", np.nan, 1e-8, "").ok


def test_what_a_formulation_cannot_treat_is_said():
    mounted = cardan.load("planar_manipulator_mounted")
    elsewhere = mounted.motors["motor1"].replace(mounted_on="link2")
    report = cardan.verify(mounted.replace(motors={**mounted.motors, "motor1": elsewhere}), states=1)
    assert report.ok
    assert [words.partition(":")[0] for words in report.left_out] == ["articulated_body"]
    assert "left out: articulated_body: motor 'motor1' rides on 'link2'" in str(report)


def test_the_same_seed_gives_the_same_report():
    crane = cardan.load("overhead_crane")
    assert cardan.verify(crane, seed=3) == cardan.verify(crane, seed=3)
    assert cardan.verify(crane, seed=3).checks != cardan.verify(crane, seed=4).checks


def test_without_states_there_is_nothing_to_check():
    with pytest.raises(ModelError, match="states=0 is not possible"):
        cardan.verify(cardan.load("scara"), states=0)


def test_formulations_whose_programs_grow_with_the_third_power_are_left_out_of_long_chains(monkeypatch):
    """With all of them a chain of 100 bodies took 5 GB; here chains are long from eight velocities on."""
    monkeypatch.setattr(verification, "MOST", 7)
    count = verification.MOST + 1
    link = {"mass": 1, "com": [0.1, 0, 0], "markers": {"tip": {"position": [0.2, 0, 0]}}}
    ends = ["ground", *(f"b{i}.tip" for i in range(count - 1))]
    hinges = {f"j{i}": {"type": "revolute", "parent": end, "child": f"b{i}", "axis": "y"} for i, end in enumerate(ends)}
    report = cardan.verify(Model(bodies={f"b{i}": link for i in range(count)}, joints=hinges), states=1)
    assert report.ok
    assert [words.partition(":")[0] for words in report.left_out] == list(verification.CUBIC)
    assert f"third power of the velocities, {count} here" in str(report)
    assert "newton_euler agrees with composite_body" in {check.name for check in report.checks}
