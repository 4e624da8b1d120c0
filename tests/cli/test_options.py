"""Words → values: names with values, times, spans, lists."""

from typing import get_args

import numpy as np
import pytest
import typer
from tests.selection import each

from cardan.cli.options import Formulation, assignments, instants, listed, number, seconds, span


def test_assignments_keep_units_and_expressions_and_read_numbers():
    words = ["mp=1.2kg", "d = 0.5", "u=10*sin(2*t) + (t >= 1)", "n=-1e-3"]
    assert assignments(words, "--set") == {"mp": "1.2kg", "d": 0.5, "u": "10*sin(2*t) + (t >= 1)", "n": -1e-3}
    assert assignments(None, "--set") == {}


@each("word", ["mp", "=1", "mp=", " = "])
def test_words_that_assign_nothing_are_refused(word):
    with pytest.raises(typer.BadParameter, match="name=value"):
        assignments([word], "--set")


def test_a_name_cannot_be_given_twice():
    with pytest.raises(typer.BadParameter, match='"a" is given twice'):
        assignments(["a=1", "a=2"], "--set")


def test_number():
    assert number("1e3") == 1000.0
    assert number(" 2 m ") == "2 m"


@each("text, value", [("5", 5.0), ("5 s", 5.0), ("200ms", 0.2), ("2 min", 120.0)])
def test_seconds(text, value):
    assert seconds(text, "--until") == pytest.approx(value, rel=1e-15)


@each("text, fault", [("5 m", "a time is needed"), ("2*T", "an expression"), ("five,", "five")])
def test_what_is_no_time_is_refused(text, fault):
    with pytest.raises(typer.BadParameter, match=fault):
        seconds(text, "--until")


def test_instants_include_both_ends_exactly():
    times = instants("0:5:0.01", "--times")
    assert (times.size, times[0], times[-1]) == (501, 0.0, 5.0)
    np.testing.assert_array_equal(instants("0, 500ms,2", "--times"), [0.0, 0.5, 2.0])
    np.testing.assert_array_equal(instants("1:1:0.5", "--times"), [1.0])


@each(
    "text, fault",
    [
        ("0:1", "begin:end:step"),
        ("0:1:0", "step must be positive"),
        ("1:0:0.1", "step must be positive"),
        ("0:1:0.3", "no whole number"),
    ],
)
def test_instants_that_lead_nowhere_are_refused(text, fault):
    with pytest.raises(typer.BadParameter, match=fault):
        instants(text, "--times")


def test_span():
    assert span("0:50ms", "--zoom") == (0.0, 0.05)
    with pytest.raises(typer.BadParameter, match="begin:end"):
        span("3", "--zoom")


def test_listed():
    assert listed(" a.q, b.v ,, ") == ["a.q", "b.v"]


def test_choices_on_the_command_line_are_those_of_the_library():
    from cardan.matrix_form.terms import FORMULATIONS

    assert set(get_args(Formulation)) == set(FORMULATIONS)
