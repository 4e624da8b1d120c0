"""Other values of the parameters are checked as a model that has them would be."""

import numpy as np

import cardan
from cardan.formats import gallery
from cardan.model.checks.values import doubts, value_issues
from cardan.model.quantities.parameters import resolve
from tests.selection import each


@each("name", gallery())
def test_what_is_checked_again_is_all_that_can_go_wrong(name):
    """Random factors, some of them negative or zero: the same issues and doubts as from all numbers of the model."""
    model, rng = cardan.load(name), np.random.default_rng(3)
    own = {name: float(value) for name, value in resolve(model.parameters).items()}
    expected = set(doubts(model, own))
    for factors in (rng.uniform(0.5, 2.0, len(own)), rng.choice([-1.0, 0.0, 1.0], len(own))):
        values = {name: value * factor for (name, value), factor in zip(own.items(), factors, strict=True)}
        assert value_issues(model, values, others=True) == value_issues(model, values)
        assert set(doubts(model, values, others=True)) | expected == set(doubts(model, values)) | expected


def test_a_direction_of_which_one_component_is_a_parameter():
    model = cardan.Model(
        name="turned",
        parameters={"a": 1},
        bodies={"rod": {"mass": 1, "inertia": [1, 1, 1]}},
        joints={"hinge": {"type": "revolute", "parent": "ground", "child": "rod", "axis": [0, "a", 0]}},
    )
    (issue,) = value_issues(model, {"a": 0.0}, others=True)
    assert issue.path == ("joints", "hinge", "axis")
    assert "length 0" in issue.fault
    assert not value_issues(model, {"a": -2.0}, others=True)


def test_a_direction_keeps_the_components_that_are_numbers():
    model = cardan.Model(
        name="turned",
        parameters={"a": 1},
        bodies={"rod": {"mass": 1, "inertia": [1, 1, 1]}},
        joints={"hinge": {"type": "revolute", "parent": "ground", "child": "rod", "axis": [1, "a", 0]}},
    )
    assert not value_issues(model, {"a": 0.0}, others=True)
