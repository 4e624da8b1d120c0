"""Quotients by sums are cancelled where they can be, exactly, and nowhere else."""

import random
from fractions import Fraction

import casadi as ca
import pytest

import cardan
from cardan.rendering import readable
from cardan.rendering.algebra.polynomials import BITS, Polynomial, TooLongError, plus, times
from cardan.rendering.algebra.quotients import divided
from tests.selection import each


def free(products):
    """Any effort."""


def polynomial(rng, terms):
    """Random factors of random powers of three atoms and cosines and sines of two angles."""
    total = Polynomial({})
    for _ in range(terms):
        monomial = sum(rng.randint(-1, 3) << (BITS * k) for k in range(3))
        H = abs(sum(rng.randint(-2, 2) << (BITS * k) for k in range(2)))
        factor = Fraction(rng.randint(-30, 30) or 1, rng.randint(1, 12))
        one = Polynomial({(monomial, 2 * H + rng.randint(0, 1) if H else 0): factor.numerator}, factor.denominator, 4)
        total = plus(total, one)
    return total


@each("seed", range(30))
def test_a_product_divided_by_a_factor_is_the_other_one(seed):
    rng = random.Random(seed)
    a, b = polynomial(rng, 8), polynomial(rng, 5)
    product = times(a, b, 10_000, free)
    assert divided(product, b, free).key() == a.key()
    assert divided(product, a, free).key() == b.key()
    assert divided(plus(product, Polynomial({(0, 0): 1})), b, free) is None


def test_the_effort_is_bounded():
    rng = random.Random(2)
    a, b = polynomial(rng, 8), polynomial(rng, 5)

    def refuse(products):
        raise TooLongError

    with pytest.raises(TooLongError):
        divided(times(a, b, 10_000, free), b, refuse)


X = ca.SX.sym("p", 4)
A, B, C, Q = ca.vertsplit(X)


@each(
    "written, operations",
    [
        ((A * B + A * C) / (B + C), 0),
        ((A**2 - B**2) / (A - B), 1),
        (ca.sin(Q) ** 2 / (1 + ca.cos(Q)), 2),  # 1 − cos q
        ((A**3 + B**3) / (A + B) ** 2 * (A + B), 5),  # a² − a b + b²
        (1 / (1 / A + 1 / B) * (A + B) / A, 0),  # a quotient below a quotient
        ((A - B**2 / (A + C)) * (A + C) + B**2, 3),  # a (a + c), or a² + a c
        ((A * B + A * C + 1) / (B + C), 5),  # stays
    ],
)
def test_what_cancels(written, operations):
    function = ca.Function("f", [X], [written], ["p"], ["f"])
    matrix = readable(function, {"p": ["a", "b", "c", "q"]})["f"]
    assert matrix.rows[0][0].operations <= operations


@each("name", ["trolley_pendulum", "overhead_crane", "scara", "planar_manipulator", "slider_crank"])
def test_articulated_bodies_are_written_as_composite_bodies_are(name):
    """Their inertias are quotients; M, C and g are none in the end."""
    model = cardan.load(name)
    first, other = (cardan.equations(model, formulation=f"{way}_body").readable for way in ("composite", "articulated"))
    for term in ("M", "C", "g"):
        for row, others in zip(first[term].rows, other[term].rows, strict=True):
            assert [entry.operations for entry in row] == [entry.operations for entry in others]
