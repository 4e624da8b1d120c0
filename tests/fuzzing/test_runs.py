"""A dozen changed models, run for a moment; `python -m tests.fuzzing.runs` makes any number of them."""

from tests.fuzzing import runs
from tests.fuzzing.runs import changed, failures


def test_changed_models_run_or_are_refused_and_nothing_else_happens():
    assert not [f"{number}: {reason}\n{data}" for number, data, reason in failures(12, seed=3)]


def test_the_same_seed_makes_the_same_models():
    assert list(changed(20, 5)) == list(changed(20, 5)) != list(changed(20, 6))


def test_a_failure_is_found(monkeypatch):
    def broken(data):
        raise TypeError("unexpected")

    monkeypatch.setattr(runs, "_run", broken)
    number, _, reason = next(failures(3, seed=1))
    assert (number, "TypeError: unexpected" in reason) == (0, True)


def test_a_model_that_takes_too_long_is_found(monkeypatch):
    def endless(data):
        while True:
            pass

    monkeypatch.setattr(runs, "_run", endless)
    monkeypatch.setattr(runs, "PATIENCE", 1)
    _, _, reason = next(failures(1, seed=1))
    assert "took more than 1 s" in reason
