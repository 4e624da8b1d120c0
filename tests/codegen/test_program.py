"""What a CasADi Function becomes: dense row-major ports, each value once, clear refusals."""

import casadi as ca
import numpy as np
import pytest

from cardan.codegen import native
from cardan.codegen.kernels import address_of, call
from cardan.codegen.program.chunks import cut
from cardan.codegen.program.instruction import FREE
from cardan.codegen.program.operations import OPERATIONS
from cardan.codegen.program.program import flatten
from cardan.codegen.program.schedule import schedule
from cardan.errors import SolveError
from tests.selection import each

from .programs import evaluate, random_function, run_all, run_native

ROUNDING = 200 * 4 * 2.0**-52
"""200 steps, none of which amplifies errors, each of up to four operations that are contracted or not."""


def operations(function):
    return [instruction.op for instruction in flatten(function).instructions]


def test_ports_are_dense_and_row_major():
    A = ca.SX.sym("A", 2, 3)
    pattern = ca.Sparsity.triplet(2, 3, [0, 1], [2, 0])
    S = ca.SX.sym("S", pattern)
    function = ca.Function("f", [A, S], [A.T, 2 * S, ca.SX(2, 2)], ["A", "S"], ["At", "S2", "zero"])
    program = flatten(function)
    assert [(port.name, port.rows, port.columns) for port in program.inputs] == [("A", 2, 3), ("S", 2, 3)]
    a, s = np.arange(1.0, 7.0).reshape(2, 3), np.arange(10.0, 16.0).reshape(2, 3)
    out = run_native(native(function), np.concatenate([a.ravel(), s.ravel()]))[:, 0]
    np.testing.assert_array_equal(out[:6].reshape(3, 2), a.T)
    np.testing.assert_array_equal(out[6:12].reshape(2, 3), [[0, 0, 2 * s[0, 2]], [2 * s[1, 0], 0, 0]])
    np.testing.assert_array_equal(out[12:], 0)


@each("lanes", [0, 4])
def test_constants_and_inputs_as_results(lanes):
    x = ca.SX.sym("x", 2)
    function = ca.Function("f", [x], [ca.vertcat(x[1], 3.5, -0.0, x[1], x[0])])
    columns = np.random.default_rng(0).normal(size=(2, 5))
    np.testing.assert_array_equal(run_all(function, columns, lanes), evaluate(function, columns))


def test_no_inputs_or_no_outputs():
    assert native(ca.Function("f", [], [ca.SX([1, 2])])).n_in == 0
    assert native(ca.Function("f", [ca.SX.sym("x")], [])).n_out == 0


def test_equal_instructions_are_made_once():
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    function = ca.Function("f", [x, y], [ca.sin(x * y) + ca.exp(y * x), ca.sin(x * y)])
    made = operations(function)
    assert made.count(ca.OP_MUL) == 1
    assert made.count(ca.OP_SIN) == 1


def test_unused_instructions_are_dropped():
    x = ca.SX.sym("x")
    inner = ca.Function("inner", [x], [ca.exp(x), ca.sin(x)], {"never_inline": True})
    y = ca.SX.sym("y")
    outer = ca.Function("outer", [y], [inner(y)[1]])
    assert ca.OP_EXP not in operations(outer)
    assert run_native(native(outer), [0.7])[0, 0] == float(outer(0.7))


def test_free_variables_are_refused():
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    with pytest.raises(SolveError, match="free variables"):
        flatten(ca.Function("f", [x], [x + y], {"allow_free": True}))


def test_what_casadi_cannot_expand_is_refused():
    A, b = ca.MX.sym("A", 2, 2), ca.MX.sym("b", 2)
    with pytest.raises(SolveError, match="'f' cannot be written as scalar operations"):
        flatten(ca.Function("f", [A, b], [ca.solve(A, b, "qr")]))


def test_operations_without_a_value_are_refused(monkeypatch):
    x = ca.SX.sym("x")
    monkeypatch.delitem(OPERATIONS, ca.OP_SIN)
    with pytest.raises(SolveError, match="operation OP_SIN has no scalar meaning"):
        flatten(ca.Function("f", [x], [ca.sin(x)]))


def test_functions_of_other_kinds_are_refused():
    x = ca.MX.sym("x")
    root = ca.rootfinder("root", "newton", ca.Function("h", [x], [x * x - 2]))
    with pytest.raises(SolveError, match="Newton 'root' cannot be compiled"):
        flatten(ca.Function("f", [x], [root(x)]))


@pytest.mark.parametrize("lanes", [0, 4, 8])
@pytest.mark.parametrize("seed", range(6))
def test_whole_programs(seed, lanes):
    function = random_function(seed)
    columns = np.random.default_rng(seed).normal(size=(4, 13))
    np.testing.assert_allclose(run_all(function, columns, lanes), evaluate(function, columns), rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("length", [7, 1000])  # of a function in machine code: several, one
@pytest.mark.parametrize("lanes", [0, 4])
def test_the_last_input_may_stand_in_an_array_of_its_own(lanes, length, monkeypatch):
    monkeypatch.setattr("cardan.codegen.machine.build.cache.remember", lambda material, make: make())
    monkeypatch.setattr("cardan.codegen.llvm.module.WHOLE", length)
    monkeypatch.setattr("cardan.codegen.llvm.module.PIECE", length)
    one, last = ca.SX.sym("one", 4), ca.SX.sym("last", 4)
    inner = random_function(2, length=40)
    function = ca.Function("f", [one, last], [inner(one) * last[0] + inner(last), last[1], ca.sin(last[2])])
    columns = np.random.default_rng(4).normal(size=(8, max(lanes, 1)))
    made, found = native(function, lanes=lanes, apart=True), np.empty((function.nnz_out(), max(lanes, 1)))
    work, (first, apart) = np.empty((made.n_work, max(lanes, 1))), np.split(columns, 2)
    call(made.address, *map(address_of, (first, found, work, apart)))
    np.testing.assert_array_equal(found, run_all(function, columns, lanes))


@each("length", [20, 2000])
def test_every_value_is_made_once_and_after_its_operands(length):
    program = flatten(random_function(5, length=length))
    order = schedule(program)
    made = {value for value, instruction in enumerate(program.instructions) if instruction.op in FREE}
    assert len(order) == len(set(order))
    assert not made & set(order)
    for value in order:
        assert made.issuperset(program.instructions[value].args)
        made.add(value)
    assert made.issuperset(value for value in program.results if value >= 0)


def test_slots_are_used_again():
    program = flatten(random_function(5, length=2000))
    chunks, size = cut(program, schedule(program), 50)
    stored = sum(len(chunk.stores) for chunk in chunks)
    assert size < stored / 4
    alive: dict[int, int] = {}
    for chunk in chunks:
        assert all(alive[slot] == value for value, slot in chunk.loads.items())
        alive.update((slot, value) for value, slot in chunk.stores.items())
