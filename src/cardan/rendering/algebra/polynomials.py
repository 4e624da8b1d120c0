"""Exact trigonometric polynomials: sums of number × monomial × (1, cos or sin of a whole combination of angles).

Products of cosines and sines are written as sums at once, cos α cos β = ½ cos(α−β) + ½ cos(α+β). So every function of
this kind has exactly one form: equal functions have equal terms, cos² + sin² is 1, and cos α cos β − sin α sin β is
cos(α+β), without a search for such patterns.

A term is a pair (m, h) of whole numbers. m packs the exponents of the atoms, 16 bits each: the product of two
monomials is the sum of their numbers. h is 0 for no angle, 2H for 2 cos and 2H + 1 for 2 sin of the angle H > 0, which
packs the multiples of the basic angles in the same way. With 2 cos and 2 sin as basis no halves appear.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import gcd, lcm

from cardan.frozen import dataclass

BITS = 16
_HALF, _MASK = 1 << (BITS - 1), (1 << BITS) - 1
_HIGHEST = 1 << (BITS - 2)  # largest exponent or multiple, so that no digit can overflow

Key = tuple[int, int]


class TooLongError(Exception):
    """A polynomial would have more terms than allowed."""


@dataclass(eq=False, slots=True)
class Polynomial:
    """terms / denominator."""

    terms: dict[Key, int]  # numerators by (m, h); none is zero
    denominator: int = 1  # common to all terms, positive
    degree: int = 0  # no exponent and no multiple of an angle is larger

    def __len__(self) -> int:
        """Number of terms."""
        return len(self.terms)

    @property
    def constant(self) -> Fraction | None:
        """The value of a constant polynomial; None for others."""
        if not self.terms:
            return Fraction(0)
        if len(self.terms) == 1 and (0, 0) in self.terms:
            return Fraction(self.terms[0, 0], self.denominator)
        return None

    def key(self) -> tuple:
        """A key that is the same exactly for equal polynomials."""
        common = gcd(self.denominator, *self.terms.values())
        numerators = frozenset((key, value // common) for key, value in self.terms.items())
        return self.denominator // common, numerators


def digits(packed: int) -> Iterator[tuple[int, int]]:
    """(position, digit) of all digits of a `packed` number that are not zero."""
    position = 0
    while packed:
        digit = packed & _MASK
        if not digit:  # to the next that is not zero: few of some hundred atoms are in a term
            skipped = ((packed & -packed).bit_length() - 1) // BITS
            packed >>= BITS * skipped
            position += skipped
            digit = packed & _MASK
        if digit >= _HALF:
            digit -= _MASK + 1
        yield position, digit
        packed = (packed - digit) >> BITS
        position += 1


def digit(packed: int, position: int) -> int:
    """The digit of a `packed` number at a `position`."""
    return ((packed + _offset(position)) >> (BITS * position) & _MASK) - _HALF


def _offset(position: int) -> int:
    """Half a digit at every place up to a position: makes all of them positive, so that none borrows from the next."""
    return _HALF * (((1 << BITS * (position + 1)) - 1) // _MASK)


def plus(a: Polynomial, b: Polynomial, sign: int = 1) -> Polynomial:
    """a + sign · b."""
    common = lcm(a.denominator, b.denominator)
    left, right = common // a.denominator, sign * (common // b.denominator)
    out = {key: value * left for key, value in a.terms.items()} if left != 1 else dict(a.terms)
    for key, value in b.terms.items():
        total = out.get(key, 0) + value * right
        if total:
            out[key] = total
        else:
            del out[key]
    return Polynomial(out, common, max(a.degree, b.degree))


def negated(a: Polynomial) -> Polynomial:
    """−a."""
    return Polynomial({key: -value for key, value in a.terms.items()}, a.denominator, a.degree)


def times(a: Polynomial, b: Polynomial, limit: int, spend: Callable[[int], None]) -> Polynomial:
    """a · b."""
    if a.degree + b.degree > _HIGHEST:
        raise TooLongError
    spend(len(a) * len(b))
    out: dict[Key, int] = {}
    get = out.get
    for (m1, h1), c1 in a.terms.items():
        for (m2, h2), c2 in b.terms.items():
            m, c = m1 + m2, c1 * c2
            if not h1 or not h2:
                key = (m, h1 or h2)
                out[key] = get(key, 0) + c
                continue
            both = (h1 & 1) + (h2 & 1)
            H1, H2 = h1 >> 1, h2 >> 1
            key = (m, (H1 + H2) * 2 + (both & 1))
            out[key] = get(key, 0) + (-c if both == 2 else c)
            H = H1 - H2
            if both == 1:  # sin α cos β = ½ sin(α+β) + ½ sin(α−β)
                if H:
                    sign = c if (H > 0) == bool(h1 & 1) else -c
                    key = (m, abs(H) * 2 + 1)
                    out[key] = get(key, 0) + sign
            elif H:
                key = (m, abs(H) * 2)
                out[key] = get(key, 0) + c
            else:
                out[m, 0] = get((m, 0), 0) + 2 * c
        if len(out) > 2 * limit:
            raise TooLongError
    kept = {key: value for key, value in out.items() if value}
    if len(kept) > limit:
        raise TooLongError
    return _reduced(kept, a.denominator * b.denominator, a.degree + b.degree)


def _reduced(terms: dict[Key, int], denominator: int, degree: int) -> Polynomial:
    if denominator != 1:
        common = gcd(denominator, *terms.values())
        if common != 1:
            return Polynomial({key: value // common for key, value in terms.items()}, denominator // common, degree)
    return Polynomial(terms, denominator, degree)
