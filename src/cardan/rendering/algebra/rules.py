"""A walk through a program that makes the polynomial of every value: one rule per operation."""

import math
from collections.abc import Callable, Mapping, Sequence, Set
from fractions import Fraction
from functools import partial

import casadi as ca

from cardan.codegen.program.instruction import Instruction
from cardan.codegen.program.operations import OPERATIONS
from cardan.codegen.program.program import Program
from cardan.rendering.algebra.budget import Allowance
from cardan.rendering.algebra.canonical import LONGEST, ZERO, Canonical, square_part, variable
from cardan.rendering.algebra.polynomials import BITS, Polynomial, TooLongError, negated, plus

_POWER = 8  # largest exponent for which a power is multiplied out


def canonical(
    program: Program, names: Sequence[str], allowance: Allowance, keep: Callable[[int], tuple | None] = lambda i: None
) -> Canonical:
    """Polynomials of all values of a program."""
    state = Canonical(program, names, allowance)
    for i, instruction in enumerate(program.instructions):
        inner = () if instruction.op == ca.OP_INPUT else instruction.args
        rough = any(state.rough[k] for k in inner)
        key = keep(i)
        state.exhausted = False
        try:
            value = _value(state, instruction) if key is None else state.kept(i, key)
        except TooLongError:
            value = state.atom("", (i,))
            state.opaque.add(i)
            rough = rough or state.exhausted
        state.polynomials.append(value)
        state.rough.append(rough)
        state.folded.append(key is not None)
    return state


def sums_of_parameters(state: Canonical, parameters: Set[int]) -> dict[int, tuple]:
    """Values that are sums of single parameters, such as lengths, with a key each."""
    single = {1 << (BITS * k) for k in parameters}
    return {
        i: polynomial.key()
        for i, polynomial in enumerate(state.polynomials)
        if len(polynomial) > 1 and all(h == 0 and monomial in single for monomial, h in polynomial.terms)
    }


def _value(state: Canonical, instruction: Instruction) -> Polynomial:
    if instruction.op == ca.OP_INPUT:
        return variable(instruction.args[0])
    if instruction.op == ca.OP_CONST:
        if not math.isfinite(instruction.value):
            return state.atom(repr(instruction.value))
        return state.number(instruction.value)
    if instruction.op in _RULES:
        return _RULES[instruction.op](state, instruction.args)
    if instruction.op == ca.OP_CALL:
        return state.atom("slope" if instruction.value else "interpolate", instruction.args, table=instruction.table)
    return state.atom(OPERATIONS[instruction.op].written or "", instruction.args, table=instruction.table)


# --- one rule per operation: (state, numbers of the operands) → polynomial


def _sum(state: Canonical, args: tuple[int, ...], sign: int) -> Polynomial:
    a, b = (state.polynomials[i] for i in args)
    out = plus(a, b, sign)
    if len(out) > LONGEST:
        raise TooLongError
    return out


def _times(state: Canonical, args: tuple[int, ...]) -> Polynomial:
    return state.product(*(state.polynomials[i] for i in args))


def _inverse(state: Canonical, args: tuple[int, ...]) -> Polynomial:
    """A monomial gets negative exponents; anything else is an atom to the power −1."""
    (i,) = args
    a = state.polynomials[i]
    if len(a) == 1:
        (((monomial, h), value),) = a.terms.items()
        if not h:
            sign = 1 if value > 0 else -1
            out = Polynomial({(-monomial, 0): sign * a.denominator}, abs(value), a.degree)
            return state.without_squares(out)
    return state.inverse(i)


def _power(state: Canonical, args: tuple[int, ...]) -> Polynomial:
    base, exponent = (state.polynomials[i] for i in args)
    n = exponent.constant
    if n is None or n.denominator != 1 or abs(n) > _POWER:
        return _root(state, args[:1]) if n == Fraction(1, 2) else state.atom("pow", args)
    if n < 0:
        base = _inverse(state, args[:1])
    out = Polynomial({(0, 0): 1})
    for _ in range(abs(int(n))):
        out = state.product(out, base)
    return out


def _root(state: Canonical, args: tuple[int, ...]) -> Polynomial:
    """The square root, exact for short fractions."""
    n = state.polynomials[args[0]].constant
    if n is not None and n >= 0 and max(n.numerator, n.denominator) < 10**6:
        whole, rest = square_part(n.numerator * n.denominator)
        return state.constant(Fraction(whole, n.denominator), rest)
    return state.atom("sqrt", args)


def _circular(state: Canonical, args: tuple[int, ...], name: str) -> Polynomial:
    found = state.circular(name, state.polynomials[args[0]])
    return state.atom(name, args) if found is None else found


def _chosen(state: Canonical, args: tuple[int, ...]) -> Polynomial:
    """0 where the condition is 0, else the value."""
    condition = state.polynomials[args[0]].constant
    if condition is not None:
        return state.polynomials[args[1]] if condition else ZERO
    return state.atom("where", args) if state.polynomials[args[1]].terms else ZERO


_RULES: Mapping[int, Callable[[Canonical, tuple[int, ...]], Polynomial]] = {
    ca.OP_ADD: partial(_sum, sign=1),
    ca.OP_SUB: partial(_sum, sign=-1),
    ca.OP_MUL: _times,
    ca.OP_DIV: lambda state, args: state.product(state.polynomials[args[0]], _inverse(state, args[1:])),
    ca.OP_NEG: lambda state, args: negated(state.polynomials[args[0]]),
    ca.OP_SQ: lambda state, args: _times(state, (*args, *args)),
    ca.OP_TWICE: lambda state, args: _sum(state, (*args, *args), 1),
    ca.OP_INV: _inverse,
    ca.OP_POW: _power,
    ca.OP_CONSTPOW: _power,
    ca.OP_SQRT: _root,
    ca.OP_SIN: partial(_circular, name="sin"),
    ca.OP_COS: partial(_circular, name="cos"),
    ca.OP_IF_ELSE_ZERO: _chosen,
}
"""What arithmetic and functions with rules of their own do to polynomials; every other operation makes an atom."""
