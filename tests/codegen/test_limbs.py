"""Equal limbs in lanes: the same numbers as CasADi's evaluator, whatever the limbs have and share."""

import casadi as ca
import numpy as np

import cardan
from cardan.codegen.llvm.module import WHOLE
from cardan.codegen.program.instruction import FREE
from cardan.codegen.program.lanes import side_by_side
from cardan.codegen.program.program import flatten
from tests.selection import each

from .programs import evaluate, random_function, run_all

OWN = 3  # inputs of a limb


def limbed(count, steps=4):
    """A body with so many limbs: each adds its effort to that of the body, whose acceleration then moves it."""
    body, every = ca.SX.sym("body", 2), [ca.SX.sym(f"limb{k}", OWN) for k in range(count)]
    effort, moved = ca.sin(body[0]) * body[1], []
    for k, own in enumerate(every):
        number = 0.3 + 0.1 * k
        angle, force = own[0] + number * body[0], own[1]
        for _ in range(steps):
            c, s = ca.cos(angle), ca.sin(angle + number)
            force = ca.sqrt(1 + force**2) * c - ca.fmin(s, number) / (2 + ca.atan2(s, 2 + c))
            angle = ca.if_else(force < number, angle + 0.1 * force, -angle) + own[2]
        if k == count - 1 > 0:
            force = force + ca.fabs(own[2])  # one limb has an operation more
        effort = effort + number * force
        moved.append((angle, force))
    a = effort / (3 + body[1] ** 2)
    rates = [ca.vertcat(force - number * a, a * angle) for number, (angle, force) in enumerate(moved)]
    return ca.Function("limbed", [body, *every], [a, *rates])


def computed(program):
    return sum(instruction.op not in FREE for instruction in program.instructions)


@each("count", [2, 3, 5, 8, 12])
@each("steps", [4, 60])
def test_limbs_have_the_values_of_the_interpreter(count, steps):
    function = limbed(count, steps)
    program = flatten(function)
    assert computed(side_by_side(program)) < 0.8 * computed(program)
    assert steps < 60 or count < 5 or computed(side_by_side(program)) > WHOLE / 2  # cut into pieces
    x = np.random.default_rng(count).normal(size=(2 + OWN * count, 7))
    np.testing.assert_allclose(run_all(function, x, 0), evaluate(function, x), rtol=1e-11, atol=1e-11)


@each("place", range(5))
def test_a_limb_that_is_unusual_leaves_the_others_alone(place):
    function, x = limbed(5), np.random.default_rng(1).normal(size=(2 + OWN * 5, 1))
    x[2 + OWN * place] = 3e9  # beyond what sines in lanes reduce themselves
    np.testing.assert_allclose(run_all(function, x, 0), evaluate(function, x), rtol=1e-11, atol=1e-11)
    x[:2] = 0  # through the body NaN would reach all
    x[2 + OWN * place] = np.nan
    got = run_all(function, x, 0)[1:, 0].reshape(5, 2)
    assert np.isnan(got[place]).any()
    np.testing.assert_array_equal(np.isnan(got), np.isnan(evaluate(function, x)[1:, 0].reshape(5, 2)))


def test_programs_without_limbs_stay_as_they_are():
    program = flatten(random_function(5))
    assert side_by_side(program) is program


def test_legs_of_a_mechanism_are_found_and_move_as_their_equations_demand():
    """Legs of other masses and lengths on a body that flies; M v̇ + h = τ with terms that are not packed alike."""
    bodies = {"trunk": {"mass": 9.0, "inertia": [0.3, 0.5, 0.6], "markers": {}}}
    joints = {"flight": {"type": "free", "parent": "ground", "child": "trunk"}}
    for k in range(3):
        place = {"position": [0.2 + 0.1 * k, 0.3 - 0.2 * k, 0.05], "rpy": [0.1, 0.2 * k + 0.3, 0.4]}
        bodies["trunk"]["markers"][f"hip{k}"] = place
        parent = f"trunk.hip{k}"
        for part, axis in (("thigh", [1, 0, 0]), ("shank", [0, 1, 0]), ("foot", [1, 0, 0])):
            length = 0.3 + 0.05 * k
            markers = {"top": {"position": [0, 0, 0]}, "end": {"position": [0, 0, -length]}}
            inertia = {"com": [0.01, 0.02, -length / 2], "inertia": [0.02, 0.02, 0.01]}
            bodies[f"{part}{k}"] = {"mass": 1.0 + 0.1 * k, "markers": markers, **inertia}
            joints[f"{part}{k}"] = {"type": "revolute", "axis": axis, "parent": parent, "child": f"{part}{k}.top"}
            parent = f"{part}{k}.end"
    model = cardan.Model(name="three legs", bodies=bodies, joints=joints)
    program, dynamics = flatten(cardan.casadi_function(model, "forward_dynamics")), cardan.compile(model)
    assert computed(side_by_side(program)) < 0.6 * computed(program)
    random = np.random.default_rng(2)
    q, v, tau = random.normal(size=16), random.normal(size=15), random.normal(size=15)
    q[3:7] /= np.linalg.norm(q[3:7])
    M, h = dynamics.mass_matrix(q), dynamics.bias(q, v)
    a = dynamics.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(M @ a + h, tau, atol=1e-14 * np.linalg.norm(M, 2) * np.linalg.norm(a))
