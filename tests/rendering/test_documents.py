"""Documents say the same as the numbers, stand alone, fit on a page, and are set as people set them."""

import itertools
import json
import math
import re
import shutil
import subprocess
import unicodedata
from base64 import b64encode
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy
from fontTools.ttLib import TTFont

import cardan
from cardan.errors import ModelError
from cardan.model.expressions.evaluation import evaluate
from cardan.model.expressions.grammar import parse
from cardan.model.expressions.operations import FLOAT
from cardan.model.quantities.parameters import resolve
from cardan.rendering import Budget
from cardan.rendering.algebra.numbers import recognised
from cardan.rendering.documents.html import FONT
from cardan.rendering.styles.glyphs import GREEK, Glyph, glyph
from tests.mechanisms import random_model
from tests.selection import each

ROUND_OFF = 1e-12  # some hundred operations on numbers up to 1e1
SIX_DIGITS = 1e-5
WIDEST = 112  # columns: a line of 84 characters, the name of an entry and a number before it
CASES = [
    ("overhead_crane", "full"),
    ("planar_manipulator_mounted", "simplified"),
    ("slider_crank", "full"),
    ("planar_3rrr", "simplified"),
    ("scara", "none"),
    ("door_two_hinges", "none"),
]
every_case = pytest.mark.parametrize(("name", "motors"), CASES)


@pytest.fixture(scope="module")
def found():
    """Equations by name and motors, each derived once."""
    known = {}

    def get(name, motors):
        if (name, motors) not in known:
            known[name, motors] = cardan.equations(cardan.load(name), motors=motors)
        return known[name, motors]

    return get


def state(eq):
    """Values of all names at some state, and the terms there."""
    rng = np.random.default_rng(5)
    q, v = rng.uniform(-1, 1, len(eq.coordinates)), rng.uniform(-1, 1, len(eq.velocities))
    values = dict(zip([*eq.coordinates, *eq.velocities], [*q, *v], strict=True))
    return resolve(eq.model.parameters) | values | {"t": 0.0}, eq.evaluate(q, v)


@every_case
def test_the_script_makes_the_same_matrices(found, name, motors):
    eq, scope = found(name, motors), {}
    exec(eq.render("sympy"), scope)
    values, terms = state(eq)
    at = {sympy.Symbol(key): float(value) for key, value in values.items()}
    for term, array in terms.items():
        made = np.array(scope[term].subs(at)).astype(float).reshape(array.shape)
        np.testing.assert_allclose(made, array, atol=ROUND_OFF * 10, rtol=ROUND_OFF)


@every_case
def test_entries_in_json_are_expressions_of_model_files(found, name, motors):
    eq = found(name, motors)
    content = json.loads(eq.render("json"))
    values, terms = state(eq)
    assert [entry["name"] for entry in content["coordinates"]] == list(eq.coordinates)
    for term, array in terms.items():
        entries = content["matrices"][term]["entries"]
        made = [[evaluate(parse(entry), values.__getitem__, FLOAT) for entry in row] for row in entries]
        np.testing.assert_allclose(np.reshape(made, array.shape), array, atol=ROUND_OFF * 10, rtol=ROUND_OFF)


@every_case
def test_a_page_stands_alone(found, name, motors):
    page = found(name, motors).render("html")
    root = ElementTree.fromstring(page.partition("\n")[2])
    assert not re.search(r"https?:|src=|<script", page)
    numbers = [element.text for element in root.iter("span")]
    assert numbers == [f"({k + 1})" for k in range(len(numbers))]
    assert len(numbers) > 5


@every_case
def test_nothing_runs_over_the_page(found, name, motors):
    assert max(map(len, found(name, motors).render().splitlines())) <= WIDEST


def test_coordinates_of_the_model_s_own_are_defined(found):
    assert "q2              rad    -(crank + pin)" in found("slider_crank", "full").render()


def test_long_entries_are_written_below_and_shared_parts_have_names(found):
    text = found("planar_3rrr", "simplified").render()
    assert "Φ_q,11 = " in text
    assert "κ₁ = " in text
    assert text.index("κ₁ = ") < text.index("Φ_q,11 = ")


def test_repeated_entries_have_one_name(found):
    text = found("scara", "none").render()
    assert text.count("M₁₂ = ") == 1
    assert "M₂₁" not in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@every_case
def test_latex_compiles_without_overfull_lines(found, name, motors, tmp_path):
    (tmp_path / "page.tex").write_text(found(name, motors).render("latex"), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-2000:]
    assert not re.search(r"Overfull \\hbox \(\d\d", done.stdout)  # ten points and more


def test_latex_is_balanced(found):
    text = found("planar_3rrr", "simplified").render("latex")
    assert text.count("{") == text.count("}")
    for kind in ("equation", "aligned", "bmatrix", "document", "longtable"):
        assert text.count(rf"\begin{{{kind}}}") == text.count(rf"\end{{{kind}}}") > 0


def test_a_notebook_shows_the_equations(found):
    shown = found("overhead_crane", "full")._repr_latex_()
    assert shown.startswith("$\\displaystyle")
    assert r"m_{p}\,L\,\cos q_{2}" in shown
    assert "longtable" not in shown


def test_at_numbers(found):
    eq = found("slider_crank", "full")
    at = {"q1": 0.3, "q2": "10 deg", "q1.v": -1.5, "m2": "2 kg"}
    content = json.loads(eq.render("json", at))
    expected = eq.evaluate([0.3, np.radians(10), 0], [-1.5, 0, 0], parameters={"m2": 2})
    for name, array in expected.items():
        made = np.array(content["matrices"][name]["entries"], dtype=float).reshape(array.shape)
        np.testing.assert_allclose(made, array, rtol=SIX_DIGITS, atol=1e-15)
    assert "evaluated at q1 = 0.3, q2 = 10 deg, q1.v = -1.5, m2 = 2 kg" in eq.render(at=at)


def test_units_of_coordinates_and_multipliers(found):
    content = json.loads(found("slider_crank", "full").render("json"))
    assert [entry["unit"] for entry in content["coordinates"]] == ["rad", "rad", "m"]
    assert [entry["unit"] for entry in content["velocities"]] == ["rad/s", "rad/s", "m/s"]
    assert [entry["unit"] for entry in content["multipliers"]] == ["N", "N"]  # in the plane
    rods = json.loads(found("planar_3rrr", "simplified").render("json"))["multipliers"]
    assert [entry["unit"] for entry in rods] == ["N/m"] * 3  # of a square of lengths
    hinges = json.loads(found("door_two_hinges", "none").render("json"))["multipliers"]
    assert [entry["unit"] for entry in hinges] == ["N", "N", "N", "N*m", "N*m"]


def test_values_are_read_in_the_units_of_the_coordinates(found):
    eq = found("slider_crank", "full")
    assert "evaluated at q2 = 30 deg" in eq.render(at={"q2": "30 deg"})
    with pytest.raises(ModelError, match=r"q2: '30 mm' is a length\n.*an angle such as"):
        eq.render(at={"q2": "30 mm"})


def test_only_some_terms(found):
    text = found("overhead_crane", "full").render(only=["M"])
    assert "M = " in text
    assert "C = " not in text
    assert "Equations of motion\n" not in text


def test_the_budget_is_spent_on_the_terms_that_are_asked_for():
    eq = cardan.equations(cardan.load("manipulator_6dof"), motors="none", budget=Budget(steps=400_000))
    assert eq.unsimplified
    assert "Left as derived" not in eq.render(only=["g"])


def test_names_of_model_files_are_understood():
    """`initial` calls a coordinate travel or travel.q, and the velocities of quaternion joints ball.wx."""
    keys = {"bodies": {"bob": {"mass": 1, "inertia": [1, 2, 3]}}}
    ball = {"type": "spherical", "parent": "ground", "child": "bob"}
    eq = cardan.equations(cardan.Model(**keys, joints={"ball": ball}), motors="none")
    text = eq.render(at={"ball.wx": 2.0, "ball.qx.q": 0.5})
    assert "evaluated at ball.wx.v = 2, ball.qx = 0.5; " in text
    assert "a quaternion that is not named is no rotation" in text
    assert text == eq.render(at={"ball.wx.v": 2, "ball.qx": 0.5})
    with pytest.raises(ModelError, match=r"'ball.wx' and 'ball.wx.v' are the same"):
        eq.render(at={"ball.wx": 1, "ball.wx.v": 1})


def test_numbers_stand_in_their_matrix_however_wide_it_is():
    eq = cardan.equations(cardan.load("manipulator_6dof"), motors="none")
    text = eq.render(at={f"q{k}": 0.1 * k + 0.23 for k in range(1, 7)}, only=["M"])
    assert "M₁₁" not in text
    rows = [line for line in text.splitlines() if line.rstrip().endswith(("⎤", "⎥", "⎦"))]
    assert [len(re.findall(r"[\d.]+", line.replace("(1)", ""))) for line in rows] == [6] * 6


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_wide_matrices_of_numbers_fit_the_page(tmp_path):
    eq = cardan.equations(random_model(0), motors="none")
    assert len(eq.velocities) > 9
    rng = np.random.default_rng(5)
    at = dict(zip(eq.coordinates, rng.uniform(-1, 1, len(eq.coordinates)), strict=True))
    text = eq.render("latex", at=at, only=["M"])
    assert r"\resizebox{" in text
    (tmp_path / "page.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-2000:]
    assert not re.search(r"Overfull \\hbox \(\d\d", done.stdout)


def test_a_line_that_goes_on_begins_with_its_sign():
    eq = cardan.equations(cardan.load("manipulator_6dof"), motors="none")
    text = eq.render(only=["M"])
    for sign in "+−":
        assert re.search(rf"^ +{re.escape(sign)} ", text, re.MULTILINE)
    assert not re.search(r"^ +[+−][^ ]", text, re.MULTILINE)
    assert "−" not in eq.render("latex", only=["M"])  # no letter of its fonts


def test_the_budget_is_a_time():
    """A clock that goes on by 1 ms whenever it is read: no reading after the end lets simplifying go on."""
    readings = itertools.count()
    model, counts = cardan.load("manipulator_6dof"), []
    for seconds in (0.05, 0.2, math.inf):
        eq = cardan.equations(model, motors="none", budget=Budget(seconds=seconds, clock=lambda: next(readings) * 1e-3))
        counts.append(len(eq.unsimplified))
    assert counts[0] > counts[1] > counts[2] == 0


def test_what_the_budget_left_is_said():
    eq = cardan.equations(cardan.load("planar_manipulator"), budget=0)
    assert "M[1, 1]" in eq.unsimplified
    assert "Left as derived" in eq.render()
    q, v = [0.3, 0.4], [1.0, -2.0]
    names = [*eq.coordinates, *eq.velocities]
    at = dict(zip(map(sympy.Symbol, names), [*q, *v], strict=True))
    at |= {sympy.Symbol(name): float(value) for name, value in resolve(eq.model.parameters).items()}
    np.testing.assert_allclose(np.array(eq.M.subs(at)).astype(float), eq.evaluate(q, v)["M"], rtol=ROUND_OFF)


@each(
    "arguments, message",
    [
        ({"format": "word"}, "cannot be written as 'word'"),
        ({"only": ["K"]}, "no term 'K'"),
        ({"at": {"swin": 1}}, "no 'swin'"),
        ({"at": {"swing": "mp"}}, "'mp' is not a number"),
    ],
)
def test_what_is_not_there_is_refused(found, arguments, message):
    with pytest.raises(ModelError, match=message):
        found("overhead_crane", "full").render(**arguments)


@each(
    "name, expected",
    [
        ("mt", Glyph("m", "t")),
        ("IC1", Glyph("I", "C1")),
        ("r1x", Glyph("r", "1x")),
        ("phi2", Glyph("phi", "2")),
        ("m_tool", Glyph("m", "tool")),
        ("rod", Glyph("rod")),
        ("crank1", Glyph("crank", "1")),
        ("platform.x", Glyph("platform_x")),
    ],
)
def test_names_are_set_as_symbols(name, expected):
    assert glyph(name) == expected


@each("value", [0.12345678901234567, 1e-200 / 3, 123456.78901234567])
def test_a_float_without_a_short_form_stays(value):
    assert recognised(value) is None


def test_the_font_of_pages_has_what_equations_need(found):
    """All letters and signs of formulas, and the table by which browsers stretch brackets and place dots."""
    font = TTFont(FONT)
    known = set(font.getBestCmap())
    assert "MATH" in font
    for name, motors in CASES:
        page = found(name, motors).render("html")
        assert f'url("data:font/woff;base64,{b64encode(FONT.read_bytes()).decode()}")' in page
        root = ElementTree.fromstring(page.partition("\n")[2])
        used = {letter for math in root.iter("math") for letter in "".join(math.itertext())}
        assert {letter for letter in used if ord(letter) not in known} == set()


@each("name", [*GREEK, "q", "v", "i", "u"])
def test_letters_of_formulas_are_in_the_font(name):
    """Browsers set a single letter in italics: as the mathematical italic letter of Unicode."""
    kind = f"{'CAPITAL' if name[0].isupper() else 'SMALL'} {name.upper().replace('LAMBDA', 'LAMDA')}"
    italic = unicodedata.lookup(f"MATHEMATICAL ITALIC {kind}")
    assert {ord(GREEK.get(name, name)), ord(italic)} <= set(TTFont(FONT).getBestCmap())


@each("name, motors", [("manipulator_6dof", "none"), ("bricard", "none"), CASES[3]])
def test_names_are_numbered_in_the_order_in_which_a_reader_needs_them(found, name, motors):
    """A part is defined after those it uses, and none is defined that nothing uses."""
    text = found(name, motors).render()
    numerals = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
    used = [int(one.translate(numerals)) for one in re.findall("κ([₀-₉]+)", text)]
    defined = [int(one.translate(numerals)) for one in re.findall("κ([₀-₉]+) =", text)]
    assert defined == [*range(1, len(defined) + 1)]
    assert len(defined) > 4
    assert all(used.count(number) > 1 for number in defined)
    for line in re.split(r"\n\n", text):
        head, equals, rest = line.partition(" = ")
        if equals and "κ" in head:
            number = int(re.findall("κ([₀-₉]+)", head)[0].translate(numerals))
            assert all(int(one.translate(numerals)) < number for one in re.findall("κ([₀-₉]+)", rest))
    shortened = re.findall(r"([cs]\S*) = (cos|sin)", text)
    plain = [name for name, _ in shortened if name[1:].translate(numerals).isdecimal() and len(name) == 2]
    assert plain == sorted(plain, key=lambda one: (one[1], one[0]))


def test_cosines_have_the_indices_of_their_coordinates(found):
    assert "c₀ = cos J₀ , s₀ = sin J₀ , c₁ = cos J₁" in found("bricard", "none").render()


def test_multipliers_that_act_on_nothing_are_left_out(found):
    """The second hinge of the door holds it where the first one does: Φq = 0."""
    for name, multiplier in (("door_two_hinges", False), ("slider_crank", True)):
        law = found(name, "full").render().partition("Equations of motion\n")[2].partition("Terms")[0]
        assert ("Φqᵀ λ" in law) == ("γ" in law) == multiplier
        assert ("multiplier:" in found(name, "full").render()) == multiplier


def test_multipliers_say_what_they_are(found):
    text = found("planar_3rrr", "simplified").render()
    assert re.search(r"λ₁ +rod1 +N/m +multiplier: force along the rod over twice its length\n", text)
    assert re.search(r"λ₁ +wrist +N +multiplier: force along x\n", found("slider_crank", "full").render())


@each("name, law", [("car_axis", "Φ(q, t) = 0"), ("slider_crank", "Φ(q) = 0")])
def test_constraints_over_time_have_t_as_an_argument(found, name, law):
    eq = found(name, "none")
    assert law in eq.render()
    assert (r"\boldsymbol{\Phi}(\mathbf{q}, t)" in eq.render("latex")) == ("t" in law)


def test_equations_that_restrict_velocities_alone_have_no_positions_to_vanish():
    """Rolling without slip: Φq q̈ = γ, without Φ(q) = 0; beside a coupler there is a Φ(q)."""
    roll = {"type": "expression", "velocity": "x.v - 0.2*turn.v"}
    model = cardan.Model(
        bodies={"cart": {"mass": 1}, "wheel": {"mass": 1, "inertia": [0, 0.02, 0]}},
        joints={
            "x": {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x"},
            "turn": {"type": "revolute", "parent": "cart", "child": "wheel", "axis": "y"},
        },
        constraints={"roll": roll},
    )
    text = cardan.equations(model).render("text")
    assert "Φq q̈ = γ" in text
    assert "Φ(q) = 0" not in text
    assert "Φ = 0" not in text
    also = {"roll": roll, "gear": {"type": "coupler", "terms": {"x": 1, "turn": -0.2}}}
    assert "Φ(q) = 0" in cardan.equations(model.replace(constraints=also)).render("text")
