"""Documents that live: links lead somewhere, files in them load, code in them runs, keys in them are all there are."""

import re
import warnings
from pathlib import Path

import casadi
import pytest
from tests.c_compiler import CC, STRICT, needs_c_compiler, run

import cardan
from cardan.errors import ModelWarning
from cardan.formats.yaml import loads
from cardan.model import Body, Model
from cardan.model.constraints import CONSTRAINTS
from cardan.model.contacts import CONTACTS
from cardan.model.contacts.friction import ContactFriction
from cardan.model.forces import FORCES
from cardan.model.joints import JOINTS
from cardan.model.motors import MOTORS
from cardan.model.names import COMPONENTS, VECTORS
from cardan.model.records.section import RESERVED
from cardan.model.shapes import SHAPES
from cardan.model.signal import Table

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def _blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def test_links_lead_somewhere():
    links = [
        (page, link)
        for page in PAGES
        for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    ]
    assert not [(page, link) for page, link in links if "://" not in link and not (page.parent / link).exists()]


def test_model_files_in_the_text_load():
    for page in PAGES:
        for text in _blocks(page, "yaml"):
            model = loads(text)
            assert model.bodies or model.graphs, page


def test_the_code_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (code,) = _blocks(ROOT / "README.md", "python")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # the crane's printed motor constants, docs/errata.md
        exec(compile(code, "README.md", "exec"), {})
    assert {path.name for path in tmp_path.iterdir()} == {"run.nc", "run.png", "crane.html", "crane.svg"}


def test_the_code_of_the_page_on_drawings_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (code,) = _blocks(ROOT / "docs" / "drawing.md", "python")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # the crank's printed motor constants, docs/errata.md
        exec(compile(code, "drawing.md", "exec"), {})
    assert {path.name for path in tmp_path.iterdir()} == {"crank.png"}


@needs_c_compiler
def test_the_c_of_the_export_page_moves_as_a_run_does(tmp_path):
    crane = cardan.load("overhead_crane")
    cardan.export(crane, tmp_path, to="c")
    robot, code = _blocks(ROOT / "docs" / "export.md", "c")
    cardan.export(cardan.load("balancing_robot"), tmp_path / "balancing_robot.c", functions=["controllers"])
    (tmp_path / "robot.c").write_text(robot)
    run(CC, *STRICT, "-c", "robot.c", folder=tmp_path)
    (tmp_path / "main.c").write_text(code)
    run(CC, *STRICT, "-O2", "main.c", "overhead_crane.c", "-lm", "-o", "crane", folder=tmp_path)
    printed = dict(re.findall(r"(\S+) = (\S+)", run(tmp_path / "crane", folder=tmp_path)))
    expected = cardan.simulate(crane, until=1.0, inputs={"drive": 10.0}, rtol=1e-10, atol=1e-12, times=[0.0, 1.0])
    for name, value in printed.items():  # nine digits are printed; RK4's error at this step is below 1e-9
        assert float(value) == pytest.approx(float(expected[name][-1]), rel=1e-7, abs=1e-8)
    assert len(printed) == 5


def test_the_python_of_the_export_page_runs(tmp_path, monkeypatch):
    cardan.export(cardan.load("overhead_crane"), tmp_path, to="python")
    (code,) = _blocks(ROOT / "docs" / "export.md", "python")
    monkeypatch.syspath_prepend(tmp_path)
    names: dict = {}
    exec(compile(code, "export.md", "exec"), names)
    assert (names["M"].shape, names["a"].shape) == ((1000, 2, 2), (1000, 2))


def test_the_python_of_the_loads_page_runs():
    (code,) = _blocks(ROOT / "docs" / "loads.md", "python")
    names: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # printed motor constants, docs/errata.md
        exec(compile(code, "loads.md", "exec"), names)
    assert names["hinge"].moment.attrs["unique"] == "no, no, yes"


def test_the_python_of_the_page_on_linear_systems_runs():
    """The crane under the controller that came back has the poles that python-control gives the loop."""
    pytest.importorskip("control")
    names: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # printed motor constants, docs/errata.md
        for code in _blocks(ROOT / "docs" / "linear_systems.md", "python"):
            exec(compile(code, "linear_systems.md", "exec"), names)
        found = cardan.linearize(names["closed"], {"travel": 0.5}).eigenvalues
    assert sorted(found, key=abs) == pytest.approx(sorted(names["loop"].poles(), key=abs), rel=1e-9)


LONG = ("kinetostatics", "reports")  # ten seconds each


@pytest.mark.parametrize(
    "page",
    [
        *("animation", "events", "motions", "sensitivities", "studio", "sweeps"),
        *(pytest.param(page, marks=pytest.mark.exhaustive) for page in LONG),
    ],
)
def test_the_python_of_other_pages_runs_in_an_empty_folder(page, tmp_path, monkeypatch):
    if page == "studio":
        pytest.importorskip("websockets")
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # printed motor constants, docs/errata.md
        for code in _blocks(ROOT / "docs" / f"{page}.md", "python"):
            exec(compile(code, page, "exec"), names)


def test_the_python_of_the_page_on_bond_graphs_runs():
    (code,) = _blocks(ROOT / "docs" / "bond-graphs.md", "python")
    names: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # printed motor constants, docs/errata.md
        exec(compile(code, "bond-graphs.md", "exec"), names)
    assert "trolley.mass depends on payload.mass: derivative causality" in names["words"]
    assert casadi.simplify(names["J_C"].T - names["J_u2"]).is_zero()
    moments = [names["run"].array(f"{joint}.effort")[1] for joint in ("shoulder", "elbow", "basket")]
    assert pytest.approx(moments, rel=1e-9) == names["loads"].U1
    power = names["flow"].powers
    assert power["drive.torque > drive.rotor"] == pytest.approx(225.0, abs=0.5)
    assert power["drive.rotor > drive.friction"] == pytest.approx(250.0, abs=0.5)


def test_the_readme_opens_with_targets_of_the_makefile():
    rules = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    first = re.findall(r"^    make (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert first == ["demo", "test"]
    assert set(first) <= set(rules)


def test_every_key_of_a_model_file_is_in_the_reference():
    text = (ROOT / "docs" / "model_file.md").read_text(encoding="utf-8")
    records = [Model, Body, Table]
    records += [*JOINTS.values(), *MOTORS.values(), *FORCES.values(), *CONSTRAINTS.values(), *SHAPES.values()]
    records += [*CONTACTS.values(), ContactFriction]
    keys = {key for record in records for key in record.model_fields}
    kinds = {kind for table in (JOINTS, MOTORS, FORCES, CONSTRAINTS, CONTACTS, SHAPES) for kind in table}
    missing = [word for word in sorted(keys | kinds) if not re.search(rf"(?<!\w){word}(?!\w)", text)]
    assert not missing


def test_every_name_that_is_taken_is_in_the_reference():
    text = (ROOT / "docs" / "model_file.md").read_text(encoding="utf-8").partition("## Bodies")[0]
    taken = {*RESERVED, *COMPONENTS, *VECTORS, "com"}
    assert not [word for word in sorted(taken) if not re.search(rf"[` \n]{word}[` (,\n]", text)]


def test_the_crane_of_the_readme_is_that_of_the_gallery():
    """The same masses, lengths, damping and gravity; the motor constants differ, as the text says."""
    (text,) = _blocks(ROOT / "README.md", "yaml")
    accelerations = [
        cardan.compile(model, motors="none").forward_dynamics([0.1, 0.2], [0.3, 0.4], [5.0, 0.0])
        for model in (loads(text), cardan.load("overhead_crane"))
    ]
    assert accelerations[0] == pytest.approx(accelerations[1], rel=1e-14)


def test_every_page_is_in_the_menu_of_the_site():
    lines = (ROOT / "docs" / "index.md").read_text(encoding="utf-8").splitlines()
    pages = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "howto").glob("*.md")]
    names = {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in pages} - {"index"}
    assert names - set(lines) == set()


def test_every_decision_is_listed():
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"\]\((\d{4}-[^)]+)\)", (folder / "README.md").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(page.name for page in folder.glob("[0-9]*.md"))
