"""Documents list prescribed motions with their laws and drives, and write Φ_m(q, t) = 0 apart from the loops."""

from __future__ import annotations

import json

import numpy as np
import sympy as sp

import cardan
from cardan.model.quantities.parameters import resolve
from tests.selection import each

ROUND_OFF = 1e-12  # some ten operations on numbers up to 10
AMPLITUDE = 0.3


def arm(motions, **more):
    """Two links in a vertical plane; `motions` drive them."""
    return cardan.Model(
        gravity=[0, -9.81, 0],
        planar="xy",
        bodies={
            "upper": {"mass": 2, "com": [0.2, 0, 0], "markers": {"end": {"position": [0.5, 0, 0]}}},
            "lower": {"mass": 1, "com": [0.2, 0, 0], "markers": {"tip": {"position": [0.4, 0, 0]}}},
        },
        joints={
            "shoulder": {"type": "revolute", "parent": "ground", "child": "upper", "axis": "z"},
            "elbow": {"type": "revolute", "parent": "upper.end", "child": "lower", "axis": "z"},
        },
        motions=motions,
        **more,
    )


HAND = {"lower.tip.position": {"value": [f"0.5 + {AMPLITUDE}*sin(2*t)", "0.4"], "by": ["shoulder", "elbow"]}}


def test_the_arm_with_basket_reads_as_laws_and_drives():
    equations = cardan.equations(cardan.load("basket_arm"))
    text = equations.render()
    for line in (
        "M(q) q̈ + C(q, q̇) q̇ + g(q) = Bₘ τ\n",
        "Φₘ(q, t) = 0 , Φ_m,q q̈ = γₘ",
        "  w₁    shoulder     quintic from 20 deg at 0 s to 70 deg at 4 s     shoulder\n",
        "  w₃    basket       -(shoulder + elbow)                             basket\n",
        "  τ₁       shoulder       N*m    effort of shoulder\n",
        "q₁ − w₁",
    ):
        assert line in text, line
    assert "multiplier:" not in text
    assert "[t ≥" not in text
    content = json.loads(equations.render("json"))
    assert [one["unit"] for one in content["multipliers"]] == ["N*m"] * 3
    assert content["sections"]["motions"]["Phi_m"]["entries"][0] == ["shoulder - shoulder.law"]
    paper = equations.render("latex")
    assert paper.count("{") == paper.count("}")
    assert r"\ddot{w}_{1}" in paper
    assert "<h2>Prescribed motions</h2>" in equations.render("html")


@each("changed", [False, True])
def test_they_are_the_last_equations_of_the_constraints(changed):
    """Φ_m, Φ_m,q and γ_m at the values of a law by hand are the rows of Φ, Φq and γ at its instant."""
    own = {"coordinates": {"first": "shoulder", "second": "shoulder + elbow"}} if changed else {}
    equations = cardan.equations(arm(HAND, **own))
    scope, t = {}, 0.7
    exec(equations.render("sympy"), scope)
    q, v = np.array([0.4, -0.9]), np.array([1.1, 0.6])
    law = {"lower.tip.position.x.law": (0.5 + AMPLITUDE * np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t))}
    x, rate, acceleration = law["lower.tip.position.x.law"]
    values = dict(zip([*equations.coordinates, *equations.velocities], [*q, *v], strict=True))
    values |= resolve(equations.model.parameters)
    for name, numbers in {"x": (x, AMPLITUDE * rate, AMPLITUDE * acceleration), "y": (0.4, 0, 0)}.items():
        symbol = f"lower.tip.position.{name}.law"
        values |= dict(zip((symbol, f"{symbol}.v", f"{symbol}.a"), numbers, strict=True))
    at = {sp.Symbol(name): value for name, value in values.items()}
    terms = equations.evaluate(q, v, t=t)
    for own_name, name in (("Phi_m", "Phi"), ("Phi_mq", "Phi_q"), ("gamma_m", "gamma")):
        made = np.array(scope[f"motions_{own_name}"].subs(at)).astype(float).reshape(terms[name].shape)
        np.testing.assert_allclose(made, terms[name], rtol=0, atol=ROUND_OFF, err_msg=name)
    T = np.array([[1, 0], [-1, 1]]) if changed else np.eye(2)
    np.testing.assert_array_equal(np.array(scope["motions_B_m"]).astype(float), T.T)


@each(
    "law, words",
    [
        (
            {"profile": "trapezoid", "points": [0, 1], "max_acceleration": 2},
            "trapezoid from 0 to 1, with max_acceleration 2",
        ),
        (
            {"profile": "cycloid", "points": [[0, 0], [1, "10 deg"], [2, 0]], "period": "2 s"},
            "cycloid through 3 points from 0 at 0 to 0 at 2, repeated after 2 s",
        ),
        ({"table": [[0, 0], [1, 1], [2, 4], [3, 9]]}, "cubic spline through 4 rows of a table"),
        ("0.2*t", "0.2*t"),
    ],
)
def test_laws_are_said_in_words(law, words):
    text = cardan.equations(arm({"shoulder": law})).render()
    assert f" {words} " in text
    assert "u₁" in text  # the effort of the elbow stays an input


def test_a_path_is_said_in_words():
    path = {"path": [[0.6, 0.1], [0.7, 0.3], [0.5, 0.4]], "curve": "arc", "duration": "2 s"}
    text = cardan.equations(arm({"lower.tip.position": {**path, "by": ["shoulder", "elbow"]}})).render()
    assert text.count(" quintic along an arc through 3 points, in 2 s ") == 2


def test_a_rule_by_which_drives_share_a_motion_is_said():
    motions = {"lower.tip.position.x": {"value": "0.2*t", "by": ["shoulder", "elbow"], "realize": {"zero": ["elbow"]}}}
    text = cardan.equations(arm(motions)).render()
    assert "The drives of lower.tip.position.x share it by the rule: zero elbow." in " ".join(text.split())
    assert "shoulder, elbow" in text


def test_the_motor_of_a_drive_has_its_current_as_an_unknown():
    motor = {"type": "dc", "joint": "shoulder", "ratio": 10, "resistance": 1, "inductance": 1e-3}
    motor |= {"torque_constant": 1, "back_emf_constant": 1}
    text = cardan.equations(arm({"shoulder": "0.2*t"}, motors={"drive": motor})).render()
    assert "The current of drive follows from the effort on its joint." in text
    assert "The current of drive keeps a prescribed motion" in text


def test_numbers_keep_the_equations_of_motions_among_the_constraints():
    text = cardan.equations(arm(HAND)).render(at={"t": 0.1})
    assert "Prescribed motions" not in text
    assert "multiplier: effort of elbow" in text
    assert "Φ(q, t) = 0" in text
