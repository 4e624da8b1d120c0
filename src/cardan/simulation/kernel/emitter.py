"""LLVM text of one function, line by line: typed operands, blocks, variables, conversions between types."""

from __future__ import annotations

import ast
import struct
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

__all__ = ["ENTRY", "FIELD", "Emitter", "Kind", "Value", "llvm_type"]

Kind = Any  # "float", "int", "bool", "doubles", "none", or a record class

_LLVM = {"float": "double", "int": "i64", "bool": "i1", "doubles": "ptr", "none": "void"}

# Records and arrays never overlap: a store to an array leaves the fields in registers.
FIELD, ENTRY = "!tbaa !3", "!tbaa !4"


class Value(NamedTuple):
    """A typed LLVM operand."""

    kind: Kind
    text: str


def llvm_type(kind: Kind) -> str:
    """Return the LLVM type of a kind; records are passed by address."""
    return _LLVM[kind] if isinstance(kind, str) else "ptr"


class Emitter:
    """One function being written; every variable is a stack slot, which LLVM turns into registers."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.slots: list[str] = []
        self.lines: list[str] = []
        self.variables: dict[str, Kind] = {}
        self.count = 0
        self.open = True  # the current block has no end yet

    def line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def temporary(self, text: str, kind: Kind) -> Value:
        self.count += 1
        name = f"%t{self.count}"
        self.line(f"{name} = {text}")
        return Value(kind, name)

    def label(self) -> str:
        self.count += 1
        return f"b{self.count}"

    def start(self, label: str) -> None:
        """Begin a block; the one before falls through to it."""
        if self.open:
            self.line(f"br label %{label}")
        self.lines.append(f"{label}:")
        self.open = True

    def branch(self, condition: Value, yes: str, no: str) -> None:
        self.line(f"br i1 {condition.text}, label %{yes}, label %{no}")
        self.open = False

    def slot(self, kind: Kind) -> str:
        self.count += 1
        name = f"%s{self.count}"
        self.slots.append(f"  {name} = alloca {llvm_type(kind)}")
        return name

    def refuse(self, node: ast.AST, reason: str) -> NoReturn:
        code = self.function.__code__
        line = code.co_firstlineno + getattr(node, "lineno", 1) - 1
        raise SyntaxError(f"{code.co_filename}:{line}: {reason} in kernel function {self.function.__name__}")

    def store_name(self, name: str, value: Value, node: ast.AST) -> None:
        if name not in self.variables:
            self.variables[name] = value.kind
            self.slots.append(f"  %{name}.v = alloca {llvm_type(value.kind)}")
        value = self.convert(value, self.variables[name], node)
        self.line(f"store {llvm_type(value.kind)} {value.text}, ptr %{name}.v")

    def load_name(self, name: str) -> Value:
        kind = self.variables[name]
        return self.temporary(f"load {llvm_type(kind)}, ptr %{name}.v", kind)

    def constant(self, node: ast.expr, value: Any) -> Value:
        if isinstance(value, bool):
            return Value("bool", str(value).lower())
        if isinstance(value, int):
            return Value("int", str(int(value)))
        if isinstance(value, float):
            return Value("float", "0x" + struct.pack(">d", value).hex().upper())
        self.refuse(node, f"{value!r} is not a number")

    def convert(self, value: Value, kind: Kind, node: ast.AST) -> Value:
        if value.kind == kind:
            return value
        if (value.kind, kind) == ("int", "float"):
            return self.temporary(f"sitofp i64 {value.text} to double", kind)
        if (value.kind, kind) == ("bool", "int"):
            return self.temporary(f"zext i1 {value.text} to i64", kind)
        return self.refuse(node, f"{value.kind} where {kind} is needed")

    def common(self, left: Value, right: Value, node: ast.AST) -> tuple[Value, Value]:
        """Return both values with one type: float where one of them is."""
        if "float" in (left.kind, right.kind):
            return self.convert(left, "float", node), self.convert(right, "float", node)
        return left, self.convert(right, left.kind, node)

    def compare(self, condition: str, left: Value, right: Value) -> Value:
        instruction = "fcmp" if left.kind == "float" else "icmp"
        return self.temporary(f"{instruction} {condition} {llvm_type(left.kind)} {left.text}, {right.text}", "bool")
