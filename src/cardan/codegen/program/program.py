"""A CasADi Function as a flat list of instructions in single-assignment form.

CasADi evaluates an SX Function by walking a list of instructions over reusable work slots. `flatten` reads that list
once, gives every value a number of its own, merges equal instructions and drops unused ones. Every target (machine
code, C, SymPy …) walks the result.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import casadi as ca

from cardan.codegen.program.instruction import CALL, IDENTITY, NAMES, NEEDED, RESULT, Instruction, renumbered_reads
from cardan.codegen.program.operations import OPERATIONS
from cardan.codegen.program.tables import level_samples, lookup_values, read_lookup
from cardan.errors import SolveError
from cardan.frozen import dataclass, field


@dataclass(frozen=True, slots=True)
class Port:
    """One input or output: its name and its dense shape."""

    name: str  # name in the CasADi Function
    rows: int  # dense shape
    columns: int  # dense shape

    @property
    def size(self) -> int:
        """Number of doubles the port takes, rows × columns."""
        return self.rows * self.columns


@dataclass(frozen=True, slots=True)
class Program:
    """Instructions in an order in which every value is made before it is read.

    All inputs concatenated, each dense and row-major, form the input vector, and likewise the outputs.
    """

    name: str  # name of the CasADi Function
    inputs: tuple[Port, ...]  # what goes in
    outputs: tuple[Port, ...]  # what comes out
    instructions: tuple[Instruction, ...]  # instruction i makes value i
    results: tuple[int, ...]  # value that fills each position of the output vector; −1 for a structural zero
    called: tuple[Program, ...] = ()  # the programs that instructions `CALL` call; these call no others
    lanes: Mapping[int, int] = field(default_factory=dict)  # number of lanes of values that hold several numbers

    @property
    def length(self) -> int:
        """Number of instructions, those of called programs once."""
        return len(self.instructions) + sum(len(each.instructions) for each in self.called)

    @property
    def n_in(self) -> int:
        """Length of the input vector."""
        return sum(port.size for port in self.inputs)

    @property
    def is_conditional(self) -> bool:
        """Whether a call of this program may be left out: its first input says whether it is `NEEDED`."""
        return bool(self.inputs) and self.inputs[0].name == NEEDED

    @property
    def n_out(self) -> int:
        """Length of the output vector."""
        return len(self.results)

    def material(self) -> bytes:
        """Bytes that are equal exactly for programs with equal machine code: the key of the disk cache."""
        rows = [(i.op, i.table, len(i.args), *i.args) for i in self.instructions]
        constants = struct.pack(f"<{len(rows)}d", *(i.value for i in self.instructions))
        sizes = ([port.size for port in self.inputs], [port.size for port in self.outputs])
        own = repr((sizes, rows, self.results, self.is_conditional)).encode() + constants
        return b"called".join([own, *(each.material() for each in self.called)])


def flatten(function: ca.Function, *, whole_tables: bool = False, calls: bool = False) -> Program:
    """The program of a CasADi Function."""
    function = _expanded(function)
    builder = _Builder(whole_tables, calls)
    inputs = _ports(function, "in")
    outputs = _ports(function, "out")
    values = {
        (i, k): builder.add(Instruction(ca.OP_INPUT, (position,))) for i, k, position in _positions(function, "in")
    }
    results = [-1] * sum(port.size for port in outputs)
    where = {(i, k): position for i, k, position in _positions(function, "out")}
    for key, value in _walk(function, values, builder):
        results[where[key]] = value
    instructions, filled = _used(*share_reciprocals(builder.instructions, results))
    return Program(function.name(), inputs, outputs, instructions, filled, tuple(builder.called.values()))


def _expanded(function: ca.Function) -> ca.Function:
    if not function.is_a("SXFunction"):
        try:
            function = function.expand()
        except RuntimeError as error:
            raise SolveError(f"function {function.name()!r} cannot be written as scalar operations: {error}") from error
    if function.has_free():
        raise SolveError(f"function {function.name()!r} has free variables {function.get_free()}; make them inputs")
    return function


def _ports(function: ca.Function, side: str) -> tuple[Port, ...]:
    count, name, size = (getattr(function, verb + side) for verb in ("n_", "name_", "size_"))
    return tuple(Port(name(i), *size(i)) for i in range(count()))


def _positions(function: ca.Function, side: str) -> Iterator[tuple[int, int, int]]:
    """Port, nonzero and position in the dense row-major vector, for each nonzero of each port."""
    start = 0
    for i in range(getattr(function, "n_" + side)()):
        pattern = getattr(function, "sparsity_" + side)(i)
        columns = pattern.size2()
        for k, (row, column) in enumerate(zip(pattern.row(), pattern.get_col(), strict=True)):
            yield i, k, start + row * columns + column
        start += pattern.size1() * columns


_COMMUTATIVE = frozenset(code for code, operation in OPERATIONS.items() if operation.commutative)


class _Builder:
    """Instructions so far, each different one once."""

    def __init__(self, whole_tables: bool = False, calls: bool = False) -> None:
        self.whole_tables = whole_tables
        self.calls = calls
        self.called: dict[int, Program] = {}  # by hash of the function
        self.instructions: list[Instruction] = []
        self._numbers: dict[tuple, int] = {}

    def add(self, instruction: Instruction) -> int:
        """Number of the value the instruction makes; an equal earlier instruction is taken instead."""
        if instruction.op == ca.OP_CONST:
            return self._number((instruction.op, struct.pack("<d", instruction.value)), instruction)
        return self._number(instruction, instruction)

    def compute(self, op: int, args: tuple[int, ...]) -> int:
        """Number of the value of an operation without a constant or table."""
        key = (op, args[::-1]) if op in _COMMUTATIVE and args[0] > args[1] else (op, args)
        number = self._numbers.get(key)
        return self._number(key, Instruction(op, args)) if number is None else number

    def _number(self, key: tuple, instruction: Instruction) -> int:
        number = self._numbers.setdefault(key, len(self.instructions))
        if number == len(self.instructions):
            self.instructions.append(instruction)
        return number

    def make(self, op: int, *args: int, value: float = 0.0, table: tuple[float, ...] = ()) -> int:
        """Number of the value of a new instruction."""
        plain = op in OPERATIONS and not table
        return self.compute(op, args) if plain else self.add(Instruction(op, args, value, table))


def _walk(
    function: ca.Function, inputs: dict[tuple[int, int], int], builder: _Builder
) -> Iterator[tuple[tuple[int, int], int]]:
    """(port, nonzero) of each output with its value, while the instructions are added to the builder."""
    slots: dict[int, int] = {}
    expressions = None
    compute = builder.compute
    operation, reads, writes = function.instruction_id, function.instruction_input, function.instruction_output
    for k in range(function.n_instructions()):
        op = operation(k)
        if op in OPERATIONS:
            slots[writes(k)[0]] = compute(op, tuple([slots[slot] for slot in reads(k)]))
        elif op == ca.OP_INPUT:
            port, nonzero = reads(k)
            slots[writes(k)[0]] = inputs[port, nonzero]
        elif op == ca.OP_OUTPUT:
            port, nonzero = writes(k)
            yield (port, nonzero), slots[reads(k)[0]]
        elif op == ca.OP_CONST:
            slots[writes(k)[0]] = builder.add(Instruction(op, (), function.instruction_constant(k)))
        elif op in IDENTITY:
            slots[writes(k)[0]] = slots[reads(k)[0]]
        elif op == ca.OP_CALL:
            expressions = expressions or function.instructions_sx().nz
            called = expressions[k].which_function()
            made = _call(called, [slots[slot] for slot in reads(k)], builder)
            slots.update((slot, value) for slot, value in zip(writes(k), made, strict=True) if slot >= 0)
        else:
            name = NAMES.get(op, str(op))
            raise SolveError(f"function {function.name()!r}: operation {name} has no scalar meaning here")


def _call(function: ca.Function, args: Sequence[int], builder: _Builder) -> list[int]:
    """Values of all output nonzeros of a function called with the values of its input nonzeros."""
    lookup = read_lookup(function)
    samples = level_samples(lookup) if lookup is not None and builder.whole_tables else None
    if lookup is not None and samples is not None:
        return [builder.make(ca.OP_CALL, args[0], value=float(lookup.gradient), table=samples)]
    if lookup is not None:
        return lookup_values(lookup, list(args[: len(lookup.grids)]), builder.make)
    if function.class_name() not in ("SXFunction", "MXFunction"):
        raise SolveError(
            f"{function.class_name()} {function.name()!r} cannot be compiled; "
            "of the functions that CasADi calls, only linear interpolants can"
        )
    if builder.calls:
        return _kept_call(function, args, builder)
    function = _expanded(function)
    pairs = [(i, k) for i in range(function.n_in()) for k in range(function.nnz_in(i))]
    made = dict(_walk(function, dict(zip(pairs, args, strict=True)), builder))
    missing = builder.add(Instruction(ca.OP_CONST, (), 0.0))
    return [made.get((i, k), missing) for i in range(function.n_out()) for k in range(function.nnz_out(i))]


def _kept_call(function: ca.Function, args: Sequence[int], builder: _Builder) -> list[int]:
    """As `_call`, of a function that becomes a program of its own."""
    key = function.__hash__()  # of CasADi's record, which the calling function keeps
    if key not in builder.called:
        builder.called[key] = flatten(function)
    program = builder.called[key]
    given = [builder.make(ca.OP_CONST)] * program.n_in
    for value, (_, _, position) in zip(args, _positions(function, "in"), strict=True):
        given[position] = value
    called = builder.make(CALL, *given, value=float(list(builder.called).index(key)))
    return [builder.make(RESULT, called, value=float(position)) for _, _, position in _positions(function, "out")]


def _used(
    instructions: Sequence[Instruction], results: Sequence[int]
) -> tuple[tuple[Instruction, ...], tuple[int, ...]]:
    """The instructions that the results depend on, renumbered, and the renumbered results."""
    needed = [False] * len(instructions)
    for value in results:
        if value >= 0:
            needed[value] = True
    for number in range(len(instructions) - 1, -1, -1):
        if needed[number] and instructions[number].op != ca.OP_INPUT:
            for arg in instructions[number].args:
                needed[arg] = True
    renumbered = [-1] * len(instructions)
    kept: list[Instruction] = []
    for number, instruction in enumerate(instructions):
        if needed[number]:
            renumbered[number] = len(kept)
            kept.append(instruction if instruction.op == ca.OP_INPUT else renumbered_reads(instruction, renumbered))
    return tuple(kept), tuple(renumbered[value] if value >= 0 else -1 for value in results)


def share_reciprocals(
    instructions: Sequence[Instruction], results: Sequence[int]
) -> tuple[list[Instruction], list[int]]:
    """The instructions with several quotients a/d, b/d … of one divisor replaced by products with 1/d, and the
    renumbered results.

    A division takes as long as ten products, and articulated-body programs divide whole rows by one joint inertia.
    The relative error grows from ½ to at most 1½ units in the last place; a divisor below 2⁻¹⁰²⁴, whose reciprocal
    overflows, is the only one that gives another result.
    """
    divisions = Counter(instruction.args[1] for instruction in instructions if instruction.op == ca.OP_DIV)
    made: list[Instruction] = []
    renumbered: list[int] = []
    reciprocals: dict[int, int] = {}
    for instruction in instructions:
        if instruction.op != ca.OP_INPUT:
            if instruction.op == ca.OP_DIV and divisions[instruction.args[1]] > 1:
                divisor = instruction.args[1]
                if divisor not in reciprocals:
                    reciprocals[divisor] = len(made)
                    made.append(Instruction(ca.OP_INV, (renumbered[divisor],)))
                args = (renumbered[instruction.args[0]], reciprocals[divisor])
                instruction = Instruction(ca.OP_MUL, args)
            elif reciprocals:  # until then all numbers stay
                instruction = renumbered_reads(instruction, renumbered)
        renumbered.append(len(made))
        made.append(instruction)
    return made, [renumbered[value] if value >= 0 else -1 for value in results]
