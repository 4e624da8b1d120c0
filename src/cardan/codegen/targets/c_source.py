"""C target: functions as C99 source, a header with its words and a file with the code.

    void NAME_FUNCTION(const double *q, …, double *result)

Arrays are dense and row-major, numbers are passed by value. The code needs nothing but <math.h>, keeps nothing between
calls and takes no memory except the stack. As in machine code, a long program is cut into functions of bounded length,
and programs that it calls are functions of their own.
"""

import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from itertools import chain

from cardan.codegen.program.calls import Calls, place_calls
from cardan.codegen.program.chunks import Chunk, cut
from cardan.codegen.program.instruction import CALL, FREE, RESULT
from cardan.codegen.program.operations import OPERATIONS
from cardan.codegen.program.schedule import schedule
from cardan.codegen.program.tables import LOW
from cardan.codegen.targets.source import (
    WIDTH,
    Argument,
    Listing,
    Routine,
    Source,
    WrittenValues,
    description,
    joined,
    number,
    operations_in_words,
)
from cardan.frozen import replace
from cardan.safety.text import for_comment

CHUNK = 800
"""Instructions in one function: gcc takes twice as long for pieces of 3000 as for those of 600."""


_LOWEST = """
/* The interval of a grid that holds x; outside of the grid the outermost one. */
static double lowest(const double *grid, int length, double x)
{
    int low = 1, high = length - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (x < grid[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low - 1;
}
"""


def c_files(source: Source) -> dict[str, str]:
    """Texts by file ending: ".h", to be included, and ".c", to be compiled."""
    return {".h": _header(source), ".c": _code(source)}


def _header(source: Source) -> str:
    guard = f"{source.name.upper()}_H"
    sizes = ",\n".join(f"    {source.name.upper()}_N{one.symbol.upper()} = {len(one.names)}" for one in source.listings)
    return "\n".join(
        [
            *_comment([*description(source), "", *_USE]),
            f'#ifndef {guard}\n#define {guard}\n\n#ifdef __cplusplus\nextern "C" {{\n#endif\n',
            *([f"/* Numbers of entries. */\nenum {{\n{sizes}\n}};\n"] if sizes else []),
            *(f"extern {declared};" for listing in source.listings for declared, _ in _arrays(source, listing)),
            *(line for routine in source.routines for line in ("", *_words(routine), _declared(source, routine))),
            *_step(_HEADER, source),
            *([source.addition.header] if source.addition else []),
            f"\n#ifdef __cplusplus\n}}\n#endif\n\n#endif /* {guard} */\n",
        ]
    )


_USE = (
    "Arrays are dense and row-major; their lengths are given with each function. Arrays of one call must not overlap.",
    "An array without entries may be NULL. The functions keep nothing between calls and may run side by side.",
    "A value that cannot be computed is NaN.",
)


def _words(routine: Routine) -> list[str]:
    """The comment on a function: what it gives, what its arguments are, what it costs."""
    lines = [for_comment(routine.summary)]
    for side, arguments in (("in ", routine.inputs), ("out", routine.outputs)):
        names = [argument.name + "".join(f"[{n}]" for n in argument.shape) for argument in arguments]
        width = max(map(len, names), default=0)
        lines += [
            f"  {side}  {name.ljust(width)}  {for_comment(argument.meaning)}"
            for name, argument in zip(names, arguments, strict=True)
        ]
    work = _cut(routine)[1].end
    stack = f"; {8 * work} bytes of work on the stack" if work else ""
    return _comment([*lines, f"  {operations_in_words(routine.program)}{stack}"])


def _comment(lines: Iterable[str]) -> list[str]:
    filled = chain.from_iterable(
        textwrap.wrap(line, WIDTH - 3, subsequent_indent=" " * (len(line) - len(line.lstrip()) + 4)) or [""]
        for line in lines
    )
    body = [f" * {line}".rstrip() for line in filled]
    return [f"/*{body[0][2:]}", *body[1:], " */"] if len(body) > 1 else [f"/*{body[0][2:]} */"]


def _arrays(source: Source, listing: Listing) -> list[tuple[str, str]]:
    """Declaration and initialiser of the constant arrays of a listing; C has none without entries."""
    if not listing.names:
        return []
    stem, size = f"{source.name}_{listing.symbol}", f"[{len(listing.names)}]"
    made = {
        f"const char *const {stem}_names{size}": [f'"{name}"' for name in listing.names],
        f"const char *const {stem}_units{size}": [f'"{unit}"' for unit in listing.units],
        f"const double {stem}_default{size}": [_number(value) for value in listing.values],
    }
    return [(declared, _list(values)) for declared, values in made.items() if values]


def _list(entries: Iterable[str]) -> str:
    return joined("{", entries, "}", WIDTH)


def _code(source: Source) -> str:
    programs = [each for routine in source.routines for each in (routine.program, *routine.program.called)]
    operations = {instruction.op for program in programs for instruction in program.instructions}
    tables = dict.fromkeys(i.table for program in programs for i in program.instructions if i.table)
    names = {table: f"table{number}" for number, table in enumerate(tables)}
    return "\n".join(
        [
            *_comment([*(for_comment(line) for line in source.about), "", "The words are in the header."]),
            f'#include "{source.name}.h"\n\n#include <math.h>\n',
            *(
                f"{declared} = {values};"
                for listing in source.listings
                for declared, values in _arrays(source, listing)
            ),
            *(f"\nstatic const double {name}[{len(t)}] = {_list(map(_number, t))};" for t, name in names.items()),
            *([_LOWEST] if LOW in operations else []),
            *(text for routine in source.routines for text in _functions(source, routine, names)),
            *_step(_CODE, source),
            *([source.addition.code] if source.addition else []),
            "",
        ]
    )


def _functions(source: Source, routine: Routine, tables: dict[tuple[float, ...], str]) -> list[str]:
    """The function of a routine, after those that it calls and the pieces it was cut into."""
    called = [_called(routine, number) for number in range(len(routine.program.called))]
    texts = [text for each in called for text in _pieces(each, tables, f"static void {each.name}")]
    return [*texts, *_pieces(routine, tables, f"void {source.name}_{routine.name}")]


def _called(routine: Routine, number: int) -> Routine:
    """A program that a routine calls, from an array to an array."""
    program, name = routine.program.called[number], f"{routine.name}_call{number}"
    given, made = Argument("in", (program.n_in,), "its input"), Argument("out", (program.n_out,), "its output")
    return replace(routine, name=name, program=program, inputs=(given,), outputs=(made,))


def _pieces(routine: Routine, tables: dict[tuple[float, ...], str], start: str) -> list[str]:
    """The function of a program, after the pieces it was cut into; `start` is its name with the words before it."""
    chunks, calls = _cut(routine)
    writer, head = _Writer(routine, tables, calls), _signature(start, _parameters(routine, True))
    plain, space = writer.plain_results(), [f"double w[{calls.end}];"] if calls.end else []
    if len(chunks) == 1:
        return [_function(head, routine, [*space, *plain, *writer.chunk(chunks[0])])]
    names = [f"{routine.name}_part{i}" for i in range(1, len(chunks) + 1)]
    own = [argument.name for argument in (*routine.inputs, *routine.outputs)]
    passed = ", ".join([*own, "w"] if space else own)
    pieces = [
        _function(
            _signature(f"static void {name}", _parameters(routine, True, calls.end)),
            routine,
            writer.chunk(chunk),
            calls.end,
        )
        for name, chunk in zip(names, chunks, strict=True)
    ]
    return [*pieces, _function(head, routine, [*space, *plain, *(f"{name}({passed});" for name in names)])]


def _cut(routine: Routine) -> tuple[tuple[Chunk, ...], Calls]:
    """The pieces of a program, and the places of its calls behind the numbers that pass from piece to piece."""
    order = schedule(routine.program)
    chunks, work = cut(routine.program, order, CHUNK)
    return chunks, place_calls(routine.program, order, work)


def _declared(source: Source, routine: Routine) -> str:
    return _signature(f"void {source.name}_{routine.name}", _parameters(routine, False)) + ";"


def _parameters(routine: Routine, restrict: bool, work: int = 0) -> list[str]:
    """Declarations; `restrict` belongs to the definition, C++ does not know it."""
    pointer = "*restrict " if restrict else "*"
    inputs = [f"const double {pointer}{one.name}" if one.shape else f"double {one.name}" for one in routine.inputs]
    results = [f"double {pointer}{one.name}" for one in routine.outputs]
    return [*inputs, *results, *([f"double {pointer}w"] if work else [])]


def _signature(start: str, parameters: Sequence[str]) -> str:
    return joined(f"{start}(", parameters or ["void"], ")", WIDTH)


def _function(head: str, routine: Routine, body: list[str], work: int = 0) -> str:
    """A definition; parameters that it does not use are said to be so."""
    names = [argument.name for argument in (*routine.inputs, *routine.outputs)] + (["w"] if work else [])
    text = "\n".join(body)
    unused = [f"(void){name};" for name in names if not re.search(rf"\b{name}\b", text)]
    split = next((i for i, line in enumerate(body) if not line.startswith("double w[")), len(body))
    lines = [*body[:split], *unused, *body[split:]]
    return "\n".join([f"\n{head}\n{{", *(f"    {line}" for line in lines), "}"])


class _Writer:
    """Writes the lines that make the values of a program, each under its own name."""

    def __init__(self, routine: Routine, tables: dict[tuple[float, ...], str], calls: Calls) -> None:
        inputs = [place for argument in routine.inputs for place in _places(argument, argument.name)]
        outputs = [place for argument in routine.outputs for place in _places(argument, f"*{argument.name}")]
        self._values = WrittenValues(routine, inputs, outputs, _number, "s{}".format)
        self._routine, self._tables, self._calls = routine, tables, calls

    def plain_results(self) -> list[str]:
        """Lines for results that take no computing: structural zeros, constants and inputs handed through."""
        values = self._values
        plain = {
            place: values.name(value) if value >= 0 else "0.0"
            for value, places in values.results.items()
            if value < 0 or values.instructions[value].op in FREE
            for place in places
        }
        return [f"{place} = {plain[place]};" for place in values.outputs if place in plain]

    def chunk(self, chunk: Chunk) -> list[str]:
        """Lines that make the values of a piece, and keep those that live on."""
        lines = [f"const double s{value} = w[{slot}];" for value, slot in chunk.loads.items()]
        for value in chunk.values:
            if self._values.instructions[value].op == CALL:
                lines += self._called(value)
                continue
            lines.append(f"const double s{value} = {self._made(value)};")
            lines += [f"{line};" for line in self._values.keep(value)]
            if value in chunk.stores:
                lines.append(f"w[{chunk.stores[value]}] = s{value};")
        return lines

    def _called(self, value: int) -> list[str]:
        """Lines that write the input of a called program and call it if it is needed; else its output becomes zero."""
        program, calls, (_, args, number, _) = self._routine.program, self._calls, self._values.instructions[value]
        called, first, output = program.called[int(number)], calls.inputs[int(number)], calls.outputs[value]
        shared, own = (
            [f"w[{place}] = {self._values.name(arg)};" for place, arg in some]
            for some in calls.written_by(program, value)
        )
        call = [*own, f"{self._routine.name}_call{int(number)}(w + {first}, w + {output});"]
        if not called.is_conditional:
            return [*shared, *call]
        zero = ["int i;", f"for (i = 0; i < {called.n_out}; i++) {{", f"    w[{output} + i] = 0.0;", "}"]
        either, other = (textwrap.indent("\n".join(lines), "    ") for lines in (call, zero))
        return [*shared, f"if ({self._values.name(args[0])} != 0.0) {{", either, "} else {", other, "}"]

    def _made(self, value: int) -> str:
        op, args, number, table = self._values.instructions[value]
        if op == RESULT:
            return f"w[{self._calls.outputs[args[0]] + int(number)}]"
        a, b = self._values.name(args[0]), self._values.name(args[-1])
        return OPERATIONS[op].c.format(a=a, b=b, table=self._tables.get(table, ""), length=len(table))


def _places(argument: Argument, number: str) -> list[str]:
    """The names of the entries of an argument; `number` for an argument that is a single number."""
    entries = [f"{argument.name}[{i}]" for i in range(math.prod(argument.shape))]
    return entries if argument.shape else [number]


def _number(value: float) -> str:
    return number(value, "NAN", "INFINITY")


_HEADER = """
/* What the controllers hold: one struct for each machine. */
typedef struct {{
    double held[{size}];
    double step; /* number of the next step */
}} {own}_state;

/* Time from step to step [s]. */
extern const double {own}_period;

/* Before the first step. */
void {own}_init({own}_state *state);

/* A step: from what is measured now to the outputs until the next one. */
{head};"""

_CODE = """
const double {own}_period = {period!r};

void {own}_init({own}_state *state)
{{
    int i;
    for (i = 0; i < {size}; i++) {{
        state->held[i] = {name}_held_default[i];
    }}
    state->step = 0.0;
}}

{head}
{{
    double next[{size}];
    int i;
    {own}({given});
    for (i = 0; i < {size}; i++) {{
        state->held[i] = next[i];
    }}
    state->step += 1.0;
}}"""


def _step(text: str, source: Source) -> list[str]:
    """Declarations or definitions of a step of the controllers, if there is one."""
    if source.stepping is None:
        return []
    own, size = f"{source.name}_{source.stepping.routine}", f"{source.name.upper()}_NHELD"
    routine = next(one for one in source.routines if one.name == source.stepping.routine)
    p = ["p"] if any(one.name == "p" for one in routine.inputs) else []
    arguments = [f"{own}_state *state", *(f"const double *{each}" for each in ("measured", *p)), "double *outputs"]
    head = joined(f"void {own}_step(", arguments, ")", WIDTH)
    given = ", ".join(["state->step", "measured", "state->held", *p, "next", "outputs"])
    period = source.stepping.period
    return [text.format(own=own, size=size, name=source.name, period=period, head=head, given=given)]
