"""A hundred broken model files; `python -m tests.fuzzing.files` makes any number of them."""

from tests.fuzzing import files
from tests.fuzzing.files import failures, mutants


def test_broken_files_are_refused_and_nothing_else_happens():
    assert not [f"{number}: {reason}\n{text}" for number, text, reason in failures(100, seed=1)]


def test_the_same_seed_makes_the_same_files():
    assert list(mutants(20, 5)) == list(mutants(20, 5)) != list(mutants(20, 6))


def test_a_failure_is_found(monkeypatch):
    def broken(text):
        raise TypeError("unexpected")

    monkeypatch.setattr(files, "loads", broken)
    number, _, reason = next(failures(3, seed=1))
    assert (number, "TypeError: unexpected" in reason) == (0, True)
