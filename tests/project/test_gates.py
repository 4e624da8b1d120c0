"""Functions that take a model or a run say so when they are given its name or its file."""

from inspect import signature

import pytest
from tests.selection import each

import cardan
from cardan.analysis import motor_times
from cardan.functions.dynamics import Dynamics

MODELS = {
    "measured_reaction": lambda x: cardan.measured_reaction(x, {}, "line"),
    "mobility": lambda x: cardan.mobility(x),
    "assemble": lambda x: cardan.assemble(x),
    "singular_positions": lambda x: cardan.singular_positions(x, "tip"),
    "draw": lambda x: cardan.draw(x),
    "save": lambda x: cardan.save(x, "model.yaml"),
    "sensitivities": lambda x: cardan.sensitivities(x, parameters=["k"]),
    "simulate": lambda x: cardan.simulate(x),
    "prepare": lambda x: cardan.prepare(x),
    "inverse_kinematics": lambda x: cardan.inverse_kinematics(x, {"tip.position": [0, 0, 0]}),
    "workspace": lambda x: cardan.workspace(x, "tip", {"tip.x": [0.0]}),
    "kinetostatics": lambda x: cardan.kinetostatics(x, times=[0.0]),
    "sweep": lambda x: cardan.sweep(x, parameters={"L": [1.0]}),
    "compile": lambda x: cardan.compile(x),
    "bond_graph": lambda x: cardan.bond_graph(x),
    "equations": lambda x: cardan.equations(x),
    "report": lambda x: cardan.report(x, "page.html"),
    "linearize": lambda x: cardan.linearize(x),
    "verify": lambda x: cardan.verify(x),
    "export": lambda x: cardan.export(x),
    "export_fmu": lambda x: cardan.export_fmu(x),
    "lqr": lambda x: cardan.lqr(x, {"crank": 1}),
    "regressor": lambda x: cardan.regressor(x),
    "base_parameters": lambda x: cardan.base_parameters(x),
    "casadi_function": lambda x: cardan.casadi_function(x, "mass_matrix"),
}
INNER = {
    "motor_times": lambda x: motor_times(x),
    "Dynamics": lambda x: Dynamics(x),
}
RUNS = {
    "save_run": lambda x: cardan.save_run(x, "run.nc"),
    "animate": lambda x: cardan.animate(x),
    "plot": lambda x: cardan.plot(x),
    "plot_bearing": lambda x: cardan.plot_bearing(x, "hinge"),
    "plot_drive": lambda x: cardan.plot_drive(x, "drive"),
    "section_forces": lambda x: cardan.section_forces(x, "rod.middle"),
    "bearing_loads": lambda x: cardan.bearing_loads(x),
    "size": lambda x: cardan.size(x, "drive"),
    "energy_per_cycle": lambda x: cardan.energy_per_cycle(x),
    "report": lambda x: cardan.report(cardan.load("four_bar"), "page.html", x),
    "plot of several": lambda x: cardan.plot([x, x]),
}


@each("call", (MODELS | INNER).values())
def test_a_name_in_place_of_a_model_is_refused_with_the_cure(call):
    with pytest.raises(
        cardan.ModelError, match=r"'four_bar' is not a model\n *load it first: cardan.load\('four_bar'\)"
    ):
        call("four_bar")


def test_every_public_function_of_a_model_has_the_gate():
    functions = {name: getattr(cardan, name) for name in cardan.__all__ if not isinstance(getattr(cardan, name), type)}
    assert {name for name, call in functions.items() if "model" in signature(call).parameters} == set(MODELS)


@each("call", RUNS.values())
def test_a_file_in_place_of_a_run_is_refused_with_the_cure(call):
    with pytest.raises(cardan.ModelError, match=r"'run.nc' is not a run\n *load it first: cardan.load_run\('run.nc'\)"):
        call("run.nc")


def test_models_and_runs_in_each_others_place_are_named_by_their_type():
    model = cardan.load("compound_pendulum")
    run = cardan.simulate(model, until=0.1)
    for call in (cardan.plot, cardan.animate, cardan.bearing_loads):
        with pytest.raises(cardan.ModelError, match=r"^an object of type Model is not a run\n.*cardan.simulate"):
            call(model)
    with pytest.raises(cardan.ModelError, match=r"^an object of type Trajectory is not a model\n.*cardan.load"):
        cardan.equations(run)


def test_a_run_can_be_asked_for_its_names():
    run = cardan.simulate(cardan.load("compound_pendulum"), until=0.1)
    assert list(run) == list(run.names)
    assert "pendulum.q" in run
    assert "pendulum" not in run


def test_completion_offers_what_users_call_and_no_more():
    assert {name for name in dir(cardan) if not name.startswith("__")} == set(cardan.__all__)


@each("seed", [-1, 0.5, "0", True])
@each(
    "call",
    [
        lambda seed: cardan.verify(cardan.load("compound_pendulum"), seed=seed),
        lambda seed: cardan.base_parameters(cardan.load("compound_pendulum"), seed=seed),
        lambda seed: cardan.singular_positions(cardan.load("compound_pendulum"), "rod", seed=seed),
    ],
)
def test_a_seed_is_a_whole_number_from_0_on(call, seed):
    with pytest.raises(cardan.ModelError, match=r"seed=.* is not possible"):
        call(seed)
