"""The operations of a program: one row for each CasADi operation, one column for each target.

`llvm`, `c` and `numpy` are templates of the operands `{a}` and `{b}`; `written` is the function's name in expressions
as a person writes them, and `sympy` makes it in SymPy. Every column has the meaning of CasADi's evaluator
(`casadi/core/calculus.hpp`), also for ±0, infinities and NaN. None stands where a target writes an operation in another
way: arithmetic in expressions, which are sums, products and powers. Sine and cosine have no LLVM template: those of one
angle are made together, in `codegen.llvm.elementary`.

The LLVM template gives the value `{r}`: `{T}` is the number type (double or <W x double>), `{B}` booleans of the same
width, `{zero} {one} {minus_one}` constants of type T, `{suffix}` the type in an intrinsic's name, `{lib}` the prefix of
functions that exist once for numbers and once for lanes. Temporaries are named `{r}.x`. Only `contract` is allowed: a
product and a sum may become one fused multiply-add, every other rounding stays. A `{table}` is the name of a look-up
table.
"""

from collections.abc import Callable
from typing import Any

import casadi as ca

from cardan.codegen.program.tables import LOW, READ
from cardan.frozen import dataclass

Sympy = Callable[..., Any]
"""(the module sympy, operands …) → SymPy expression; truth is 1 and falsehood 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation in the words of every target."""

    arity: int  # number of operands
    llvm: str  # template of the value in LLVM text
    c: str  # in C99
    numpy: str  # in NumPy
    written: str | None  # name of the function in written expressions
    sympy: Sympy | None  # (sympy, operands …) → expression
    commutative: bool = False  # whether the operands may be exchanged
    counted: str = "other"  # what an operation count calls it
    cycles: int = 4  # until the value can be read; roughly alike on the processors of the last ten years


def _named(name: str) -> Sympy:
    """The function of SymPy with this name."""
    return lambda sp, *args: getattr(sp, name)(*args)


def _truth(relation: Callable[..., Any]) -> Sympy:
    """1 where a relation holds, else 0."""
    return lambda sp, *args: sp.Piecewise((1, relation(sp, *args)), (0, True))


def _function(
    name: str,
    arity: int = 1,
    *,
    llvm: str | None = None,
    c: str | None = None,
    numpy: str | None = None,
    written: str | None = None,
    sympy: Sympy | None = None,
    counted: str = "other",
    cycles: int = 4,
) -> Operation:
    """A function of the C library; the other targets have the same name unless another entry is given."""
    operands = "{a}" if arity == 1 else "{a}, {b}"
    typed = "{T} {a}" if arity == 1 else "{T} {a}, {T} {b}"
    return Operation(
        arity=arity,
        llvm=f"{{r}} = call {{T}} @{{lib}}{name}({typed})" if llvm is None else llvm,
        c=f"{name}({operands})" if c is None else c,
        numpy=f"np.{name}({operands})" if numpy is None else numpy,
        written=name if written is None else written,
        sympy=_named(name) if sympy is None else sympy,
        counted=counted,
        cycles=cycles,
    )


def _intrinsic(name: str) -> str:
    return f"{{r}} = call {{T}} @llvm.{name}.{{suffix}}({{T}} {{a}})"


def _arithmetic(
    arity: int, llvm: str, text: str, counted: str = "other", *, commutative: bool = False, cycles: int = 4
) -> Operation:
    """An operation whose text is the same in C and NumPy."""
    return Operation(
        arity=arity,
        llvm=llvm,
        c=text,
        numpy=text,
        written=None,
        sympy=None,
        commutative=commutative,
        counted=counted,
        cycles=cycles,
    )


def _comparison(condition: str, sign: str, written: str, sympy: str, *, commutative: bool = False) -> Operation:
    return Operation(
        arity=2,
        llvm=f"{{r}}.c = fcmp {condition} {{T}} {{a}}, {{b}}\n{{r}} = uitofp {{B}} {{r}}.c to {{T}}",
        c=f"(double)({{a}} {sign} {{b}})",
        numpy=f"np.where({{a}} {sign} {{b}}, 1.0, 0.0)",
        written=written,
        sympy=_truth(_named(sympy)),
        commutative=commutative,
    )


def _logic(operation: str, c: str, numpy: str, sympy: str) -> Operation:
    return Operation(
        arity=2,
        llvm=(
            "{r}.x = fcmp une {T} {a}, {zero}\n{r}.y = fcmp une {T} {b}, {zero}\n"
            f"{{r}}.c = {operation} {{B}} {{r}}.x, {{r}}.y\n{{r}} = uitofp {{B}} {{r}}.c to {{T}}"
        ),
        c=f"(double)({{a}} != 0.0 {c} {{b}} != 0.0)",
        numpy=f"np.where(({{a}} != 0.0) {numpy} ({{b}} != 0.0), 1.0, 0.0)",
        written=operation,
        sympy=_truth(lambda sp, a, b: getattr(sp, sympy)(sp.Ne(a, 0), sp.Ne(b, 0))),
        commutative=True,
    )


def _extreme(condition: str) -> str:
    """The first operand when both are equal, the other one when one is NaN, as fmin and fmax of glibc."""
    return (
        f"{{r}}.x = fcmp {condition} {{T}} {{b}}, {{a}}\n{{r}}.n = fcmp uno {{T}} {{a}}, {{a}}\n"
        "{r}.c = or {B} {r}.x, {r}.n\n{r} = select {B} {r}.c, {T} {b}, {T} {a}"
    )


_SIGN = (
    "{r}.n = fcmp olt {T} {a}, {zero}\n{r}.p = fcmp ogt {T} {a}, {zero}\n"
    "{r}.s = select {B} {r}.p, {T} {one}, {T} {a}\n{r} = select {B} {r}.n, {T} {minus_one}, {T} {r}.s"
)
_DIVISION, _CIRCULAR = 14, 40  # cycles of a division or root, and of a sine with its cosine

# --- the table

OPERATIONS: dict[int, Operation] = {
    # arithmetic
    ca.OP_ADD: _arithmetic(2, "{r} = fadd contract {T} {a}, {b}", "{a} + {b}", "add", commutative=True),
    ca.OP_SUB: _arithmetic(2, "{r} = fsub contract {T} {a}, {b}", "{a} - {b}", "add"),
    ca.OP_MUL: _arithmetic(2, "{r} = fmul contract {T} {a}, {b}", "{a} * {b}", "multiply", commutative=True),
    ca.OP_DIV: _arithmetic(2, "{r} = fdiv {T} {a}, {b}", "{a} / {b}", "divide", cycles=_DIVISION),
    ca.OP_NEG: _arithmetic(1, "{r} = fneg {T} {a}", "-{a}", "negate"),
    ca.OP_INV: _arithmetic(1, "{r} = fdiv {T} {one}, {a}", "1.0 / {a}", "divide", cycles=_DIVISION),
    ca.OP_SQ: _arithmetic(1, "{r} = fmul contract {T} {a}, {a}", "{a} * {a}", "multiply"),
    ca.OP_TWICE: _arithmetic(1, "{r} = fadd {T} {a}, {a}", "{a} + {a}", "add"),
    # powers and roots
    ca.OP_POW: _function("pow", 2, numpy="np.power({a}, {b})", sympy=_named("Pow")),
    ca.OP_CONSTPOW: _function("pow", 2, numpy="np.power({a}, {b})", sympy=_named("Pow")),
    ca.OP_SQRT: _function("sqrt", llvm=_intrinsic("sqrt"), counted="square root", cycles=_DIVISION),
    ca.OP_HYPOT: _function("hypot", 2, sympy=lambda sp, a, b: sp.sqrt(a**2 + b**2)),
    # exponentials
    ca.OP_EXP: _function("exp"),
    ca.OP_LOG: _function("log"),
    ca.OP_LOG1P: _function("log1p", sympy=lambda sp, a: sp.log(1 + a)),
    ca.OP_EXPM1: _function("expm1", sympy=lambda sp, a: sp.exp(a) - 1),
    # circular and hyperbolic functions
    ca.OP_SIN: _function("sin", llvm="", counted="sine or cosine", cycles=_CIRCULAR),
    ca.OP_COS: _function("cos", llvm="", counted="sine or cosine", cycles=_CIRCULAR),
    ca.OP_TAN: _function("tan"),
    ca.OP_ASIN: _function("asin", numpy="np.arcsin({a})"),
    ca.OP_ACOS: _function("acos", numpy="np.arccos({a})"),
    ca.OP_ATAN: _function("atan", numpy="np.arctan({a})"),
    ca.OP_ATAN2: _function("atan2", 2, numpy="np.arctan2({a}, {b})"),
    ca.OP_SINH: _function("sinh"),
    ca.OP_COSH: _function("cosh"),
    ca.OP_TANH: _function("tanh"),
    ca.OP_ASINH: _function("asinh", numpy="np.arcsinh({a})"),
    ca.OP_ACOSH: _function("acosh", numpy="np.arccosh({a})"),
    ca.OP_ATANH: _function("atanh", numpy="np.arctanh({a})"),
    # sign and size
    ca.OP_FABS: _function("fabs", llvm=_intrinsic("fabs"), written="abs", sympy=_named("Abs")),
    ca.OP_SIGN: _function(
        "sign",
        llvm=_SIGN,
        c="{a} < 0.0 ? -1.0 : {a} > 0.0 ? 1.0 : {a}",
        numpy="np.where({a} < 0.0, -1.0, np.where({a} > 0.0, 1.0, {a}))",
    ),
    ca.OP_FMIN: _function("fmin", 2, llvm=_extreme("olt"), written="min", sympy=_named("Min")),
    ca.OP_FMAX: _function("fmax", 2, llvm=_extreme("ogt"), written="max", sympy=_named("Max")),
    # whole numbers
    ca.OP_FLOOR: _function("floor", llvm=_intrinsic("floor")),
    ca.OP_CEIL: _function("ceil", llvm=_intrinsic("ceil"), sympy=_named("ceiling")),
    ca.OP_FMOD: _function("fmod", 2, sympy=lambda sp, a, b: a - b * sp.sign(a / b) * sp.floor(sp.Abs(a / b))),
    # conditions
    ca.OP_LT: _comparison("olt", "<", "lt", "StrictLessThan"),
    ca.OP_LE: _comparison("ole", "<=", "le", "LessThan"),
    ca.OP_EQ: _comparison("oeq", "==", "eq", "Eq", commutative=True),
    ca.OP_NE: _comparison("une", "!=", "ne", "Ne", commutative=True),
    ca.OP_NOT: Operation(
        arity=1,
        llvm="{r}.c = fcmp oeq {T} {a}, {zero}\n{r} = uitofp {B} {r}.c to {T}",
        c="(double)({a} == 0.0)",
        numpy="np.where({a} == 0.0, 1.0, 0.0)",
        written="not",
        sympy=_truth(lambda sp, a: sp.Eq(a, 0)),
    ),
    ca.OP_AND: _logic("and", "&&", "&", "And"),
    ca.OP_OR: _logic("or", "||", "|", "Or"),
    ca.OP_IF_ELSE_ZERO: Operation(
        arity=2,
        llvm="{r}.c = fcmp oeq {T} {a}, {zero}\n{r} = select {B} {r}.c, {T} {zero}, {T} {b}",
        c="{a} != 0.0 ? {b} : 0.0",
        numpy="np.where({a} != 0.0, {b}, 0.0)",
        written="where",
        sympy=lambda sp, a, b: sp.Piecewise((b, sp.Ne(a, 0)), (0, True)),
    ),
    # look-up tables; in written expressions the entries of the table follow the operand
    LOW: Operation(
        arity=1,
        llvm="{r} = call {T} @{lib}low{table}({T} {a})",
        c="lowest({table}, {length}, {a})",
        numpy="_lowest({table}, {a})",
        written="low",
        sympy=lambda sp, x, *grid: sp.Add(*(_truth(_named("GreaterThan"))(sp, x, knot) for knot in grid[1:-1])),
    ),
    READ: Operation(
        arity=1,
        llvm="{r} = call {T} @{lib}read{table}({T} {a})",
        c="{table}[(int){a}]",
        numpy="{table}[np.asarray({a}).astype(int)]",
        written="read",
        sympy=lambda sp, i, *values: sp.Piecewise(*((value, i < k + sp.S.Half) for k, value in enumerate(values))),
    ),
}
