"""The laws of states and inputs in documents, against the compiled functions of the same model."""

import json

import numpy as np
import pytest

import cardan
from cardan.model.expressions.evaluation import evaluate
from cardan.model.expressions.grammar import parse
from cardan.model.expressions.operations import FLOAT
from tests.selection import each

LOOPS = {
    "out": {"type": "pi", "error": "0.5*sin(t) - load", "kp": 3, "ki": "k", "limits": [-2, "top"], "filter": 0.1},
    "gain": {"type": "lookup", "input": "load.v", "table": [[-1, 2], [0, 1], [2, 4]]},
    "law": {"type": "pid", "drive": "d", "error": "out*gain - load.v", "kp": 2, "time": 0.3, "kd": 0.1},
}
SOURCE = {"type": "dc", "resistance": 2, "inductance": 0.1, "constant": 0.5, "inertia": 1e-3}


def servo(*, source=SOURCE, **sections):
    drive = {"source": source, "train": [{"gear": 4}, {"inertia": 0.2, "name": "load"}]}
    parameters = {"k": 7, "top": "1.5 + k/100"}
    return cardan.Model(parameters=parameters, drives={"d": drive}, controllers=LOOPS, **sections)


@each("keys", [{}, {"supply": {"voltage": 12, "resistance": 0.3}, "limits": {"current": 2}}])
def test_laws_have_the_values_of_machine_code(keys):
    """With limits and a supply the input is what they leave of the demand."""
    model = servo(source=SOURCE | keys)
    laws = json.loads(cardan.equations(model).render("json"))["sections"]["feedback"]
    assert laws["inputs"]["rows"] == ["d"]
    compiled = cardan.compile(model)
    rng = np.random.default_rng(5)
    for _ in range(20):
        x, t = rng.normal(size=len(compiled.state_names)), rng.uniform(0, 3)
        values = dict(zip([name.removesuffix(".q") for name in compiled.state_names], x, strict=True))
        values |= {"t": t, "k": 7.0, "top": 1.57}
        found = {}
        for part in ("definitions", "rates", "inputs"):
            for name, (text,) in zip(laws[part]["rows"], laws[part]["entries"], strict=True):
                found[part, name] = float(evaluate(parse(text), values.__getitem__, FLOAT))
                if part == "definitions":
                    values[name] = found[part, name]
        u, w, i = found["inputs", "d"], 4 * values["load.v"], values["d.current"]
        rates = compiled.state_derivative(x, [values.get("d.demand", u)], t=t)
        current_rate = (u - 2 * i - 0.5 * w) / 0.1
        assert rates[compiled.state_names.index("d.current")] == pytest.approx(current_rate, rel=1e-12, abs=1e-12)
        for name in laws["rates"]["rows"]:
            assert found["rates", name] == pytest.approx(rates[compiled.state_names.index(name)], rel=1e-12, abs=1e-12)


def test_what_no_formula_says_is_written_in_words():
    bodies = {"b": {"mass": 1, "com": [0.3, 0, 0]}}
    joints = {"a": {"type": "revolute", "parent": "ground", "child": "b", "axis": "y"}}
    lift = {"type": "gravity_compensation", "joints": ["a"], "model": {"masses": 1.1}}
    hold = {"type": "p", "error": "-a", "kp": 1, "every": "1 ms"}
    laws = {"controllers": {"lift": lift, "hold": hold}, "inputs": {"a": "lift.a + hold"}}
    text = cardan.equations(cardan.Model(bodies=bodies, joints=joints, **laws)).render()
    assert "lift.a is the effort M a + C v + D v + g on a, at rest, with 1.1 times all masses and inertias." in text
    assert "Sampled states, whose laws stand among the symbols: hold.held." in text


@each("format", ["text", "latex", "html", "json", "sympy"])
def test_every_format_has_the_laws(format):
    text = cardan.equations(servo()).render(format)
    assert {"json": '"feedback"', "sympy": "feedback_rates = Matrix("}.get(format, "States and feedback") in text


def test_a_model_without_feedback_has_no_such_section():
    assert "States and feedback" not in cardan.equations(cardan.load("overhead_crane")).render()
