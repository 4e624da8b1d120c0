"""Arithmetic of texts: numbers are computed, and what names parameters becomes an expression."""

import re

from cardan.model.quantities.scalar import Scalar


def text_of(scalar: Scalar) -> str:
    """A scalar as a part of an expression, in SI."""
    return repr(float(scalar.value)) if scalar.value is not None else f"({scalar.source})"


def times(*factors: str) -> str:
    """Product."""
    number, others = 1.0, list[str]()
    for factor in factors:
        known = _number(factor)
        number, others = (number, [*others, _bracketed(factor)]) if known is None else (number * known, others)
    if not others or number == 0:
        return repr(number)
    return "*".join(others if number == 1 else [repr(number), *others])


def over(one: str, other: str) -> str:
    """Quotient."""
    a, b = _number(one), _number(other)
    if b == 1:
        return one
    return repr(a / b) if a is not None and b else f"{_bracketed(one)}/({other})"


def plus(*terms: str) -> str:
    """Sum."""
    number, others = 0.0, list[str]()
    for term in terms:
        known = _number(term)
        number, others = (number, [*others, term]) if known is None else (number + known, others)
    return " + ".join(others if number == 0 and others else [*others, repr(number)])


def negative(one: str) -> str:
    """With the opposite sign."""
    return times("-1", one if _number(one) is not None else f"({one})")


def absolute(one: str) -> str:
    """Size."""
    known = _number(one)
    return f"abs({one})" if known is None else repr(abs(known))


def renamed(text: str, old: str, new: str) -> str:
    """An expression with another name, or part, for a name."""
    return re.sub(rf"(?<![\w.]){re.escape(old)}(?![\w.])", new, text)


def _bracketed(text: str) -> str:
    """A factor that may be a sum, in brackets."""
    return f"({text})" if " " in text else text


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
