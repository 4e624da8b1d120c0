"""Quotients by sums, cancelled: (a b + a c)/(b + c) is a, also where denominators contain quotients.

An entry that turns out to be a polynomial, such as M from articulated bodies, is brought to a common denominator and
divided by it. With cos H = (z + 1/z)/2 and sin H = (z − 1/z)/2i, where z stands for the angle H, trigonometric
polynomials are Laurent polynomials; they are divided term by term modulo a large prime in which −1 has a root. What
comes out is read back as fractions, multiplied again and compared, so that the result is exact.

Source: division of polynomials: Cox, Little & O'Shea 2015, §2.3; fractions from residues: Wang 1981, SYMSAC
"""

import heapq
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import isqrt, lcm

from cardan.rendering.algebra.canonical import Canonical, variable
from cardan.rendering.algebra.polynomials import BITS, Polynomial, TooLongError, digits, plus, times

_PRIME = 2**255 - 19
_ROOT = pow(2, (_PRIME - 1) // 4, _PRIME)  # its square is −1: 2 is no square modulo a prime 8 k + 5
_LONGEST = 4000  # terms of a numerator
_EXPONENT = 4  # of a denominator

Term = tuple[int, int]  # packed exponents of the atoms and of the z
Powers = tuple[tuple[int, int], ...]  # (atom, exponent), sorted by atom


def cancel_quotients(state: Canonical, values: Iterable[int]) -> None:
    """Replace the polynomials of some values by equal ones without quotients by sums, where there are such."""
    quotients = _Quotients(state)
    for i in dict.fromkeys(values):
        if i >= 0 and i not in state.opaque and quotients.inverses(state.polynomials[i]):
            try:
                found = quotients.cancelled(state.polynomials[i])
            except TooLongError:
                continue
            if found is not None:
                state.polynomials[i] = found


class _Quotients:
    """Quotients by sums, with their denominators as polynomials."""

    def __init__(self, state: Canonical) -> None:
        self.state = state
        self._denominators: dict[int, tuple[Polynomial, Powers]] = {}

    def inverses(self, polynomial: Polynomial) -> set[int]:
        """Atoms with negative exponents that stand for sums, except norms of quaternions."""
        found = {p for monomial, _ in polynomial.terms for p, exponent in digits(monomial) if self._is_sum(p, exponent)}
        return {position for position in found if not self.state.is_norm(position)}

    def cancelled(self, polynomial: Polynomial) -> Polynomial | None:
        """An equal polynomial whose only quotients are those by norms of quaternions; None if there is none."""
        numerator, below = self._common(polynomial)
        norms = Polynomial({(0, 0): 1})
        for position, exponent in below:
            for done in range(exponent):
                quotient = divided(numerator, self._denominator(position)[0], self._spend)
                if quotient is None:
                    if not self.state.is_norm(position):
                        return None
                    norms = times(norms, variable(position, done - exponent), 1, self._spend)
                    break
                numerator = quotient
        return self.state.product(numerator, norms)

    def _spend(self, products: int) -> None:
        if not self.state.allowance.pays(products):
            raise TooLongError

    def _is_sum(self, position: int, exponent: int) -> bool:
        atom = self.state.atoms[position]
        return exponent < 0 and atom.name == "id" and len(self.state.polynomials[atom.args[0]]) > 1

    def _denominator(self, position: int) -> tuple[Polynomial, Powers]:
        """The sum that an atom stands for as a polynomial without quotients, over powers of others."""
        if position not in self._denominators:
            self._denominators[position] = self._common(self.state.polynomials[self.state.atoms[position].args[0]])
        return self._denominators[position]

    def _common(self, polynomial: Polynomial) -> tuple[Polynomial, Powers]:
        """(N, powers): the polynomial is N divided by powers of the numerators of the sums that atoms stand for."""
        groups: dict[Powers, dict[Term, int]] = {}
        for (monomial, h), value in polynomial.terms.items():
            below: dict[int, int] = {}
            rest = monomial
            for position, exponent in digits(monomial):
                if self._is_sum(position, exponent):
                    rest -= exponent << (BITS * position)
                    below[position] = below.get(position, 0) - exponent
                    for other, power in self._denominator(position)[1]:
                        below[other] = below.get(other, 0) + exponent * power
            key = tuple(sorted((position, power) for position, power in below.items() if power))
            groups.setdefault(key, {})[rest, h] = value
        return self._joined(groups, polynomial)

    def _joined(self, groups: Mapping[Powers, dict[Term, int]], polynomial: Polynomial) -> tuple[Polynomial, Powers]:
        """The sum of groups of terms over different powers, on their common denominator."""
        common: dict[int, int] = {}
        for key in groups:
            for position, power in key:
                common[position] = max(common.get(position, 0), power)
        if any(power > _EXPONENT for power in common.values()):
            raise TooLongError
        total = Polynomial({})
        for key, terms in groups.items():
            part, has = Polynomial(terms, polynomial.denominator, polynomial.degree), dict(key)
            for position, power in common.items():
                for _ in range(power - has.get(position, 0)):
                    part = self._times(part, self._denominator(position)[0])
            total = plus(total, part)
        return total, tuple(sorted((position, power) for position, power in common.items() if power))

    def _times(self, a: Polynomial, b: Polynomial) -> Polynomial:
        return self.state.without_squares(times(a, b, _LONGEST, self._spend))


def divided(a: Polynomial, b: Polynomial, spend: Callable[[int], None]) -> Polynomial | None:
    """The quotient of two polynomials; None if `b` does not divide `a`."""
    residues = _quotient(_laurent(a), _laurent(b), spend)
    if residues is None:
        return None
    quotient = _real(residues, Fraction(b.denominator, a.denominator))
    if quotient is None:
        return None
    product = times(quotient, b, _LONGEST, spend)
    return quotient if product.key() == a.key() else None


def _laurent(a: Polynomial) -> dict[Term, int]:
    """Residues of the numerators, cosines and sines as powers of z."""
    out: dict[Term, int] = {}
    for (m, h), value in a.terms.items():
        H = h >> 1
        if not H:
            out[m, 0] = value % _PRIME
        else:
            factor = -_ROOT * value if h & 1 else value  # 2 sin H = −i z + i/z
            out[m, H] = (out.get((m, H), 0) + factor) % _PRIME
            out[m, -H] = (out.get((m, -H), 0) + (-factor if h & 1 else factor)) % _PRIME
    return out


def _quotient(a: dict[Term, int], b: dict[Term, int], spend: Callable[[int], None]) -> dict[Term, int] | None:
    """a / b term by term from the highest one; None as soon as a term of the quotient lies where none can."""
    box = _Box(a, b)
    if not a or not box.possible:
        return {} if not a else None
    lead = max(b)
    inverse = pow(b[lead], -1, _PRIME)
    others = [(key, value) for key, value in b.items() if key != lead]
    left, heap, out = dict(a), [(-m, -H) for m, H in a], dict[Term, int]()
    heapq.heapify(heap)
    while heap:
        m, H = (-x for x in heapq.heappop(heap))
        value = left.pop((m, H), 0)
        if not value:
            continue
        key, factor = (m - lead[0], H - lead[1]), value * inverse % _PRIME
        if not box.holds(key) or len(out) > 2 * _LONGEST:
            return None
        spend(len(b))
        out[key] = factor
        for (m_b, H_b), value_b in others:
            place = key[0] + m_b, key[1] + H_b
            if place not in left:
                left[place] = 0
                heapq.heappush(heap, (-place[0], -place[1]))
            left[place] = (left[place] - factor * value_b) % _PRIME
    return out


class _Box:
    """Ranges of the exponents of a quotient: in a product, lowest exponents add up, and so do highest ones."""

    def __init__(self, a: dict[Term, int], b: dict[Term, int]) -> None:
        top, bottom = _extremes(a), _extremes(b)
        self.bounds = [
            {
                p: tuple(x - y for x, y in zip(one.get(p, (0, 0)), other.get(p, (0, 0)), strict=True))
                for p in one.keys() | other.keys()
            }
            for one, other in zip(top, bottom, strict=True)
        ]

    @property
    def possible(self) -> bool:
        """Whether any exponents lie within the ranges."""
        return all(low <= high for bounds in self.bounds for low, high in bounds.values())

    def holds(self, key: Term) -> bool:
        """Whether the exponents of a term lie within the ranges."""
        for packed, bounds in zip(key, self.bounds, strict=True):
            found = dict(digits(packed))
            if any(not low <= found.pop(p, 0) <= high for p, (low, high) in bounds.items()) or found:
                return False
        return True


def _extremes(a: dict[Term, int]) -> tuple[dict[int, tuple[int, int]], dict[int, tuple[int, int]]]:
    """The lowest and the highest exponent of every atom, and of every z."""
    out: tuple[dict[int, tuple[int, int]], dict[int, tuple[int, int]]] = ({}, {})
    for which, bounds in enumerate(out):
        rows = [dict(digits(key[which])) for key in a]
        for p in {p for row in rows for p in row}:
            exponents = [row.get(p, 0) for row in rows]
            bounds[p] = min(exponents), max(exponents)
    return out


def _real(residues: dict[Term, int], factor: Fraction) -> Polynomial | None:
    """The trigonometric polynomial with these powers of z, multiplied by a number; None if there is none."""
    terms: dict[Term, Fraction] = {}
    for (m, H), value in residues.items():
        if H < 0:
            continue
        opposite = residues.get((m, -H), 0)
        if H == 0:
            found = {0: _fraction(value)}
        else:
            half = pow(2, -1, _PRIME)
            cosine = (value + opposite) * half % _PRIME
            sine = (value - opposite) * half * _ROOT % _PRIME  # −i times the sine's factor, and i · −i = 1
            found = {2 * H: _fraction(cosine), 2 * H + 1: _fraction(sine)}
        for h, number in found.items():
            if number is None:
                return None
            if number:
                terms[m, h] = number * factor
    common = lcm(*(number.denominator for number in terms.values())) if terms else 1
    degree = max((abs(d) for m, h in terms for packed in (m, h >> 1) for _, d in digits(packed)), default=0)
    return Polynomial({key: int(number * common) for key, number in terms.items()}, common, degree)


def _fraction(residue: int) -> Fraction | None:
    """The short fraction that leaves this residue (Wang 1981); None if there is none."""
    bound = isqrt(_PRIME // 2)
    r0, r1, s0, s1 = _PRIME, residue, 0, 1
    while r1 > bound:
        q = r0 // r1
        r0, r1, s0, s1 = r1, r0 - q * r1, s1, s0 - q * s1
    return Fraction(r1, s1) if s1 and abs(s1) <= bound else None
