"""Channels of a system for motions that come from elsewhere; a new family of results is one file and one line."""

import numpy as np
import pytest

import cardan
from cardan.channels import Channels, Solver, of_run
from cardan.channels.families import FAMILIES
from cardan.channels.family import Family
from cardan.channels.functions import Need
from cardan.functions.system_functions import functions_of
from cardan.system.constrained import NO_CONSTRAINTS
from tests.channels import momenta

LENGTH = 1.3  # m


def pendulum(**more):
    """A point mass on a rod of length L."""
    return cardan.Model(
        parameters={"L": LENGTH, "m": 2.0, **more},
        bodies={"bob": {"mass": "m", "com": [0, 0, "-L"]}},
        joints={"hinge": {"type": "revolute", "parent": "ground", "child": "bob", "axis": "y"}},
        outputs={"height": "bob.com.z", "pull": "bob.com.acceleration.z"},
    )


def channels(model):
    """Channels of a tree without motors."""
    return Channels(functions_of(model, "none", (), NO_CONSTRAINTS))


T = np.zeros(3)
X = np.array([[0.0, 1.0], [0.5, -2.0], [2.0, 0.3]])
U = np.array([[0.0], [1.0], [-3.0]])
P = np.array([LENGTH, 2.0])


def test_results_of_states_that_no_run_has_made():
    """m L² θ̈ = τ − m g L sin θ at three states of different inputs."""
    own = channels(pendulum())
    assert own.need(["bob.com.position", "energy.total"]) is Need.NOTHING
    assert own.need(["pull"]) is Need.ACCELERATIONS
    found = own.evaluate(["hinge.a", "height", "pull", "hinge.reaction_force"], T, X, U, P)
    th, rate = X.T
    a = U[:, 0] / (2 * LENGTH**2) - 9.81 / LENGTH * np.sin(th)
    np.testing.assert_allclose(found["hinge.a"], a, rtol=1e-14)
    np.testing.assert_allclose(found["height"], -LENGTH * np.cos(th), rtol=1e-15)
    vertical = LENGTH * (a * np.sin(th) + rate**2 * np.cos(th))
    np.testing.assert_allclose(found["pull"], vertical, rtol=0, atol=1e-13)
    np.testing.assert_allclose(found["hinge.reaction_force"][:, 2], 2 * (vertical + 9.81), rtol=1e-14)


def test_accelerations_that_are_known_are_taken():
    """Kineto-statics give v̇ and λ themselves: here one that no torque explains."""
    found = channels(pendulum()).evaluate(["hinge.a", "pull"], T, 0 * X, U, P, solution=np.full((3, 1), 7.0))
    np.testing.assert_array_equal(found["hinge.a"], 7)
    np.testing.assert_allclose(found["pull"], 0, atol=1e-15)
    known = of_run(
        channels(pendulum()).functions,
        T,
        X,
        lambda t: U,
        P,
        np.empty(0),
        position=X[0, :1],
        solution=np.full((3, 1), 7.0),
    )
    np.testing.assert_array_equal(known.evaluate(["hinge.a"])["hinge.a"], 7)


def test_parameters_may_differ_from_row_to_row():
    own, lengths = channels(pendulum()), np.array([0.5, 1.0, 2.0])
    rows = own.evaluate(["hinge.a", "bob.com.position"], T, X, U, np.stack([lengths, 2 + 0 * lengths], axis=1))
    for k, length in enumerate(lengths):
        one = own.evaluate(list(rows), T[:1], X[k : k + 1], U[k : k + 1], np.array([length, 2.0]))
        for name, values in one.items():
            np.testing.assert_allclose(rows[name][k], values[0], rtol=1e-15)


def test_results_of_a_loop_do_not_depend_on_where_its_states_come_from():
    """Without a solver of the run, with one, and with the accelerations and multipliers of one."""
    setup, times = cardan.prepare(cardan.load("planar_3rrr"), motors="none"), np.linspace(0, 0.2, 5)
    run = setup.run(times=times)
    functions, p = setup.task.functions, setup.conditions.p
    u = np.zeros((5, 6))
    names = ["crank1.a", "platform.acceleration", "rod1.tension", "crank1.reaction_force"]
    solver = Solver(functions, setup.start.x[:6], p)
    solution = solver.solve((run.t, run.x, u, p), Need.MULTIPLIERS)
    ways = {
        "alone": (Channels(functions), None),
        "solver": (Channels(functions, solver), None),
        "solution": (Channels(functions), solution),
    }
    for own, given in ways.values():
        for name, values in own.evaluate(names, run.t, run.x, u, p, given).items():
            np.testing.assert_array_equal(values, run.array(name))
    assert Channels(functions).describe("rod1.tension").unique == ()
    assert Channels(functions, solver).describe("rod1.tension").unique == ("yes",)


def test_a_new_family_is_one_file_and_one_line(monkeypatch):
    """The file is tests/channels/momenta.py, the line is the next one; its results have names, units and values."""
    monkeypatch.setitem(FAMILIES, "momenta", Family(momenta.channels, momenta.values))
    run = cardan.simulate(pendulum(made_for_this_test=1), times=[0, 0.1], initial={"hinge.v": 1.0})
    assert run["bob.momentum"].attrs["units"] == "N*s"
    assert "bob.momentum" in run.names
    np.testing.assert_allclose(run.array("bob.momentum"), 2 * run.array("bob.com.velocity"), rtol=1e-14)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_describes_what_it_computes(name):
    """As many values as descriptions, of the described sizes, in a mechanism with everything."""
    model = cardan.load("planar_3rrr").replace(outputs={"x": "platform.position.x"})
    run = cardan.simulate(model, times=[0, 0.01])
    system = functions_of(model, "full", (), NO_CONSTRAINTS).system
    for channel in FAMILIES[name].channels(system):
        values = run.array(channel.name)
        assert values.shape == (2, *channel.shape)
