"""What is printed means what was typeset: LaTeX, MathML and text are read back as a reader takes them."""

import math

import numpy as np
import pytest

from cardan.rendering.algebra.expression import add, call, multiply, number, power, product, symbol
from cardan.rendering.styles.glyphs import Glyph, glyph
from cardan.rendering.styles.latex import Latex
from cardan.rendering.styles.mathml import MathML
from cardan.rendering.styles.text import Text
from cardan.rendering.styles.typesetting import typeset
from tests.rendering.evaluation import value
from tests.rendering.reading import AmbiguousError, latex_tokens, mathml_tokens, read, text_tokens
from tests.selection import each

ROUND_OFF = 1e-11  # some dozen operations, numbers up to 1e3 and differences of them
NAMES = ("a", "m_t", "phi1", "x_tool", "crank1", "density", "q1", "q2", "alpha", "I_C1")
GLYPHS = {name: glyph(name) for name in NAMES} | {
    "q1.v": Glyph("q", "1", 1),
    "q2.a": Glyph("q", "2", 2),
    "b'": Glyph("b'", "2"),
    "w": Glyph("theta'", "", 1),
}
STYLES = {"latex": (Latex, latex_tokens), "mathml": (MathML, mathml_tokens), "text": (Text, text_tokens)}
every_style = pytest.mark.parametrize("name", [*STYLES])
a, m, phi, x, q1, q2, v1, b = (symbol(s) for s in ("a", "m_t", "phi1", "x_tool", "q1", "q2", "q1.v", "b'"))


def read_back(name, e, values):
    make, tokens = STYLES[name]
    style = make(GLYPHS)
    symbols = {style.symbol(one): one for one in GLYPHS}
    assert len(symbols) == len(GLYPHS)
    text = typeset(e, style)
    return text, read(tokens(text, symbols), values)


def sine(e):
    return call("sin", e)


def minus(e):
    return multiply(number(-1), e)


CASES = {
    "power of a function": add(x, minus(power(call("exp", a), 2))),
    "power of an inverse function": power(call("atan", a), 3),
    "power of a sine": power(sine(q1), 2),
    "power of a sine of a sum": power(sine(add(q1, q2)), 2),
    "function before a symbol": product(1, [(sine(q1), 1), (m, 1)]),
    "function before a sum": product(1, [(sine(q1), 1), (add(m, a), 1)]),
    "function before a bracket": product(2, [(call("cos", q1), 2), (call("where", call("lt", a, m), x), 1)]),
    "product of sines": product(1, [(a, 1), (sine(q1), 1), (call("cos", q2), 2)]),
    "function of a power": call("exp", power(a, 2)),
    "function of a function": sine(call("cos", q1)),
    "negative quotient": minus(product(1, [(a, 1), (m, -1)])),
    "difference of quotients": add(product(1, [(a, 1), (m, -1)]), minus(product(1, [(phi, 1), (add(x, a), -1)]))),
    "quotient of sums": product(1, [(add(a, m), 1), (add(x, minus(phi)), -2)]),
    "nested quotient": product(1, [(a, 1), (add(m, product(1, [(phi, 1), (x, -1)])), -1)]),
    "power of a quotient": power(add(a, product(1, [(m, 1), (x, -1)])), 3),
    "power of a power": power(call("shared", power(a, 2)), 3),
    "square of a negative": power(call("shared", minus(a)), 2),
    "product of sums": multiply(add(a, m), add(x, minus(phi))),
    "subtracted sum": add(x, minus(call("shared", add(a, m)))),
    "square of a rate": product(1, [(m, 1), (v1, 2)]),
    "power of a prime": power(b, 3),
    "square root of a square": call("sqrt", power(a, 2)),
    "square root of an indexed square": call("sqrt", power(q1, 2)),
    "cube of a root": power(call("sqrt", add(a, m)), 3),
    "over a root": product(1, [(a, 1), (call("sqrt", add(a, m)), -1)]),
    "root before a symbol": product(1, [(call("sqrt", a), 1), (m, 1)]),
    "over a bracket": product(1, [(a, 1), (add(m, call("where", call("lt", m, a), x)), -1)]),
    "over a where": product(1, [(a, 1), (call("where", call("le", m, m), x), -1)]),
    "square of a where": power(call("where", call("le", m, m), x), 2),
    "square of pow": power(call("pow", a, add(m, x)), 2),
    "pow of a product": call("pow", multiply(a, m), minus(x)),
    "over pow": product(1, [(a, 1), (call("pow", a, m), -1)]),
    "pow before a symbol": product(1, [(call("pow", a, m), 1), (x, 1)]),
    "absolute values": product(1, [(call("abs", minus(a)), 1), (call("abs", add(m, minus(x))), 2)]),
    "absolute value in one": call("abs", product(1, [(a, 1), (call("abs", add(m, minus(x))), 1)])),
    "two arguments": power(call("atan2", minus(a), add(m, x)), 2),
    "least": call("min", a, minus(m)),
    "third": product(number(1).number / 3, [(m, 1), (a, 2)]),
    "third of a function": product(number(1).number / 3, [(sine(q1), 1)]),
    "seventh below": product(number(2).number / 7, [(m, 1), (a, -1)]),
    "tiny number": product(1.5e-9, [(m, 1), (a, 2)]),
    "tiny number in a quotient": product(1.5e-9, [(m, 1), (a, -2)]),
    "huge number": add(number(2.5e21), a),
    "pi": product(2, [(call("pi"), 1), (a, 2)]),
    "square of pi": power(call("pi"), 2),
    "conditions": call("and", call("lt", a, m), call("or", call("le", x, a), call("ne", m, add(a, x)))),
    "not": call("not", call("and", call("lt", a, m), call("lt", x, m))),
}
VALUES = dict(zip(GLYPHS, np.linspace(0.37, 1.61, len(GLYPHS)), strict=True))


@every_style
@pytest.mark.parametrize("case", [*CASES])
def test_every_form(name, case):
    text, found = read_back(name, CASES[case], VALUES)
    assert found == pytest.approx(value(CASES[case], VALUES, {}), rel=ROUND_OFF), text


def random_expression(rng, depth):
    """Any expression that the constructors can make."""
    if depth == 0:
        leaves = [*map(symbol, GLYPHS), number(2), number(0.1), number(number(1).number / 3), number(-1), call("pi")]
        return leaves[rng.integers(len(leaves))]
    x, y, z = (random_expression(rng, depth - 1 - rng.integers(2) * (depth > 1)) for _ in range(3))
    over = add(number(3), power(y, 2))
    sign = 1 - 2 * int(rng.integers(2))
    made = [
        lambda: add(x, y, z),
        lambda: add(x, minus(y)),
        lambda: multiply(x, y, z),
        lambda: product(sign * number(2).number / 7, [(x, 1), (y, 2)]),
        lambda: product(sign, [(x, 1), (over, -int(rng.integers(1, 3)))]),
        lambda: power(x, int(rng.integers(2, 4))),
        lambda: power(call(("sin", "cos", "tan", "exp", "atan")[rng.integers(5)], sine(x)), int(rng.integers(1, 4))),
        lambda: product(1, [(call(("sin", "cos", "atan")[rng.integers(3)], x), int(rng.integers(1, 3))), (y, 1)]),
        lambda: product(sign, [(call("sqrt", over), int(rng.integers(-1, 2)) or 3), (z, 1)]),
        lambda: call("shared", add(x, minus(y))),
        lambda: product(1, [(call("pow", over, sine(x)), int(rng.integers(1, 3))), (z, 1)]),
        lambda: product(1, [(call("abs", x), 1), (call("abs", y), int(rng.integers(1, 3)))]),
        lambda: call("where", call(("lt", "le")[rng.integers(2)], x, y), z),
        lambda: call("atan2", x, over),
        lambda: call("max", x, minus(y)),
    ]
    return made[rng.integers(len(made))]()


@every_style
@pytest.mark.parametrize("seed", range(80))
def test_any_form(name, seed):
    rng = np.random.default_rng(seed)
    for _ in range(4):
        e = random_expression(rng, int(rng.integers(1, 5)))
        values = dict(zip(GLYPHS, rng.uniform(-1.5, 1.5, len(GLYPHS)), strict=True))
        known = {}
        expected = value(e, values, known)
        text, found = read_back(name, e, values)
        size = max((abs(part) for part in known.values()), default=0)
        if size < 1e6 and math.isfinite(expected):
            assert found == pytest.approx(expected, rel=ROUND_OFF, abs=ROUND_OFF * max(size, 1) ** 2), text


@each("text", ["sin q₁ a", "sin q₁/a", "a/a a", "√a²", "2 3", "a/a/a"])
def test_the_reader_refuses_what_has_two_meanings(text):
    style = Text(GLYPHS)
    with pytest.raises(AmbiguousError):
        read(text_tokens(text, {style.symbol(one): one for one in GLYPHS}), VALUES)


@each(
    "name, rate, acceleration, primed",
    [
        ("latex", r"\dot{q}_{1}", r"\ddot{q}_{2}", r"\dot{\theta}'"),
        (
            "mathml",
            '<msub><mover accent="true"><mi>q</mi><mo>˙</mo></mover><mn>1</mn></msub>',
            '<msub><mover accent="true"><mi>q</mi><mo>¨</mo></mover><mn>2</mn></msub>',
            '<mover accent="true"><mi>θ′</mi><mo>˙</mo></mover>',
        ),
        ("text", "q\u0307₁", "q\u0308₂", "θ\u0307'"),
    ],
)
def test_dots_stand_over_the_letter(name, rate, acceleration, primed):
    style = STYLES[name][0](GLYPHS)
    assert [style.symbol(one) for one in ("q1.v", "q2.a", "w")] == [rate, acceleration, primed]
