"""What is left out about motors follows from the model: motors if it has any, else efforts on the joints."""

import numpy as np
import pytest
from tests.selection import each

import cardan

BODY = {"mass": "2 kg"}
SLIDE = {"type": "prismatic", "parent": "ground", "child": "a", "axis": "x"}


@pytest.fixture
def sledge():
    return cardan.Model(bodies={"a": BODY}, joints={"j": SLIDE}, inputs={"j": "5 N"})


def test_a_model_without_motors_is_driven_by_efforts(sledge):
    run = cardan.simulate(sledge, times=[0, 2.0])
    assert run["j.q"].values[-1] == pytest.approx(5.0)  # ½ F/m t²
    assert cardan.simulate(sledge, times=[0, 2.0], inputs={"j": 10})["j.q"].values[-1] == pytest.approx(10.0)
    assert cardan.prepare(sledge, 2.0).run()["j.effort"].values[-1] == pytest.approx(5.0)
    found = cardan.sweep(sledge, 2.0, inputs={"j": [5.0, 10.0]}, outputs=["max(j.q)"])
    assert found["max(j.q)"].values == pytest.approx([5.0, 10.0])
    assert cardan.simulate(sledge, times=[0, 2.0], motors="full")["j.q"].values[-1] == 0.0


@each("name, inputs", [("compound_pendulum", ("pendulum",)), ("overhead_crane", ("drive",))])
def test_every_call_has_the_same_default(name, inputs):
    model = cardan.load(name)
    dyn, kind = cardan.compile(model), "full" if model.motors else "none"
    assert dyn.input_names == inputs
    assert cardan.equations(model).motors == cardan.verify(model, states=1).motors == dyn.motors == kind
    assert cardan.casadi_function(model, "state_derivative").size1_in(1) == 1
    assert cardan.prepare(model, 1.0).conditions.motors == kind


def test_the_command_has_it_too(sledge, tmp_path):
    from typer.testing import CliRunner

    from cardan.cli import program

    cardan.save(sledge, tmp_path / "sledge.yaml")
    words = ["simulate", str(tmp_path / "sledge.yaml"), "--until", "2", "-o", str(tmp_path / "run.nc")]
    assert CliRunner().invoke(program(), words).exit_code == 0
    np.testing.assert_allclose(cardan.load_run(tmp_path / "run.nc")["j.q"].values[-1], 5.0, rtol=1e-9)
