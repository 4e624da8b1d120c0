"""The figures of docs/validation.md are read from the tests that make them."""

import numpy as np
import pytest

from tests.selection import each
from tests.truths.differences import Difference, Recorder, stated


@each(
    "explanation, difference",
    [
        ("1.5e-13 < 1e-10", Difference(1.5e-13, 1e-10)),
        ("np.float64(0.25) <= 1\n +  where np.float64(0.25) = <function max>()", Difference(0.25, 1.0)),
        ("np.float64(-1...5) == 3 ± 1.0e-01\n  Obtained: 3.25\n  Expected: 3 ± 1.0e-01", Difference(0.25, 0.1)),
        ("(2, 1) == (2, 1)", None),
        ("'completed' == 'completed'", None),
    ],
)
def test_comparisons_of_two_numbers_are_read(explanation, difference):
    assert stated(explanation) == difference


def test_the_difference_that_uses_most_of_its_tolerance_is_kept():
    recorder = Recorder()
    for off, allowed in ((2e-9, 1e-3), (1e-9, 1e-7), (1e-9, 1e-6)):
        recorder.assert_allclose([1.0, 1.0 + off], [1.0, 1.0], rtol=0, atol=allowed)
    ((found, allowed),) = recorder.found.values()
    assert (found, allowed) == (pytest.approx(1e-9, abs=1e-15), 1e-7)  # round-off of 1 + 1e-9
    recorder.assert_allclose([1 + 1j], [1 + 1.5j], rtol=0, atol=1)  # complex numbers are compared by their distance
    assert max(one.found for one in recorder.found.values()) == 0.5


def test_what_does_not_hold_still_fails():
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        Recorder().assert_allclose(np.zeros(2), np.ones(2), atol=0.5)
