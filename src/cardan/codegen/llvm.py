"""A program as LLVM text: `void f(const double *in, double *out, double *work)` for one state or for W states side by side.

With lanes, number k of the input vector is a row of W doubles, in[k][W], and likewise `out` and `work`. The three arrays must not overlap.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import casadi as ca

from . import elementary
from .chunks import Chunk, cut
from .instruction import FREE
from .operations import LIBM, OPERATIONS
from .program import Program
from .rows import rows, state
from .schedule import partners, schedule
from .tables import LOW
from .widths import Width

__all__ = ["module"]

CHUNK = 2500
"""Instructions in one function."""
ARGUMENTS = "ptr noalias nocapture readonly %in, ptr noalias nocapture %out, ptr noalias nocapture %work"
INTRINSICS = {"sqrt": 1, "fabs": 1, "floor": 1, "ceil": 1, "copysign": 2, "fma": 3}


def module(program: Program, lanes: int) -> tuple[str, int]:
    """The text of a module with the functions `program`, `state` and `rows`, and the number of `work` entries (per state) that they need.

    Parameters
    ----------
    program : Program
        What is written.
    lanes : int
        Number of states side by side; 0 for plain numbers.
    """
    width = Width(lanes)
    chunks, n_work = cut(program, schedule(program), CHUNK)
    tables = {table: i for i, table in enumerate(dict.fromkeys(i.table for i in program.instructions if i.table))}
    functions = [
        _function(f"internal void @chunk{i}", 'noinline "stackrealign"', _body(program, chunk, width, tables, i == 0)) for i, chunk in enumerate(chunks)
    ]
    calls = [f"call void @chunk{i}(ptr %in, ptr %out, ptr %work)" for i in range(len(chunks))]
    text = [
        *_library(program, width, tables),
        *functions,
        _function("void @program", "", calls),
        state(program, width),
        rows(program, width),
        '!0 = !{!"branch_weights", i32 1000000, i32 1}',
    ]
    return "\n".join(text), n_work


def _function(head: str, attributes: str, body: list[str]) -> str:
    return "\n".join([f"define {head}({ARGUMENTS}) {attributes} nounwind {{", "entry:", *body, "ret void\n}"])


def _body(program: Program, chunk: Chunk, width: Width, tables: dict[tuple[float, ...], int], first: bool) -> list[str]:
    """Lines that load what the chunk reads, make its values and store what lives on."""
    writer = _Writer(program, width, tables)
    lines: list[str] = []
    if first:
        lines += writer.plain_results()
    for value, slot in chunk.loads.items():
        lines += writer.load(value, "%work", slot)
    for value in chunk.values:
        lines += writer.make(value)
        if value in chunk.stores:
            lines += writer.store(value, "%work", chunk.stores[value])
    return lines


class _Writer:
    """Writes the values of one function."""

    def __init__(self, program: Program, width: Width, tables: dict[tuple[float, ...], int]) -> None:
        self.program, self.width, self.tables = program, width, tables
        self.known: set[int] = set()
        self.places = 0
        self.partners = partners(program)
        self.results: dict[int, list[int]] = {}
        for position, value in enumerate(program.results):
            self.results.setdefault(value, []).append(position)
        self.fields = {
            "T": width.number,
            "I": width.integer,
            "B": width.boolean,
            "suffix": width.suffix,
            "lib": "lanes." if width.lanes else "",
            "zero": width.constant(0.0),
            "one": width.constant(1.0),
            "minus_one": width.constant(-1.0),
        }

    def make(self, value: int) -> list[str]:
        """Lines that make a value and store it wherever it is a result."""
        if value in self.known:
            return self._keep(value)
        instruction = self.program.instructions[value]
        lines = [line for arg in instruction.args for line in self._fetch(arg)]
        args = [self._name(arg) for arg in instruction.args]
        if instruction.op in (ca.OP_SIN, ca.OP_COS):
            lines += self._sincos(value, args[0])
        else:
            table = self.tables.get(instruction.table, "")
            pair = {"a": args[0], "b": args[-1], "r": f"%v{value}", "table": table}
            lines.append(OPERATIONS[instruction.op].format(**self.fields, **pair))
        self.known.add(value)
        return lines + self._keep(value)

    def load(self, value: int, array: str, row: int) -> list[str]:
        """Lines that read a value from an array."""
        self.known.add(value)
        place, lines = self._place(array, row)
        return [*lines, f"%v{value} = load {self.width.number}, ptr {place}, align 8"]

    def store(self, value: int, array: str, row: int) -> list[str]:
        """Lines that write a value to an array."""
        place, lines = self._place(array, row)
        return [*lines, f"store {self.width.number} {self._name(value)}, ptr {place}, align 8"]

    def plain_results(self) -> list[str]:
        """Lines for the results that take no computing: structural zeros, constants and inputs handed through."""
        lines = []
        for start, length in _runs(self.results.get(-1, [])):
            place, more = self._place("%out", start)
            size = 8 * length * self.width.count
            lines += [*more, f"call void @llvm.memset.p0.i64(ptr {place}, i8 0, i64 {size}, i1 false)"]
        for value, instruction in enumerate(self.program.instructions):
            if instruction.op in FREE and value in self.results:
                lines += [*self._fetch(value), *self._keep(value)]
        return lines

    def _sincos(self, value: int, angle: str) -> list[str]:
        """Lines for both functions of an angle; the other one is not made again."""
        pair = {self.program.instructions[value].op: f"%v{value}"}
        other = self.partners.get(value)
        if other is not None:
            pair[self.program.instructions[other].op] = f"%v{other}"
            self.known.add(other)
        names = (pair.get(op, f"%unused{value}") for op in (ca.OP_SIN, ca.OP_COS))
        return elementary.sincos(self.width, *names, angle, f"t{value}")

    def _fetch(self, value: int) -> list[str]:
        """Lines that load an input when it is first read."""
        instruction = self.program.instructions[value]
        if instruction.op != ca.OP_INPUT or value in self.known:
            return []
        return self.load(value, "%in", instruction.args[0])

    def _keep(self, value: int) -> list[str]:
        return [line for position in self.results.get(value, ()) for line in self.store(value, "%out", position)]

    def _name(self, value: int) -> str:
        instruction = self.program.instructions[value]
        return self.width.constant(instruction.value) if instruction.op == ca.OP_CONST else f"%v{value}"

    def _place(self, array: str, row: int) -> tuple[str, list[str]]:
        self.places += 1
        name = f"%p{self.places}"
        return name, [f"{name} = getelementptr double, ptr {array}, i64 {row * self.width.count}"]


def _runs(positions: list[int]) -> Iterator[tuple[int, int]]:
    """Start and length of each run of consecutive positions."""
    for _, run in groupby(enumerate(positions), lambda pair: pair[1] - pair[0]):
        members = [position for _, position in run]
        yield members[0], len(members)


def _library(program: Program, width: Width, tables: dict[tuple[float, ...], int]) -> Iterator[str]:
    """Declarations and definitions of everything that the program's operations call."""
    operations = {instruction.op for instruction in program.instructions}
    yield from _declarations(width)
    if operations & {ca.OP_SIN, ca.OP_COS}:
        yield elementary.rare_sincos(width)
    called = [name for name in (*LIBM, "erfinv") if any(f"{{lib}}{name}(" in OPERATIONS.get(op, "") for op in operations)]
    if "erfinv" in called:
        yield elementary.erfinv()
    for op, table in dict.fromkeys((i.op, i.table) for i in program.instructions if i.table):
        name = f"{'low' if op == LOW else 'read'}{tables[table]}"
        yield elementary.lookup_search(name, table) if op == LOW else elementary.lookup_reader(name, table)
        called.append(name)
    if width.lanes:
        yield from (elementary.per_lane(width, name) for name in called)


def _declarations(width: Width) -> Iterator[str]:
    for lanes in {0, width.lanes}:
        kind = Width(lanes)
        for name, arity in INTRINSICS.items():
            yield f"declare {kind.number} @llvm.{name}.{kind.suffix}({', '.join([kind.number] * arity)})"
    for name, arity in LIBM.items():
        yield f"declare double @{name}({', '.join(['double'] * arity)}) nounwind"
    yield "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
