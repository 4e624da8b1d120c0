"""NumPy source: the contract of all targets, and what only Python has: batches, messages, memory."""

from typing import ClassVar

import casadi as ca
import numpy as np
import pytest

from cardan.codegen.targets.python_source import python_files
from cardan.codegen.targets.source import Listing
from tests.contracts.target_contract import ULP, TargetContract
from tests.selection import each

from .programs import random_function
from .sources import source_of

NUMPY = 4 * ULP  # what NumPy promises of its vectorised functions
P = Listing("p", "parameters", ("m", "L"), ("kg", "m"), (2.0, 0.1), ("2 kg", "10 cm"))


def module(source):
    """Names of the source when it is run."""
    names = {}
    exec(compile(python_files(source)[".py"], f"{source.name}.py", "exec"), names)
    return names


def caller(function, made):
    """Outputs (n_out, n) for columns of inputs, as one batch."""

    def outputs(columns):
        ends = np.cumsum([function.numel_in(i) for i in range(function.n_in())])[:-1]
        out = made(*(part.T for part in np.split(np.asarray(columns, dtype=float), ends)))
        parts = out if isinstance(out, tuple) else (out,)
        return np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1).T

    return outputs


class TestPython(TargetContract):
    tolerance: ClassVar = {
        **dict.fromkeys((ca.OP_SIN, ca.OP_COS, ca.OP_TAN, ca.OP_ASIN, ca.OP_ACOS, ca.OP_ATAN, ca.OP_ATAN2), NUMPY),
        **dict.fromkeys((ca.OP_SINH, ca.OP_COSH, ca.OP_TANH, ca.OP_ASINH, ca.OP_ACOSH, ca.OP_ATANH), NUMPY),
        **dict.fromkeys((ca.OP_EXP, ca.OP_LOG, ca.OP_LOG1P, ca.OP_EXPM1, ca.OP_POW, ca.OP_CONSTPOW), NUMPY),
    }
    powers = NUMPY

    @classmethod
    def build(cls, functions, folder):
        names = module(source_of(functions))
        return {name: caller(function, names[name]) for name, function in functions.items()}


def test_batches_are_broadcast_and_one_state_gives_one_result():
    x, y, t, p = ca.SX.sym("x", 2), ca.SX.sym("y", 3), ca.SX.sym("t"), ca.SX.sym("p", 2)
    function = ca.Function(
        "f", [x, y, t, p], [p[0] * x @ y.T + t * p[1], ca.dot(x, x)], ["x", "y", "t", "p"], ["A", "s"]
    )
    source = source_of({"f": function}, (P,))
    routine = source.routines[0]
    shapes = {"x": (2,), "y": (3,), "t": (), "p": (2,), "A": (2, 3), "s": ()}
    named = [
        tuple(type(one)(one.name, shapes[one.name], "", one.name) for one in side)
        for side in (routine.inputs, routine.outputs)
    ]
    routine = type(routine)("f", "", routine.function, routine.program, *named, table=True)
    f = module(type(source)("made", ("",), (P,), (routine,)))["f"]
    rng = np.random.default_rng(0)
    a, b, times, ps = (
        rng.normal(size=(4, 1, 2)),
        rng.normal(size=(5, 3)),
        rng.normal(size=(3, 1, 1)),
        rng.normal(size=2),
    )
    out = f(a, b, times, ps)
    np.testing.assert_allclose(
        out["A"],
        np.broadcast_to(ps[0] * a[..., None] * b[..., None, :] + ps[1] * times[..., None, None], (3, 4, 5, 2, 3)),
    )
    assert out["s"].shape == (3, 4, 5)
    one = f(a[0, 0], b[0])
    assert (one["A"].shape, one["s"].shape) == ((2, 3), ())
    np.testing.assert_allclose(one["A"], 2.0 * np.outer(a[0, 0], b[0]))  # t = 0 and p = P


def test_an_array_of_another_length_is_named():
    x = ca.SX.sym("x", 2)
    f = module(source_of({"f": ca.Function("f", [x], [2 * x], ["x"], ["y"])}))["f"]
    with pytest.raises(ValueError, match=r"x has the shape \(3,\); its last axes must be \(2,\)"):
        f([1, 2, 3])


def test_default_values_cannot_be_changed_by_accident():
    names = module(source_of({}, (P,)))
    assert names["P_NAMES"] == ("m", "L")
    with pytest.raises(ValueError, match="read-only"):
        names["P"][0] = 3


def test_a_large_batch_holds_only_what_is_still_to_be_read():
    text = python_files(source_of({"f": random_function(0, 2000)}))[".py"]
    count = len({line.split("=")[0] for line in text.splitlines() if line.startswith("        s")})
    assert count < 200


@each("title", ['"""\nimport nothing', "back\\", '"', "line\nbreak", "\u202e turned", "größer"])
def test_a_title_is_never_code(title):
    x = ca.SX.sym("x")
    names = module(source_of({"f": ca.Function("f", [x], [2 * x], ["x"], ["y"])}, about=title))
    assert np.array_equal(names["f"]([[3.0]]), [[6.0]])


def test_a_division_of_constants_gives_infinity():
    x = ca.SX.sym("x")
    table = ca.interpolant("t", "linear", [[0.0, 1.0]], [1.0, 2.0])
    function = ca.Function("f", [x], [x + table(ca.SX(0.5))], ["x"], ["y"])
    assert module(source_of({"f": function}))["f"]([1.0]) == 2.5
