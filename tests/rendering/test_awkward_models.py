"""Documents of models whose names, functions and joints are awkward: still right, unambiguous, and fit to be set."""

import json
import shutil
import subprocess

import numpy as np
import pytest
import sympy

import cardan
from cardan.errors import ModelError
from cardan.model.expressions.evaluation import evaluate
from cardan.model.expressions.grammar import parse
from cardan.model.expressions.operations import FLOAT
from cardan.model.quantities.parameters import resolve
from tests.selection import each

ROUND_OFF = 1e-13  # some hundred operations on numbers up to 1e1
MASSES = [
    "lambda",
    "S",
    "N",
    "Q",
    "O",
    "oo",
    "kappa1",
    "c2",
    "M11",
    "Q1",
    "q1",
    "None",
    "Symbol",
    "if_",
    "_",
    "_1",
    "a_",
    "a",
]


def odd_names():
    """A cart and a pole, named as SymPy, Python and documents name things of their own."""
    return cardan.Model(
        name="cart & pole_1 #50% {x}\\ $ ~ ^",
        source="Müller & Čapek <i>Ω</i>, “§3”, φ, 机械",
        gravity=[0, "-gamma", 0],
        planar="xy",
        parameters={"gamma": 9.81, "E": "0.8 m", "I": "0.02 kg*m^2", "beta": "10 N/m"}
        | dict.fromkeys(MASSES, "0.1 kg"),
        bodies={
            "cart": {"mass": " + ".join(MASSES)},
            "pole": {
                "mass": "2*lambda",
                "com": [0, "-E/2", 0],
                "inertia": ["I", 0, "I"],
                "markers": {"tip": {"position": [0, "-E", 0]}},
            },
        },
        joints={
            "while": {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x"},
            "lambda_x": {"type": "revolute", "parent": "cart", "child": "pole", "axis": "z"},
        },
        forces={
            "spring": {
                "type": "spring_damper", "parent": "ground", "child": "pole.tip",
                "stiffness": "beta", "damping": 0.3, "rest_length": 0.5,
            }
        },
    )  # fmt: skip


def all_functions():
    """A sliding mass with everything that an expression may contain."""
    force = [
        "floor(x) + mod(x, a) + min(x, x.v, a) + max(x.v, 2) + hypot(x, a) + log10(2 + x**2) + abs(x)**a + step(x)",
        "if(x > 0 and x.v < 1 or not (x.v == 2), x, 2) + if(x >= a, 1, 0) + sign(x.v) + atan2(x, a) + 1/(1 + x**2)",
        0,
    ]
    return cardan.Model(
        parameters={"a": 0.7},
        planar="xy",
        bodies={"mass": {"mass": 1}},
        joints={"x": {"type": "prismatic", "parent": "ground", "child": "mass", "axis": [1, 1, 0]}},
        forces={"all": {"type": "force", "child": "mass", "value": force}},
    )


def quaternions():
    """A body that is free and one on a ball joint."""
    return cardan.Model(
        parameters={"m": "0.2 kg", "J": "0.01 kg*m^2", "l": "0.7 m"},
        bodies={
            "flyer": {"mass": "m", "inertia": ["J", "J", "J"]},
            "rod": {"mass": "m", "com": [0, 0, "-l"], "inertia": ["J", "2*J", "2.5*J"]},
        },
        joints={
            "fly": {"type": "free", "parent": "ground", "child": "flyer"},
            "ball": {"type": "spherical", "parent": "ground", "child": "rod"},
        },
    )


every_model = pytest.mark.parametrize("make", [odd_names, all_functions, quaternions])


@every_model
@pytest.mark.parametrize("seed", range(3))
def test_script_and_json_are_the_numbers(make, seed):
    eq, rng, scope = cardan.equations(make()), np.random.default_rng(seed), {}
    q, v = rng.normal(size=len(eq.coordinates)), rng.normal(size=len(eq.velocities))
    values = dict(zip([*eq.coordinates, *eq.velocities], [*q, *v], strict=True)) | resolve(eq.model.parameters)
    exec(eq.render("sympy"), scope)
    at = {sympy.Symbol(name): float(value) for name, value in values.items()}
    content = json.loads(eq.render("json"))["matrices"]
    for term, array in eq.evaluate(q, v).items():
        script = np.array(scope[term].subs(at)).astype(float).reshape(array.shape)
        np.testing.assert_allclose(script, array, rtol=ROUND_OFF, atol=10 * ROUND_OFF)
        rows = [
            [evaluate(parse(entry), values.__getitem__, FLOAT) for entry in row] for row in content[term]["entries"]
        ]
        np.testing.assert_allclose(np.reshape(rows, array.shape), array, rtol=ROUND_OFF, atol=10 * ROUND_OFF)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@every_model
def test_latex_compiles(make, tmp_path):
    (tmp_path / "page.tex").write_text(cardan.equations(make()).render("latex"), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-2000:]


def test_letters_that_an_article_has_not_are_marked():
    assert "Müller \\& Čapek $<$i$>$$\\Omega$$<$/i$>$, “§3”, $\\phi$, ??." in cardan.equations(odd_names()).render(
        "latex"
    )


def test_names_that_a_document_makes_differ_from_those_of_the_model():
    eq = cardan.equations(odd_names())
    text = eq.render()
    assert "κ'₁ = " in text
    assert "M'₁₁ = " in text
    assert "κ₁       kappa1" in text
    assert "q̇'₂" in text  # the dot stands on the letter
    assert "q_{1}'^{2}" in eq.render("latex")


def test_conditions_read_as_a_person_writes_them():
    eq = cardan.equations(all_functions())
    for text, format in [
        ("[(x > 0 ∧ x\u0307 < 1) ∨ x\u0307 ≠ 2]", "text"),
        (r"[(x > 0 \wedge \dot{x} < 1) \vee \dot{x} \ne 2]", "latex"),
        ("if((x > 0 and x.v < 1) or x.v != 2, x, 0)", "json"),
        ("<mo>∧</mo>", "html"),
    ]:
        assert text in eq.render(format)


def test_products_of_a_rotation_with_itself_are_gone():
    eq = cardan.equations(quaternions())
    m, J, l = sympy.symbols("m J l")
    assert sympy.diag(m, m, m, J, J, J, J + m * l**2, 2 * J + m * l**2, sympy.Rational(5, 2) * J) == eq.M
    assert list(eq.g[:3]) == [0, 0, sympy.Rational(981, 100) * m]


def test_at_a_position_that_is_not_named_nothing_is_rotated():
    eq = cardan.equations(quaternions())
    content = json.loads(eq.render("json", {"ball.wx.v": 2}))["matrices"]
    q = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]
    expected = eq.evaluate(q, [0, 0, 0, 0, 0, 0, 2, 0, 0])["C"]
    np.testing.assert_allclose(np.array(content["C"]["entries"], dtype=float), expected, rtol=1e-5)  # six digits


@each("format, nothing", [("text", "∞"), ("latex", r"\infty"), ("sympy", "oo"), ("json", '"inf"')])
def test_what_has_no_value_is_said(format, nothing):
    force = {"push": {"type": "force", "child": "mass", "value": ["1/x**2", 0, 0]}}
    joint = {"type": "prismatic", "parent": "ground", "child": "mass", "axis": "x"}
    model = cardan.Model(bodies={"mass": {"mass": 1}}, joints={"x": joint}, forces=force)
    assert nothing in cardan.equations(model).render(format, {"x": 0})


@each(
    "at, message",
    [
        ({"while": "20 deg"}, "while: '20 deg' is an angle or a number without unit\n    write a length"),
        ({"lambda_x.v": "1 m/s"}, "lambda_x.v: '1 m/s' is a speed\n    write an angular speed"),
        ({"t": "1 m"}, "t: '1 m' is a length\n    write a time"),
    ],
)
def test_a_value_of_another_kind_is_refused(at, message):
    with pytest.raises(ModelError) as caught:
        cardan.equations(odd_names()).render(at=at)
    assert message in str(caught.value)
