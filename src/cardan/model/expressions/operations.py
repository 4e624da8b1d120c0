"""What each operation of the grammar does, one table for each kind of number.

`FLOAT` works on floats and NumPy arrays and returns NaN or infinity where a value does not exist, `CASADI` works on SX,
DM and MX, `sympy_functions()` on SymPy expressions. All three mean the same:

* `step(x)` is 1 for x ≥ 0 and 0 before: at the jump it has the value after it;
* `mod(x, y)` = x − y floor(x/y), with the sign of y: a saw tooth for x = t;
* `interpolate(x, x0, y0, x1, y1, …)` is linear between its pairs, keeps the first and the last value outside of them,
  and jumps where two pairs stand at one x: there it has the value after the jump;
* `log` is the natural logarithm; `atan2(y, x)` the angle of the point (x, y).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import cache, lru_cache, reduce
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np

__all__ = ["CASADI", "FLOAT", "Functions", "sympy_functions"]

Functions = Mapping[str, Callable[..., Any]]

_COMPARE: dict[str, Callable[..., Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def _folded(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda *operands: reduce(function, operands)


def _quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function without a warning where a value does not exist: NaN and infinity say it."""

    def quiet(*operands: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*operands)

    return quiet


@lru_cache(maxsize=64)
def _knots(*samples: float) -> tuple[np.ndarray, np.ndarray]:
    """Places and values between which a table is linear, from pairs in one row; a jump is one round-off wide."""
    x, y = (np.array(column, dtype=float) for column in (samples[::2], samples[1::2]))
    before = np.append(x[:-1] == x[1:], False)
    x[before] = np.nextafter(x[before], -np.inf)
    far = 1 + abs(x[0]) + abs(x[-1])  # beyond it the outermost lines, which are level, go on
    return np.concatenate([[x[0] - far], x, [x[-1] + far]]), np.concatenate([y[:1], y, y[-1:]])


def _interpolate(x: Any, *samples: float) -> Any:
    return np.interp(x, *_knots(*samples))


def _casadi_interpolate(x: Any, *samples: float) -> Any:
    return _interpolant(*samples)(x)


@lru_cache(maxsize=64)
def _interpolant(*samples: float) -> ca.Function:
    x, y = _knots(*samples)
    return ca.interpolant("table", "linear", [x.tolist()], y.tolist())


_NUMPY: Functions = {
    **_COMPARE,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
    "neg": operator.neg,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": np.true_divide,
    "**": np.float_power,
    "pow": np.float_power,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "exp": np.exp,
    "log": np.log,
    "log10": np.log10,
    "sqrt": np.sqrt,
    "hypot": np.hypot,
    "abs": np.abs,
    "sign": np.sign,
    "step": lambda x: np.heaviside(x, 1.0),
    "floor": np.floor,
    "mod": lambda x, y: x - y * np.floor(np.true_divide(x, y)),
    "min": _folded(np.fmin),
    "max": _folded(np.fmax),
    "if": lambda condition, a, b: np.asarray(np.where(condition, a, b))[()],
    "interpolate": _interpolate,
}

FLOAT: Functions = {name: _quiet(function) for name, function in _NUMPY.items()}

CASADI: Functions = {
    **_COMPARE,
    "and": ca.logic_and,
    "or": ca.logic_or,
    "not": ca.logic_not,
    "neg": operator.neg,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
    "pow": operator.pow,
    "sin": ca.sin,
    "cos": ca.cos,
    "tan": ca.tan,
    "asin": ca.asin,
    "acos": ca.acos,
    "atan": ca.atan,
    "atan2": ca.atan2,
    "sinh": ca.sinh,
    "cosh": ca.cosh,
    "tanh": ca.tanh,
    "exp": ca.exp,
    "log": ca.log,
    "log10": ca.log10,
    "sqrt": ca.sqrt,
    "hypot": ca.hypot,
    "abs": ca.fabs,
    "sign": ca.sign,
    "step": lambda x: x >= 0,
    "floor": ca.floor,
    "mod": lambda x, y: x - y * ca.floor(x / y),
    "min": _folded(ca.fmin),
    "max": _folded(ca.fmax),
    "if": ca.if_else,
    "interpolate": _casadi_interpolate,
}


@cache
def sympy_functions() -> Functions:
    """The table for SymPy expressions; SymPy is imported when this is first called."""
    import sympy as sp

    return {
        **_COMPARE,
        "==": sp.Eq,
        "!=": sp.Ne,
        "and": sp.And,
        "or": sp.Or,
        "not": sp.Not,
        "neg": operator.neg,
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": operator.truediv,
        "**": operator.pow,
        "pow": operator.pow,
        **{name: getattr(sp, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2")},
        **{name: getattr(sp, name) for name in ("sinh", "cosh", "tanh", "exp", "log", "sqrt", "sign", "floor")},
        "log10": lambda x: sp.log(x, 10),
        "hypot": lambda x, y: sp.sqrt(x**2 + y**2),
        "abs": sp.Abs,
        "step": lambda x: sp.Piecewise((1, x >= 0), (0, True)),
        "mod": lambda x, y: x - y * sp.floor(x / y),
        "min": sp.Min,
        "max": sp.Max,
        "if": lambda condition, a, b: sp.Piecewise((a, condition), (b, True)),
        "interpolate": _sympy_interpolate,
    }


def _sympy_interpolate(x: Any, *samples: Any) -> Any:
    import sympy as sp

    pairs = list(zip(samples[::2], samples[1::2], strict=True))
    lines = [(y0 + (y1 - y0) * (x - x0) / (x1 - x0), x < x1) for (x0, y0), (x1, y1) in pairwise(pairs) if x0 != x1]
    return sp.Piecewise((pairs[0][1], x < pairs[0][0]), *lines, (pairs[-1][1], True))
