"""Start-up: what a user pays for `import cardan`, and what may be imported on the way to a first acceleration."""

import subprocess
import sys
from pathlib import Path

import pytest

import cardan
from cardan.model.constraints import CONSTRAINTS
from cardan.model.forces import FORCES
from cardan.model.joints import JOINTS

HEAVY = {"casadi", "llvmlite", "matplotlib", "numba", "numpy", "pint", "pyarrow", "pydantic", "rich", "scipy", "sympy"}
HEAVY |= {"typer", "xarray"}
KINDS = {*JOINTS, *FORCES, *CONSTRAINTS}


def _modules_after(code: str) -> set[str]:
    """Names of the modules that a fresh interpreter has after running some code."""
    report = f"{code}\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", report], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


RUN = """
import sys
import cardan
print("package", *sys.modules)
model = cardan.load("slider_crank")
print("model", *sys.modules)
run = cardan.simulate(model, until=0.1)
print("run", *sys.modules)
str(run)
print("summary", *sys.modules)
"""


@pytest.fixture(scope="module")
def run():
    """Names of the modules that a fresh interpreter has after each step on the way to the summary of a run."""
    done = subprocess.run([sys.executable, "-c", RUN], check=True, capture_output=True, text=True)
    return {step: set(modules) for step, *modules in map(str.split, done.stdout.splitlines())}


def test_import_cardan_imports_nothing_heavy(run):
    assert not HEAVY & run["package"]


def test_every_everyday_name_can_be_imported():
    assert all(getattr(cardan, name) is not None for name in cardan.__all__)
    assert not {*cardan.__all__} - {*dir(cardan)}


def test_no_room_takes_the_name_of_an_everyday_function():
    rooms = {path.stem for path in Path(cardan.__file__).parent.iterdir()}
    assert not rooms & set(cardan.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        cardan.simulat  # noqa: B018


def test_a_run_with_its_summary_needs_no_units_masked_arrays_or_datasets(run):
    assert not {"numpy.ma", "pint", "scipy", "sympy", "xarray", "matplotlib"} & run["summary"]


def test_a_model_imports_the_kinds_that_it_has(run):
    found = run["model"]
    folders = {name: f"cardan.model.{name}." for name in ("joints", "forces", "constraints")}
    kinds = {
        name: {module.removeprefix(folder) for module in found if module.startswith(folder)} & KINDS
        for name, folder in folders.items()
    }
    assert kinds == {"joints": {"revolute", "prismatic"}, "forces": set(), "constraints": set()}


def test_a_run_imports_no_ensembles_and_no_formulation_that_it_does_not_use(run):
    found = run["run"]
    assert "cardan.formulations.composite_body" in found
    assert not {"cardan.formulations.lagrange", "cardan.formulations.trace_lagrange"} & found
    assert "cardan.integration.ensemble" not in found


@pytest.mark.exhaustive
def test_the_questions_of_analysis_are_imported_without_datasets():
    assert not {"pandas", "pint", "scipy", "sympy", "xarray", "matplotlib"} & _modules_after("import cardan.analysis")


def test_first_acceleration_needs_no_just_in_time_compiler_and_no_dataset():
    code = (
        "import warnings; warnings.simplefilter('ignore'); import cardan\n"
        "cardan.compile(cardan.load('overhead_crane')).forward_dynamics([0, 0.1], [0, 0], [0, 0])"
    )
    assert not {"numba", "xarray", "matplotlib", "sympy"} & _modules_after(code)
