"""The shortest of several ways to write a value: polynomials with factors collected, or the operation behind it."""

from collections.abc import Callable, Iterable, Sequence

import casadi as ca

from cardan.rendering.algebra.canonical import LONGEST, Canonical
from cardan.rendering.algebra.expansion import Expansion
from cardan.rendering.algebra.expression import ZERO, Expression, Head, add, call, multiply, number, power, product
from cardan.rendering.algebra.polynomials import Polynomial

_PRICE = 100  # products of two terms that take as long as collecting the factors of one term
_FREE = 4 * _PRICE  # work that is done even if the budget is used up
_CHOICES = 3  # ways to collect factors that are tried for a requested value


class Writer:
    """Writes values of a program from its polynomials: expanded wholly, and perhaps with sums of parameters kept.

    `ranks` are as of `Expansion`. `rough` holds the numbers of the values that the budget was too small to simplify.
    """

    def __init__(self, states: Sequence[Canonical], ranks: Sequence[int]) -> None:
        self.program = states[0].program
        self.allowance = states[0].allowance
        self.rough = {i for i, rough in enumerate(states[0].rough) if rough}
        self.ranks = ranks
        self.names = {atom.name: k for k, atom in enumerate(states[0].atoms) if atom.is_input}
        self.forms: dict[int, Expression] = {}
        self.expansions = [Expansion(state, ranks, self.forms) for state in states]

    def write(self, values: Iterable[int]) -> list[Expression]:
        """Expressions of the values with these numbers; −1 is zero.

        The shortest come first, each with what it needs, so that most are finished where the budget ends.
        """
        wanted = list(values)
        requested = set(wanted)
        for value in sorted(requested - {-1}, key=lambda i: (self._length(i), i)):
            for i in self._needed([value]):
                self.forms[i] = self._form(i, _CHOICES if i in requested else 1)
                if any(k in self.rough for k in self._operands(i)):
                    self.rough.add(i)
        return [ZERO if i < 0 else self.forms[i] for i in wanted]

    def _length(self, i: int) -> int:
        """Terms of the polynomial of a value, the longest where it is too long to expand."""
        state = self.expansions[0].state
        return LONGEST + 1 if i in state.opaque else len(state.polynomials[i])

    def _needed(self, values: list[int]) -> list[int]:
        """Values whose form is needed, in the order of the program."""
        marked: set[int] = set()
        stack = [i for i in values if i >= 0]
        while stack:
            i = stack.pop()
            if i in marked or i in self.forms:
                continue
            marked.add(i)
            if any(i in one.state.opaque or len(one.state.polynomials[i]) > 1 for one in self.expansions):
                stack.extend(self._operands(i))
            for one in self.expansions:
                stack.extend(k for k in one.values_of(one.state.polynomials[i]) if k != i)
        return sorted(marked)

    def _operands(self, i: int) -> tuple[int, ...]:
        instruction = self.program.instructions[i]
        return instruction.args if instruction.op != ca.OP_INPUT else ()

    def _form(self, i: int, choices: int) -> Expression:
        polynomials = [
            (one, one.state.polynomials[i])
            for one in self.expansions
            if i not in one.state.opaque and not (one.state.folded[i] and len(self.expansions) > 1)
        ]
        if any(len(polynomial) < 2 for _, polynomial in polynomials):
            return min(
                (one.write(p, choices) for one, p in polynomials if len(p) < 2), key=lambda form: form.operations
            )
        composed = self._composed(i)
        options = [] if composed is None else [composed]
        for one, polynomial in polynomials:
            if composed is None or (one.least(polynomial) <= composed.operations and self._affords(i, polynomial)):
                options.append(one.write(polynomial, choices))
        return min(options, key=lambda form: form.operations)

    def _affords(self, i: int, polynomial: Polynomial) -> bool:
        """Whether the budget covers the cost of collecting factors, and pays it; else the value stays as derived."""
        affords = self.allowance.pays(_PRICE * len(polynomial), _FREE)
        if not affords:
            self.rough.add(i)
        return affords

    def _composed(self, i: int) -> Expression | None:
        """The operation that made the value, on the forms of its operands."""
        instruction = self.program.instructions[i]
        rule = _COMPOSED.get(instruction.op)
        if rule is None:
            return None
        made = rule(*(self.forms[k] for k in instruction.args))
        if made.kind == Head.PRODUCT:
            return product(made.number, sorted(made.args, key=lambda pair: self._place(pair[0])))
        return made

    def _place(self, base: Expression) -> tuple[int, int]:
        """Where a factor stands in a product: symbols in their order, sums, functions."""
        if base.kind == Head.SYMBOL:
            position = self.names[base.name]
            return self.ranks[position], position
        if base.kind == Head.CALL and base.name in ("pi", "sqrt"):
            return -1, 0
        return (3, 0) if base.kind == Head.SUM else (4, 0)


def _power(a: Expression, b: Expression) -> Expression:
    if b.kind == Head.NUMBER and b.number == int(b.number):
        return power(a, int(b.number))
    return call("pow", a, b)


_COMPOSED: dict[int, Callable[..., Expression]] = {
    ca.OP_ADD: add,
    ca.OP_SUB: lambda a, b: add(a, multiply(number(-1), b)),
    ca.OP_MUL: multiply,
    ca.OP_DIV: lambda a, b: multiply(a, power(b, -1)),
    ca.OP_NEG: lambda a: multiply(number(-1), a),
    ca.OP_SQ: lambda a: power(a, 2),
    ca.OP_TWICE: lambda a: multiply(number(2), a),
    ca.OP_INV: lambda a: power(a, -1),
    ca.OP_POW: _power,
    ca.OP_CONSTPOW: _power,
}
"""What each operation does to written values; all others are atoms already."""
