"""Source code that is handed out: which functions, under which names, with which words. Every language writes it.

What a reader must know of arrays stands in records here, so that each language only has to put it in its own form.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import casadi as ca

from cardan.codegen.program.instruction import CALL
from cardan.codegen.program.operations import OPERATIONS
from cardan.codegen.program.program import Program, flatten
from cardan.frozen import dataclass
from cardan.safety.text import for_comment

WIDTH = 118  # letters of a line


@dataclass(frozen=True, slots=True)
class Listing:
    """The entries of an array that several functions share, such as the coordinates q."""

    symbol: str  # its letter in the functions: "q"
    meaning: str  # its meaning in words: "coordinates"
    names: tuple[str, ...]  # one for each entry
    units: tuple[str, ...]  # one for each entry, or none where a unit has no sense
    values: tuple[float, ...] = ()  # default values of the entries; empty for arrays without defaults
    remarks: tuple[str, ...] = ()  # a remark on each entry; empty for none


@dataclass(frozen=True, slots=True)
class Argument:
    """An input or output of a function."""

    name: str  # identifier in the source
    shape: tuple[int, ...]  # without batch axes; () for a number
    meaning: str  # its meaning in words, with units
    label: str = ""  # what a table of several results calls it


@dataclass(frozen=True, slots=True)
class Routine:
    """A function that is handed out."""

    name: str  # identifier, unique in its source
    summary: str  # what comes out, in a sentence or two
    function: ca.Function  # the law
    program: Program  # the same as instructions
    inputs: tuple[Argument, ...]  # one for each port of the program, in its order
    outputs: tuple[Argument, ...]  # likewise
    table: bool  # whether the outputs form a table by label, however many they are

    @classmethod
    def of(
        cls,
        name: str,
        summary: str,
        function: ca.Function,
        inputs: tuple[Argument, ...],
        outputs: tuple[Argument, ...],
        table: bool = False,
        calls: bool = False,
    ) -> Routine:
        """The routine of a CasADi Function, with the `calls` of those that are not to be written in their place."""
        return cls(name, summary, function, flatten(function, calls=calls), inputs, outputs, table)


@dataclass(frozen=True, slots=True)
class Stepping:
    """A function of the steps of a controller: of their number and of what is held, which it returns anew."""

    routine: str  # its name
    period: float  # from step to step [s]


@dataclass(frozen=True, slots=True)
class Addition:
    """C that is added to the functions of a machine."""

    header: str  # declarations
    code: str  # definitions


@dataclass(frozen=True, slots=True)
class Source:
    """Functions of one machine."""

    name: str  # identifier; in languages without name spaces the prefix of everything
    about: tuple[str, ...]  # lines for the reader: what was exported, from where, by which version
    listings: tuple[Listing, ...]  # arrays that the functions share
    routines: tuple[Routine, ...]  # the functions
    stepping: Stepping | None = None  # that of the controllers, if they are among the functions
    addition: Addition | None = None  # what is added in C


def operation_count(program: Program) -> dict[str, int]:
    """How many operations of each sort a program computes at most, and "total"; only sorts that occur.

    Example
    -------
    >>> x = ca.SX.sym("x")
    >>> operation_count(flatten(ca.Function("f", [x], [ca.sin(x) * x + ca.exp(x)])))
    {'total': 4, 'add': 1, 'multiply': 1, 'sine or cosine': 1, 'other': 1}
    """
    found = _sorts(program)
    for called, count in Counter(int(i.value) for i in program.instructions if i.op == CALL).items():
        for sort, own in _sorts(program.called[called]).items():
            found[sort] += count * own
    sorts = sorted(
        dict.fromkeys(operation.counted for operation in OPERATIONS.values()), key="other".__eq__
    )  # it comes last
    counts = {"total": sum(found.values())} | {sort: found[sort] for sort in sorts}
    return {sort: count for sort, count in counts.items() if count or sort == "total"}


def _sorts(program: Program) -> Counter[str]:
    return Counter(OPERATIONS[i.op].counted for i in program.instructions if i.op in OPERATIONS)


def operations_in_words(program: Program) -> str:
    """What `operation_count` says of a `program`, as text: "17 operations: 9 add, 8 multiply"."""
    (_, total), *sorts = operation_count(program).items()
    listed = ", ".join(f"{count} {sort}" for sort, count in sorts)
    return f"{total} operations: {listed}" if sorts else "no operations"


def description(source: Source) -> list[str]:
    """Lines that say what a source holds: what is about it, then the entries of the arrays its functions share."""
    lines = [for_comment(line) for line in source.about]
    for listing in source.listings:
        lines += ["", f"{listing.symbol}: {listing.meaning}{'' if listing.names else ', none'}"]
        lines += [for_comment(line) for line in _entries(listing)]
    return lines


def _entries(listing: Listing) -> list[str]:
    """One line for each entry: index, name, value, unit, remark; in columns."""
    count = len(listing.names)
    columns = [
        [f"[{i}]" for i in range(count)],
        list(listing.names),
        [repr(value) for value in listing.values] or [""] * count,
        [f"[{unit}]" for unit in listing.units] or [""] * count,
        list(listing.remarks) or [""] * count,
    ]
    used = [column for column in columns if any(column)]
    widths = [max(map(len, column)) for column in used]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*used, strict=True)
    ]


def joined(start: str, parts: Iterable[str], end: str, width: int) -> str:
    """Parts between brackets, with commas: on one line if it is short enough, else on lines of their own."""
    *firsts, last = parts
    words = [*(f"{part}," for part in firsts), last]
    line = f"{start}{' '.join(words)}{end}"
    if len(line) <= width:
        return line
    lines = [""]
    for word in words:
        lines = (
            [*lines, word] if len(lines[-1]) + len(word) + 5 > width else [*lines[:-1], f"{lines[-1]} {word}".strip()]
        )
    return "\n".join([start, *(f"    {line}" for line in lines if line), end])


class WrittenValues:
    """The values of a routine as a language writes them: inputs and constants where they are read, all others by name.

    `inputs` and `outputs` are the places of all entries; `number` writes a constant, `own` the name of another value.
    """

    def __init__(
        self,
        routine: Routine,
        inputs: Sequence[str],
        outputs: Sequence[str],
        number: Callable[[float], str],
        own: Callable[[int], str],
    ) -> None:
        self.instructions = routine.program.instructions
        self.inputs, self.outputs, self.number, self.own = inputs, outputs, number, own
        self.results: dict[int, list[str]] = {}  # the places that each value fills
        for place, value in zip(outputs, routine.program.results, strict=True):
            self.results.setdefault(value, []).append(place)

    def name(self, value: int) -> str:
        """What stands for a value."""
        instruction = self.instructions[value]
        if instruction.op == ca.OP_INPUT:
            return self.inputs[instruction.args[0]]
        return self.number(instruction.value) if instruction.op == ca.OP_CONST else self.own(value)

    def keep(self, value: int) -> list[str]:
        """Assignments of a value to each place of the results that it fills."""
        return [f"{place} = {self.name(value)}" for place in self.results.get(value, ())]


def number(value: float, nan: str, infinity: str) -> str:
    """A constant: the shortest decimal that gives the same double; in brackets where a sign could join an operator."""
    if math.isnan(value):
        return nan
    text = infinity if math.isinf(value) else repr(abs(value))
    return f"(-{text})" if math.copysign(1.0, value) < 0 else text
