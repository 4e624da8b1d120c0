"""`cardan equations`: the matrices that were asked for, in the style that was asked for."""

from types import SimpleNamespace

import pytest
import sympy

import cardan


@pytest.fixture
def asked(monkeypatch):
    """Stand-in for the derivation: matrices of a mass on a slide; remembers how it was called."""
    calls = []
    m, d = sympy.symbols("m d")
    found = SimpleNamespace(
        **dict.fromkeys(["C", "g", "Q"], sympy.zeros(1, 1)),
        M=sympy.Matrix([[m / 2]]),
        D=sympy.Matrix([[d]]),
        B=sympy.zeros(1, 0),
        **dict.fromkeys(["L", "R", "E"]),
        coordinates=("slide",),
        inputs=(),
    )

    def equations(model, **options):
        calls.append(options)
        return found

    monkeypatch.setattr(cardan, "equations", equations, raising=False)
    return calls


def test_all_matrices_that_have_entries_are_printed(cardan_cli, asked):
    text = cardan_cli("equations", "compound_pendulum").stdout
    assert text.startswith("M(q) v' + C(q,v) v + D v + g(q) = Q\ncoordinates: slide\n")  # nothing drives it
    assert "M = " in text
    assert "D = [d]" in text
    assert "B =" not in text
    assert asked == [{"motors": "full", "formulation": "composite_body"}]


@pytest.mark.parametrize(
    ("style", "text"), [("latex", r"M = \left[\begin{matrix}\frac{m}{2}"), ("python", "M = [[(1/2)*m]]")]
)
def test_styles(cardan_cli, asked, style, text):
    words = ("--motors", "simplified", "--formulation", "newton_euler", "--only", "M", "--as", style)
    result = cardan_cli("equations", "compound_pendulum", *words)
    assert result.exit_code == 0
    assert text in result.stdout
    assert "D = " not in result.stdout
    assert asked == [{"motors": "simplified", "formulation": "newton_euler"}]


def test_a_matrix_that_does_not_exist_is_wrong_input(cardan_cli, asked):
    result = cardan_cli("equations", "compound_pendulum", "--only", "M,K")
    assert result.exit_code == 2
    assert 'no matrix "K"' in result.stderr
    assert asked == []


def test_a_choice_that_does_not_exist_is_wrong_input(cardan_cli, asked):
    assert cardan_cli("equations", "compound_pendulum", "--motors", "half").exit_code == 2
