"""Two random mechanisms with loops of each sort; `python -m tests.fuzzing.loops` makes any number of them."""

import pytest

from cardan.formulations import newton_euler
from cardan.spatial.rotations import skew
from tests.fuzzing.loops import check
from tests.fuzzing.report import judge
from tests.selection import few


@pytest.mark.parametrize("seed", few(range(1, 13), 3))
def test_loops_obey_newton_and_euler(seed):
    kind, text, _ = judge(check, seed)
    assert kind == "right", text


def test_a_wrong_law_is_found(monkeypatch):
    monkeypatch.setattr(newton_euler, "acceleration_tensor", lambda w, alpha: skew(alpha))  # no centrifugal force
    assert judge(check, 20)[0] == "wrong"
