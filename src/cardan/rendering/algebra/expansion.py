"""Polynomials of a program written out: terms with factors collected, angles as sums or as products."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from cardan.frozen import dataclass, field
from cardan.rendering.algebra.canonical import Canonical
from cardan.rendering.algebra.expression import PI, Expression, add, call, number, product, symbol
from cardan.rendering.algebra.factors import Term, factored
from cardan.rendering.algebra.polynomials import BITS, Polynomial, digits

_BINARY_DIGITS = 1 << 32  # a denominator with such a power of two came from a float
_SPLIT = 60  # most terms for which angles are also written as products

Functions = tuple[int, ...]  # packed cosines and sines of a product


@dataclass(eq=False)
class Expansion:
    """Writes polynomials of one walk through a program."""

    state: Canonical  # the polynomials
    ranks: Sequence[int]  # place of every input in a product: 0 parameters, 1 velocities, other motion, 2 coordinates
    forms: Mapping[int, Expression]  # written values, for the atoms that stand for values
    _bases: dict[int, Expression] = field(default_factory=dict, init=False)
    _places: dict[int, tuple] = field(default_factory=dict, init=False)
    _known_powers: dict[int, tuple[tuple[int, int], ...]] = field(default_factory=dict, init=False)
    _written: dict[tuple, Expression] = field(default_factory=dict, init=False)

    def values_of(self, polynomial: Polynomial) -> list[int]:
        """Numbers of the values that atoms of a `polynomial` stand for or are functions of."""
        powers = self._powers
        positions = {position for monomial, _ in polynomial.terms for position, _ in powers(monomial)}
        angles = {k for _, h in polynomial.terms for k, _ in powers(h >> 1)}
        positions |= {position for k in angles for position, _ in powers(self.state.angles[k].monomial)}
        return [k for position in positions for k in self.state.atoms[position].args]

    def least(self, polynomial: Polynomial) -> int:
        """Lower bound of the operations in any form of the `polynomial`."""
        return len({h for _, h in polynomial.terms if h}) + (len(polynomial) - 1 if len(polynomial) < 4 else 2)

    def write(self, polynomial: Polynomial, choices: int) -> Expression:
        """A short form of a `polynomial`."""
        key = (polynomial.key(), choices)
        if key not in self._written:
            options = [self._collected(_sums(polynomial), choices)]
            if len(polynomial) <= _SPLIT:
                others = (self._products(polynomial), self._shifted(polynomial))
                options += [self._collected(other, choices) for other in others if other is not None]
            self._written[key] = min(options, key=lambda option: option.operations)
        return self._written[key]

    def _collected(self, terms: Mapping[tuple[int, Functions], Fraction], choices: int) -> Expression:
        out: list[Term] = []
        for (monomial, functions), factor in terms.items():
            powers = (*sorted((-h, 1) for h in functions), *self._powers(monomial))  # functions are negative
            out.append((_rounded(factor), powers))
        inexact = [abs(factor) for factor, _ in out if isinstance(factor, float)]
        smallest = 1e-15 * max(inexact, default=0.0)  # rounding errors of terms that cancel
        kept = [(f, powers) for f, powers in out if not isinstance(f, float) or abs(f) > smallest]
        return factored(kept, self._base, self._order, choices)

    def _powers(self, monomial: int) -> tuple[tuple[int, int], ...]:
        if monomial not in self._known_powers:
            self._known_powers[monomial] = tuple(digits(monomial))
        return self._known_powers[monomial]

    def _products(self, polynomial: Polynomial) -> dict[tuple[int, Functions], Fraction] | None:
        """Cosines and sines of sums as products, angles that always come together kept together; None if none is."""
        groups = _together({h >> 1 for _, h in polynomial.terms if h})
        known: dict[int, list[tuple[int, Functions]]] = {}
        out: dict[tuple[int, Functions], Fraction] = {}
        changed = False
        for (monomial, h), value in polynomial.terms.items():
            if h not in known:
                known[h] = _product_form(h, groups) if h else [(1, ())]
            changed = changed or len(known[h]) > 1
            for sign, functions in known[h]:
                key = (monomial, functions)
                factor = Fraction(value * sign * (2 if h else 1), polynomial.denominator)
                out[key] = out.get(key, Fraction(0)) + factor
        return {key: factor for key, factor in out.items() if factor} if changed else None

    def _shifted(self, polynomial: Polynomial) -> dict[tuple[int, Functions], Fraction] | None:
        """√3 cos α + sin α as 2 sin(α + π/3), and similar forms; None if there is none."""
        terms = _sums(polynomial)
        pairs: dict[tuple[int, int], dict[int, list[int]]] = {}
        for monomial, functions in terms:
            if functions:
                plain = self.state.without_roots(monomial)[0]
                pairs.setdefault((plain, functions[0] >> 1), {}).setdefault(functions[0] & 1, []).append(monomial)
        changed = False
        for (plain, H), found in pairs.items():
            if [len(found.get(kind, ())) for kind in (0, 1)] == [1, 1]:
                cosine, sine = (found[0][0], (2 * H,)), (found[1][0], (2 * H + 1,))
                shifted = self._one_function(plain, H, (cosine[0], terms[cosine]), (sine[0], terms[sine]))
                if shifted is not None:
                    del terms[cosine], terms[sine]
                    terms[shifted[0]] = shifted[1]
                    changed = True
        return terms if changed else None

    def _one_function(
        self, plain: int, H: int, cosine: tuple[int, Fraction], sine: tuple[int, Fraction]
    ) -> tuple[tuple[int, Functions], Fraction] | None:
        """α cos H + β sin H as one term, where |α/β| is √3, 1/√3, or 1 with √2 in both."""
        (_, alpha_root), (_, beta_root) = (self.state.without_roots(m) for m in (cosine[0], sine[0]))
        ratio = cosine[1] ** 2 * alpha_root / (sine[1] ** 2 * beta_root)
        if ratio == 3:
            monomial, size = sine[0], 2 * abs(sine[1])
        elif ratio == Fraction(1, 3):
            monomial, size = cosine[0], 2 * abs(cosine[1])
        elif ratio == 1 and alpha_root == 2:
            monomial, size = plain, 2 * abs(cosine[1])
        else:
            return None
        same = (cosine[1] > 0) == (sine[1] > 0)  # sin(H + δ), tan δ = α/β; else cos(H + δ), tan δ = −β/α
        steps = {3: 4, 1: 3}.get(int(ratio) if ratio.denominator == 1 else 0, 2)
        shift = self.state.phase(steps if same else 6 - steps)
        sign = 1 if cosine[1] > 0 else -1
        return (monomial, (2 * (H + shift) + same,)), sign * size

    def _base(self, base: int) -> Expression:
        if base not in self._bases:
            self._bases[base] = self._function(-base) if base < 0 else self._atom(base)
        return self._bases[base]

    def _atom(self, position: int) -> Expression:
        atom = self.state.atoms[position]
        if atom.is_input:
            return symbol(atom.name)
        if atom.root:
            return call("sqrt", number(atom.root))
        if atom.name == "":
            return call("shared", self.forms[atom.args[0]])
        if atom.name == "id":
            return self.forms[atom.args[0]]
        table = (number(_rounded(Fraction(x))) for x in atom.table)
        return PI if atom.name == "pi" else call(atom.name, *(self.forms[i] for i in atom.args), *table)

    def _function(self, h: int) -> Expression:
        """cos or sin of a packed angle."""
        terms = []
        angles = [(self.state.angles[k], multiple) for k, multiple in digits(h >> 1)]
        for angle, multiple in sorted(angles, key=lambda pair: pair[0].monomial):
            powers = sorted(digits(angle.monomial), key=lambda pair: self._order(pair[0]))
            terms.append(product(multiple * angle.unit, [(self._base(base), exponent) for base, exponent in powers]))
        return call("sin" if h & 1 else "cos", add(*terms))

    def _order(self, base: int) -> tuple:
        if base not in self._places:
            self._places[base] = self._place(base)
        return self._places[base]

    def _place(self, base: int) -> tuple:
        """Sort key of a factor: roots, parameters in their order, coordinates, functions, then cosines and sines."""
        if base < 0:
            return 4, (-base) & 1 == 0, [k for k, _ in digits(-base >> 1)]
        atom = self.state.atoms[base]
        if atom.is_input:
            return self.ranks[base], base, []
        if atom.root or atom.name == "pi":
            return 0, -1, []
        return (0 if atom.name == "id" else 3), base, []


def _sums(polynomial: Polynomial) -> dict[tuple[int, Functions], Fraction]:
    """Terms of a polynomial, each with at most one cosine or sine."""
    return {
        (monomial, (h,) if h else ()): Fraction(value * (2 if h else 1), polynomial.denominator)
        for (monomial, h), value in polynomial.terms.items()
    }


def _together(angles: set[int]) -> list[dict[int, int]]:
    """Groups of basic angles that appear in all of the packed `angles` with the same multiples, up to sign."""
    columns: dict[int, list[int]] = {}
    ordered = sorted(angles)
    for row, H in enumerate(ordered):
        for k, multiple in digits(H):
            columns.setdefault(k, [0] * len(ordered))[row] = multiple
    groups: dict[tuple[int, ...], dict[int, int]] = {}
    for k, column in sorted(columns.items()):
        sign = 1
        if tuple(-multiple for multiple in column) in groups:
            sign = -1
        groups.setdefault(tuple(sign * multiple for multiple in column), {})[k] = sign
    return list(groups.values())


def _product_form(h: int, groups: list[dict[int, int]]) -> list[tuple[int, Functions]]:
    """cos or sin of a sum of groups as Σ sign · Π (cos or sin of one group)."""
    multiples = dict(digits(h >> 1))
    cosine: list[tuple[int, Functions]] = [(1, ())]
    sine: list[tuple[int, Functions]] = []
    for group in groups:
        first = next(iter(group))
        if first not in multiples:
            continue
        H = sum(sign * multiples[first] * group[first] << (BITS * k) for k, sign in group.items())
        turn = 1 if H > 0 else -1
        c, s = 2 * abs(H), 2 * abs(H) + 1
        more_cosine = [(sign, (*f, c)) for sign, f in cosine] + [(-turn * sign, (*f, s)) for sign, f in sine]
        more_sine = [(sign, (*f, c)) for sign, f in sine] + [(turn * sign, (*f, s)) for sign, f in cosine]
        cosine, sine = more_cosine, more_sine
    return sine if h & 1 else cosine


def _rounded(factor: Fraction) -> Fraction | float:
    """A float, where the exact number came from one."""
    return float(factor) if factor.denominator % _BINARY_DIGITS == 0 else factor
