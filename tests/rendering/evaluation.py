"""The value of a written expression, each part once: SymPy would spell out what large expressions share."""

import math

import numpy as np

from cardan.model.quantities.parameters import resolve
from cardan.rendering.algebra.expression import Head, children

ROUND_OFF = 1e-13  # relative to the largest entry: some thousand operations, whose rounding mostly cancels

FUNCTIONS = {
    **{
        name: getattr(math, name)
        for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "tanh", "exp", "log", "sqrt")
    },
    "pi": lambda: math.pi,
    "shared": lambda x: x,
    "abs": abs,
    "min": min,
    "max": max,
    "pow": math.pow,
    "sign": lambda x: (x > 0) - (x < 0),
    "floor": math.floor,
    "lt": lambda a, b: float(a < b),
    "le": lambda a, b: float(a <= b),
    "eq": lambda a, b: float(a == b),
    "ne": lambda a, b: float(a != b),
    "not": lambda a: float(not a),
    "and": lambda a, b: float(bool(a and b)),
    "or": lambda a, b: float(bool(a or b)),
    "interpolate": lambda x, *points: float(np.interp(x, points[::2], points[1::2])),
    "where": lambda condition, x: x if condition else 0.0,
}


def value(root, names, known):
    """Number of an expression, with symbols by `names`; `known` keeps what was computed."""
    stack = [root]
    while stack:
        e = stack[-1]
        missing = [child for child in children(e) if child not in known]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        if e.kind == Head.NUMBER:
            known[e] = float(e.number)
        elif e.kind == Head.SYMBOL:
            known[e] = names[e.name]
        elif e.kind == Head.SUM:
            known[e] = math.fsum(known[term] for term in e.args)
        elif e.kind == Head.PRODUCT:
            known[e] = float(e.number) * math.prod(known[base] ** exponent for base, exponent in e.args)
        else:
            known[e] = FUNCTIONS[e.name](*(known[arg] for arg in e.args))
    return known[root]


def check_entries(eq):
    """All written entries of a mechanism at a random state against their numbers from machine code."""
    rng = np.random.default_rng(7)
    q, v, i, u = (rng.uniform(-1, 1, n) for n in (len(eq.coordinates), len(eq.velocities), 9, len(eq.inputs)))
    drives = [*eq.model.motors]
    z = i[: len(drives)] if eq.motors == "full" else []
    terms = eq.evaluate(q, v, t=0.7, currents=z, inputs=u)
    names = dict(zip([*eq.coordinates, *eq.velocities], [*q, *v], strict=True)) | {"t": 0.7}
    names |= {name: float(number) for name, number in resolve(eq.model.parameters).items()}
    names |= {f"{name}.current": current for name, current in zip(drives, i, strict=False)}
    names |= dict.fromkeys(eq.states, 0.0)
    names = dict(zip(eq.inputs, u, strict=True)) | names
    known = {}
    for term, matrix in eq.readable.items():
        found = np.reshape([value(entry, names, known) for row in matrix.rows for entry in row], terms[term].shape)
        scale = 1 + np.max(np.abs(terms[term]), initial=0)
        np.testing.assert_allclose(found, terms[term], atol=ROUND_OFF * scale, rtol=0, err_msg=term)
