"""Equations that depend on each other, or nearly: which are solved, how accurately, and in what time."""

import time

import numpy as np
import pytest

import cardan
from cardan.assembly.start import ready_system
from cardan.errors import ModelWarning
from cardan.model.model import Model
from tests.selection import each
from tests.truths.four_bars import four_bars

G = 9.81
ZERO = np.zeros(3)


def three_hinges(*expressions):
    """Three horizontal links in a chain, with equations between the first two angles p and q."""
    tip = {"tip": {"position": [1, 0, 0]}}
    link = {"mass": 1, "com": [0.5, 0, 0], "inertia": [0.1, 0.1, 0.1], "markers": tip}
    hinges = {"p": ("ground", "a"), "q": ("a.tip", "b"), "r": ("b.tip", "c")}
    return Model(
        bodies=dict.fromkeys("abc", link),
        joints={k: {"type": "revolute", "parent": a, "child": b, "axis": "y"} for k, (a, b) in hinges.items()},
        constraints={f"e{i}": {"type": "expression", "expression": text} for i, text in enumerate(expressions)},
    )


def hanging():
    """Acceleration of the last link about its hinge at rest: m g l / (I + m l²), l = 0.5 m."""
    return [0.0, 0.0, 0.5 * G / (0.1 + 0.25)]


@each("factor", [1.1, 1.001, 1.00001])
@each("more", [(), ("q",)])
def test_nearly_dependent_equations_are_solved_without_damping(factor, more):
    """Two of them alone have a condition number of 2/(factor - 1), squared in the pivots; one refinement remains."""
    dyn = cardan.compile(three_hinges("p + q", f"p + {factor}*q", *more))
    pivot_error = 1e-15 * (2 / (factor - 1)) ** 2
    allowed = 100 * (pivot_error**2 + 1e-15 * 2 / (factor - 1))
    found = dyn.forward_dynamics(ZERO, ZERO, ZERO)
    np.testing.assert_allclose(found, hanging(), rtol=0, atol=1e-12 if more else allowed)
    np.testing.assert_allclose(dyn.state_derivative(np.zeros(6), ZERO)[3:], found, rtol=0, atol=1e-9)


def test_equations_far_from_each_other_are_chosen():
    """The second equation has 5e-6 of its length outside the span of the first one, the third 0.7 of its length."""
    model = three_hinges("p + q", "p + 1.00001*q", "q")
    assert ready_system(model, "full").choice.kept == (0, 2)
    run = cardan.simulate(model, times=[0, 0.1])
    assert run.status == "completed"
    np.testing.assert_allclose([run.array(f"{name}.a")[0] for name in "pqr"], hanging(), rtol=0, atol=1e-12)


@each("beside, singular", [(1.0, False), (1e-3, False), (1e-8, True), (0.0, True)])
def test_a_singular_position_has_no_accelerations(beside, singular):
    """A flat parallelogram can move on two branches: the equations do not say on which, so nothing is returned."""
    dyn, angle = cardan.compile(four_bars(1)), np.pi / 2 - beside
    q = [angle, angle, -angle]
    np.testing.assert_allclose(dyn.constraint(q), 0, rtol=0, atol=1e-15)
    found = dyn.forward_dynamics(q, ZERO, ZERO)
    if singular:
        assert np.isnan(found).all()
    else:  # 5/3 θ̈ = 2 g sin θ, see `tests.truths.four_bars.reference`
        expected = 2 / (5 / 3) * G * np.sin(angle) * np.array([1, 1, -1])
        error = 1e-16 / beside**2  # of positions, see `singular.tolerances`
        np.testing.assert_allclose(found, expected, rtol=100 * error, atol=0)


@each("com", [[0, 0, 0], [0, 0, 1]])
def test_a_locked_body_without_inertia_runs_as_a_structure(com):
    """A point mass on the axis of a hinge about z, which a hinge about y locks: the mass matrix is zero."""
    hinges = {f"j{axis}": {"type": "revolute", "parent": "ground", "child": "a", "axis": axis} for axis in "zy"}
    model = Model(bodies={"a": {"mass": 1, "com": com}}, joints=hinges)
    with pytest.warns(ModelWarning, match="the mechanism cannot move"):
        run = cardan.simulate(model, until=1)
    assert run["jz.reaction_force"].values[-1, 2] + run["jy.reaction_force"].values[-1, 2] == pytest.approx(9.81)


def test_a_driven_body_needs_no_inertia():
    model = Model(
        bodies={"a": {"mass": 1}},
        joints={"spin": {"type": "revolute", "parent": "ground", "child": "a", "axis": "z"}},
        constraints={"drive": {"type": "expression", "expression": "spin - sin(t)"}},
    )
    run = cardan.simulate(model, times=[0, 1])
    np.testing.assert_allclose(run.array("spin.q"), np.sin([0, 1]), rtol=0, atol=1e-8)
    np.testing.assert_allclose(run.array("drive.force"), 0, rtol=0, atol=1e-12)


def test_hundreds_of_redundant_equations_take_seconds():
    """Written out as symbols, their elimination took a minute for 200 of them, growing with the third power."""
    model, one = three_hinges(*["p + q"] * 200), three_hinges("p + q")
    begin = time.perf_counter()
    runs = [cardan.simulate(m, times=[0, 0.2], initial={"p": 0.3, "q": {"guess": 0.1}, "p.v": 1}) for m in (model, one)]
    assert time.perf_counter() - begin < 30
    np.testing.assert_allclose(runs[0].x, runs[1].x, rtol=0, atol=1e-8)
