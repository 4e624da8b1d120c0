"""The functions a kernel may call that are not kernel functions themselves."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

from cardan.codegen.kernels.emitter import Emitter, Value, llvm_type
from cardan.codegen.kernels.lines import line, lines, select, somewhere
from cardan.codegen.kernels.memory import call, doubles

Intrinsic = Callable[[Emitter, list[Value], ast.Call], Value]


def _extreme(condition: tuple[str, str]) -> Intrinsic:
    """Return Python's min or max of numbers: the first argument that no later one beats."""

    def emit(code: Emitter, arguments: list[Value], node: ast.Call) -> Value:
        best = arguments[0]
        for argument in arguments[1:]:
            best, other = code.common(best, argument, node)
            if best.kind == "line":
                code.refuse(node, "min or max of lines")
            beats = code.compare(condition[best.kind != "float"], other, best)
            operands = f"{llvm_type(best.kind)} {other.text}, {llvm_type(best.kind)} {best.text}"
            best = code.temporary(f"select i1 {beats.text}, {operands}", best.kind)
        return best

    return emit


def _math(name: str) -> Intrinsic:
    """Return a function of one float as an LLVM intrinsic."""

    def emit(code: Emitter, arguments: list[Value], node: ast.Call) -> Value:
        x = code.convert(arguments[0], "float", node)
        return code.temporary(f"call double @llvm.{name}.f64(double {x.text})", "float")

    return emit


def _abs(code: Emitter, arguments: list[Value], node: ast.Call) -> Value:
    (x,) = arguments
    if x.kind == "line":
        return code.temporary(f"call <8 x double> @llvm.fabs.v8f64(<8 x double> {x.text})", "line")
    return _math("fabs")(code, arguments, node)


def _select(code: Emitter, arguments: list[Value], node: ast.Call) -> Value:
    where = code.convert(arguments[0], "mask", node)
    yes, no = (code.convert(argument, "line", node) for argument in arguments[1:])
    operands = f"<8 x double> {yes.text}, <8 x double> {no.text}"
    return code.temporary(f"select <8 x i1> {where.text}, {operands}", "line")


def _somewhere(code: Emitter, arguments: list[Value], node: ast.Call) -> Value:
    where = code.convert(arguments[0], "mask", node)
    bits = code.temporary(f"bitcast <8 x i1> {where.text} to i8", "none")
    return code.temporary(f"icmp ne i8 {bits.text}, 0", "bool")


def _ceil(code: Emitter, arguments: list[Value], node: ast.Call) -> Value:
    return code.temporary(f"fptosi double {_math('ceil')(code, arguments, node).text} to i64", "int")


def _isfinite(code: Emitter, arguments: list[Value], node: ast.Call) -> Value:
    return code.compare("olt", _math("fabs")(code, arguments, node), Value("float", "0x7FF0000000000000"))


def _doubles(code: Emitter, arguments: list[Value], node: ast.Call) -> Value:
    address = code.convert(arguments[0], "int", node)
    return code.temporary(f"inttoptr i64 {address.text} to ptr", "doubles")


def _native(code: Emitter, arguments: list[Value], node: ast.Call) -> Value:
    function, *rest = (_doubles(code, [argument], node).text for argument in arguments)
    code.line(f"call void {function}({', '.join(f'ptr {text}' for text in rest)})")
    return Value("none", "")


def _int(code: Emitter, arguments: list[Value], node: ast.Call) -> Value:
    x = code.convert(arguments[0], "float", node)
    return code.temporary(f"fptosi double {x.text} to i64", "int")


BUILTINS = {"min": min, "max": max, "abs": abs, "float": float, "int": int, "range": range}
INTRINSICS: dict[Any, Intrinsic] = {
    min: _extreme(("olt", "slt")),
    max: _extreme(("ogt", "sgt")),
    abs: _abs,
    float: lambda code, arguments, node: code.convert(arguments[0], "float", node),
    int: _int,
    math.sqrt: _math("sqrt"),
    math.ceil: _ceil,
    math.isfinite: _isfinite,
    doubles: _doubles,
    call: _native,
    line: lambda code, arguments, node: code.convert(arguments[0], "line", node),
    lines: lambda code, arguments, node: Value("lines", _doubles(code, arguments, node).text),
    select: _select,
    somewhere: _somewhere,
}
