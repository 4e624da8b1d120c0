"""Documents that live: links lead somewhere, files in them load, code in them runs, keys in them are all there are."""

import re
import warnings
from pathlib import Path

import pytest

from cardan.errors import ModelWarning
from cardan.formats.yaml import loads
from cardan.model import Body, Model
from cardan.model.forces import FORCES
from cardan.model.joints import JOINTS
from cardan.model.motors import MOTORS
from cardan.model.shapes import SHAPES
from cardan.model.signal import Table

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def _blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@every_page
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not missing


@every_page
def test_model_files_in_the_text_load(page):
    for text in _blocks(page, "yaml"):
        assert loads(text).bodies


def test_the_code_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (code,) = _blocks(ROOT / "README.md", "python")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # the crane's printed motor constants, docs/errata.md
        exec(compile(code, "README.md", "exec"), {})
    assert {path.name for path in tmp_path.iterdir()} == {"run.nc", "run.png"}


def test_the_readme_opens_with_targets_of_the_makefile():
    rules = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    first = re.findall(r"^    make (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert first == ["demo", "test"]
    assert set(first) <= set(rules)


def test_every_key_of_a_model_file_is_in_the_reference():
    text = (ROOT / "docs" / "model_file.md").read_text(encoding="utf-8")
    records = [Model, Body, Table]
    records += [*JOINTS.values(), *MOTORS.values(), *FORCES.values(), *SHAPES.values()]
    keys = {key for record in records for key in record.model_fields}
    kinds = {kind for table in (JOINTS, MOTORS, FORCES, SHAPES) for kind in table}
    missing = [word for word in sorted(keys | kinds) if not re.search(rf"(?<!\w){word}(?!\w)", text)]
    assert not missing


def test_every_decision_is_listed():
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"\]\((\d{4}-[^)]+)\)", (folder / "README.md").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(page.name for page in folder.glob("[0-9]*.md"))
