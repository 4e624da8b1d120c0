"""Files made to take long or to say too much: bounded work and bounded messages."""

import time

import pytest

import cardan.model.names
import cardan.model.quantities.parameters
from cardan.errors import MOST, Issue, ModelError, nearest
from cardan.formats.yaml import loads
from cardan.model.checks.planarity import _marker
from tests.selection import each

HEAD = "cardan: 1\nbodies: {rod: {mass: 1}}\njoints: {j: {type: free, parent: ground, child: rod}}\n"


def error(text):
    with pytest.raises(ModelError) as found:
        loads(text)
    return found.value


def chain(n, parent="b{}", order=1):
    bodies = ", ".join(f"b{i}: {{mass: 1}}" for i in range(n))
    joints = [
        f"j{i}: {{type: revolute, axis: z, parent: {parent.format(i - 1) if i else 'ground'}, child: b{i}}}"
        for i in range(n)
    ]
    return f"cardan: 1\nplanar: xy\nbodies: {{{bodies}}}\njoints: {{{', '.join(joints[::order])}}}\n"


def counted(monkeypatch, module, name):
    calls, own = [], getattr(module, name)
    monkeypatch.setattr(module, name, lambda *given: (calls.append(1), own(*given))[1])
    return calls


def test_an_error_reports_so_many_issues_and_says_that_there_are_more():
    found = ModelError(Issue(f"fault {k}") for k in range(3 * MOST))
    assert len(found.issues) == MOST
    assert str(found).splitlines()[0] == f"the first {MOST} errors in the model"
    assert len(str(found).splitlines()) == MOST + 1


def test_nearest_names_are_sought_for_the_issues_that_are_reported(monkeypatch):
    calls = counted(monkeypatch, cardan.model.names, "nearest")
    assert len(error(chain(3 * MOST, parent="c{}")).issues) == MOST
    assert len(calls) == MOST
    calls = counted(monkeypatch, cardan.model.quantities.parameters, "nearest")
    unknown = ", ".join(f"k{i}: x{i}" for i in range(3 * MOST))
    assert len(error(f"{HEAD}parameters: {{{unknown}}}\n").issues) == MOST
    assert len(calls) == MOST


@each("section", ["{}", "simulate: {{{}}}"])
def test_unknown_keys_without_number(section):
    keys = ("\n" if section == "{}" else ", ").join(f"k{i}: 1" for i in range(3 * MOST))
    assert len(error(HEAD + section.format(keys) + "\n").issues) == MOST


def test_names_in_expressions_without_number():
    many = ", ".join(f"o{i}: rodd.x" for i in range(3 * MOST))
    assert len(error(f"{HEAD}outputs: {{{many}}}\n").issues) == MOST


def test_a_long_circle_shows_its_ends():
    names = ", ".join(f"k{i}: k{(i + 1) % 5000}" for i in range(5000))
    (issue,) = error(f"{HEAD}parameters: {{{names}}}\n").issues
    assert "k0 → k1 → k2 → k3 → k4 → k5 → … → k4995" in issue.fault
    assert len(issue.fault) < 200


def test_planarity_looks_at_each_joint_once_in_any_order(monkeypatch):
    calls = counted(monkeypatch, cardan.model.checks.planarity, _marker.__name__)
    counts = []
    for order in (1, -1):
        calls.clear()
        assert len(loads(chain(100, order=order)).bodies) == 100
        counts.append(len(calls))
    assert counts[0] == counts[1] <= 4 * 100


@each("unit", ["m^9^9^9^9^9", "m**9**9**9**9", "m^(9^(9^9))", "m*9^99^99", "m*9²^99^99", "m²²²²²²²²²²", "m^999"])
def test_units_are_not_made_to_compute(unit):
    start = time.monotonic()
    (issue,) = error(f"{HEAD}parameters: {{a: '1 {unit}'}}\n").issues
    assert "is not" in issue.fault
    assert time.monotonic() - start < 5


@each("unit", ["kg·m²", "m⁻²", "m^(1/2)", "N/m^1.5", "cmH2O", "m*(m^2)^2", "V/(rad/s)"])
def test_units_with_small_powers_are_read(unit):
    assert loads(f"{HEAD}parameters: {{a: '1 {unit}'}}\n").parameters["a"].value


def test_nearest_of_a_long_name_is_quick():
    start = time.monotonic()
    nearest("x" * 1_000_000, [f"name{i}" for i in range(1000)])
    assert time.monotonic() - start < 5
