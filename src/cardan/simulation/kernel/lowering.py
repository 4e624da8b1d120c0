"""Python functions → LLVM text, for a subset of Python with the meaning of Python.

    values      float, int, bool; records (classes of annotations, passed by address); doubles(address)
    statements  =  +=  if  while  for … in range(…)  return, calls, docstrings
    expressions + − * / % **  comparisons  and  or  not  a if c else b  record.field  array[i]
                min max abs float int  math.sqrt math.ceil math.isfinite, numbers and functions of the module

A variable keeps the type of its first value (an int becomes a float where the variable is one). `%` is for numbers that
are not negative. No floating-point operation is reordered or fused: the machine code gives Python's results to the bit.
"""

from __future__ import annotations

import ast
import inspect
import math
import struct
import textwrap
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, NoReturn

from cardan.simulation.kernel.memory import call, doubles, fields

__all__ = ["module_text"]

Kind = Any  # "float", "int", "bool", "doubles", "none", or a record class

_LLVM = {"float": "double", "int": "i64", "bool": "i1", "doubles": "ptr", "none": "void"}

# Records and arrays never overlap: a store to an array leaves the fields in registers.
_FIELD, _ENTRY = "!tbaa !3", "!tbaa !4"
_METADATA = """
!0 = !{!"kernel"}
!1 = !{!"field", !0}
!2 = !{!"entry", !0}
!3 = !{!1, !1, i64 0}
!4 = !{!2, !2, i64 0}
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
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


class Value(NamedTuple):
    """A typed LLVM operand."""

    kind: Kind
    text: str


def module_text(function: Callable[..., Any], kinds: Iterable[Kind], symbol: str) -> str:
    """Return the LLVM module of a function and of all functions it calls.

    Parameters
    ----------
    function : callable
        The one that is visible from outside.
    kinds : iterable
        Types of its arguments: "float", "int" or a record class.
    symbol : str
        Its name in the module.

    Raises
    ------
    SyntaxError
        Where the source leaves the subset.
    """
    module = _Module()
    inner = module.require(function, tuple(kinds))
    return module.finish(inner, symbol)


class _Module:
    """The functions of one module, each lowered once per types of its arguments."""

    def __init__(self) -> None:
        self.symbols: dict[tuple[Any, ...], tuple[str, Kind]] = {}
        self.texts: list[str] = []

    def require(self, function: Callable[..., Any], kinds: tuple[Kind, ...]) -> tuple[str, Kind]:
        """Return symbol and result type of a function, lowering it at first use."""
        key = (function, kinds)
        if key not in self.symbols:
            self.symbols[key] = (f"@{function.__name__}.{len(self.symbols)}", _result_kind(function))
            self.texts.append(_Function(self, function, kinds, *self.symbols[key]).lower())
        return self.symbols[key]

    def finish(self, inner: tuple[str, Kind], symbol: str) -> str:
        """Return the text, with the function `inner` visible as `symbol`."""
        text = "\n".join(self.texts) + _METADATA
        return text.replace(f"define internal i64 {inner[0]}(", f"define i64 @{symbol}(")


def _result_kind(function: Callable[..., Any]) -> Kind:
    annotation = function.__annotations__["return"]
    return "none" if annotation in (None, "None") else annotation


class _Function:
    """One function being lowered; every variable is a stack slot, which LLVM turns into registers."""

    def __init__(
        self, module: _Module, function: Callable[..., Any], kinds: tuple[Kind, ...], symbol: str, result: Kind
    ) -> None:
        self.module, self.function, self.kinds, self.symbol, self.result = module, function, kinds, symbol, result
        self.slots: list[str] = []
        self.lines: list[str] = []
        self.variables: dict[str, Kind] = {}
        self.count = 0
        self.open = True  # the current block has no end yet

    def lower(self) -> str:
        """Return the text of the function."""
        tree = ast.parse(textwrap.dedent(inspect.getsource(self.function))).body[0]
        assert isinstance(tree, ast.FunctionDef)
        arguments = []
        for position, (argument, kind) in enumerate(zip(tree.args.args, self.kinds, strict=True)):
            given = Value(kind, f"%a{position}")
            arguments.append(f"{_llvm(kind)} {given.text}")
            self.store_name(argument.arg, given, tree)
        for statement in tree.body:
            self.statement(statement)
        if self.open:
            self.line("ret void" if self.result == "none" else "unreachable")
        # Loops gain nothing from being copied into every caller, and compiling them once is three times faster.
        loops = any(isinstance(node, ast.For | ast.While) for node in ast.walk(tree))
        inlining = "noinline" if loops else "alwaysinline"
        head = (
            f"define internal {_llvm(self.result)} {self.symbol}({', '.join(arguments)}) nounwind {inlining} {{\nentry:"
        )
        return "\n".join([head, *self.slots, *self.lines, "}"])

    # output

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
        self.slots.append(f"  {name} = alloca {_llvm(kind)}")
        return name

    def refuse(self, node: ast.AST, reason: str) -> NoReturn:
        code = self.function.__code__
        line = code.co_firstlineno + getattr(node, "lineno", 1) - 1
        raise SyntaxError(f"{code.co_filename}:{line}: {reason} in kernel function {self.function.__name__}")

    # statements

    def statement(self, node: ast.stmt) -> None:
        if not self.open:
            self.refuse(node, "unreachable statement")
        method = getattr(self, f"statement_{type(node).__name__}", None)
        if method is None:
            self.refuse(node, f"unsupported statement {type(node).__name__}")
        method(node)

    def statement_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def statement_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            values = [self.value(item) for item in node.value.elts]
            for part, value in zip(target.elts, values, strict=True):
                self.store(part, value)
        else:
            self.store(target, self.value(node.value))

    def statement_AugAssign(self, node: ast.AugAssign) -> None:
        load = ast.parse(ast.unparse(node.target), mode="eval").body
        self.store(node.target, self.value(ast.copy_location(ast.BinOp(load, node.op, node.value), node)))

    def statement_Return(self, node: ast.Return) -> None:
        if node.value is None:
            self.line("ret void")
        else:
            value = self.convert(self.value(node.value), self.result, node)
            self.line(f"ret {_llvm(self.result)} {value.text}")
        self.open = False

    def statement_If(self, node: ast.If) -> None:
        yes, no, end = self.label(), self.label(), self.label()
        self.branch(self.condition(node.test), yes, no if node.orelse else end)
        reached = self.block(yes, node.body, end)
        if node.orelse:
            reached |= self.block(no, node.orelse, end)
        if reached or not node.orelse:
            self.start(end)

    def block(self, label: str, body: list[ast.stmt], end: str) -> bool:
        """Lower statements under `label`; tell whether their end is reached, which then goes to `end`."""
        self.start(label)
        for statement in body:
            self.statement(statement)
        reached = self.open
        if reached:
            self.line(f"br label %{end}")
            self.open = False
        return reached

    def statement_While(self, node: ast.While) -> None:
        head, body, end = self.label(), self.label(), self.label()
        self.start(head)
        self.branch(self.condition(node.test), body, end)
        self.block(body, node.body, head)
        self.start(end)

    def statement_For(self, node: ast.For) -> None:
        if not (
            isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name) and node.iter.func.id == "range"
        ):
            self.refuse(node, "only range can be looped over")
        assert isinstance(node.target, ast.Name)
        bounds = [self.convert(self.value(bound), "int", node) for bound in node.iter.args]
        first, last = (Value("int", "0"), bounds[0]) if len(bounds) == 1 else bounds
        head, body, end = self.label(), self.label(), self.label()
        self.store_name(node.target.id, first, node)
        self.start(head)
        self.branch(self.compare("slt", self.load_name(node.target.id), last), body, end)
        self.start(body)
        for statement in node.body:
            self.statement(statement)
        if self.open:
            index = self.load_name(node.target.id)
            self.store_name(node.target.id, self.temporary(f"add nsw i64 {index.text}, 1", "int"), node)
            self.line(f"br label %{head}")
            self.open = False
        self.start(end)

    # places

    def store(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.store_name(target.id, value, target)
        elif isinstance(target, ast.Attribute):
            kind, place = self.field(target)
            value = self.convert(value, kind, target)
            self.line(f"store {_llvm(kind)} {value.text}, ptr {place}, {_FIELD}")
        elif isinstance(target, ast.Subscript):
            value = self.convert(value, "float", target)
            self.line(f"store double {value.text}, ptr {self.entry(target)}, {_ENTRY}")
        else:
            self.refuse(target, "unsupported target")

    def store_name(self, name: str, value: Value, node: ast.AST) -> None:
        if name not in self.variables:
            self.variables[name] = value.kind
            self.slots.append(f"  %{name}.v = alloca {_llvm(value.kind)}")
        value = self.convert(value, self.variables[name], node)
        self.line(f"store {_llvm(value.kind)} {value.text}, ptr %{name}.v")

    def load_name(self, name: str) -> Value:
        kind = self.variables[name]
        return self.temporary(f"load {_llvm(kind)}, ptr %{name}.v", kind)

    def field(self, node: ast.Attribute) -> tuple[Kind, str]:
        """Return kind and address of a field of a record."""
        record = self.value(node.value)
        names = fields(record.kind) if isinstance(record.kind, type) else {}
        if node.attr not in names:
            self.refuse(node, f'no record field "{node.attr}"')
        position = list(names).index(node.attr)
        place = self.temporary(f"getelementptr inbounds i64, ptr {record.text}, i64 {position}", "doubles")
        return ("float" if names[node.attr] == "float" else "int"), place.text

    def entry(self, node: ast.Subscript) -> str:
        """Return the address of an entry of an array."""
        array = self.value(node.value)
        if array.kind != "doubles":
            self.refuse(node, "only doubles(address) can be indexed")
        index = self.convert(self.value(node.slice), "int", node)
        return self.temporary(f"getelementptr inbounds double, ptr {array.text}, i64 {index.text}", "doubles").text

    # expressions

    def value(self, node: ast.expr) -> Value:
        method = getattr(self, f"value_{type(node).__name__}", None)
        if method is None:
            self.refuse(node, f"unsupported expression {type(node).__name__}")
        return method(node)

    def condition(self, node: ast.expr) -> Value:
        return self.convert(self.value(node), "bool", node)

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

    def value_Constant(self, node: ast.Constant) -> Value:
        return self.constant(node, node.value)

    def value_Name(self, node: ast.Name) -> Value:
        if node.id in self.variables:
            return self.load_name(node.id)
        return self.constant(node, self.resolve(node))

    def value_Attribute(self, node: ast.Attribute) -> Value:
        if isinstance(node.value, ast.Name) and node.value.id not in self.variables:
            return self.constant(node, self.resolve(node))
        kind, place = self.field(node)
        return self.temporary(f"load {_llvm(kind)}, ptr {place}, {_FIELD}", kind)

    def value_Subscript(self, node: ast.Subscript) -> Value:
        return self.temporary(f"load double, ptr {self.entry(node)}, {_ENTRY}", "float")

    def value_UnaryOp(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return self.temporary(f"xor i1 {self.convert(value, 'bool', node).text}, true", "bool")
        if isinstance(node.op, ast.USub) and value.kind == "float":
            return self.temporary(f"fneg double {value.text}", "float")
        if isinstance(node.op, ast.USub) and value.kind == "int":
            return self.temporary(f"sub i64 0, {value.text}", "int")
        return self.refuse(node, "unsupported operator")

    def value_BinOp(self, node: ast.BinOp) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.Div | ast.Pow):
            left, right = self.convert(left, "float", node), self.convert(right, "float", node)
            if isinstance(node.op, ast.Div):
                return self.temporary(f"fdiv double {left.text}, {right.text}", "float")
            return self.temporary(f"call double @llvm.pow.f64(double {left.text}, double {right.text})", "float")
        left, right = self.common(left, right, node)
        if isinstance(node.op, ast.Mod) and left.kind == "int":
            return self.temporary(f"srem i64 {left.text}, {right.text}", "int")
        if type(node.op) not in _ARITHMETIC or left.kind not in ("int", "float"):
            self.refuse(node, "unsupported operator")
        prefix = "f" if left.kind == "float" else ""
        operation = f"{prefix}{_ARITHMETIC[type(node.op)]} {_llvm(left.kind)}"
        return self.temporary(f"{operation} {left.text}, {right.text}", left.kind)

    def common(self, left: Value, right: Value, node: ast.AST) -> tuple[Value, Value]:
        """Return both values with one type: float where one of them is."""
        if "float" in (left.kind, right.kind):
            return self.convert(left, "float", node), self.convert(right, "float", node)
        return left, self.convert(right, left.kind, node)

    def value_Compare(self, node: ast.Compare) -> Value:
        if len(node.ops) != 1 or type(node.ops[0]) not in _COMPARISONS:
            self.refuse(node, "unsupported comparison")
        left, right = self.common(self.value(node.left), self.value(node.comparators[0]), node)
        return self.compare(_COMPARISONS[type(node.ops[0])][left.kind != "float"], left, right)

    def compare(self, condition: str, left: Value, right: Value) -> Value:
        instruction = "fcmp" if left.kind == "float" else "icmp"
        return self.temporary(f"{instruction} {condition} {_llvm(left.kind)} {left.text}, {right.text}", "bool")

    def value_BoolOp(self, node: ast.BoolOp) -> Value:
        slot, end = self.slot("bool"), self.label()
        for position, part in enumerate(node.values):
            value = self.condition(part)
            self.line(f"store i1 {value.text}, ptr {slot}")
            if position + 1 < len(node.values):
                following = self.label()
                yes, no = (following, end) if isinstance(node.op, ast.And) else (end, following)
                self.branch(value, yes, no)
                self.start(following)
        self.start(end)
        return self.temporary(f"load i1, ptr {slot}", "bool")

    def value_IfExp(self, node: ast.IfExp) -> Value:
        yes, no, end = self.label(), self.label(), self.label()
        self.branch(self.condition(node.test), yes, no)
        self.start(yes)
        first = self.value(node.body)
        place = len(self.lines)
        self.open = False
        self.start(no)
        second = self.value(node.orelse)
        kind = "float" if "float" in (first.kind, second.kind) else first.kind
        slot = self.slot(kind)
        self.line(f"store {_llvm(kind)} {self.convert(second, kind, node).text}, ptr {slot}")
        self.start(end)
        tail = self.lines[place:]
        del self.lines[place:]
        self.line(f"store {_llvm(kind)} {self.convert(first, kind, node).text}, ptr {slot}")
        self.line(f"br label %{end}")
        self.lines += tail
        return self.temporary(f"load {_llvm(kind)}, ptr {slot}", kind)

    # calls

    def resolve(self, node: ast.expr) -> Any:
        """Return what a name or module attribute stands for outside the function."""
        scope = self.function.__globals__
        if isinstance(node, ast.Name):
            if node.id not in scope and node.id not in _BUILTINS:
                self.refuse(node, f'unknown name "{node.id}"')
            return scope.get(node.id, _BUILTINS.get(node.id))
        assert isinstance(node, ast.Attribute)
        return getattr(self.resolve(node.value), node.attr)

    def value_Call(self, node: ast.Call) -> Value:
        function = self.resolve(node.func)
        arguments = [self.value(argument) for argument in node.args]
        if function in _INTRINSICS:
            return _INTRINSICS[function](self, arguments, node)
        if not inspect.isfunction(function):
            self.refuse(node, f"{function!r} cannot be called")
        kinds = self.argument_kinds(function, arguments)
        symbol, kind = self.module.require(function, kinds)
        converted = [self.convert(argument, wanted, node) for argument, wanted in zip(arguments, kinds, strict=True)]
        row = ", ".join(f"{_llvm(argument.kind)} {argument.text}" for argument in converted)
        if kind == "none":
            self.line(f"call void {symbol}({row})")
            return Value("none", "")
        return self.temporary(f"call {_llvm(kind)} {symbol}({row})", kind)

    def argument_kinds(self, function: Callable[..., Any], arguments: list[Value]) -> tuple[Kind, ...]:
        """Return the types of the arguments: as annotated for numbers, as given for records."""
        wanted = [kind for name, kind in function.__annotations__.items() if name != "return"]
        numbers = {"float": "float", "int": "int", "Address": "int", "bool": "bool"}
        return tuple(numbers.get(kind, given.kind) for kind, given in zip(wanted, arguments, strict=True))


def _llvm(kind: Kind) -> str:
    return _LLVM[kind] if isinstance(kind, str) else "ptr"


def _extreme(condition: tuple[str, str]) -> Callable[[_Function, list[Value], ast.Call], Value]:
    """Return Python's min or max: the first argument that no later one beats."""

    def emit(code: _Function, arguments: list[Value], node: ast.Call) -> Value:
        best = arguments[0]
        for argument in arguments[1:]:
            best, other = code.common(best, argument, node)
            beats = code.compare(condition[best.kind != "float"], other, best)
            operands = f"{_llvm(best.kind)} {other.text}, {_llvm(best.kind)} {best.text}"
            best = code.temporary(f"select i1 {beats.text}, {operands}", best.kind)
        return best

    return emit


def _math(name: str) -> Callable[[_Function, list[Value], ast.Call], Value]:
    """Return a function of one float as an LLVM intrinsic."""

    def emit(code: _Function, arguments: list[Value], node: ast.Call) -> Value:
        x = code.convert(arguments[0], "float", node)
        return code.temporary(f"call double @llvm.{name}.f64(double {x.text})", "float")

    return emit


def _ceil(code: _Function, arguments: list[Value], node: ast.Call) -> Value:
    return code.temporary(f"fptosi double {_math('ceil')(code, arguments, node).text} to i64", "int")


def _isfinite(code: _Function, arguments: list[Value], node: ast.Call) -> Value:
    return code.compare("olt", _math("fabs")(code, arguments, node), code.constant(node, math.inf))


def _doubles(code: _Function, arguments: list[Value], node: ast.Call) -> Value:
    address = code.convert(arguments[0], "int", node)
    return code.temporary(f"inttoptr i64 {address.text} to ptr", "doubles")


def _native(code: _Function, arguments: list[Value], node: ast.Call) -> Value:
    function, *rest = (_doubles(code, [argument], node).text for argument in arguments)
    code.line(f"call void {function}({', '.join(f'ptr {text}' for text in rest)})")
    return Value("none", "")


def _float(code: _Function, arguments: list[Value], node: ast.Call) -> Value:
    return code.convert(arguments[0], "float", node)


def _int(code: _Function, arguments: list[Value], node: ast.Call) -> Value:
    x = code.convert(arguments[0], "float", node)
    return code.temporary(f"fptosi double {x.text} to i64", "int")


_BUILTINS = {"min": min, "max": max, "abs": abs, "float": float, "int": int, "range": range}
_INTRINSICS: dict[Any, Callable[[_Function, list[Value], ast.Call], Value]] = {
    min: _extreme(_COMPARISONS[ast.Lt]),
    max: _extreme(_COMPARISONS[ast.Gt]),
    abs: _math("fabs"),
    float: _float,
    int: _int,
    math.sqrt: _math("sqrt"),
    math.ceil: _ceil,
    math.isfinite: _isfinite,
    doubles: _doubles,
    call: _native,
}
