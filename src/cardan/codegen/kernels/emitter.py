"""LLVM text of one function, line by line: typed operands, blocks, variables, conversions between types."""

from __future__ import annotations

import ast
import struct
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

ValueKind = Any  # "float", "int", "bool", "doubles", "line", "mask", "lines", "none", or a record class

_LLVM = {
    **{"float": "double", "int": "i64", "bool": "i1", "doubles": "ptr", "none": "void"},
    **{"line": "<8 x double>", "mask": "<8 x i1>", "lines": "ptr"},
}

# Records and arrays never overlap: a store to an array leaves the fields in registers.
FIELD, ENTRY = "!tbaa !3", "!tbaa !4"


class Value(NamedTuple):
    """A typed LLVM operand."""

    kind: ValueKind
    text: str


def llvm_type(kind: ValueKind) -> str:
    """Return the LLVM type of a kind; records are passed by address."""
    return _LLVM[kind] if isinstance(kind, str) else "ptr"


class Emitter:
    """One function being written; every variable is a stack slot, which LLVM turns into registers.

    Everywhere `kind` is a type, `node` the place in the source that a refusal names, `label` the name of a block,
    `left` and `right` are the operands of an operation.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.slots: list[str] = []
        self.lines: list[str] = []
        self.variables: dict[str, ValueKind] = {}
        self.count = 0
        self.open = True  # whether the current block still lacks its final instruction

    def line(self, text: str) -> None:
        """Append an instruction, `text`."""
        self.lines.append(f"  {text}")

    def temporary(self, text: str, kind: ValueKind) -> Value:
        """Append an instruction with a result; return that."""
        self.count += 1
        name = f"%t{self.count}"
        self.line(f"{name} = {text}")
        return Value(kind, name)

    def label(self) -> str:
        """Return a new name for a block."""
        self.count += 1
        return f"b{self.count}"

    def start(self, label: str) -> None:
        """Begin a block; the one before falls through to it."""
        if self.open:
            self.line(f"br label %{label}")
        self.lines.append(f"{label}:")
        self.open = True

    def branch(self, condition: Value, yes: str, no: str) -> None:
        """End the block: go on with block `yes` if the `condition` holds, else with block `no`."""
        self.line(f"br i1 {condition.text}, label %{yes}, label %{no}")
        self.open = False

    def slot(self, kind: ValueKind) -> str:
        """Return the address of a new slot on the stack."""
        self.count += 1
        name = f"%s{self.count}"
        self.slots.append(f"  {name} = alloca {llvm_type(kind)}")
        return name

    def refuse(self, node: ast.AST, reason: str) -> NoReturn:
        """Refuse to compile a kernel function."""
        code = self.function.__code__
        line = getattr(node, "lineno", code.co_firstlineno)
        raise SyntaxError(f"{code.co_filename}:{line}: {reason} in kernel function {self.function.__name__}")

    def store_name(self, name: str, value: Value, node: ast.AST) -> None:
        """Assign `value` to the variable `name`, whose first value decides its kind."""
        if name not in self.variables:
            self.variables[name] = value.kind
            self.slots.append(f"  %{name}.v = alloca {llvm_type(value.kind)}")
        value = self.convert(value, self.variables[name], node)
        self.line(f"store {llvm_type(value.kind)} {value.text}, ptr %{name}.v")

    def load_name(self, name: str) -> Value:
        """Return the value of the variable `name`."""
        kind = self.variables[name]
        return self.temporary(f"load {llvm_type(kind)}, ptr %{name}.v", kind)

    def constant(self, node: ast.expr, value: Any) -> Value:
        """Return the number `value` as an operand."""
        if isinstance(value, bool):
            return Value("bool", str(value).lower())
        if isinstance(value, int):
            return Value("int", str(int(value)))
        if isinstance(value, float):
            return Value("float", "0x" + struct.pack(">d", value).hex().upper())
        self.refuse(node, f"{value!r} is not a number")

    def convert(self, value: Value, kind: ValueKind, node: ast.AST) -> Value:
        """Return `value` as another kind; all that is not among the following is refused.

        An int becomes a float, a bool an int, an int or a float a line of equal numbers.
        """
        if value.kind == kind:
            return value
        if (value.kind, kind) == ("int", "float"):
            return self.temporary(f"sitofp i64 {value.text} to double", kind)
        if (value.kind, kind) == ("bool", "int"):
            return self.temporary(f"zext i1 {value.text} to i64", kind)
        if value.kind in ("int", "float") and kind == "line":
            number = self.convert(value, "float", node)
            one = self.temporary(f"insertelement <8 x double> poison, double {number.text}, i64 0", kind)
            places = "<8 x i32> zeroinitializer"
            return self.temporary(f"shufflevector <8 x double> {one.text}, <8 x double> poison, {places}", kind)
        return self.refuse(node, f"{value.kind} where {kind} is needed")

    def common(self, left: Value, right: Value, node: ast.AST) -> tuple[Value, Value]:
        """Return both values with one type: a line or a float where one of them is."""
        for kind in ("line", "float"):
            if kind in (left.kind, right.kind):
                return self.convert(left, kind, node), self.convert(right, kind, node)
        return left, self.convert(right, left.kind, node)

    def compare(self, condition: str, left: Value, right: Value) -> Value:
        """Return whether LLVM's `condition`, such as olt or sge, holds."""
        instruction = "icmp" if left.kind in ("int", "bool") else "fcmp"
        kind = "mask" if left.kind == "line" else "bool"
        return self.temporary(f"{instruction} {condition} {llvm_type(left.kind)} {left.text}, {right.text}", kind)
