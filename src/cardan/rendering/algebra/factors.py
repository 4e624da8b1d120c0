"""A sum of products in few operations, as a person writes it: common factors in front, shared ones collected.

A factor is taken out of some of the terms only if none of them keeps another power of it: m₂ (l₁² + a² + 2 l₁ a cos q)
is read more easily than m₂ (l₁² + a (a + 2 l₁ cos q)).
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from fractions import Fraction
from math import gcd
from typing import Any

from cardan.rendering.algebra.expression import ZERO, Expression, add, number, product

Powers = tuple[tuple[int, int], ...]  # (base, exponent), sorted
Term = tuple[Any, Powers]
_Factors = Mapping[int, Any]  # numbers in front of terms
_Holders = dict[tuple[int, int], int]  # (base, exponent) → the set of terms that have this power

_TRIED = 8  # most terms for which several choices of a shared factor are tried
_SHORT = 48  # largest numerator and denominator of numbers whose common divisor is taken out


def factored(
    terms: list[Term], written: Callable[[int], Expression], order: Callable[[int], Any], choices: int
) -> Expression:
    """Σ factor · Π base^exponent with few operations; `order` sorts the bases of a product.

    In a sum of few terms so many `choices` of a shared factor are tried.
    """
    ordered = sorted(terms, key=lambda term: _place(term, order))
    holders: _Holders = {}
    for k, (_, powers) in enumerate(ordered):
        for power in powers:
            holders[power] = holders.get(power, 0) | 1 << k
    factors = {k: factor for k, (factor, _) in enumerate(ordered)}
    return _Factoring(written, order, choices).whole(holders, (1 << len(ordered)) - 1, factors)


def _place(term: Term, order: Callable[[int], Any]) -> tuple:
    """Constant terms first, then by the bases."""
    places = sorted((order(base) for base, _ in term[1]), reverse=True)
    kinds = places[0][0] if places else -1
    return (kinds, list(reversed(places)), len(places))


class _Factoring:
    """Collects factors of some of the terms of a sum: sets of terms are bits of whole numbers, the first the lowest."""

    def __init__(self, written: Callable[[int], Expression], order: Callable[[int], Any], choices: int) -> None:
        self.written = written
        self.order = order
        self.choices = choices

    def whole(self, holders: _Holders, inside: int, factors: _Factors) -> Expression:
        """The terms `inside`, with the factors common to all in front."""
        if not inside:
            return ZERO
        common = _common(holders, inside)
        if not inside & (inside - 1):
            return self._product(factors[inside.bit_length() - 1], common, [])
        if not common:
            return self._sum(holders, inside, factors)
        own = {k: factors[k] for k in _members(inside)}
        content = _content(own.values())
        if content != 1:
            own = {k: factor / content for k, factor in own.items()}
        return self._product(content, common, [self._sum(_without(holders, common), inside, own)])

    def _sum(self, holders: _Holders, inside: int, factors: _Factors) -> Expression:
        """A sum with terms of parameters alone first, short before long; then the terms that move, in order."""
        addends = self._addends(holders, inside, factors)
        still = sorted((one for moves, one in addends if not moves), key=lambda one: one.operations)
        return add(*still, *(one for moves, one in addends if moves))

    def _moves(self, holders: _Holders, inside: int) -> bool:
        return any(terms & inside and self.order(base)[0] > 0 for (base, _), terms in holders.items())

    def _product(self, factor: Any, powers: Powers, inner: list[Expression]) -> Expression:
        ordered = sorted(powers, key=lambda pair: self.order(pair[0]))
        early = [(self.written(base), exponent) for base, exponent in ordered if not _is_late(self.order(base))]
        late = [(self.written(base), exponent) for base, exponent in ordered if _is_late(self.order(base))]
        return product(factor, [*early, *((sum_, 1) for sum_ in inner), *late]) if powers or inner else number(factor)

    def _addends(self, holders: _Holders, inside: int, factors: _Factors) -> list[tuple[bool, Expression]]:
        """Addends of a sum without a common factor, shared factors collected; each with whether it moves."""
        holders = {power: terms & inside for power, terms in holders.items() if terms & inside}
        groups = _groups(holders)
        if not groups:
            return self._singles(holders, inside, factors)
        tried = groups[: self.choices if inside.bit_count() <= _TRIED else 1]
        options = [self._split(holders, inside, factors, group) for group in tried]
        if len(options) == 1:
            return options[0]
        return min(options, key=lambda option: add(*(one for _, one in option)).operations)

    def _singles(self, holders: _Holders, inside: int, factors: _Factors) -> list[tuple[bool, Expression]]:
        """Each term by itself; no two of them share a factor."""
        powers: dict[int, list[tuple[int, int]]] = {k: [] for k in _members(inside)}
        for power, terms in sorted(holders.items()):
            for k in _members(terms):
                powers[k].append(power)
        return [
            (any(self.order(base)[0] > 0 for base, _ in own), self._product(factors[k], tuple(own), []))
            for k, own in powers.items()
        ]

    def _split(self, holders: _Holders, inside: int, factors: _Factors, group: int) -> list[tuple[bool, Expression]]:
        collected = (self._moves(holders, group), self.whole(holders, group, factors))
        outside = inside & ~group
        if not outside:
            return [collected]
        if _common(holders, outside):
            others = [(self._moves(holders, outside), self.whole(holders, outside, factors))]
        else:
            others = self._addends(holders, outside, factors)
        first = (inside & (group & -group) - 1).bit_count()  # terms before the first of the group
        return [*others[:first], collected, *others[first:]]


def _members(terms: int) -> Iterator[int]:
    """Numbers of the terms of a set."""
    while terms:
        lowest = terms & -terms
        yield lowest.bit_length() - 1
        terms ^= lowest


def _is_late(place: Any) -> bool:
    """Whether a base stands behind sums in a product: functions of angles do."""
    return place[0] >= 3


def _common(holders: _Holders, inside: int) -> Powers:
    """Powers in every term: the smallest of positive exponents; a negative exponent only if all terms have it."""
    found: dict[int, int] = {}  # terms that have a positive power of a base
    least: dict[int, int] = {}
    out: list[tuple[int, int]] = []
    for (base, exponent), terms in holders.items():
        own = terms & inside
        if not own:
            continue
        if own == inside:
            out.append((base, exponent))
        elif exponent > 0:
            found[base] = found.get(base, 0) | own
            least[base] = min(exponent, least.get(base, exponent))
    out += [(base, least[base]) for base, terms in found.items() if terms == inside]
    return tuple(sorted(out))


def _without(holders: _Holders, common: Powers) -> _Holders:
    """The powers that are left of terms which all have those in `common`."""
    taken = dict(common)
    left: dict[tuple[int, int], int] = {}
    for (base, exponent), terms in holders.items():
        rest = exponent - taken.get(base, 0)
        if rest:
            left[base, rest] = left.get((base, rest), 0) | terms
    return left


def _content(factors: Collection[Any]) -> Any:
    """Number to take out of a sum: the common divisor of its factors if all are short, with the sign of most."""
    if not all(isinstance(factor, Fraction) for factor in factors):
        return Fraction(-1 if 2 * sum(factor < 0 for factor in factors) > len(factors) else 1)
    tops, bottoms = [factor.numerator for factor in factors], [factor.denominator for factor in factors]
    sign = -1 if 2 * sum(top < 0 for top in tops) > len(tops) else 1
    if max(bottoms) > _SHORT or max(map(abs, tops)) > _SHORT:
        return Fraction(sign)
    return Fraction(sign * gcd(*tops), gcd(*bottoms))


def _groups(holders: _Holders) -> list[int]:
    """Sets of terms that share a factor, the most promising first."""
    exponents: dict[int, int] = {}  # number of different ones of each base
    for base, _ in holders:
        exponents[base] = exponents.get(base, 0) + 1
    shared = [
        (terms & -terms, base, exponent, terms)
        for (base, exponent), terms in holders.items()
        if exponents[base] == 1 and terms & (terms - 1)
    ]
    gains: dict[int, int] = {}
    for _, _, exponent, terms in sorted(shared):
        gains[terms] = gains.get(terms, 0) + (terms.bit_count() - 1) * (2 if abs(exponent) > 1 else 1)
    return sorted(gains, key=lambda group: -gains[group])
