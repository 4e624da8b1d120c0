"""`Dynamics.reactions`: the reactions of a run, from coordinates, velocities and efforts."""

from __future__ import annotations

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError

MODELS = ["overhead_crane", "slider_crank", "four_bar", "door_two_hinges", "heavy_top", "planar_3rrr", "bricard"]


@pytest.mark.parametrize("name", MODELS)
def test_the_numbers_are_those_of_a_run(name):
    model = cardan.load(name)
    run = cardan.simulate(model, times=np.linspace(0, 0.2, 5), motors="none", rtol=1e-10)
    dyn = cardan.compile(model, "none")
    nq, nv = dyn.system.tree.nq, dyn.system.tree.nv
    tau = np.zeros((len(run.t), nv))
    found = dyn.reactions(run.x[:, :nq], run.x[:, nq : nq + nv], tau, run.t)
    assert list(found) == list(model.joints)
    for joint, wrench in found.items():
        expected = np.hstack([run[f"{joint}.reaction_{part}"].values for part in ("moment", "force")])
        np.testing.assert_allclose(wrench, expected, rtol=1e-7, atol=1e-7 * np.nanmax(np.abs(expected), initial=1.0))
        one = dyn.reactions(run.x[2, :nq], run.x[2, nq : nq + nv], tau[2], run.t[2])[joint]
        np.testing.assert_allclose(one, wrench[2], rtol=1e-9, atol=1e-9 * np.nanmax(np.abs(expected), initial=1.0))


def test_a_planar_model_does_not_know_what_leaves_its_plane():
    dyn = cardan.compile(cardan.load("slider_crank"), "none")
    q = list(cardan.assemble(dyn.model).q.values())
    moment, force = np.split(dyn.reactions(q, np.zeros(3), np.zeros(3))["pin"], 2)
    assert np.isnan(moment).sum() == 2
    assert np.isnan(force).sum() == 1


def test_accelerations_or_efforts_of_a_tree():
    dyn = cardan.compile(cardan.load("manipulator_6dof"))
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, 4, 6))
    of_a, of_tau = dyn.reactions(q, v, a=a), dyn.reactions(q, v, dyn.inverse_dynamics(q, v, a))
    for joint, wrench in of_a.items():
        np.testing.assert_allclose(of_tau[joint], wrench, rtol=1e-9, atol=1e-9)


def test_parameters_broadcast():
    dyn = cardan.compile(cardan.load("compound_pendulum"))
    found = dyn.reactions([0.0], [0.0], [0.0], parameters={"m": [1.0, 2.0]})["pendulum"]
    np.testing.assert_allclose(found[:, 3:], [[0, 9.81, 0], [0, 19.62, 0]], atol=1e-12)


def test_what_cannot_be_is_refused():
    dyn = cardan.compile(cardan.load("four_bar"), "none")
    with pytest.raises(ModelError, match="either tau or a"):
        dyn.reactions([0, 0, 0], [0, 0, 0])
    with pytest.raises(ModelError, match="do not determine the reactions in closed loops"):
        dyn.reactions([0, 0, 0], [0, 0, 0], a=[0, 0, 0])
