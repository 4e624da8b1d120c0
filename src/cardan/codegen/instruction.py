"""One instruction of a program, and which operations there are."""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

__all__ = ["BINARY", "COMMUTATIVE", "FREE", "IDENTITY", "NAMES", "UNARY", "Instruction"]

BINARY = frozenset(
    {
        *(ca.OP_ADD, ca.OP_SUB, ca.OP_MUL, ca.OP_DIV, ca.OP_POW, ca.OP_CONSTPOW, ca.OP_ATAN2, ca.OP_FMOD),
        *(ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_AND, ca.OP_OR, ca.OP_IF_ELSE_ZERO, ca.OP_REMAINDER),
        *(ca.OP_FMIN, ca.OP_FMAX, ca.OP_COPYSIGN, ca.OP_HYPOT),
    }
)
UNARY = frozenset(
    {
        *(ca.OP_NEG, ca.OP_EXP, ca.OP_LOG, ca.OP_SQRT, ca.OP_SQ, ca.OP_TWICE, ca.OP_INV, ca.OP_FABS, ca.OP_SIGN),
        *(ca.OP_SIN, ca.OP_COS, ca.OP_TAN, ca.OP_ASIN, ca.OP_ACOS, ca.OP_ATAN, ca.OP_FLOOR, ca.OP_CEIL, ca.OP_NOT),
        *(ca.OP_SINH, ca.OP_COSH, ca.OP_TANH, ca.OP_ASINH, ca.OP_ACOSH, ca.OP_ATANH),
        *(ca.OP_ERF, ca.OP_ERFINV, ca.OP_LOG1P, ca.OP_EXPM1),
    }
)
IDENTITY = frozenset({ca.OP_ASSIGN, ca.OP_LIFT, ca.OP_PRINTME})
"""Operations whose value is their first operand."""
COMMUTATIVE = frozenset({ca.OP_ADD, ca.OP_MUL, ca.OP_EQ, ca.OP_NE, ca.OP_AND, ca.OP_OR})
FREE = frozenset({ca.OP_INPUT, ca.OP_CONST})
"""Operations that compute nothing."""

NAMES = {getattr(ca, name): name for name in dir(ca) if name.startswith("OP_")}
"""CasADi's name of each operation code."""


class Instruction(NamedTuple):
    """One value of a program.

    Parameters
    ----------
    op : int
        CasADi's operation code, `casadi.OP_ADD` and so on.
    args : tuple of int
        Numbers of the values it reads; for `OP_INPUT` the position in the concatenated inputs.
    value : float
        The constant of `OP_CONST`.
    table : tuple of float
        What `tables.LOW` searches and `tables.READ` reads.
    """

    op: int
    args: tuple[int, ...] = ()
    value: float = 0.0
    table: tuple[float, ...] = ()
