"""Scripts and data of long equations: parts that come again have names, and the matrices stay what they are."""

import json

import numpy as np
import pytest

import cardan
from cardan.model.expressions.evaluation import evaluate
from cardan.model.expressions.grammar import parse
from cardan.model.expressions.operations import FLOAT
from cardan.model.quantities.parameters import resolve
from cardan.rendering import Budget
from cardan.rendering.algebra.expression import add, call, multiply, number, power, symbol
from cardan.rendering.algebra.readable import Matrix
from cardan.rendering.algebra.sharing import named_parts

ROUND_OFF = 1e-12  # some thousand operations on numbers up to 1e1
EACH_USE = (
    100_000  # characters; written out at every use, the trace form has twice as many, the articulated bodies more
)


@pytest.fixture(scope="module")
def chain():
    """Two rods on ball joints: rotations by quaternions, multiplied."""
    ball = {"type": "spherical"}
    return cardan.Model(
        parameters={"m1": 2, "m2": 1.3, "l1": 0.5, "l2": 0.4, "J1": 0.1, "J2": 0.05, "k1": 3},
        bodies={
            "arm": {
                "mass": "m1 + k1",
                "com": ["l1/2", 0, 0],
                "inertia": ["J1/9", "J1", "J1"],
                "markers": {"tip": {"position": ["l1", 0, 0]}},
            },
            "hand": {"mass": "m2", "com": ["l2/2", 0, 0], "inertia": ["J2/9", "J2", "J2"]},
        },
        joints={
            "shoulder": ball | {"parent": "ground", "child": "arm"},
            "wrist": ball | {"parent": "arm.tip", "child": "hand"},
        },
    )


@pytest.fixture(scope="module", params=["trace_lagrange", "articulated_body"])
def found(request, chain):
    return cardan.equations(chain, motors="none", formulation=request.param, budget=Budget(steps=500_000))


@pytest.fixture(scope="module")
def state(found):
    """Values of all names, and the matrices there."""
    rng = np.random.default_rng(3)
    q, v = rng.normal(size=len(found.coordinates)), rng.normal(size=len(found.velocities))
    values = dict(zip([*found.coordinates, *found.velocities], [*q, *v], strict=True)) | {"t": 0.0}
    values |= {name: float(value) for name, value in resolve(found.model.parameters).items()}
    return values, found.evaluate(q, v)


@pytest.mark.exhaustive
def test_data(found, state):
    text = found.render("json", only=found.terms)  # without the matrices that the terms are made of
    assert len(text) < EACH_USE
    content, (values, terms) = json.loads(text), state
    known = dict(values)
    for name, part in content["parts"].items():  # each uses only what stands before it
        assert name not in known  # k1 is a parameter
        known[name] = evaluate(parse(part), known.__getitem__, FLOAT)
    for name in ("M", "C", "g"):
        rows = content["matrices"][name]["entries"]
        made = np.array([[evaluate(parse(entry), known.__getitem__, FLOAT) for entry in row] for row in rows])
        np.testing.assert_allclose(made.reshape(terms[name].shape), terms[name], rtol=0, atol=ROUND_OFF)


def test_short_entries_stay_as_they_are():
    content = json.loads(cardan.equations(cardan.load("scara")).render("json"))
    assert content["parts"] == {}


def test_what_grows_with_every_use_is_written_once():
    """x → (x + 1)² + (x + 1)⁻¹, twenty times: a million operations, forty parts at most."""
    e = symbol("x")
    for _ in range(20):
        inner = add(e, number(1), symbol("y"))
        e = call("shared", add(power(inner, 2), multiply(symbol("z"), power(inner, -1))))
    assert e.operations > 10**6
    shared = named_parts({"A": Matrix(((e, e),), 2)}, {"k2"})
    assert "k2" not in shared.parts
    assert "k2_" in shared.parts
    assert len(shared.parts) <= 40
    assert sum(part.operations for part in shared.parts.values()) < 20 * 10  # eight operations a step
    assert shared.matrices["A"].rows[0][0] == shared.matrices["A"].rows[0][1]
