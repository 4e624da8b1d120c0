"""`cardan equations`: the document that was asked for, where it was asked for."""

import json

import pytest
import sympy

import cardan


def test_the_document_shows_the_law_and_all_terms(cardan_cli):
    text = cardan_cli("equations", "overhead_crane").stdout
    assert "M(q) q̈ + C(q, q̇) q̇ + D q̇ + g(q) = B i" in text
    assert "L i̇ + R i + E q̇ = u" in text
    assert "⎡mₜ + mₚ + r² Iₘ/r_w²   mₚ L cos q₂⎤" in text
    assert "All other terms vanish:" in text


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("latex", r"\mathbf{M} &= \begin{bmatrix}m_{t}"),
        ("html", "<math"),
        ("sympy", "M = Matrix(2, 2, ["),
        ("json", '"mt + mp + r**2*Im/rw**2"'),
    ],
)
def test_formats(cardan_cli, format, text):
    words = ("--motors", "simplified", "--formulation", "newton_euler", "--only", "M", "--format", format)
    result = cardan_cli("equations", "overhead_crane", *words)
    assert result.exit_code == 0
    assert text.replace(" &= ", " = ") in result.stdout.replace(" &= ", " = ")


def test_to_a_file_at_numbers(cardan_cli, tmp_path):
    done = cardan_cli(
        "equations", "overhead_crane", "--format", "json", "--at", "swing=60 deg,mp=1 kg", "-o", "crane.json"
    )
    assert done.exit_code == 0
    content = json.loads((tmp_path / "crane.json").read_text(encoding="utf-8"))
    assert content["at"] == {"swing": "60 deg", "mp": "1 kg"}
    assert float(sympy.sympify(content["matrices"]["M"]["entries"][0][1])) == pytest.approx(0.35, rel=1e-6)  # mp L / 2
    model = cardan.load("overhead_crane")
    assert (
        content["matrices"]
        == json.loads(cardan.equations(model).render("json", {"swing": "60 deg", "mp": "1 kg"}))["matrices"]
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--only", "M,K"), "equations have no term 'K'"),
        (("--at", "swin=1"), "there is no 'swin' at which equations could be evaluated"),
        (("--at", "swing=mp"), "'mp' is not a number"),
        (("--at", "swing"), "is not of the form name=value"),
        (("--motors", "half"), "half"),
        (("--format", "word"), "word"),
        (("--budget", "-1"), "--budget"),
        (("--budget", "3s"), "--budget"),
    ],
)
def test_wrong_words(cardan_cli, words, message):
    result = cardan_cli("equations", "overhead_crane", *words)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize("format", ["text", "latex", "html", "sympy"])
def test_what_the_budget_leaves_is_said_in_the_document_and_beside_it(cardan_cli, format):
    result = cardan_cli("equations", "planar_manipulator", "--budget", "0", "--format", format)
    assert result.exit_code == 0
    assert "Left as derived, because simplifying would have taken more than the budget: " in result.stdout
    assert "M[1, 1]" in result.stdout
    assert "derived; a larger --budget reaches more" in result.stderr
