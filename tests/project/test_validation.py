"""docs/validation.md names every comparison with what others published, and none that is gone."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = re.findall(r"\[(test_\w+\.py)\]\(\.\./([^)]+)\)", (ROOT / "docs" / "validation.md").read_text(encoding="utf-8"))
OWN = {"test_differences.py"}  # of the figures, not of a mechanism


def test_tests_that_the_page_names_exist():
    assert [path for name, path in NAMED if not (ROOT / path).is_file() or Path(path).name != name] == []


def test_every_published_problem_is_on_the_page():
    truths = {path.name for path in (ROOT / "tests" / "truths").glob("test_*.py")}
    assert truths - {Path(path).name for _, path in NAMED} == OWN


def test_commands_of_the_page_are_there():
    page = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
    modules = set(re.findall(r"python -m (tests[.\w]+)", page))
    fuzzers = {"tests.fuzzing.trees", "tests.fuzzing.loops"}
    assert modules == {"tests.truths.differences", "tests.truths.sweep"} | fuzzers
    assert all((ROOT / (module.replace(".", "/") + ".py")).is_file() for module in modules)
