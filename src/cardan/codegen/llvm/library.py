"""Functions that the operations of a program call: the C library, look-up tables, the inverse error function."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

import casadi as ca

from cardan.codegen.llvm.elementary import rare_sincos
from cardan.codegen.llvm.widths import Width
from cardan.codegen.program.inverse_error import INNER, OUTER, SLOPE, SWITCH
from cardan.codegen.program.operations import OPERATIONS, Absent
from cardan.codegen.program.program import Program
from cardan.codegen.program.tables import LOW

__all__ = ["library"]

INTRINSICS = {"sqrt": 1, "fabs": 1, "floor": 1, "ceil": 1, "copysign": 2, "fma": 3}
ONE = Width(0)
_CALLED = {
    code: re.findall(r"@\{lib\}(\w+)\(", operation.llvm)
    for code, operation in OPERATIONS.items()
    if not isinstance(operation.llvm, Absent)
}
"""The functions that the LLVM form of each operation calls."""
LIBM = {"sin": 1, "cos": 1} | {
    name: OPERATIONS[code].arity for code, names in _CALLED.items() for name in names if name != "erfinv"
}
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
    if ca.OP_ERFINV in operations:
        yield _erfinv()
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


def _erfinv() -> str:
    """The inverse error function (`inverse_error`)."""
    body: list[str] = []

    def make(text: str) -> str:
        body.append(f"%t{len(body)} = {text}")
        return f"%t{len(body) - 1}"

    def both(operation: str) -> Callable[[str, str], str]:
        return lambda a, b: make(f"{operation} double {a}, {b}")

    def call(function: str, x: str) -> str:
        return make(f"call double @{function}(double {x})")

    def either(condition: str, a: str, b: str) -> str:
        return make(f"select i1 {make(f'fcmp {condition}')}, double {a}, double {b}")

    add, subtract, multiply, divide = both("fadd"), both("fsub"), both("fmul"), both("fdiv")

    def polynomial(x: str, *coefficients: float) -> str:
        y = _number(coefficients[0])
        for coefficient in coefficients[1:]:
            y = add(multiply(y, x), _number(coefficient))
        return y

    size, square = call("llvm.fabs.f64", "%x"), multiply("%x", "%x")
    inner = divide(multiply("%x", polynomial(square, *INNER[0])), polynomial(square, *INNER[1]))
    logarithm = call("log", divide(subtract(_number(1.0), size), _number(2.0)))
    z = call("llvm.sqrt.f64", make(f"fneg double {logarithm}"))
    outer = divide(polynomial(z, *OUTER[0]), polynomial(z, *OUTER[1]))
    y = either(f"olt double %x, {_number(SWITCH)}", inner, outer)
    for _ in range(2):
        slope = multiply(_number(SLOPE), call("exp", make(f"fneg double {multiply(y, y)}")))
        y = subtract(y, divide(subtract(call("erf", y), "%x"), slope))
    y = either(f"olt double %x, {_number(-SWITCH)}", make(f"fneg double {outer}"), y)
    pole = either(f"oeq double {size}, {_number(1.0)}", divide("%x", _number(0.0)), _number(float("nan")))
    y = either(f"oge double {size}, {_number(1.0)}", pole, y)
    return "\n".join(["define internal double @erfinv(double %x) noinline nounwind {", *body, f"ret double {y}\n}}"])


def _number(value: float) -> str:
    return ONE.constant(value)


def _double(value: float) -> str:
    return f"double {_number(value)}"
