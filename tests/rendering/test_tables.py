"""Interpolations have a name in documents and stand there with their values; data and scripts compute the same."""

from __future__ import annotations

import json

import casadi as ca
import numpy as np
import pytest
import sympy

import cardan
from cardan.model.expressions.evaluation import evaluate
from cardan.model.expressions.grammar import parse
from cardan.model.expressions.operations import FLOAT
from cardan.rendering import readable
from cardan.rendering.documents.tables import with_named_tables
from tests.selection import each

ROUND_OFF = 1e-13  # some ten operations on numbers up to 100
FORCE = "F0*interpolate(t, 0, 0, 1, 10, 1, 4, 3.25, 0.1) - interpolate(x, -1, 20, 0, 0, 1, -5)"


@pytest.fixture(scope="module")
def equations():
    """A mass on rails under a force with two tables, and a constraint with a third."""
    model = cardan.Model(
        parameters={"F0": "3 N"},
        bodies={"a": {"mass": 2}, "b": {"mass": 1}},
        joints={
            "x": {"type": "prismatic", "parent": "ground", "child": "a", "axis": "x"},
            "y": {"type": "prismatic", "parent": "ground", "child": "b", "axis": "y"},
        },
        forces={"push": {"type": "force", "child": "a", "value": [FORCE, 0, 0]}},
        constraints={"cam": {"type": "expression", "expression": "y - interpolate(x, 0, 0, 1, 0.5, 2, 0.25)"}},
    )
    return cardan.equations(model)


def test_tables_have_a_name_and_their_values(equations):
    text = equations.render()
    assert "F₀ f1(t) − f2(x)" in text
    assert "y − f3(x)" in text
    assert "−f3'(x)" in text
    assert "read(" not in text
    table = text[text.index("place   f1") :].splitlines()
    assert [line.split() for line in table[1:5]] == [["0", "0"], ["1", "10"], ["1", "4"], ["3.25", "0.1"]]
    assert r"\operatorname{f1}(t)" in equations.render("latex")
    assert "<mi>f1</mi>" in equations.render("html")


@each("t", [-0.5, 0.3, 1.0, 2.2, 4.0])
@each("x", [-1.5, -0.4, 0.6, 1.7, 2.5])
def test_data_and_scripts_have_the_same_values(equations, t, x):
    terms = equations.evaluate([x, 0.2], [0.1, 0.3], t=t)
    values = {"F0": 3.0, "t": t, "x": x, "y": 0.2, "x.v": 0.1, "y.v": 0.3}
    entries = json.loads(equations.render("json"))["matrices"]["Q"]["entries"]
    assert evaluate(parse(entries[0][0]), values.__getitem__, FLOAT) == pytest.approx(terms["Q"][0], rel=ROUND_OFF)
    scope, at = {}, {sympy.Symbol(name): value for name, value in values.items()}
    exec(equations.render("sympy"), scope)
    for name in ("Q", "Phi", "Phi_q"):
        for made in (scope[name], getattr(equations, name)):
            found = np.array(made.subs(at)).astype(float).reshape(terms[name].shape)
            np.testing.assert_allclose(found, terms[name], rtol=ROUND_OFF, atol=ROUND_OFF, err_msg=name)


def test_a_table_that_is_not_level_outside_keeps_its_lines():
    x = ca.SX.sym("x")
    table = ca.interpolant("table", "linear", [[0.0, 1.0, 2.0]], [0.0, 2.0, 3.0])
    found = readable(ca.Function("f", [x], [table(x)], ["x"], ["y"]), {"x": ["x"]})
    assert with_named_tables(found, [])[1] == {}
