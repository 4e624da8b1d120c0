"""What each operation of the grammar does, one table for each kind of number.

`FLOAT` works on floats and NumPy arrays and returns NaN or infinity where a value does not exist, `CASADI` works on SX,
DM and MX. Both mean the same:

* `step(x)` is 1 for x ≥ 0 and 0 before: at the jump it has the value after it;
* `mod(x, y)` = x − y floor(x/y), with the sign of y: a saw tooth for x = t;
* `interpolate(x, x0, y0, x1, y1, …)` is linear between its pairs, keeps the first and the last value outside of them,
  and jumps where two pairs stand at one x: there it has the value after the jump;
* `abs where(x, condition)` is |x| where the condition holds, else x;
* `table within(x, low, high)` is x between them, and no number outside; `table spline(x, x0, y0, …)` is a cubic spline
  whose second and last but one knots have no jump in any derivative; `table grid(x, y, n, x1 … xn, y1 … ym, values)`
  is bilinear, with the values at (x1, y1), (x2, y1) and so on, `table surface` with the same operands the cubic spline
  of cubic splines, and linear beyond its knots: what tables of models become, which no text names;
* `log` is the natural logarithm; `atan2(y, x)` the angle of the point (x, y).
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, reduce
from typing import Any

import casadi as ca
import numpy as np

from cardan.errors import ModelError
from cardan.model.expressions.grammar import DELAY

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


@lru_cache(maxsize=256)
def _made(make: Callable[..., Any], *numbers: float) -> Any:
    """What a table is read with, made once from its numbers."""
    return make(*numbers)


def _knots(*samples: float) -> tuple[np.ndarray, np.ndarray]:
    """Places and values between which a table is linear, from pairs in one row; a jump is one round-off wide."""
    x, y = (np.array(column, dtype=float) for column in (samples[::2], samples[1::2]))
    before = np.append(x[:-1] == x[1:], False)
    x[before] = np.nextafter(x[before], -np.inf)
    far = 1 + abs(x[0]) + abs(x[-1])  # beyond it the outermost lines, which are level, go on
    return np.concatenate([[x[0] - far], x, [x[-1] + far]]), np.concatenate([y[:1], y, y[-1:]])


def _interpolant(*samples: float) -> ca.Function:
    x, y = _made(_knots, *samples)
    return ca.interpolant("table", "linear", [x.tolist()], y.tolist())


def _delay(x: Any, time: Any) -> Any:
    """No value: sampled laws, in which delays stand, replace them by states."""
    raise ModelError("a delay stands outside of a sampled law", "write it in the value of {every: …, value: …}")


def _cubic(*samples: float) -> Any:
    from scipy.interpolate import CubicSpline

    return CubicSpline(samples[::2], samples[1::2], bc_type="not-a-knot")


def _casadi_spline(x: Any, *samples: float) -> Any:
    found = _made(_cubic, *samples)
    pieces = [(*piece, start) for *piece, start in zip(*found.c.tolist(), found.x.tolist(), strict=False)]
    c3, c2, c1, c0, start = (_piece(x, found.x.tolist()[1:-1], column) for column in zip(*pieces, strict=True))
    s = x - start
    return c0 + s * (c1 + s * (c2 + s * c3))


def _piece(x: Any, knots: Sequence[float], values: Sequence[float]) -> Any:
    """The value of the interval that holds x, by a balanced tree of comparisons."""
    if len(values) == 1:
        return values[0]
    middle = len(values) // 2
    before, after = _piece(x, knots[: middle - 1], values[:middle]), _piece(x, knots[middle:], values[middle:])
    return ca.if_else(x < knots[middle - 1], before, after)


def _split(n: float, *numbers: float) -> tuple[list[float], list[float], list[float]]:
    """Knots along x and y, and the values of a grid."""
    count = int(n)
    m = (len(numbers) - count) // (count + 1)
    return list(numbers[:count]), list(numbers[count : count + m]), list(numbers[count + m :])


def _grid(x: Any, y: Any, *numbers: float) -> Any:
    xs, ys, values = (np.array(part) for part in _split(*numbers))
    table = values.reshape(len(ys), len(xs))
    i = np.clip(np.searchsorted(xs, x, side="right") - 1, 0, len(xs) - 2)
    j = np.clip(np.searchsorted(ys, y, side="right") - 1, 0, len(ys) - 2)
    a, b = (x - xs[i]) / (xs[i + 1] - xs[i]), (y - ys[j]) / (ys[j + 1] - ys[j])
    low, high = ((1 - a) * table[row, i] + a * table[row, i + 1] for row in (j, j + 1))
    return (1 - b) * low + b * high


def _bilinear(*numbers: float) -> ca.Function:
    xs, ys, values = _split(*numbers)
    return ca.interpolant("table", "linear", [xs, ys], values)


def _patches(*numbers: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Knots along x and y, and the coefficients (4, 4, n − 1, m − 1) of (x − xi)ᵃ (y − yj)ᵇ of every patch.

    A spline along x of what are splines along y has continuous second derivatives, mixed ones of order (2, 2) too.
    Source: de Boor 2001, ch. XVII (tensor products)
    """
    from scipy.interpolate import CubicSpline

    xs, ys, values = (np.array(part) for part in _split(*numbers))
    along_x = CubicSpline(xs, values.reshape(len(ys), len(xs)).T, bc_type="not-a-knot").c  # (4, n − 1, m)
    along_y = CubicSpline(ys, along_x, axis=2, bc_type="not-a-knot").c  # (4, m − 1, 4, n − 1)
    return xs, ys, along_y.transpose(2, 0, 3, 1)[::-1, ::-1]


def _basis(s: Any, length: Any, lowest: Callable[..., Any], highest: Callable[..., Any]) -> list[Any]:
    """1, s, s², s³ within an interval of a `length`, continued by their tangents before and behind it."""
    inside = lowest(highest(s, 0.0), length)
    beyond = s - inside
    return [1.0, s, inside * (inside + 2 * beyond), inside**2 * (inside + 3 * beyond)]


def _surface(x: Any, y: Any, *numbers: float) -> Any:
    xs, ys, C = _made(_patches, *numbers)
    i = np.clip(np.searchsorted(xs, x, side="right") - 1, 0, len(xs) - 2)
    j = np.clip(np.searchsorted(ys, y, side="right") - 1, 0, len(ys) - 2)
    along_x = _basis(x - xs[i], xs[i + 1] - xs[i], np.minimum, np.maximum)
    along_y = _basis(y - ys[j], ys[j + 1] - ys[j], np.minimum, np.maximum)
    return sum(C[a, b, i, j] * along_x[a] * along_y[b] for a in range(4) for b in range(4))


def _casadi_surface(x: Any, y: Any, *numbers: float) -> Any:
    xs, ys, _ = _made(_patches, *numbers)
    (i, start_x, length_x), (j, start_y, length_y) = (_interval(v, g) for v, g in ((x, xs), (y, ys)))
    c = _made(_coefficients, *numbers)(ca.vertcat(i, j))
    along_x = _basis(x - start_x, length_x, ca.fmin, ca.fmax)
    along_y = _basis(y - start_y, length_y, ca.fmin, ca.fmax)
    return sum(c[4 * a + b] * along_x[a] * along_y[b] for a in range(4) for b in range(4))


def _interval(x: Any, knots: np.ndarray) -> tuple[Any, Any, Any]:
    """Number of the interval that holds x, the outermost one beyond the knots; its start and its length."""
    count = len(knots) - 1
    i = ca.fmax(0.0, ca.fmin(ca.floor(_lines("place", [knots], np.arange(count + 1.0))(x)), count - 1.0))
    numbers = np.arange(float(count))
    start, length = (_lines(name, [numbers], y)(i) for name, y in (("start", knots[:-1]), ("length", np.diff(knots))))
    return i, start, length


def _coefficients(*numbers: float) -> ca.Function:
    """The 16 coefficients of a patch by the numbers of its intervals, exact at whole numbers."""
    _, _, C = _made(_patches, *numbers)
    whole = C.reshape(16, *C.shape[2:])
    return _lines("patch", [np.arange(float(n)) for n in C.shape[2:]], whole.ravel(order="F"))


def _lines(name: str, knots: Sequence[np.ndarray], values: np.ndarray) -> ca.Function:
    """A linear table."""
    return ca.interpolant(name, "linear", [each.tolist() for each in knots], values.tolist())


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
    "interpolate": lambda x, *samples: np.interp(x, *_made(_knots, *samples)),
    DELAY: _delay,
    "abs where": lambda x, condition: np.asarray(np.where(condition, np.abs(x), x))[()],
    "table within": lambda x, low, high: np.where((x >= low) & (x <= high), x, np.nan)[()],
    "table spline": lambda x, *samples: _made(_cubic, *samples)(x)[()],
    "table grid": _grid,
    "table surface": _surface,
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
    "interpolate": lambda x, *samples: _made(_interpolant, *samples)(x),
    DELAY: _delay,
    "abs where": lambda x, condition: ca.if_else(condition, ca.fabs(x), x),
    "table within": lambda x, low, high: ca.if_else(ca.logic_and(x >= low, x <= high), x, ca.DM.nan()),
    "table spline": _casadi_spline,
    "table grid": lambda x, y, *numbers: _made(_bilinear, *numbers)(ca.vertcat(x, y)),
    "table surface": _casadi_surface,
}
