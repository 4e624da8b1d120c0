"""A sum of products in few operations, as a person writes it: common factors in front, shared ones collected.

A factor is taken out of some of the terms only if none of them keeps another power of it: m₂ (l₁² + a² + 2 l₁ a cos q)
is read more easily than m₂ (l₁² + a (a + 2 l₁ cos q)).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from math import gcd
from typing import Any

from cardan.rendering.algebra.expression import ZERO, Expression, add, number, product

__all__ = ["Term", "factored"]

Powers = tuple[tuple[int, int], ...]  # (base, exponent), sorted
Term = tuple[Any, Powers]

_TRIED = 8  # most terms for which several choices of a shared factor are tried
_SHORT = 48  # largest numerator and denominator of numbers whose common divisor is taken out


def factored(
    terms: list[Term], written: Callable[[int], Expression], order: Callable[[int], Any], choices: int
) -> Expression:
    """Σ factor · Π base^exponent with few operations.

    Parameters
    ----------
    terms : list of (number, ((base, exponent), …))
        Terms of the sum; bases are given by their numbers.
    written : callable
        Expression of a base.
    order : callable
        Sorting key of a base: the order of factors in a product.
    choices : int
        Ways to collect shared factors that are tried where there are few terms.
    """
    return _Factoring(written, order, choices).whole(tuple(sorted(terms, key=lambda term: _place(term, order))))


def _place(term: Term, order: Callable[[int], Any]) -> tuple:
    """Constant terms first, then by the bases."""
    places = sorted((order(base) for base, _ in term[1]), reverse=True)
    kinds = places[0][0] if places else -1
    return (kinds, list(reversed(places)), len(places))


class _Factoring:
    def __init__(self, written: Callable[[int], Expression], order: Callable[[int], Any], choices: int) -> None:
        self.written = written
        self.order = order
        self.choices = choices

    def whole(self, terms: tuple[Term, ...]) -> Expression:
        """A sum with the factors common to all terms in front."""
        if not terms:
            return ZERO
        common = _common(terms)
        if len(terms) == 1:
            return self._product(terms[0][0], common, [])
        if not common:
            return self._sum(terms)
        content = _content([factor for factor, _ in terms])
        rest = tuple((factor / content, _without(powers, common)) for factor, powers in terms)
        return self._product(content, common, [self._sum(rest)])

    def _sum(self, terms: tuple[Term, ...]) -> Expression:
        """A sum with terms of parameters alone first, short before long; then the terms that move, in order."""
        addends = self._addends(terms)
        still = sorted((one for moves, one in addends if not moves), key=lambda one: one.operations)
        return add(*still, *(one for moves, one in addends if moves))

    def _moves(self, terms: tuple[Term, ...]) -> bool:
        return any(self.order(base)[0] > 0 for _, powers in terms for base, _ in powers)

    def _product(self, factor: Any, powers: Powers, inner: list[Expression]) -> Expression:
        ordered = sorted(powers, key=lambda pair: self.order(pair[0]))
        early = [(self.written(base), exponent) for base, exponent in ordered if not _is_late(self.order(base))]
        late = [(self.written(base), exponent) for base, exponent in ordered if _is_late(self.order(base))]
        return product(factor, [*early, *((sum_, 1) for sum_ in inner), *late]) if powers or inner else number(factor)

    def _addends(self, terms: tuple[Term, ...]) -> list[tuple[bool, Expression]]:
        """Addends of a sum without a common factor, shared factors collected; each with whether it moves."""
        groups = _groups(terms)
        if not groups:
            return [(self._moves((term,)), self._product(*term, [])) for term in terms]
        options = [self._split(terms, group) for group in groups[: self.choices if len(terms) <= _TRIED else 1]]
        if len(options) == 1:
            return options[0]
        return min(options, key=lambda option: add(*(one for _, one in option)).operations)

    def _split(self, terms: tuple[Term, ...], group: tuple[int, ...]) -> list[tuple[bool, Expression]]:
        chosen = set(group)
        inside = tuple(terms[k] for k in group)
        outside = tuple(term for k, term in enumerate(terms) if k not in chosen)
        collected = (self._moves(inside), self.whole(inside))
        if not outside:
            return [collected]
        others = [(self._moves(outside), self.whole(outside))] if _common(outside) else self._addends(outside)
        first = min(chosen)
        return [*others[:first], collected, *others[first:]]


def _is_late(place: Any) -> bool:
    """Whether a base stands behind sums in a product: functions of angles do."""
    return place[0] >= 3


def _common(terms: tuple[Term, ...]) -> Powers:
    """Powers in every term: the smallest of positive exponents; a negative exponent only if all terms have it."""
    if not terms:
        return ()
    shared = dict(terms[0][1])
    for _, powers in terms[1:]:
        mine = dict(powers)
        shared = {
            base: exponent if exponent == mine[base] else min(exponent, mine[base])
            for base, exponent in shared.items()
            if base in mine and (exponent == mine[base] or (exponent > 0 and mine[base] > 0))
        }
        if not shared:
            return ()
    return tuple(sorted(shared.items()))


def _without(powers: Powers, common: Powers) -> Powers:
    left = dict(powers)
    for base, exponent in common:
        left[base] -= exponent
    return tuple((base, exponent) for base, exponent in sorted(left.items()) if exponent)


def _content(factors: list[Any]) -> Any:
    """Number to take out of a sum: the common divisor of its factors if all are short, with the sign of most."""
    minus = sum(factor < 0 for factor in factors)
    sign = -1 if minus * 2 > len(factors) else 1
    if any(not isinstance(f, Fraction) or f.denominator > _SHORT or abs(f.numerator) > _SHORT for f in factors):
        return Fraction(sign)
    top = reduce(gcd, (abs(factor.numerator) for factor in factors))
    bottom = reduce(gcd, (factor.denominator for factor in factors))
    return Fraction(sign * top, bottom)


def _groups(terms: tuple[Term, ...]) -> list[tuple[int, ...]]:
    """Sets of terms that share a factor, the most promising first."""
    holders: dict[tuple[int, int], list[int]] = {}
    mixed: set[int] = set()  # bases that come with several exponents
    seen: dict[int, int] = {}
    for k, (_, powers) in enumerate(terms):
        for power in powers:
            holders.setdefault(power, []).append(k)
            if seen.setdefault(*power) != power[1]:
                mixed.add(power[0])
    gains: dict[tuple[int, ...], int] = {}
    for (base, exponent), group in holders.items():
        if len(group) > 1 and base not in mixed:
            key = tuple(group)
            gains[key] = gains.get(key, 0) + (len(group) - 1) * (2 if abs(exponent) > 1 else 1)
    return sorted(gains, key=lambda group: -gains[group])
