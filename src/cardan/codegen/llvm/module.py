"""A program as LLVM text: `void f(const double *in, double *out, double *work)`, for one state or for W side by side.

With lanes, number k of the input vector is a row of W doubles, in[k][W], and likewise in `out` and `work`. The last
input may stand in an array of its own, `const double *last`, the fourth argument. The arrays must not overlap. The text
is written for the instruction selector as it stands: the program is already in single assignment without repetitions,
so LLVM's own optimisation passes would not improve it.

In a program for one state, values of equal limbs stand side by side in lanes of their own (`program.lanes`).

A program that it calls is a function `call0`, `call1`, … of the same form, whose arrays stand in `work` behind the
values of chunks (`program.calls`). A call that is not needed in this state
is left out (`NEEDED`), and its output is zero.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import casadi as ca

from cardan.codegen.llvm.elementary import sincos
from cardan.codegen.llvm.library import library
from cardan.codegen.llvm.rows import rows, state
from cardan.codegen.llvm.widths import Width
from cardan.codegen.program.calls import Calls, place_calls
from cardan.codegen.program.chunks import Chunk, cut
from cardan.codegen.program.instruction import CALL, CONSTANTS, FREE, LANE, RESULT, SPREAD
from cardan.codegen.program.operations import OPERATIONS
from cardan.codegen.program.program import Program
from cardan.codegen.program.schedule import partners, schedule
from cardan.frozen import dataclass, field

WHOLE = 1500
"""Most instructions of a program compiled as one function, whose values stay in registers; a 7-joint arm fits."""
PIECE = 300
"""Instructions in one function of a longer program, whose values go through memory anyway: for 9000 of them LLVM takes
half the time that functions of 2500 cost it, and the code is as fast."""
SIDE = 4
"""Angles whose sines and cosines a program for one state computes at once; eight, 512 bits, slow some processors."""
ARGUMENTS = "ptr noalias nocapture readonly %in, ptr noalias nocapture %out, ptr noalias nocapture %work"
LAST = ", ptr noalias nocapture readonly %last"
LINE = 8
"""Numbers in a line of the cache: a value over lanes that lies in two of them takes longer to read and write."""
_ALIGNED = (
    "%work.number = ptrtoint ptr %work to i64",
    f"%work.after = add i64 %work.number, {8 * LINE - 1}",
    f"%work.line = and i64 %work.after, {-8 * LINE}",
    "%aligned = inttoptr i64 %work.line to ptr",
)
RARELY = '!0 = !{!"branch_weights", i32 1000000, i32 1}'


def module(program: Program, lanes: int, *, apart: bool = False) -> tuple[str, int]:
    """The text of a module with `program`, `state` and `rows`, and the number of entries of `work` that they need."""
    width, programs = Width(lanes), [program, *program.called]
    tables = {i.table: None for each in programs for i in each.instructions if i.table}
    numbers = {table: i for i, table in enumerate(tables)}
    called = [_functions(each, width, numbers, f"call{i}") for i, each in enumerate(program.called)]
    first_apart = program.n_in - program.inputs[-1].size if apart else None
    own, n_work = _functions(program, width, numbers, "program", first_apart, max((n for _, n in called), default=0))
    text = [
        *library(programs, width, {width, Width(width.lanes or SIDE), *map(Width, program.lanes.values())}, numbers),
        *(line for lines, _ in called for line in lines),
        *own,
        state(program, width, first_apart),
        rows(program, width, first_apart),
        RARELY,
    ]
    return "\n".join(text), n_work


def _functions(
    program: Program,
    width: Width,
    tables: dict[tuple[float, ...], int],
    name: str,
    first_apart: int | None = None,
    work_of_calls: int = 0,
) -> tuple[list[str], int]:
    """The functions of one program, the last of which has the name, and the number of entries of `work`."""
    order = schedule(program)
    chunks, n_work = cut(program, order, WHOLE if len(order) <= WHOLE else PIECE)
    calls = place_calls(program, order, n_work, work_of_calls)
    n_work = calls.end
    context = _context(program, width, tables, first_apart, calls)
    writer, head = _Writer(context), f"define void @{name}"
    plain = writer.plain_results()
    if len(chunks) == 1:
        return [_function(context, head, [*plain, *writer.chunk(chunks[0])])], n_work
    last = "" if first_apart is None else ", ptr %last"
    work = "%aligned" if program.lanes else "%work"
    parts = [f"@{name}.chunk{i}" for i in range(len(chunks))]
    return [
        *(
            _function(context, f"define internal void {part}", _Writer(context).chunk(chunk), "noinline")
            for part, chunk in zip(parts, chunks, strict=True)
        ),
        _function(
            context,
            head,
            [
                *plain,
                *(_ALIGNED if program.lanes else ()),
                *(f"call void {part}(ptr %in, ptr %out, ptr {work}{last})" for part in parts),
            ],
        ),
    ], n_work + LINE - 1 if program.lanes else n_work


@dataclass(frozen=True, slots=True)
class _Context:
    """The data that all functions of a module share.

    `first_apart` is the number of the first entry of the last input where that has an array of its own, else None.
    `results` are the output positions of each value, `partners` the cosine of a sine's angle and the reverse, `tables`
    the number of each look-up table, `calls` the places of called programs, `templates` those of the operations so far.
    """

    program: Program
    width: Width
    first_apart: int | None
    results: dict[int, list[int]]
    partners: dict[int, int]
    tables: dict[tuple[float, ...], int]
    calls: Calls
    templates: dict[tuple[int, Width], str] = field(default_factory=dict)

    def width_of(self, value: int) -> Width:
        """How a value is written: as all others, or over lanes of its own."""
        lanes = self.program.lanes.get(value)
        return self.width if lanes is None else Width(lanes)

    def template(self, op: int, width: Width) -> str:
        """The template of an operation with its types and constants, which leaves its values and its table open."""
        key = op, width
        if key not in self.templates:
            still = {name: f"{{{name}}}" for name in ("r", "a", "b", "table")}
            self.templates[key] = OPERATIONS[op].llvm.format(**_words(width), **still)
        return self.templates[key]


def _context(
    program: Program, width: Width, tables: dict[tuple[float, ...], int], first_apart: int | None, calls: Calls
) -> _Context:
    results: dict[int, list[int]] = {}
    for position, value in enumerate(program.results):
        results.setdefault(value, []).append(position)
    return _Context(program, width, first_apart, results, partners(program), tables, calls)


def _words(width: Width) -> dict[str, str]:
    """What the templates of `operations` call their types and constants."""
    return {
        "T": width.number,
        "B": width.boolean,
        "suffix": width.suffix,
        "lib": "lanes." if width.lanes else "",
        "zero": width.constant(0.0),
        "one": width.constant(1.0),
        "minus_one": width.constant(-1.0),
    }


def _function(context: _Context, head: str, body: list[str], attributes: str = "") -> str:
    """The text of a function.

    Where values are wider than a double, the stack is realigned: one of 32 bytes that straddles a cache line takes
    twice as long to spill and reload. Left to chance this doubles the time of the whole program.
    """
    arguments = ARGUMENTS if context.first_apart is None else ARGUMENTS + LAST
    aligned = '"stackrealign"' if any(" x double>" in line for line in body) else ""
    return "\n".join([f"{head}({arguments}) nounwind {attributes} {aligned} {{", "entry:", *body, "ret void\n}"])


class _Writer:
    """Lines of one function, with the values that exist already and the number of addresses named so far."""

    def __init__(self, context: _Context) -> None:
        self._context = context
        self._instructions = context.program.instructions
        self._known: set[int] = set()
        self._places = 0

    def chunk(self, chunk: Chunk) -> list[str]:
        """Lines that load the inputs of a chunk, compute its values and store those that are used later."""
        lines = self.turned_inputs(chunk.values)
        for value, slot in chunk.loads.items():
            lines += self.load(value, "%work", slot)
        for value in chunk.values:
            lines += self.make(value)
            if value in chunk.stores:
                lines += self.store(value, "%work", chunk.stores[value])
        return lines

    def make(self, value: int) -> list[str]:
        """Lines that make a value and store it wherever it is a result."""
        if value in self._known:
            return self._keep(value)
        instruction, known = self._instructions[value], self._known
        if instruction.op == CALL:
            return self._call(value)
        lines = [line for arg in instruction.args if arg not in known for line in self._fetch(arg)]
        args = [f"%v{arg}" if arg in known else self._name(arg) for arg in instruction.args]
        if instruction.op in (ca.OP_SIN, ca.OP_COS):
            lines += self._sincos(value, args[0])
        elif instruction.op == RESULT:
            row = self._context.calls.outputs[instruction.args[0]] + int(instruction.value)
            lines += self.load(value, "%work", row)
        elif instruction.op == SPREAD:
            lines += self._spread(value, args)
        elif instruction.op == LANE:
            lines += self._context.width_of(instruction.args[0]).take(f"%v{value}", args[0], int(instruction.value))
        else:
            table = self._context.tables.get(instruction.table, "")
            template = self._context.template(instruction.op, self._context.width_of(value))
            lines.append(template.format(r=f"%v{value}", a=args[0], b=args[-1], table=table))
        known.add(value)
        return lines + self._keep(value) if value in self._context.results else lines

    def load(self, value: int, array: str, row: int) -> list[str]:
        """Lines that read a value from a row of an array."""
        self._known.add(value)
        place, lines = self._place(array, row)
        return [*lines, f"%v{value} = load {self._context.width_of(value).number}, ptr {place}, align 8"]

    def store(self, value: int, array: str, row: int) -> list[str]:
        """Lines that write a value to a row of an array."""
        place, lines = self._place(array, row)
        return [*lines, f"store {self._context.width_of(value).number} {self._name(value)}, ptr {place}, align 8"]

    def plain_results(self) -> list[str]:
        """Lines for results without operations: structural zeros, constants, and inputs that are also outputs."""
        lines = []
        for start, length in _runs(self._context.results.get(-1, [])):
            place, more = self._place("%out", start)
            size = 8 * length * self._context.width.count
            lines += [*more, f"call void @llvm.memset.p0.i64(ptr {place}, i8 0, i64 {size}, i1 false)"]
        for value in self._context.results:
            if value >= 0 and self._instructions[value].op in FREE:
                lines += [*self._fetch(value), *self._keep(value)]
        return lines

    def turned_inputs(self, values: Iterable[int]) -> list[str]:
        """Lines for sines and cosines of inputs among `values`, SIDE angles at a time; none where lanes hold states."""
        angles: dict[int, list[int]] = {}
        for value in values:
            op, args, *_ = self._instructions[value]
            if op in (ca.OP_SIN, ca.OP_COS) and self._instructions[args[0]].op == ca.OP_INPUT:
                angles.setdefault(args[0], []).append(value)
        if self._context.width.lanes or len(angles) == 1:
            return []
        turned = list(angles)
        groups = [turned[start : start + SIDE] for start in range(0, len(turned), SIDE)]
        return [line for group in groups for line in self._side_by_side({angle: angles[angle] for angle in group})]

    def _side_by_side(self, angles: dict[int, list[int]]) -> list[str]:
        """Lines for sines and cosines, at most SIDE angles with the values that are theirs."""
        width, label = Width(SIDE), f"t{next(iter(angles))}"
        lines, gathered = [], "zeroinitializer"
        for lane, angle in enumerate(angles):
            lines += self._fetch(angle)
            lines += width.put(f"%{label}.x{lane}", gathered, self._name(angle), lane)
            gathered = f"%{label}.x{lane}"
        lines += sincos(width, f"%{label}.s", f"%{label}.c", gathered, label)
        for lane, values in enumerate(angles.values()):
            for value in values:
                made = "s" if self._instructions[value].op == ca.OP_SIN else "c"
                lines += width.take(f"%v{value}", f"%{label}.{made}", lane)
                self._known.add(value)
        return lines

    def _spread(self, value: int, numbers: Sequence[str]) -> list[str]:
        """Lines that put numbers side by side: the first one in all lanes, then each other one in its own."""
        width = self._context.width_of(value)
        name, T, I = f"%v{value}", width.number, f"<{width.lanes} x i32>"
        lines = width.put(f"{name}.first", "poison", numbers[0], 0)
        others = [lane for lane, number in enumerate(numbers) if number != numbers[0]]
        last = f"{name}.all" if others else name
        lines.append(f"{last} = shufflevector {T} {name}.first, {T} poison, {I} zeroinitializer")
        for lane in others:
            made = name if lane == others[-1] else f"{name}.{lane}"
            lines += width.put(made, last, numbers[lane], lane)
            last = made
        return lines

    def _call(self, value: int) -> list[str]:
        """Lines that write the input of a called program, and call it if it is needed."""
        instruction, calls = self._instructions[value], self._context.calls
        number, needed = int(instruction.value), instruction.args[0]
        shared, own = calls.written_by(self._context.program, value)
        read = dict.fromkeys([needed, *(arg for _, arg in (*shared, *own))])
        once = [line for arg in read for line in self._fetch(arg)]
        once += [line for row, arg in shared for line in self.store(arg, "%work", row)]
        lines = [line for row, arg in own for line in self.store(arg, "%work", row)]
        places = [self._place("%work", row) for row in (calls.inputs[number], calls.outputs[value], calls.work)]
        lines += [line for _, more in places for line in more]
        arguments = ", ".join(f"ptr {place}" for place, _ in places)
        lines.append(f"call void @call{number}({arguments})")
        called = self._context.program.called[number]
        if called.is_conditional and not self._context.width.lanes:
            lines = self._if_needed(value, self._name(needed), lines, called.n_out)
        return [*once, *lines]

    def _if_needed(self, value: int, needed: str, call: list[str], n_out: int) -> list[str]:
        """Lines of a call for a number that is not zero; else its output becomes zero."""
        place, lines = self._place("%work", self._context.calls.outputs[value])
        return [
            f"%needed{value} = fcmp une double {needed}, 0.0",
            *(f"br i1 %needed{value}, label %call{value}, label %zero{value}", f"call{value}:"),
            *(*call, f"br label %made{value}", f"zero{value}:", *lines),
            f"call void @llvm.memset.p0.i64(ptr {place}, i8 0, i64 {8 * n_out}, i1 false)",
            *(f"br label %made{value}", f"made{value}:"),
        ]

    def _sincos(self, value: int, angle: str) -> list[str]:
        """Lines for sine and cosine of an angle; whichever is needed later is not computed again."""
        names = {self._instructions[value].op: f"%v{value}"}
        other = self._context.partners.get(value)
        if other is not None:
            names[self._instructions[other].op] = f"%v{other}"
            self._known.add(other)
        s, c = (names.get(op, f"%unused{value}") for op in (ca.OP_SIN, ca.OP_COS))
        return sincos(self._context.width_of(value), s, c, angle, f"t{value}")

    def _fetch(self, value: int) -> list[str]:
        """Lines that load an input when it is first read."""
        instruction = self._instructions[value]
        if instruction.op != ca.OP_INPUT or value in self._known:
            return []
        row, apart = instruction.args[0], self._context.first_apart
        return self.load(value, "%in", row) if apart is None or row < apart else self.load(value, "%last", row - apart)

    def _keep(self, value: int) -> list[str]:
        """Lines that store a value at each output position it fills."""
        return [line for row in self._context.results.get(value, ()) for line in self.store(value, "%out", row)]

    def _name(self, value: int) -> str:
        instruction = self._instructions[value]
        if instruction.op == CONSTANTS:
            return self._context.width_of(value).constants([self._instructions[arg].value for arg in instruction.args])
        constant = instruction.op == ca.OP_CONST
        return self._context.width.constant(instruction.value) if constant else f"%v{value}"

    def _place(self, array: str, row: int) -> tuple[str, list[str]]:
        self._places += 1
        name = f"%p{self._places}"
        return name, [f"{name} = getelementptr double, ptr {array}, i64 {row * self._context.width.count}"]


def _runs(positions: list[int]) -> Iterator[tuple[int, int]]:
    """Start and length of each run of consecutive positions."""
    for _, run in groupby(enumerate(positions), lambda pair: pair[1] - pair[0]):
        members = [position for _, position in run]
        yield members[0], len(members)
