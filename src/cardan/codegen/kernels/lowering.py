"""Python functions → LLVM text, for a subset of Python with the meaning of Python.

    values      float, int, bool; records (classes of annotations, passed by address); doubles(address)
                lines of eight floats, with + − * / abs and comparisons place by place; lines(address)
    statements  =  +=  if  while  for … in range(…)  return, calls, docstrings
    calls       functions of the module; record.function(…), a function of the record's class
    expressions + − * / // % **  comparisons  and  or  not  a if c else b  record.field  array[i]
                min max abs float int  math.sqrt math.ceil math.isfinite, numbers and functions of the module
                line(number)  select(comparison, line, line)  somewhere(comparison)

A variable keeps the type of its first value (an int becomes a float where the variable is one). `//` and `%` are for
numbers that are not negative. No floating-point operation is reordered or fused: the machine code gives Python's
results to the bit.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from cardan.codegen.kernels.definitions import definition
from cardan.codegen.kernels.emitter import ENTRY, FIELD, Emitter, Value, ValueKind, llvm_type
from cardan.codegen.kernels.intrinsics import BUILTINS, INTRINSICS
from cardan.codegen.kernels.memory import fields

_METADATA = """
!0 = !{!"kernel"}
!1 = !{!"field", !0}
!2 = !{!"entry", !0}
!3 = !{!1, !1, i64 0}
!4 = !{!2, !2, i64 0}
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare <8 x double> @llvm.fabs.v8f64(<8 x double>)
declare double @llvm.ceil.f64(double)
declare double @llvm.pow.f64(double, double)
"""

_ARITHMETIC = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}
_COMPARISONS = {
    ast.Lt: ("olt", "slt"),
    ast.LtE: ("ole", "sle"),
    ast.Gt: ("ogt", "sgt"),
    ast.GtE: ("oge", "sge"),
    ast.Eq: ("oeq", "eq"),
    ast.NotEq: ("une", "ne"),
}


def module_text(function: Callable[..., Any], kinds: Iterable[ValueKind], symbol: str) -> str:
    """Return the LLVM module of a function and of all functions it calls."""
    module = _Module()
    inner = module.require(function, tuple(kinds))
    return module.finish(inner, symbol)


class _Module:
    """The functions of one module, each lowered once per types of its arguments."""

    def __init__(self) -> None:
        self.symbols: dict[tuple[Any, ...], tuple[str, ValueKind]] = {}
        self.texts: list[str] = []

    def require(self, function: Callable[..., Any], kinds: tuple[ValueKind, ...]) -> tuple[str, ValueKind]:
        """Return symbol and result type of a function, lowering it at first use."""
        key = (function, kinds)
        if key not in self.symbols:
            self.symbols[key] = (f"@{function.__name__}.{len(self.symbols)}", _result_kind(function))
            self.texts.append(_Function(self, function, kinds, *self.symbols[key]).lower())
        return self.symbols[key]

    def finish(self, inner: tuple[str, ValueKind], symbol: str) -> str:
        """Return the text, with the function `inner` visible as `symbol`."""
        text = "\n".join(self.texts) + _METADATA
        return text.replace(f"define internal i64 {inner[0]}(", f"define i64 @{symbol}(")


def _result_kind(function: Callable[..., Any]) -> ValueKind:
    annotation = function.__annotations__["return"]
    return {None: "none", "None": "none", "Line": "line"}.get(annotation, annotation)


class _Function:
    """One function being lowered, a method for each kind of node."""

    def __init__(
        self,
        module: _Module,
        function: Callable[..., Any],
        kinds: tuple[ValueKind, ...],
        symbol: str,
        result: ValueKind,
    ) -> None:
        self.module, self.function, self.kinds, self.symbol, self.result = module, function, kinds, symbol, result
        self.out = Emitter(function)

    def lower(self) -> str:
        """Return the text of the function."""
        tree = definition(self.function)
        arguments = []
        for position, (argument, kind) in enumerate(zip(tree.args.args, self.kinds, strict=True)):
            given = Value(kind, f"%a{position}")
            arguments.append(f"{llvm_type(kind)} {given.text}")
            self.out.store_name(argument.arg, given, tree)
        for statement in tree.body:
            self.statement(statement)
        if self.out.open:
            self.out.line("ret void" if self.result == "none" else "unreachable")
        # Inlining a loop into every caller does not speed it up; compiling it once takes a third of the time.
        loops = any(isinstance(node, ast.For | ast.While) for node in ast.walk(tree))
        inlining = "noinline" if loops and not vars(self.function).get("inlined") else "alwaysinline"
        signature = f"{llvm_type(self.result)} {self.symbol}({', '.join(arguments)})"
        head = f"define internal {signature} nounwind {inlining} {{"
        return "\n".join([head, "entry:", *self.out.slots, *self.out.lines, "}"])

    # statements

    def statement(self, node: ast.stmt) -> None:
        if not self.out.open:
            self.out.refuse(node, "unreachable statement")
        method = getattr(self, f"statement_{type(node).__name__}", None)
        if method is None:
            self.out.refuse(node, f"unsupported statement {type(node).__name__}")
        method(node)

    def statement_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def statement_Assign(self, node: ast.Assign) -> None:
        if len(node.targets) != 1:
            self.out.refuse(node, "unsupported chained assignment")
        target = node.targets[0]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            values = [self.value(item) for item in node.value.elts]
            for part, value in zip(target.elts, values, strict=True):
                self.store(part, value)
        else:
            self.store(target, self.value(node.value))

    def statement_AugAssign(self, node: ast.AugAssign) -> None:
        self.store(node.target, self.value(ast.copy_location(ast.BinOp(node.target, node.op, node.value), node)))

    def statement_Return(self, node: ast.Return) -> None:
        if node.value is None:
            self.out.line("ret void")
        else:
            value = self.out.convert(self.value(node.value), self.result, node)
            self.out.line(f"ret {llvm_type(self.result)} {value.text}")
        self.out.open = False

    def statement_If(self, node: ast.If) -> None:
        yes, no, end = self.out.label(), self.out.label(), self.out.label()
        self.out.branch(self.condition(node.test), yes, no if node.orelse else end)
        reached = self.block(yes, node.body, end)
        if node.orelse:
            reached |= self.block(no, node.orelse, end)
        if reached or not node.orelse:
            self.out.start(end)

    def block(self, label: str, body: list[ast.stmt], end: str) -> bool:
        """Lower statements under `label`; tell whether their end is reached, which then goes to `end`."""
        self.out.start(label)
        for statement in body:
            self.statement(statement)
        reached = self.out.open
        if reached:
            self.out.line(f"br label %{end}")
            self.out.open = False
        return reached

    def statement_While(self, node: ast.While) -> None:
        self.refuse_else(node)
        head, body, end = self.out.label(), self.out.label(), self.out.label()
        self.out.start(head)
        self.out.branch(self.condition(node.test), body, end)
        self.block(body, node.body, head)
        self.out.start(end)

    def refuse_else(self, node: ast.While | ast.For) -> None:
        if node.orelse:
            self.out.refuse(node, "unsupported else of a loop")

    def statement_For(self, node: ast.For) -> None:
        self.refuse_else(node)
        counted = isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) == "range" and len(node.iter.args) < 3
        if not counted:
            self.out.refuse(node, "only range(last) and range(first, last) can be looped over")
        assert isinstance(node.target, ast.Name)
        assert isinstance(node.iter, ast.Call)
        bounds = [self.out.convert(self.value(bound), "int", node) for bound in node.iter.args]
        first, last = (Value("int", "0"), bounds[0]) if len(bounds) == 1 else bounds
        head, body, end = self.out.label(), self.out.label(), self.out.label()
        self.out.store_name(node.target.id, first, node)
        self.out.start(head)
        self.out.branch(self.out.compare("slt", self.out.load_name(node.target.id), last), body, end)
        self.out.start(body)
        for statement in node.body:
            self.statement(statement)
        if self.out.open:
            index = self.out.load_name(node.target.id)
            self.out.store_name(node.target.id, self.out.temporary(f"add nsw i64 {index.text}, 1", "int"), node)
            self.out.line(f"br label %{head}")
            self.out.open = False
        self.out.start(end)

    # places

    def store(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.out.store_name(target.id, value, target)
        elif isinstance(target, ast.Attribute):
            kind, place = self.field(target)
            value = self.out.convert(value, kind, target)
            self.out.line(f"store {llvm_type(kind)} {value.text}, ptr {place}, {FIELD}")
        elif isinstance(target, ast.Subscript):
            place, kind = self.entry(target)
            value = self.out.convert(value, kind, target)
            self.out.line(f"store {llvm_type(kind)} {value.text}, ptr {place}, align 8, {ENTRY}")
        else:
            self.out.refuse(target, "unsupported target")

    def field(self, node: ast.Attribute) -> tuple[ValueKind, str]:
        """Return kind and address of a field of a record."""
        record = self.value(node.value)
        names = fields(record.kind) if isinstance(record.kind, type) else {}
        if node.attr not in names:
            self.out.refuse(node, f'no record field "{node.attr}"')
        position = list(names).index(node.attr)
        place = self.out.temporary(f"getelementptr inbounds i64, ptr {record.text}, i64 {position}", "doubles")
        return ("float" if names[node.attr] == "float" else "int"), place.text

    def entry(self, node: ast.Subscript) -> tuple[str, ValueKind]:
        """Return address and kind of an entry of an array."""
        array = self.value(node.value)
        kind = {"doubles": "float", "lines": "line"}.get(array.kind)
        if kind is None:
            self.out.refuse(node, "only doubles(address) and lines(address) can be indexed")
        index = self.out.convert(self.value(node.slice), "int", node)
        step = f"getelementptr inbounds {llvm_type(kind)}, ptr {array.text}, i64 {index.text}"
        return self.out.temporary(step, "doubles").text, kind

    # expressions

    def value(self, node: ast.expr) -> Value:
        method = getattr(self, f"value_{type(node).__name__}", None)
        if method is None:
            self.out.refuse(node, f"unsupported expression {type(node).__name__}")
        return method(node)

    def condition(self, node: ast.expr) -> Value:
        return self.out.convert(self.value(node), "bool", node)

    def value_Constant(self, node: ast.Constant) -> Value:
        return self.out.constant(node, node.value)

    def value_Name(self, node: ast.Name) -> Value:
        if node.id in self.out.variables:
            return self.out.load_name(node.id)
        return self.out.constant(node, self.resolve(node))

    def value_Attribute(self, node: ast.Attribute) -> Value:
        if isinstance(node.value, ast.Name) and node.value.id not in self.out.variables:
            return self.out.constant(node, self.resolve(node))
        kind, place = self.field(node)
        return self.out.temporary(f"load {llvm_type(kind)}, ptr {place}, {FIELD}", kind)

    def value_Subscript(self, node: ast.Subscript) -> Value:
        place, kind = self.entry(node)
        return self.out.temporary(f"load {llvm_type(kind)}, ptr {place}, align 8, {ENTRY}", kind)

    def value_UnaryOp(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return self.out.temporary(f"xor i1 {self.out.convert(value, 'bool', node).text}, true", "bool")
        if isinstance(node.op, ast.USub) and value.kind in ("float", "line"):
            return self.out.temporary(f"fneg {llvm_type(value.kind)} {value.text}", value.kind)
        if isinstance(node.op, ast.USub) and value.kind == "int":
            return self.out.temporary(f"sub i64 0, {value.text}", "int")
        return self.out.refuse(node, "unsupported operator")

    def value_BinOp(self, node: ast.BinOp) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.Div) and "line" in (left.kind, right.kind):
            left, right = self.out.common(left, right, node)
            return self.out.temporary(f"fdiv <8 x double> {left.text}, {right.text}", "line")
        if isinstance(node.op, ast.Div | ast.Pow):
            left, right = self.out.convert(left, "float", node), self.out.convert(right, "float", node)
            if isinstance(node.op, ast.Div):
                return self.out.temporary(f"fdiv double {left.text}, {right.text}", "float")
            return self.out.temporary(f"call double @llvm.pow.f64(double {left.text}, double {right.text})", "float")
        left, right = self.out.common(left, right, node)
        if isinstance(node.op, ast.Mod | ast.FloorDiv) and left.kind == "int":
            instruction = "srem" if isinstance(node.op, ast.Mod) else "sdiv"
            return self.out.temporary(f"{instruction} i64 {left.text}, {right.text}", "int")
        if type(node.op) not in _ARITHMETIC or left.kind not in ("int", "float", "line"):
            self.out.refuse(node, "unsupported operator")
        prefix = "" if left.kind == "int" else "f"
        operation = f"{prefix}{_ARITHMETIC[type(node.op)]} {llvm_type(left.kind)}"
        return self.out.temporary(f"{operation} {left.text}, {right.text}", left.kind)

    def value_Compare(self, node: ast.Compare) -> Value:
        if len(node.ops) != 1 or type(node.ops[0]) not in _COMPARISONS:
            self.out.refuse(node, "unsupported comparison")
        left, right = self.out.common(self.value(node.left), self.value(node.comparators[0]), node)
        return self.out.compare(_COMPARISONS[type(node.ops[0])][left.kind in ("int", "bool")], left, right)

    def value_BoolOp(self, node: ast.BoolOp) -> Value:
        slot, end = self.out.slot("bool"), self.out.label()
        for position, part in enumerate(node.values):
            value = self.condition(part)
            self.out.line(f"store i1 {value.text}, ptr {slot}")
            if position + 1 < len(node.values):
                following = self.out.label()
                yes, no = (following, end) if isinstance(node.op, ast.And) else (end, following)
                self.out.branch(value, yes, no)
                self.out.start(following)
        self.out.start(end)
        return self.out.temporary(f"load i1, ptr {slot}", "bool")

    def value_IfExp(self, node: ast.IfExp) -> Value:
        yes, no, end = self.out.label(), self.out.label(), self.out.label()
        self.out.branch(self.condition(node.test), yes, no)
        self.out.start(yes)
        first = self.value(node.body)
        place = len(self.out.lines)
        self.out.open = False
        self.out.start(no)
        second = self.value(node.orelse)
        kind = "float" if "float" in (first.kind, second.kind) else first.kind
        slot = self.out.slot(kind)
        self.out.line(f"store {llvm_type(kind)} {self.out.convert(second, kind, node).text}, ptr {slot}")
        self.out.start(end)
        tail = self.out.lines[place:]
        del self.out.lines[place:]
        self.out.line(f"store {llvm_type(kind)} {self.out.convert(first, kind, node).text}, ptr {slot}")
        self.out.line(f"br label %{end}")
        self.out.lines += tail
        return self.out.temporary(f"load {llvm_type(kind)}, ptr {slot}", kind)

    # calls

    def resolve(self, node: ast.expr) -> Any:
        """Return what a name or module attribute stands for outside the function."""
        scope = self.function.__globals__
        if isinstance(node, ast.Name):
            if node.id not in scope and node.id not in BUILTINS:
                self.out.refuse(node, f'unknown name "{node.id}"')
            return scope.get(node.id, BUILTINS.get(node.id))
        assert isinstance(node, ast.Attribute)
        return getattr(self.resolve(node.value), node.attr)

    def value_Call(self, node: ast.Call) -> Value:
        if node.keywords:
            self.out.refuse(node, "unsupported keyword argument")
        function, given = self.callee(node.func)
        arguments = [*given, *(self.value(argument) for argument in node.args)]
        if function in INTRINSICS:
            return INTRINSICS[function](self.out, arguments, node)
        if not inspect.isfunction(function):
            self.out.refuse(node, f"{function!r} cannot be called")
        kinds = self.argument_kinds(function, arguments)
        symbol, kind = self.module.require(function, kinds)
        converted = [
            self.out.convert(argument, wanted, node) for argument, wanted in zip(arguments, kinds, strict=True)
        ]
        row = ", ".join(f"{llvm_type(argument.kind)} {argument.text}" for argument in converted)
        if kind == "none":
            self.out.line(f"call void {symbol}({row})")
            return Value("none", "")
        return self.out.temporary(f"call {llvm_type(kind)} {symbol}({row})", kind)

    def callee(self, node: ast.expr) -> tuple[Any, list[Value]]:
        """Return the function that is called, and the record that it is called on, if any, as its first argument."""
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
            return self.resolve(node), []
        if node.value.id not in self.out.variables:
            return self.resolve(node), []
        record = self.value(node.value)
        function = getattr(record.kind, node.attr, None) if isinstance(record.kind, type) else None
        if function is None:
            self.out.refuse(node, f'no record function "{node.attr}"')
        return function, [record]

    def argument_kinds(self, function: Callable[..., Any], arguments: list[Value]) -> tuple[ValueKind, ...]:
        """Return the types of the arguments: as annotated for numbers and lines, as given for records."""
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        wanted = [function.__annotations__.get(name, "") for name in names]
        numbers = {"float": "float", "int": "int", "Address": "int", "bool": "bool", "Line": "line"}
        return tuple(numbers.get(kind, given.kind) for kind, given in zip(wanted, arguments, strict=True))
