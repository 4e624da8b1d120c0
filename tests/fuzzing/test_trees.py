"""Twelve random trees; `python -m tests.fuzzing.trees` makes any number of them."""

import pytest

from cardan.formulations import newton_euler
from cardan.spatial.rotations import skew
from tests.fuzzing.report import judge
from tests.fuzzing.trees import check

pytestmark = pytest.mark.exhaustive


@pytest.mark.parametrize("seed", range(1, 13))
def test_trees_obey_newton_and_euler(seed):
    kind, text, _ = judge(check, seed)
    assert kind == "right" or (kind == "refused" and "has no inertia" in text), text


def test_a_wrong_law_is_found(monkeypatch):
    monkeypatch.setattr(newton_euler, "acceleration_tensor", lambda w, alpha: skew(alpha))  # no centrifugal force
    assert judge(check, 20)[0] == "wrong"
