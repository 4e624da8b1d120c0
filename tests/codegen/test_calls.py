"""Functions that CasADi does not inline stay calls in machine code: their instructions are there once."""

import casadi as ca
import numpy as np

from cardan.codegen import NEEDED, compile_function, native
from cardan.codegen.llvm.module import PIECE
from cardan.codegen.program.program import flatten
from cardan.codegen.targets.c_source import c_files
from cardan.codegen.targets.source import Argument, Routine, Source, operation_count
from tests.c_compiler import call, library, needs_c_compiler
from tests.selection import each


def iterated(count):
    """A function of (x, y) with `count` steps of a map, a table and a structural zero."""
    x, y = ca.SX.sym("x", 2), ca.SX.sym("y", 3)
    table = ca.interpolant("table", "linear", [[0.0, 1.0, 4.0]], [1.0, 3.0, 2.0])
    a, b = x[0], y[1]
    a, b = ca.sin(a), ca.cos(b)
    for _ in range(count):
        a, b = a / (1 + a * a) + 0.3 * b, x[1] / (1 + b * b) - y[2]  # short code: a sine is 40 instructions
    sparse = ca.SX(2, 2)
    sparse[0, 0], sparse[1, 1] = a, table(ca.fabs(b))
    return ca.Function("iterated", [x, y], [sparse, ca.vertcat(a * b, y[0])], {"never_inline": True})


def calling(inner, spread):
    """A function that calls `inner` three times, once with the results of another call; `spread` steps lie between."""
    z = ca.SX.sym("z", 3)
    first, pair = inner(z[:2], z)
    between = pair[0]
    for _ in range(spread):
        between = 0.5 * between + z[2]
    second, other = inner(ca.vertcat(between, first[1, 1]), ca.vertcat(1, z[:2]))
    third, _ = inner(z[:2], z)
    return ca.Function("calling", [z], [first + second, other * between, third[0, 0], z[0]])


@each("steps", [3, PIECE])
@each("spread", [0, 5 * PIECE])
def test_calls_have_the_values_of_the_called_functions(steps, spread):
    function = calling(iterated(steps), spread)
    z = np.random.default_rng(3).normal(size=(11, 3))
    compiled = compile_function(function, {})
    expected = [[np.array(out) for out in function(row)] for row in z]
    together = compiled(z)  # side by side in lanes
    for k, row in enumerate(z):
        for one, lane, two in zip(compiled(row), together, expected[k], strict=True):
            np.testing.assert_allclose(np.ravel(one), np.ravel(two), rtol=0, atol=1e-12)  # two orders of sums
            np.testing.assert_allclose(np.ravel(lane[k]), np.ravel(two), rtol=0, atol=1e-12)


def test_a_called_function_is_there_once():
    inner = iterated(PIECE)
    program = flatten(calling(inner, 0), calls=True)
    alone = flatten(inner)
    assert len(program.called) == 1
    assert program.length < len(alone.instructions) + 100
    assert len(flatten(calling(inner, 0)).instructions) > 1.9 * len(alone.instructions)  # equal calls are one
    assert native(calling(inner, 0)).length == program.length


def test_programs_that_differ_in_what_they_call_differ():
    one, other = (flatten(calling(iterated(count), 0), calls=True).material() for count in (3, 4))
    assert one != other


def conditional():
    """A function of z (3,) that calls 1/x for two numbers each: twice where they are needed, and once anyway."""
    needed, x = ca.SX.sym("needed"), ca.SX.sym("x", 2)
    inner = ca.Function("inner", [needed, x], [1 / x], [NEEDED, "x"], ["y"], {"never_inline": True})
    z = ca.SX.sym("z", 3)
    calls = [inner(z[0] > 0, z[1:]), inner(z[1] > 0, z[1:]), inner(1, ca.vertcat(z[1], 2))]
    return ca.Function("conditional", [z], [ca.horzcat(*calls)])


def test_calls_that_are_not_needed_are_left_out_and_give_zero():
    compiled = compile_function(conditional(), {})
    np.testing.assert_array_equal(compiled(np.array([0.0, 4.0, 0.0])), [[0, 0.25, 0.25], [0, np.inf, 0.5]])
    np.testing.assert_array_equal(compiled(np.array([1.0, -2.0, 8.0])), [[-0.5, 0, -0.5], [0.125, 0, 0.5]])


@needs_c_compiler
def test_c_source_calls_as_machine_code_does(tmp_path):
    functions = {"f": calling(iterated(3), 5 * PIECE), "g": conditional()}
    routines = {name: Routine.of(name, "", f, *ports(f), calls=True) for name, f in functions.items()}
    for ending, text in c_files(Source("made", (), (), tuple(routines.values()))).items():
        (tmp_path / f"made{ending}").write_text(text, encoding="utf-8")
    loaded = library(tmp_path / "made.c")
    assert operation_count(routines["g"].program)["total"] == 3 * 2 + 2  # each call, and both comparisons
    for z in np.random.default_rng(4).normal(size=(9, 3)):
        for name, function in functions.items():
            made = [np.full(function.size_out(k), 7.0) for k in range(function.n_out())]
            call(getattr(loaded, f"made_{name}"), z, *made)
            outs = compile_function(function, {})(z)
            for one, two in zip(made, outs if isinstance(outs, tuple) else [outs], strict=True):
                np.testing.assert_allclose(np.ravel(one), np.ravel(two), rtol=0, atol=1e-12)  # two orders of sums


def ports(function):
    """The arguments of a routine, with the names and shapes of the function's ports."""
    inputs = tuple(Argument(function.name_in(k), function.size_in(k), "") for k in range(function.n_in()))
    return inputs, tuple(Argument(function.name_out(k), function.size_out(k), "") for k in range(function.n_out()))
