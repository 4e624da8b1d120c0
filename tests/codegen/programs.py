"""Running machine code, and CasADi Functions to run, for the tests of this room."""

import ctypes

import casadi as ca
import numpy as np

from cardan.codegen import native

CORNERS = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 0.8, -0.8, 2.0, -3.0, 3.7, -2.5, 1.5707963267948966, -3.141592653589793),
    *(1e-9, -1e-9, 5e-324, -2.2e-308, 1e-160, 1e160, -1e300, 1.7976931348623157e308, 2.0**31 + 0.5, -1e22),
    *(np.inf, -np.inf, np.nan),
)


def run_native(made, columns):
    """Outputs (n_out, W or 1) of machine code for inputs (n_in, W or 1)."""
    width = max(made.lanes, 1)
    inputs = np.ascontiguousarray(columns, dtype=float).reshape(made.n_in, width)
    outputs = np.full((made.n_out, width), 7.0)
    work = np.empty((made.n_work, width))
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(made.address)
    call(inputs.ctypes.data, outputs.ctypes.data, work.ctypes.data if made.n_work else None)
    return outputs


def run_all(function, columns, lanes):
    """Outputs (n_out, n) for n input columns, in blocks of `lanes` columns."""
    made = native(function, lanes=lanes)
    width = max(lanes, 1)
    columns = np.asarray(columns, dtype=float)
    count = columns.shape[1]
    filled = columns[:, np.minimum(np.arange(-(-count // width) * width), count - 1)]
    blocks = [run_native(made, filled[:, i : i + width]) for i in range(0, filled.shape[1], width)]
    return np.hstack(blocks)[:, :count]


def evaluate(function, columns):
    """Outputs (n_out, n) of CasADi's own evaluator for n columns of the concatenated inputs; all ports are vectors."""
    ends = np.cumsum([function.numel_in(i) for i in range(function.n_in())])[:-1]
    results = []
    for column in np.asarray(columns, dtype=float).T:
        out = function.call([ca.DM(part) for part in np.split(column, ends)])
        results.append(np.concatenate([part.full().ravel() for part in out]))
    return np.array(results).T


def random_function(seed, length=200):
    """A function of four numbers in `length` random steps, each continuous, none amplifying errors of its operands."""
    rng = np.random.default_rng(seed)
    x = ca.SX.sym("x", 4)
    values = [x[i] for i in range(4)]
    for _ in range(length):
        a, b = (values[int(i)] for i in rng.integers(max(0, len(values) - 12), len(values), 2))
        steps = (
            *(lambda a, b: (a + b) / 2, lambda a, b: 0.5 * (a - b), lambda a, b: ca.tanh(0.5 * a * b)),
            *(lambda a, b: a / (2 + b * b), lambda a, b: b / (2 + b * b), lambda a, b: ca.if_else(a < b, a, b)),
            *(lambda a, b: ca.fmin(a, b), lambda a, b: ca.fmax(a, -b), lambda a, b: ca.atan2(a, 2 + b * b)),
            *(lambda a, b: ca.sin(a), lambda a, b: ca.cos(b), lambda a, b: ca.sin(a) * ca.cos(a)),
            *(lambda a, b: 0.5 * ca.hypot(a, b), lambda a, b: ca.exp(-a * a), lambda a, b: ca.sqrt(1 + b * b) / 2),
        )
        values.append(steps[int(rng.integers(len(steps)))](a, b))
    return ca.Function("random", [x], [ca.vertcat(*values[-20:])], ["x"], ["y"])
