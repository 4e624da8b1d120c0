"""What each CasADi operation is in LLVM: one table.

A template writes the value `{r}` from `{a}` and `{b}`, with `{T}` the number type (double or <W x double>), `{B}`
booleans of the same width, `{zero} {one} {minus_one}` constants of type T, `{suffix}` the type in an intrinsic's name
and `{lib}` the prefix of functions that exist once for numbers and once for lanes. Temporaries are named `{r}.x`. The
meaning is that of CasADi's evaluator (`casadi/core/calculus.hpp`), also for ±0, infinities and NaN. Only `contract`
is allowed: a product and a sum may become one fused multiply-add, nothing else may change.
"""

from __future__ import annotations

import casadi as ca

from .tables import LOW, READ

__all__ = ["LIBM", "OPERATIONS"]


def _compare(condition: str) -> str:
    return f"{{r}}.c = fcmp {condition} {{T}} {{a}}, {{b}}\n{{r}} = uitofp {{B}} {{r}}.c to {{T}}"


def _logic(operation: str) -> str:
    return (
        "{r}.x = fcmp une {T} {a}, {zero}\n{r}.y = fcmp une {T} {b}, {zero}\n"
        f"{{r}}.c = {operation} {{B}} {{r}}.x, {{r}}.y\n{{r}} = uitofp {{B}} {{r}}.c to {{T}}"
    )


def _extreme(condition: str) -> str:
    """The first operand when both are equal, the other one when one is NaN, as fmin and fmax of glibc."""
    return (
        f"{{r}}.x = fcmp {condition} {{T}} {{b}}, {{a}}\n{{r}}.n = fcmp uno {{T}} {{a}}, {{a}}\n"
        "{r}.c = or {B} {r}.x, {r}.n\n{r} = select {B} {r}.c, {T} {b}, {T} {a}"
    )


def _intrinsic(name: str) -> str:
    return f"{{r}} = call {{T}} @llvm.{name}.{{suffix}}({{T}} {{a}})"


def _call(name: str, arity: int = 1) -> str:
    args = "{T} {a}" if arity == 1 else "{T} {a}, {T} {b}"
    return f"{{r}} = call {{T}} @{{lib}}{name}({args})"


OPERATIONS = {
    ca.OP_ADD: "{r} = fadd contract {T} {a}, {b}",
    ca.OP_SUB: "{r} = fsub contract {T} {a}, {b}",
    ca.OP_MUL: "{r} = fmul contract {T} {a}, {b}",
    ca.OP_DIV: "{r} = fdiv {T} {a}, {b}",
    ca.OP_NEG: "{r} = fneg {T} {a}",
    ca.OP_INV: "{r} = fdiv {T} {one}, {a}",
    ca.OP_SQ: "{r} = fmul contract {T} {a}, {a}",
    ca.OP_TWICE: "{r} = fadd {T} {a}, {a}",
    ca.OP_SQRT: _intrinsic("sqrt"),
    ca.OP_FABS: _intrinsic("fabs"),
    ca.OP_FLOOR: _intrinsic("floor"),
    ca.OP_CEIL: _intrinsic("ceil"),
    ca.OP_COPYSIGN: "{r} = call {T} @llvm.copysign.{suffix}({T} {a}, {T} {b})",
    ca.OP_LT: _compare("olt"),
    ca.OP_LE: _compare("ole"),
    ca.OP_EQ: _compare("oeq"),
    ca.OP_NE: _compare("une"),
    ca.OP_NOT: "{r}.c = fcmp oeq {T} {a}, {zero}\n{r} = uitofp {B} {r}.c to {T}",
    ca.OP_AND: _logic("and"),
    ca.OP_OR: _logic("or"),
    ca.OP_IF_ELSE_ZERO: "{r}.c = fcmp oeq {T} {a}, {zero}\n{r} = select {B} {r}.c, {T} {zero}, {T} {b}",
    ca.OP_SIGN: (
        "{r}.n = fcmp olt {T} {a}, {zero}\n{r}.p = fcmp ogt {T} {a}, {zero}\n"
        "{r}.s = select {B} {r}.p, {T} {one}, {T} {a}\n{r} = select {B} {r}.n, {T} {minus_one}, {T} {r}.s"
    ),
    ca.OP_FMIN: _extreme("olt"),
    ca.OP_FMAX: _extreme("ogt"),
    ca.OP_EXP: _call("exp"),
    ca.OP_LOG: _call("log"),
    ca.OP_LOG1P: _call("log1p"),
    ca.OP_EXPM1: _call("expm1"),
    ca.OP_TAN: _call("tan"),
    ca.OP_ASIN: _call("asin"),
    ca.OP_ACOS: _call("acos"),
    ca.OP_ATAN: _call("atan"),
    ca.OP_SINH: _call("sinh"),
    ca.OP_COSH: _call("cosh"),
    ca.OP_TANH: _call("tanh"),
    ca.OP_ASINH: _call("asinh"),
    ca.OP_ACOSH: _call("acosh"),
    ca.OP_ATANH: _call("atanh"),
    ca.OP_ERF: _call("erf"),
    ca.OP_ERFINV: _call("erfinv"),
    ca.OP_POW: _call("pow", 2),
    ca.OP_CONSTPOW: _call("pow", 2),
    ca.OP_ATAN2: _call("atan2", 2),
    ca.OP_FMOD: _call("fmod", 2),
    ca.OP_REMAINDER: _call("remainder", 2),
    ca.OP_HYPOT: _call("hypot", 2),
    LOW: "{r} = call {T} @{lib}low{table}({T} {a})",
    READ: "{r} = call {T} @{lib}read{table}({T} {a})",
}

LIBM = {
    **dict.fromkeys(
        ("exp", "log", "log1p", "expm1", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"), 1
    ),
    **dict.fromkeys(("asinh", "acosh", "atanh", "erf"), 1),
    **dict.fromkeys(("pow", "atan2", "fmod", "remainder", "hypot"), 2),
}
"""Functions of the C library and their number of arguments."""
