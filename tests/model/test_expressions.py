"""Expressions: what is in the grammar means the same over every kind of number, what is not is refused in its place."""

import math
import random

import casadi as ca
import numpy as np
import pytest

from cardan.errors import ModelError
from cardan.model.expressions.evaluation import evaluate, switching
from cardan.model.expressions.grammar import (
    ARITY,
    CONSTANTS,
    MAX_HEIGHT,
    MAX_LENGTH,
    MAX_NESTING,
    Name,
    names_of,
    parse,
)
from cardan.model.expressions.operations import CASADI, FLOAT
from tests.selection import each

PYTHON = {"sin": math.sin, "atan2": math.atan2, "max": max, "sqrt": math.sqrt, "pi": math.pi}

ONE_ARGUMENT = sorted(name for name, (low, high) in ARITY.items() if low == high == 1)
EVERYTHING = [
    *(f"{name}(x/4)" for name in ONE_ARGUMENT),
    *(f"{name}(x, y)" for name in ("atan2", "mod", "hypot", "min", "max")),
    "pow(x*x, y)",
    "min(x, y, 1)",
    "if(x < y and not (x == 1 or y >= 2), x, y)",
    "if(x <= y or x != 3, -x, y**2)",
    "if(x > y, 1, 2) - x/y",
    "interpolate(x + y/8, -1, 3, 0, 1, 0, 2, 1.5, -1)",
]


def value(text, **names):
    return evaluate(parse(text), names.__getitem__)


@each(
    "text",
    [
        "1 + 2*3 - 4/5/6",
        "-2**2",
        "2**-1",
        "2**3**2",
        "-2**-2*3",
        "+3 - -2",
        "(1 + 2)*3",
        "1e3 + 1.5E-2 + .5 + 2.",
        "2*pi",
        "max(1, sqrt(4), 1.5) - atan2(1, -1)*sin(0.3)",
        "1-2-3",
        "8/2*4",
    ],
)
def test_precedence_and_associativity_are_those_of_python(text):
    assert value(text) == pytest.approx(eval(text, {}, PYTHON), rel=1e-15)  # one rounding per operation at most


def test_random_arithmetic_agrees_with_python():
    rng = random.Random(4)

    def make(depth):
        if depth == 0 or rng.random() < 0.2:
            return rng.choice(["a", "b", "1.5", "3"])
        kind = rng.choice(["+", "-", "*", "/", "()", "-x"])
        if kind == "()":
            return f"({make(depth - 1)})"
        return f"-{make(depth - 1)}" if kind == "-x" else f"{make(depth - 1)} {kind} {make(depth - 1)}"

    names = {"a": 1.3, "b": -0.7}
    for _ in range(200):
        text = make(5)
        try:
            expected = eval(text, {}, names)
        except ZeroDivisionError:
            continue
        assert value(text, **names) == expected, text


@each("text", EVERYTHING)
@each("x, y", [(1.7, 0.4), (0.9, -2.3), (-1.2, 2.0), (3.0, 3.0)])
def test_every_operation_means_the_same_over_all_numbers(text, x, y):
    names = {"x": x, "y": y}
    number = float(value(text, **names))
    symbols = {name: ca.SX.sym(name) for name in names}
    graph = evaluate(parse(text), symbols.__getitem__, CASADI)
    by_casadi = float(ca.Function("f", list(symbols.values()), [graph])(x, y))
    arrays = evaluate(parse(text), {"x": np.array([x, x]), "y": y}.__getitem__)
    # two ulp: the C library and NumPy round transcendental functions differently
    assert by_casadi == pytest.approx(number, rel=5e-16, abs=5e-16, nan_ok=True)
    assert np.broadcast_to(arrays, 2) == pytest.approx(np.array([number, number]), rel=5e-16, nan_ok=True)


def test_every_function_of_the_grammar_is_in_every_table():
    operations = {*ARITY, "+", "-", "*", "/", "**", "neg", "<", "<=", ">", ">=", "==", "!=", "and", "or", "not"}
    unnamed = {"abs where", "table within", "table spline", "table grid", "table surface"}  # no text has these
    assert operations | unnamed == set(FLOAT) == set(CASADI)


def test_step_has_the_value_after_the_jump_and_mod_the_sign_of_its_divisor():
    assert [value("step(x)", x=x) for x in (-1e-9, 0.0, 1.0)] == [0, 1, 1]
    assert value("mod(x, 2)", x=-0.5) == 1.5


def test_a_table_is_linear_between_its_pairs_and_level_outside():
    text = "interpolate(x, -1, 4, 1, 2, 1, -3, 3, 5)"
    found = [value(text, x=x) for x in (-9.0, -1.0, 0.0, np.nextafter(1, 0), 1.0, 2.0, 3.0, 1e9)]
    assert found == pytest.approx([4, 4, 3, 2, -3, 1, 5, 5], abs=1e-15)
    assert math.isnan(value(text, x=math.nan))


def test_values_that_do_not_exist_are_visible():
    with np.errstate(all="ignore"):
        assert math.isnan(value("log(x)", x=-1.0))
        assert math.isinf(value("1/x", x=0.0))
        assert math.isnan(value("(0 - x)**0.5", x=2.0))


def test_names_have_dots_and_constants_are_no_names():
    assert names_of(parse("swing.v + payload.com.x*pi - t")) == {"swing.v", "payload.com.x", "t"}
    assert parse("_a") == Name("_a")
    assert {"pi": math.pi} == CONSTANTS


@each(
    "text, place, fault, cure",
    [
        ("", 1, "ends too early", "missing"),
        ("1 +", 4, "ends too early", "missing"),
        ("2 a + 1", 3, "2 and a stand side by side", 'write "*" between them'),
        ("2 m + 1", 3, "2 and m stand side by side", "write the number in SI, or make the quantity a parameter"),
        ("x - 20 mm", 8, "20 and mm stand side by side", "an expression has no units"),
        ("a b", 3, "'b' is not expected", "missing"),
        ("a^2", 2, "'^' has no meaning", '"**"'),
        ("__import__('os')", 12, '"\'" has no meaning', "only numbers"),
        ("os.system(1)", 1, "no function 'os.system'", "known"),
        ("a[0]", 2, "'[' has no meaning", "only"),
        ("(a).b", 4, "'.' has no meaning", "only"),
        ("lambda: 1", 7, "':' has no meaning", "only"),
        ("a = 1", 3, "'=' has no meaning", "only"),
        ("sine(x)", 1, "no function 'sine'", "did you mean 'sin'?"),
        ("sin", 1, "sin is a function", '"sin(…)"'),
        ("sin()", 5, "')' is not expected", "missing"),
        ("atan2(y)", 1, "atan2 has 1 argument", "takes 2"),
        ("min(x)", 1, "min has 1 argument", "takes 2 to 20"),
        ("(a + b", 1, "never closed", "')'"),
        ("(a, b)", 3, "',' is not expected", "a number has a decimal point"),
        ("0,5", 2, "',' is not expected", "a number has a decimal point"),
        ("a)", 2, "')' is not expected", "missing"),
        ("a < b < c", 7, "do not chain", "a < b and b < c"),
        ("1 + (a < b)", 5, "a condition stands where a number", "if(a > b, 1, 0)"),
        ("(a < b)*2", 8, "a condition stands where a number", "if(a > b, 1, 0)"),
        ("if(a, 1, 0)", 4, "a number stands where a condition", "x > 0"),
        ("not a", 5, "a number stands where a condition", "x > 0"),
        ("a and b < 1", 3, "a number stands where a condition", "x > 0"),
        ("interpolate(x, 1, 2)", 1, "interpolate has 3 argument(s)", "takes 5 to"),
        ("interpolate(x, 0, 0, 1, k)", 1, "it needs pairs of plain numbers", "interpolate(x, x0, y0, x1, y1)"),
        ("interpolate(x, 0, 0, 1, 1, 2)", 1, "it needs pairs of plain numbers", "interpolate(x, x0, y0, x1, y1)"),
        ("interpolate(x, 0, 0, 2, 1, 1, 5)", 1, "out of order", "sort them"),
        ("interpolate(x, 0, 0, 0, 1, 0, 5)", 1, "three values stand at one place", "two pairs"),
        ("1e999", 1, "too large", ""),
        ("é", 1, "'é' has no meaning", "only"),
        ("and", 1, "'and' is not expected", "missing"),
    ],
)
def test_what_is_not_in_the_grammar_is_refused_with_its_place(text, place, fault, cure):
    with pytest.raises(ModelError) as error:
        parse(text)
    (issue,) = error.value.issues
    assert f"at character {place}:" in issue.fault
    assert fault in issue.fault
    assert cure.replace("'", '"') in issue.cure.replace("'", '"')


@each(
    "text, fault",
    [
        ("1+" * MAX_LENGTH + "1", "characters"),
        ("(" * (MAX_NESTING + 1) + "1" + ")" * (MAX_NESTING + 1), "nested deeper"),
        ("-" * (MAX_NESTING + 1) + "a", "nested deeper"),
        ("2**" * (MAX_NESTING + 1) + "2", "nested deeper"),
        ("a" + "+a" * (MAX_HEIGHT + 1), "operations follow"),
    ],
)
def test_no_text_exhausts_memory_or_stack(text, fault):
    with pytest.raises(ModelError, match=fault) as error:
        parse(text)
    assert "split it with parameters" in str(error.value)


def test_the_largest_expressions_can_be_evaluated():
    assert value("a" + "+a" * (MAX_HEIGHT - 1), a=1.0) == MAX_HEIGHT
    assert value("(" * (MAX_NESTING - 1) + "a" + ")" * (MAX_NESTING - 1), a=1.0) == 1


@each(
    "text, zeros",
    [
        ("sin(t)*k", []),
        ("step(t - 2) + sign(v)", ["t - 2", "v"]),
        ("abs(t - 2)*step(t - 2)", ["t - 2"]),
        ("if(t > 1 and v <= 2, 1, abs(x))", ["t - 1", "v - 2", "x"]),
        ("min(a, b, c)", ["a - b", "a - c", "b - c"]),
        ("step(step(t) - 1)", ["t", "step(t) - 1"]),
        ("floor(t)", ["floor(t)"]),
        ("mod(t, 2)", ["floor(t/2)"]),
        ("atan2(x, v)", ["x"]),
    ],
)
def test_switching_finds_where_a_value_jumps_or_kinks(text, zeros):
    names = {"t": 0.3, "v": 1.1, "k": 2.0, "x": -0.4, "a": 1.0, "b": 2.5, "c": 3.5}
    found = [evaluate(zero, names.__getitem__) for zero in switching(parse(text))]
    assert found == pytest.approx([value(zero, **names) for zero in zeros])


def test_an_interpolation_switches_at_its_places():
    (condition,) = switching(parse("2*interpolate(t - v, 0, 1, 1, 4)"))
    assert (condition.operation, condition.operands[0]) == ("places", parse("t - v"))
    assert [entry.value for entry in condition.operands[1:]] == [0, 1, 1, 4]
