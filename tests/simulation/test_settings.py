"""How a run is integrated: method, tolerances and steps are judged in the caller's words, and kept with the run."""

import json
import warnings
from array import array

import numpy as np
import pytest
from tests.selection import each

import cardan
from cardan.errors import ModelError, ModelWarning


@pytest.fixture(scope="module")
def pendulum():
    """A model of the gallery that is quick to compile."""
    return cardan.load("compound_pendulum")


@each(
    "options, message",
    [
        ({"method": "rk5"}, "method='rk5' is not possible\n.*'rk4'"),
        ({"method": 4}, "method=4 is not possible"),
        ({"rtol": 0}, "rtol=0 is not possible"),
        ({"rtol": 1}, "rtol=1 is not possible\n    give a positive number below 1"),
        ({"rtol": "small"}, "rtol='small' is not possible"),
        ({"rtol": float("nan")}, "rtol=nan"),
        ({"atol": -1e-8}, "atol=-1e-08 is not possible\n.*positive"),
        ({"atol": True}, "atol=True"),
        ({"method": "rk4"}, "the method 'rk4' takes fixed steps, and none is given"),
        ({"method": "rk4", "step": 0}, "step=0 is not possible\n.*positive"),
        ({"method": "rk4", "step": -1}, "step=-1 is not possible"),
        ({"method": "rk4", "step": "1 m"}, "step: '1 m' is a length"),
        ({"method": "rk4", "step": "one"}, "step: the name 'one' is not a parameter"),
        ({"method": "rk4", "step": [1]}, r"step: \[1\] is not a number"),
        ({"method": "rk4", "step": "1 ps"}, r"step=.1 ps. makes more than 2e\+09 steps in a run of 1 s"),
        ({"method": "rk4", "step": 0.1, "max_step": 0.1}, "'rk4' takes fixed steps, so max_step has no effect"),
        ({"step": 0.1}, "the method 'auto' chooses its steps itself"),
        ({"method": "tsit5", "step": 0.1}, "the method 'tsit5' chooses its steps itself"),
        ({"max_step": 0}, "max_step=0 is not possible"),
        ({"max_step": "3 kg"}, "max_step: '3 kg' is a mass"),
    ],
)
def test_what_cannot_be_is_refused(pendulum, options, message):
    with pytest.raises(ModelError, match=message):
        cardan.simulate(pendulum, until=1, **options)


def test_steps_may_have_units(pendulum):
    run = cardan.simulate(pendulum, until=1, method="rk4", step="10 ms")
    assert run.statistics["steps"] == 100
    with pytest.warns(ModelWarning, match="rk4 takes fixed steps, whose error does not follow rtol and atol"):
        cardan.simulate(pendulum, until=1, method="rk4", step="10 ms", rtol=1e-6, atol=1e-6)
    bounded = cardan.simulate(pendulum, until=1, max_step="10 ms", rtol=1e-3)
    assert bounded.statistics["steps"] >= 100
    free = cardan.simulate(pendulum, until=1, max_step=np.inf, rtol=1e-3)
    assert free.statistics["steps"] < 100


@each("use", [cardan.simulate, cardan.equations, cardan.compile])
def test_the_name_of_a_model_is_no_model(use):
    with pytest.raises(ModelError, match=r"'overhead_crane' is not a model\n.*cardan.load\('overhead_crane'\)"):
        use("overhead_crane")
    with pytest.raises(ModelError, match=r"3 is not a model\n.*cardan\.Model"):
        use(3)
    with pytest.raises(ModelError, match="is not a model"):
        cardan.casadi_function({}, "mass_matrix")


def test_efforts_of_the_model_that_motors_displace_are_warned_of(pendulum):
    model = pendulum.replace(inputs={"pendulum": 1})
    with pytest.warns(ModelWarning, match="with motors='full': pendulum; choose motors=\"none\"") as caught:
        cardan.simulate(model, until=0.1, motors="full")
    assert caught[0].filename == __file__
    arm = cardan.load("planar_manipulator")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cardan.simulate(model, until=0.1, motors="none")
        cardan.simulate(arm, until=0.01, motors="none")  # its voltages are left out


@each("limit, exceeded", [("1.5 N*m", True), ("2 N*m", False)])
def test_an_effort_beyond_its_limit_is_warned_of(pendulum, limit, exceeded):
    joint = pendulum.joints["pendulum"].replace(effort_limit=limit)
    model = pendulum.replace(joints={"pendulum": joint}, inputs={"pendulum": {"table": [[0, 0], [0.1, -2], [0.2, 0]]}})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cardan.simulate(model, until=0.2, motors="none")
    said = ["the effort on 'pendulum' reaches 2 N*m at t = 0.1 s, beyond the effort_limit of 1.5 N*m; "]
    assert [str(entry.message)[: len(said[0])] for entry in caught] == (said if exceeded else [])


def test_an_inductance_of_zero_is_named():
    with pytest.raises(ModelError, match=r"motors\.drive\.inductance: the full motor model divides by"):
        cardan.simulate(cardan.load("overhead_crane"), until=0.1, parameters={"La": 0})


def test_currents_without_motors_are_named():
    model = cardan.load("overhead_crane").replace(outputs={"heat": "Ra*drive.current**2"})
    with pytest.raises(ModelError, match=r"'drive\.current' is the current of a motor, and motors are off"):
        cardan.simulate(model, until=0.1, motors="none")


def test_a_run_remembers_how_it_was_made(pendulum):
    given = {"rtol": 1e-6, "max_step": "50 ms", "times": [0, 0.5], "motors": "none", "stabilization": "none"}
    settings = cardan.simulate(pendulum, **given).provenance.settings
    assert settings == {
        "motors": "none",
        "until": 0.5,
        "method": "auto",
        "rtol": 1e-6,
        "atol": None,
        "step": None,
        "max_step": 0.05,
        "stabilization": "none",
        "times": array("d", [0.0, 0.5]),
    }
    again = cardan.simulate(pendulum, **settings)
    assert again.provenance.settings == settings
    assert "times" not in cardan.simulate(pendulum, until=0.1).provenance.settings


@each(
    "options, gains",
    [
        ({}, (20.0, 20.0)),
        ({"alpha": 5}, (5.0, 20.0)),
        ({"method": "rk4", "step": 1e-3}, (20.0, 20.0)),
        ({"method": "rk4", "step": 0.1}, (10.0, 10.0)),
        ({"method": "rk4", "step": 0.1, "beta": 30}, (10.0, 30.0)),
    ],
)
def test_gains_are_those_given_or_what_a_step_resolves(options, gains):
    run = cardan.simulate(cardan.load("four_bar"), until=0.2, stabilization="baumgarte", **options)
    settings = run.provenance.settings
    assert (settings["alpha"], settings["beta"]) == gains
    assert cardan.simulate(cardan.load("four_bar"), **settings).provenance.settings == settings


def test_a_run_carries_the_samples_of_its_tables(pendulum, tmp_path):
    """The file may be gone when the run is made again."""
    path = tmp_path / "effort.csv"
    path.write_text("t,a,b\n0,7,1\n0.1,7,2\n")
    table = {"file": str(path), "column": "b", "interpolation": "step"}
    inline = {"table": [[0.0, 1.0], [0.1, 2.0]], "interpolation": "step"}
    of_call = cardan.simulate(pendulum, until=0.2, motors="none", inputs={"pendulum": table})
    of_model = cardan.simulate(pendulum.replace(inputs={"pendulum": table}), until=0.2, motors="none")
    assert of_call.provenance.settings["inputs"] == {"pendulum": inline}
    assert json.loads(of_model.provenance.source)["inputs"] == {"pendulum": inline}
