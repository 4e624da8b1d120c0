"""Functions that the operations of a program call: the C library, look-up tables."""

import re
from collections.abc import Collection, Iterator

import casadi as ca

from cardan.codegen.llvm.elementary import rare_sincos
from cardan.codegen.llvm.widths import Width
from cardan.codegen.program.operations import OPERATIONS
from cardan.codegen.program.program import Program
from cardan.codegen.program.tables import LOW

INTRINSICS = {"sqrt": 1, "fabs": 1, "floor": 1, "ceil": 1, "fma": 3}
ONE = Width(0)
_CALLED = {code: re.findall(r"@\{lib\}(\w+)\(", operation.llvm) for code, operation in OPERATIONS.items()}
"""The functions that the LLVM form of each operation calls."""
LIBM = {"sin": 1, "cos": 1} | {name: OPERATIONS[code].arity for code, names in _CALLED.items() for name in names}
"""Functions of the C library and their number of arguments."""


def library(
    programs: Collection[Program], width: Width, turned: Collection[Width], tables: dict[tuple[float, ...], int]
) -> Iterator[str]:
    """Declarations and definitions of all functions that the operations of programs call."""
    instructions = [instruction for program in programs for instruction in program.instructions]
    operations = {instruction.op for instruction in instructions}
    yield from _declarations({ONE, width, *turned})
    if operations & {ca.OP_SIN, ca.OP_COS}:
        yield from map(rare_sincos, turned)
    for table, i in tables.items():
        yield f"@table{i} = internal constant [{len(table)} x double] [{', '.join(map(_double, table))}]"
    reads = dict.fromkeys((i.op, i.table) for i in instructions if i.table)
    for op, table in reads:
        yield _search(tables[table], len(table)) if op == LOW else _read(tables[table])
    if width.lanes:
        called = [name for op, names in _CALLED.items() if op in operations for name in names]
        called += [f"{'low' if op == LOW else 'read'}{tables[table]}" for op, table in reads]
        yield from (_per_lane(width, name) for name in dict.fromkeys(called))


def _declarations(widths: Collection[Width]) -> Iterator[str]:
    for kind in widths:
        for name, arity in INTRINSICS.items():
            yield f"declare {kind.number} @llvm.{name}.{kind.suffix}({', '.join([kind.number] * arity)})"
    for name, arity in LIBM.items():
        yield f"declare double @{name}({', '.join(['double'] * arity)}) nounwind"
    yield "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"


def _per_lane(width: Width, name: str) -> str:
    """A function of lanes, `lanes.name`, that calls the function `name` of numbers for each lane."""
    args = "ab"[: LIBM.get(name, 1)]
    T = width.number
    lines = [f"define internal {T} @lanes.{name}({', '.join(f'{T} %{a}' for a in args)}) noinline nounwind {{"]
    last = "undef"
    for lane in range(width.count):
        for a in args:
            lines += width.take(f"%{a}{lane}", f"%{a}", lane)
        lines.append(f"%y{lane} = call double @{name}({', '.join(f'double %{a}{lane}' for a in args)})")
        lines += width.put(f"%r{lane}", last, f"%y{lane}", lane)
        last = f"%r{lane}"
    return "\n".join([*lines, f"ret {T} {last}\n}}"])


def _search(number: int, length: int) -> str:
    """A function that returns the interval of a grid that holds x, by bisection: how many inner knots are not above x.

    A NaN is not below any knot and lands in the last interval, as in CasADi.
    """
    return f"""
define internal double @low{number}(double %x) noinline nounwind {{
entry:
br label %loop
loop:
%low = phi i64 [ 1, %entry ], [ %low.next, %body ]
%high = phi i64 [ {length - 1}, %entry ], [ %high.next, %body ]
%more = icmp slt i64 %low, %high
br i1 %more, label %body, label %done
body:
%sum = add i64 %low, %high
%middle = lshr i64 %sum, 1
%place = getelementptr double, ptr @table{number}, i64 %middle
%knot = load double, ptr %place
%below = fcmp olt double %x, %knot
%above = add i64 %middle, 1
%low.next = select i1 %below, i64 %low, i64 %above
%high.next = select i1 %below, i64 %middle, i64 %high
br label %loop
done:
%interval = sub i64 %low, 1
%r = sitofp i64 %interval to double
ret double %r
}}"""


def _read(number: int) -> str:
    """A function that returns a table's entry at an index, which is a whole number held in a double."""
    return f"""
define internal double @read{number}(double %index) noinline nounwind {{
%i = fptosi double %index to i64
%place = getelementptr double, ptr @table{number}, i64 %i
%r = load double, ptr %place
ret double %r
}}"""


def _number(value: float) -> str:
    return ONE.constant(value)


def _double(value: float) -> str:
    return f"double {_number(value)}"
