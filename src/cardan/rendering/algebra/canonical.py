"""Every value of a program as an exact trigonometric polynomial of its inputs.

A value that is no polynomial (a root, a quotient by a sum, a function such as atan2) is replaced by an *atom*, a symbol
that stands for it; equal values have the same atom. A value whose polynomial would be too long is replaced as well, so
that polynomials of values computed from it stay short.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from cardan.codegen.program.program import Program
from cardan.frozen import dataclass
from cardan.rendering.algebra.budget import Allowance
from cardan.rendering.algebra.numbers import recognised
from cardan.rendering.algebra.polynomials import BITS, Polynomial, TooLongError, digit, digits, negated, plus, times

LONGEST = 400  # most terms of a polynomial; nobody reads a longer one in any form
_SUMMANDS = 12  # most terms of an angle
_MULTIPLE = 1 << 12  # multiples of a basic angle are smaller
_QUATERNION = 4  # squares in the norm of a quaternion
_FREE = 4  # products of two terms that are computed even if the budget is used up

_PARTS = {
    0: (Fraction(0), 1),
    1: (Fraction(1, 2), 1),
    2: (Fraction(1, 2), 3),
    3: (Fraction(1), 1),
}  # sin of multiples of 30°

ZERO = Polynomial({})


@dataclass(eq=False, slots=True)
class Atom:
    """A symbol in the polynomials, and the value that it stands for."""

    name: str  # of an input, or of the function applied to `args`; empty for a value that is too long to expand
    args: tuple[int, ...] = ()  # numbers of values
    is_input: bool = False  # whether this is an input of the program
    root: int = 0  # the whole number whose square root this is, or 0
    table: tuple[float, ...] = ()  # knots that `low` searches, or values that `read` looks up


@dataclass(eq=False, slots=True)
class BasicAngle:
    """A basic angle: a fraction of a monomial."""

    monomial: int  # packed exponents of atoms
    unit: Fraction  # its factor


class Canonical:
    """Polynomials of all values of a program, whose inputs have these `names`."""

    def __init__(self, program: Program, names: Sequence[str], allowance: Allowance) -> None:
        self.folded: list[bool] = []  # whether a value is a sum of parameters that is kept as an atom
        self.program = program
        self.atoms = [Atom(name, is_input=True) for name in names]
        self.angles: list[BasicAngle] = []
        self.polynomials: list[Polynomial] = []
        self.opaque: set[int] = set()  # values that are too long to expand
        self.allowance = allowance
        self.exhausted = False  # whether the budget did not suffice for something
        self.rough: list[bool] = []  # whether a value depends on one that the budget has left unexpanded
        self._numbers: dict[tuple, int] = {}
        self._angles: dict[tuple, int] = {}
        self._roots: dict[int, int] = {}  # position of an atom → the number whose root it is
        self._norms: dict[int, tuple[int, ...]] = {}  # position of w² + x² + y² + z² → positions of w, x, y, z

    def spend(self, products: int) -> None:
        """Subtract from the budget."""
        if products > 40 * LONGEST:
            raise TooLongError
        if not self.allowance.pays(products, _FREE):
            self.exhausted = True
            raise TooLongError

    def atom(self, name: str, args: tuple[int, ...] = (), root: int = 0, table: tuple[float, ...] = ()) -> Polynomial:
        """The polynomial that is one atom."""
        key = (name, root, table, *((self.polynomials[i].key()) for i in args)) if name else ("", *args)
        position = self._numbers.setdefault(key, len(self.atoms))
        if position == len(self.atoms):
            self.atoms.append(Atom(name, args, root=root, table=table))
            if root:
                self._roots[position] = root
        return variable(position)

    def kept(self, i: int, key: tuple) -> Polynomial:
        """The polynomial that is one atom for the value i."""
        position = self._numbers.setdefault(("id", 0, (), key), len(self.atoms))
        if position == len(self.atoms):
            self.atoms.append(Atom("id", (i,)))
        return variable(position)

    def product(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """a · b, roots of numbers squared away, and quotients by the norms of quaternions in one form."""
        return self._without_norms(self.without_squares(times(a, b, LONGEST, self.spend)))

    def inverse(self, i: int) -> Polynomial:
        """The atom of the sum with number `i`, to the power −1."""
        ((packed, _),) = self.atom("id", (i,)).terms
        monomials = [monomial for monomial, _ in self.polynomials[i].terms]
        squares = [position for monomial in monomials for position, e in digits(monomial) if e == 2]
        norm = Polynomial({(2 << (BITS * k), 0): 1 for k in squares})
        if len(squares) == _QUATERNION and norm.key() == self.polynomials[i].key():
            ((position, _),) = digits(packed)
            self._norms[position] = tuple(squares)
        return Polynomial({(-packed, 0): 1}, 1, 1)

    def is_norm(self, position: int) -> bool:
        """Whether the atom at a `position` is the squared norm of a quaternion."""
        return position in self._norms

    def number(self, value: float) -> Polynomial:
        """A constant; a float without a short exact form is taken as the fraction that it is in binary."""
        exact = recognised(value)
        if exact is None:
            fraction = Fraction(value)
            return Polynomial({(0, 0): fraction.numerator}, fraction.denominator)
        return self.constant(exact.factor, exact.radicand, exact.pi)

    def constant(self, factor: Fraction | int, radicand: int = 1, pi: int = 0) -> Polynomial:
        """factor · √radicand · π^pi."""
        factor = Fraction(factor)
        if not factor:
            return ZERO
        out = Polynomial({(0, 0): factor.numerator}, factor.denominator)
        if radicand != 1:
            out = self.product(out, self.atom("sqrt", root=radicand))
        for _ in range(pi):
            out = self.product(out, self.atom("pi"))
        return out

    def circular(self, name: str, argument: Polynomial) -> Polynomial | None:
        """sin or cos (`name`) of a polynomial `argument`, if that is a combination of angles; None otherwise."""
        split = self._angle(argument)
        if split is None:
            return None
        H, turn = split
        quarter = 0 if name == "sin" else 3  # cos α = sin(α + 90°), in steps of 30°
        sine, cosine = self._twelfth(turn + quarter), self._twelfth(turn + quarter + 3)
        if not H:
            return sine
        sign = 1 if H > 0 else -1
        first = Polynomial({(0, 2 * abs(H) + 1): sign}, 2, _size(H))  # sin H
        second = Polynomial({(0, 2 * abs(H)): 1}, 2, _size(H))
        return plus(self.product(first, cosine), self.product(second, sine))

    def without_roots(self, monomial: int) -> tuple[int, int]:
        """The `monomial` without roots of numbers, and the number below the root."""
        radicand = 1
        for position, exponent in digits(monomial):
            if position in self._roots:
                radicand *= self._roots[position] ** exponent
                monomial -= exponent << (BITS * position)
        return monomial, radicand

    def phase(self, steps: int) -> int:
        """The packed angle of so many twelfths of π: `steps`."""
        ((monomial, _),) = self.atom("pi").terms
        return steps << (BITS * self._basic(monomial, Fraction(1, 12)))

    def _angle(self, argument: Polynomial) -> tuple[int, Fraction] | None:
        """(packed multiples of basic angles, further twelfths of a turn)."""
        if len(argument) > _SUMMANDS:
            return None
        H, turn = 0, Fraction(0)
        for (monomial, h), value in argument.terms.items():
            factor = Fraction(value, argument.denominator)
            if h:
                return None
            if monomial and self._is_pi(monomial) and (factor * 6).denominator in (1, 2):
                turn += factor * 6
                continue
            if abs(factor.numerator) >= _MULTIPLE:
                return None
            H += factor.numerator << (BITS * self._basic(monomial, Fraction(1, factor.denominator)))
        return H, turn

    def _is_pi(self, monomial: int) -> bool:
        ((position, exponent), *others) = digits(monomial)
        return not others and exponent == 1 and self.atoms[position].name == "pi"

    def _basic(self, monomial: int, unit: Fraction) -> int:
        number = self._angles.setdefault((monomial, unit), len(self.angles))
        if number == len(self.angles):
            self.angles.append(BasicAngle(monomial, unit))
        return number

    def _twelfth(self, steps: Fraction) -> Polynomial:
        """sin of so many times 30°, halves allowed where they make 45°."""
        steps %= 12
        if steps >= 6:
            return negated(self._twelfth(steps - 6))
        if steps > 3:
            steps = 6 - steps
        if steps == Fraction(3, 2):
            return self.constant(Fraction(1, 2), 2)
        if steps.denominator == 1:
            factor, radicand = _PARTS[int(steps)]
            return self.constant(factor, radicand)
        low = 6 if steps == Fraction(1, 2) else -6  # sin 15° and sin 75° are (√6 ∓ √2)/4
        root = self.constant(Fraction(1, 4), 6)
        return plus(root, self.constant(Fraction(1, 4), 2), -1 if low > 0 else 1)

    def without_squares(self, a: Polynomial) -> Polynomial:
        """`a` with √n √n replaced by n, 1/√n by √n/n, and √m √n by one root."""
        if not self._roots or not a.terms:
            return a
        out: dict[tuple[int, int], Fraction] = {}
        changed = False
        for (monomial, h), value in a.terms.items():
            factor = Fraction(value)
            roots = [(p, e) for p, e in digits(monomial) if p in self._roots and e not in (0, 1)]
            for position, exponent in roots:
                pairs = exponent // 2
                factor *= Fraction(self._roots[position]) ** pairs
                monomial -= (2 * pairs) << (BITS * position)
            present = [(p, e) for p, e in digits(monomial) if p in self._roots]
            if len(present) > 1:  # √2 √3 = √6
                joined = math.prod(self._roots[p] for p, _ in present)
                monomial -= sum(1 << (BITS * p) for p, _ in present)
                whole, joined = square_part(joined)
                factor *= whole
                if joined != 1:
                    (only,) = self.atom("sqrt", root=joined).terms
                    monomial += only[0]
            changed = changed or bool(roots) or len(present) > 1
            out[monomial, h] = out.get((monomial, h), Fraction(0)) + factor
        if not changed:
            return a
        kept = {key: value for key, value in out.items() if value}
        common = math.lcm(*(value.denominator for value in kept.values()))
        return Polynomial({k: int(v * common) for k, v in kept.items()}, a.denominator * common, a.degree)

    def _without_norms(self, a: Polynomial) -> Polynomial:
        """w²/N replaced by 1 − (x² + y² + z²)/N, where N = w² + x² + y² + z²: so equal quotients have equal terms."""
        for position, (w, *others) in self._norms.items():
            if not any(digit(m, position) < 0 and digit(m, w) > 1 for m, _ in a.terms):
                continue
            out: dict[tuple[int, int], int] = {}
            waiting = list(reversed(a.terms.items()))
            while waiting:
                (monomial, h), value = waiting.pop()
                if digit(monomial, position) < 0 and digit(monomial, w) > 1:
                    rest = monomial - (2 << (BITS * w))
                    waiting += [((rest + (2 << (BITS * k)), h), -value) for k in reversed(others)]
                    waiting.append(((rest + (1 << (BITS * position)), h), value))
                else:
                    out[monomial, h] = out.get((monomial, h), 0) + value
                    if len(out) > 2 * LONGEST:
                        raise TooLongError
            kept = {key: value for key, value in out.items() if value}
            a = Polynomial(kept, a.denominator, max((_degree(*key) for key in kept), default=0))
        return a


def variable(position: int, exponent: int = 1) -> Polynomial:
    """The polynomial that is the atom at a `position`, to an `exponent`."""
    return Polynomial({(exponent << (BITS * position), 0): 1}, 1, abs(exponent))


def _size(H: int) -> int:
    return max(abs(multiple) for _, multiple in digits(H))


def _degree(monomial: int, h: int) -> int:
    """The largest exponent or multiple of an angle in a term."""
    return max((abs(exponent) for packed in (monomial, h >> 1) for _, exponent in digits(packed)), default=0)


def square_part(n: int) -> tuple[int, int]:
    """(w, f) with `n` = w² f, and no square in f."""
    whole = 1
    for k in range(2, math.isqrt(n) + 1):
        while n % (k * k) == 0:
            n //= k * k
            whole *= k
    return whole, n
