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
    assert modules == {"tests.truths.differences", "tests.truths.sweep", "tests.truths.test_modelica"} | fuzzers
    assert all((ROOT / (module.replace(".", "/") + ".py")).is_file() for module in modules)


def test_every_problem_names_its_source_or_says_that_it_has_none():
    """By a number, all of which stand below in order, by the engine it is compared with, or as our own derivation."""
    page = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
    problems = re.findall(r"^\| (\*\*.*?)(?:<br>| \|)", page, re.MULTILINE)
    assert len(problems) > 40
    assert [one for one in problems if not re.search(r"\[\d|own derivation|Pinocchio|MuJoCo", one)] == []
    text, _, sources = page.partition("\n## Sources\n")
    listed = [int(one) for one in re.findall(r"^(\d+)\. ", sources, re.MULTILINE)]
    named = {int(one) for group in re.findall(r"\[(\d+(?:, \d+)*)\]", text) for one in group.split(",")}
    assert listed == sorted(named) == [*range(1, len(listed) + 1)]
