"""Simplified entries are the same functions, and are written as people write them."""

import casadi as ca
import numpy as np
import pytest
import sympy

from cardan.errors import SolveError
from cardan.rendering import Budget, number, readable, sympy_matrix
from tests.selection import each

ROUND_OFF = 1e-12  # some hundred operations on numbers up to 1e1, relative to their size
NAMES = {"p": ["a", "b", "m"], "v": ["w1", "w2"], "q": ["q1", "q2", "q3"]}
p, v, q = (ca.SX.sym(name, len(entries)) for name, entries in NAMES.items())
a, b, m = ca.vertsplit(p)
w1, w2 = ca.vertsplit(v)
q1, q2, q3 = ca.vertsplit(q)


def written(*expressions, budget=10**7):
    """SymPy forms of CasADi expressions in a, b, m, w1, w2, q1, q2, q3."""
    function = ca.Function("f", [p, v, q], [ca.vertcat(*expressions)], [*NAMES], ["y"])
    return list(sympy_matrix(readable(function, NAMES, Budget(steps=budget))["y"]))


def square(x):
    return x * x


@each(
    "expression, text",
    [
        (ca.cos(q1) ** 2 + ca.sin(q1) ** 2, "1"),
        (ca.cos(q1) * ca.cos(q2) - ca.sin(q1) * ca.sin(q2), "cos(q1 + q2)"),
        (ca.sin(q1 + q2) * ca.cos(q2) - ca.cos(q1 + q2) * ca.sin(q2), "sin(q1)"),
        (a * ca.cos(q1) + b * ca.cos(q1) + m, "m + (a + b)*cos(q1)"),
        (m * a**2 + m * b**2 + 2 * m * a * b * ca.cos(q2), "m*(a**2 + b**2 + 2*a*b*cos(q2))"),
        (m * a * ca.sin(q1) * w1 * w2 + m * a * ca.sin(q1) * w2**2, "a*m*w2*(w1 + w2)*sin(q1)"),
        (m * (a + b) ** 2 + m * w1 * (a + b), "m*(a + b)*(a + b + w1)"),
        (0.1 * q1 + 1 / 3 * a, "q1/10 + a/3"),
        (ca.cos(q1 + 7 * ca.pi / 6), "-cos(q1 + pi/6)"),
        (ca.sqrt(3.0) * a * ca.cos(q1) + a * ca.sin(q1), "2*a*sin(q1 + pi/3)"),
        (ca.sqrt(3.0) * a * ca.sin(q1) - a * ca.cos(q1), "-2*a*cos(q1 + pi/3)"),
        (ca.sqrt(2.0) * ca.cos(q1) - ca.sqrt(2.0) * ca.sin(q1), "2*cos(q1 + pi/4)"),
        (ca.sqrt(8.0) * q1 * ca.sqrt(2.0), "4*q1"),
        (a / b * b, "a"),
        (ca.sqrt(a + b) ** 2, "a + b"),
        (ca.atan2(a, b) - ca.atan2(a, b), "0"),
        (ca.sin(2 * q1) - 2 * ca.sin(q1) * ca.cos(q1), "0"),
        (1 / (a + b), "1/(a + b)"),
        (a**0.5, "sqrt(a)"),
        (ca.if_else(a < b, q1, q2), "q1*Piecewise((1, a < b), (0, True)) + q2*Piecewise((1, b <= a), (0, True))"),
    ],
)
def test_what_people_write(expression, text):
    (found,) = written(expression)
    if "Piecewise" in text:
        values = {"a": 1, "b": 2, "q1": 3, "q2": 5}
        assert found.subs(values) == 3
        assert found.subs(values | {"b": 0}) == 5
    else:
        assert sympy.expand(found - sympy.sympify(text), trig="pi/" in text) == 0
        assert sympy.count_ops(found) <= sympy.count_ops(sympy.sympify(text))


@each(
    "first, second, joined",
    [(6, 3, "3*sqrt(2)"), (2, 6, "2*sqrt(3)"), (10, 15, "5*sqrt(6)"), (2, 3, "sqrt(6)"), (5, 5, "5"), (6, 6, "6")],
)
def test_roots_are_joined_and_what_is_a_square_comes_out(first, second, joined):
    """√6 √3 = 3 √2, also where a third root follows."""
    (found,) = written((ca.sqrt(float(first)) * a) * (ca.sqrt(float(second)) * b))
    assert found == sympy.sympify(joined) * sympy.Symbol("a") * sympy.Symbol("b")
    (third,) = written(((ca.sqrt(float(first)) * a) * (ca.sqrt(float(second)) * b)) * (ca.sqrt(2.0) * m))
    assert sympy.expand(third - sympy.sympify(f"{joined}*sqrt(2)*a*b*m")) == 0
    (below,) = written(m / ((ca.sqrt(float(first)) * a) * (ca.sqrt(float(second)) * b)))
    assert sympy.simplify(below - sympy.sympify(f"m/({joined}*a*b)")) == 0


def test_a_difference_of_equal_roots_vanishes():
    """√2 √6 a b − 2 √3 a b as written, before SymPy could join the roots."""
    difference = (ca.sqrt(2.0) * a) * (ca.sqrt(6.0) * b) - ca.sqrt(12.0) * a * b
    function = ca.Function("f", [p, v, q], [difference], [*NAMES], ["y"])
    assert readable(function, NAMES)["y"].rows == ((number(0),),)


def test_a_number_without_a_short_form_is_printed_as_given():
    (found,) = written(0.12345678901234567 * a)
    assert found == sympy.Float(0.12345678901234567) * sympy.Symbol("a")


def random_expression(rng, depth):
    """A function as mechanisms have them, with some that are none."""
    if depth == 0:
        leaves = [a, b, m, w1, w2, q1, q2, q3, ca.SX(0.1), ca.SX(float(rng.integers(1, 5)))]
        return leaves[rng.integers(len(leaves))]
    x, y = (random_expression(rng, depth - 1) for _ in range(2))
    angle = rng.integers(-2, 3) * q1 + rng.integers(-2, 3) * q2 + q3
    made = [x + y, x - y, x * y, x * ca.sin(angle), y * ca.cos(angle), square(x), -x, 2 * y, x * ca.cos(q1) - y]
    made += [x / (2 + square(y)), ca.sqrt(1 + square(x)), ca.sin(x), ca.atan2(x, 2 + square(y)), ca.fmax(x, y)]
    return made[rng.integers(len(made))]


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("budget", [10**7, 300, 0])
def test_simplifying_changes_no_value(seed, budget):
    """Against CasADi's own evaluation, for any budget."""
    rng = np.random.default_rng(seed)
    expression = random_expression(rng, 4)
    (found,) = written(expression, budget=budget)
    symbols = [sympy.Symbol(name) for entries in NAMES.values() for name in entries]
    ours = sympy.lambdify(symbols, found, "math")
    exact = ca.Function("f", [p, v, q], [expression])
    for _ in range(3):
        x = rng.uniform(0.3, 1.5, 8)
        expected = float(exact(x[:3], x[3:5], x[5:]))
        assert ours(*x) == pytest.approx(expected, rel=ROUND_OFF, abs=ROUND_OFF * 10)


@each("seed", range(20))
def test_operations_are_counted_as_sympy_counts_them(seed):
    expression = random_expression(np.random.default_rng(seed), 3)
    function = ca.Function("f", [p, v, q], [expression], [*NAMES], ["y"])
    matrix = readable(function, NAMES)["y"]
    if not any(name in repr(matrix.rows) for name in ("sqrt", "max", "atan2")):  # SymPy rewrites these
        assert matrix.rows[0][0].operations == sympy.count_ops(sympy_matrix(matrix)[0])


def test_a_long_sum_of_products_ends_and_says_that_it_is_as_derived():
    expression = ca.SX(1)
    for k in range(40):
        expression = expression * (a * ca.sin(k * q1 + q2) + b * ca.cos(q3 * k) + w1)
    function = ca.Function("f", [p, v, q], [ca.vertcat(expression, a + b)], [*NAMES], ["y"])
    matrix = readable(function, NAMES, Budget(steps=20_000))["y"]
    assert matrix.rough == {(0, 0)}
    x = np.random.default_rng(1).uniform(0.3, 1.5, 8)
    symbols = [sympy.Symbol(name) for entries in NAMES.values() for name in entries]
    found = sympy.lambdify(symbols, sympy_matrix(matrix)[0], "math")(*x)
    assert found == pytest.approx(float(function(x[:3], x[3:5], x[5:])[0]), rel=ROUND_OFF)


def test_a_table_is_its_own_function():
    """Inside, at a knot and beyond both ends, where CasADi continues the outermost interval."""
    table = ca.interpolant("table", "linear", [[0, 1, 3]], [2, 5, -1])
    expression = table(w1) * a
    (found,) = written(expression)
    exact = ca.Function("f", [p, v, q], [expression])
    for x in (-1, 0, 0.25, 1, 2.5, 3, 7):
        expected = float(exact([2, 0, 0], [x, 0], [0, 0, 0]))
        at = {"a": 2, "w1": sympy.Rational(x)}
        assert float(found.subs(at)) == pytest.approx(expected, rel=ROUND_OFF)


def test_a_quaternion_over_its_norm_is_one_however_often():
    w, x, y, z = a, b, q1, q2
    norm = square(w) + square(x) + square(y) + square(z)
    expression = m
    for _ in range(20):
        expression = expression * square(w) / norm + expression * (square(x) + square(y) + square(z)) / norm
    assert written(expression) == [sympy.Symbol("m")]


def test_an_operation_without_a_meaning_is_named():
    with pytest.raises(SolveError, match=r"OP_ERFINV has no scalar meaning"):
        written(ca.erfinv(a))
