"""Python target: functions as NumPy source that needs nothing but NumPy.

    FUNCTION(q, …, p=P) -> array

Arrays may have leading batch axes, which are broadcast against each other. A name in the source is taken again once its
value is dead, so that a large batch holds only the arrays that are still to be read.
"""

import textwrap
from collections.abc import Iterable, Sequence

import casadi as ca
import numpy as np

from cardan.codegen.program.instruction import FREE
from cardan.codegen.program.operations import OPERATIONS
from cardan.codegen.program.program import Program
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
from cardan.safety.text import for_comment

_ARRAYS = '''

def _arrays(*arguments):
    """Arrays of doubles for (name, value, shape without batch axes); and the shape of the batch."""
    arrays = []
    batches = []
    for name, value, shape in arguments:
        array = np.asarray(value, dtype=float)
        axes = array.ndim - len(shape)
        if array.shape[max(axes, 0) :] != shape:
            raise ValueError(f"{name} has the shape {array.shape}; its last axes must be {shape}")
        arrays.append(array)
        batches.append(array.shape[:axes])
    return arrays, np.broadcast_shapes(*batches)
'''

_LOWEST = '''
def _lowest(grid, x):
    """The interval of a grid that holds x; outside of the grid the outermost one."""
    return np.searchsorted(grid[1:-1], x, side="right") * 1.0
'''


def python_files(source: Source) -> dict[str, str]:
    """The text by its file ending, ".py"."""
    programs = [routine.program for routine in source.routines]
    operations = {instruction.op for program in programs for instruction in program.instructions}
    tables = dict.fromkeys(i.table for program in programs for i in program.instructions if i.table)
    names = {table: f"_TABLE{number}" for number, table in enumerate(tables)}
    listings = [listing for listing in source.listings if listing.names]
    public = [*_constants(listings), *(routine.name for routine in source.routines)]
    text = [
        '"""' + "\n".join([*description(source), "", *_USE, '"""', ""]),
        "import numpy as np\n",
        joined("__all__ = [", _strings(public), "]\n", WIDTH),
        *(f"{name} = {value}" for name, value in _constants(listings).items()),
        *(f"{listing.symbol.upper()}.setflags(write=False)" for listing in listings if listing.values),
        *(f"{name} = {_array(table)}" for table, name in names.items()),
        _ARRAYS,
        *([_LOWEST] if LOW in operations else []),
        *(_function(source, routine, names) for routine in source.routines),
    ]
    return {".py": "\n".join(text)}


_USE = (
    "Arrays may have leading axes, which are broadcast against each other. A value that cannot be computed is NaN.",
    "The file needs NumPy and nothing else.",
)


def _constants(listings: Iterable[Listing]) -> dict[str, str]:
    """Names, units and values of the arrays that the functions share, as source."""
    made = {}
    for listing in listings:
        stem = listing.symbol.upper()
        made[f"{stem}_NAMES"] = _tuple(_strings(listing.names))
        if listing.units:
            made[f"{stem}_UNITS"] = _tuple(_strings(listing.units))
        if listing.values:
            made[stem] = _array(listing.values)
    return made


def _strings(words: Iterable[str]) -> list[str]:
    return [f'"{word}"' for word in words]


def _tuple(entries: Sequence[str]) -> str:
    return joined("(", entries, ",)" if len(entries) == 1 else ")", WIDTH)


def _array(values: Iterable[float]) -> str:
    return joined("np.array([", map(_number, values), "])", WIDTH)


def _function(source: Source, routine: Routine, tables: dict[tuple[float, ...], str]) -> str:
    writer = _Writer(routine, tables)
    values = {one.symbol for one in source.listings if one.values}
    fixed = {
        one.name: one.name.upper() if one.name in values else "0.0" for one in routine.inputs if _optional(one, values)
    }
    inputs = [f"{one.name}={fixed[one.name]}" if one.name in fixed else one.name for one in routine.inputs]
    body = [*writer.results(), *writer.lines()]
    return "\n".join(
        [
            f"\ndef {routine.name}({', '.join(inputs)}):",
            *(f"    {line}".rstrip() for line in [*_docstring(routine, fixed), *_reading(routine)]),
            *(['    with np.errstate(all="ignore"):', *(f"        {line}" for line in body)] if body else []),
            f"    return {_returned(routine)}\n",
        ]
    )


def _optional(argument: Argument, values: set[str]) -> bool:
    """Whether an input may be left out: the time is 0 then, parameters have the values of the model."""
    return argument.name in values or argument.name == "t"


def _docstring(routine: Routine, optional: Iterable[str]) -> list[str]:
    """What a function gives, what its arguments are, what it costs."""
    optional = set(optional)
    lines = [*textwrap.wrap(f'"""{for_comment(routine.summary)}', WIDTH - 4), ""]
    if routine.inputs:
        lines += ["Parameters", "----------"]
    for one in routine.inputs:
        lines.append(f"{one.name} : array_like {_shape(one)}{', optional' if one.name in optional else ''}")
        lines += textwrap.wrap(for_comment(one.meaning), WIDTH - 8, initial_indent="    ", subsequent_indent="    ")
    lines += ["", "Returns", "-------"]
    for one in routine.outputs:
        key = f'["{one.label}"] ' if routine.table else ""
        lines.append(f"{key}{one.name} : ndarray {_shape(one)}")
        lines += textwrap.wrap(for_comment(one.meaning), WIDTH - 8, initial_indent="    ", subsequent_indent="    ")
    return [*lines, "", "Notes", "-----", f"{operations_in_words(routine.program)}.", '"""']


def _shape(argument: Argument) -> str:
    return f"({', '.join(['...', *map(str, argument.shape)])})"


def _reading(routine: Routine) -> list[str]:
    """Lines that check the inputs and make room for the outputs."""
    entries = [f'("{one.name}", {one.name}, {one.shape})' for one in routine.inputs]
    names = _tuple([one.name for one in routine.inputs]) if entries else ""
    read = [f"{names}, batch = _arrays({', '.join(entries)})"] if entries else ["batch = ()"]
    room = [f"{one.name} = np.zeros({_room(one)})" for one in routine.outputs]
    return [*read, *room]


def _room(argument: Argument) -> str:
    return f"(*batch, {', '.join(map(str, argument.shape))})" if argument.shape else "batch"


def _returned(routine: Routine) -> str:
    if routine.table:
        return joined("{", [f'"{one.label}": {one.name}' for one in routine.outputs], "}", WIDTH).replace(
            "\n", "\n    "
        )
    return ", ".join(one.name for one in routine.outputs)


class _Writer:
    """Writes the lines that make the values of a program, each under a name for a time."""

    def __init__(self, routine: Routine, tables: dict[tuple[float, ...], str]) -> None:
        inputs = [place for one in routine.inputs for place in _places(one, one.name)]
        outputs = [place for one in routine.outputs for place in _places(one, f"{one.name}[...]")]
        self._order = schedule(routine.program)
        slots = _slots(routine.program, self._order)
        self._values = WrittenValues(routine, inputs, outputs, _number, lambda value: f"s{slots[value]}")
        self._tables = tables

    def results(self) -> list[str]:
        """Lines for results that are constants or inputs handed through; structural zeros are there already."""
        values = self._values
        plain = [value for value in values.results if value >= 0 and values.instructions[value].op in FREE]
        return [line for value in plain for line in values.keep(value)]

    def lines(self) -> list[str]:
        """Lines that make all other values."""
        made = []
        for value in self._order:
            op, args, _, table = self._values.instructions[value]
            a, b = self._operands(args)
            text = OPERATIONS[op].numpy.format(a=a, b=b, table=self._tables.get(table, ""))
            made += [f"{self._values.name(value)} = {text}", *self._values.keep(value)]
        return made

    def _operands(self, args: Sequence[int]) -> tuple[str, str]:
        """Names of the first and last operand; of two constants one is NumPy's, which may be divided by zero."""
        first, last = self._values.name(args[0]), self._values.name(args[-1])
        constant = all(self._values.instructions[arg].op == ca.OP_CONST for arg in args)
        return (f"np.float64({first})" if constant else first), last


def _slots(program: Program, order: Sequence[int]) -> dict[int, int]:
    """A number for each value; values that do not live at the same time may share one."""
    last: dict[int, int] = {}
    for value in order:
        last.update(dict.fromkeys(program.instructions[value].args, value))
    slots: dict[int, int] = {}
    free: list[int] = []
    size = 0
    for value in order:
        free += [slots[arg] for arg in set(program.instructions[value].args) if arg in slots and last[arg] == value]
        if not free:
            free.append(size)
            size += 1
        slots[value] = free.pop()
        if value not in last:
            free.append(slots[value])
    return slots


def _places(argument: Argument, number: str) -> list[str]:
    """The entries of an argument, behind its batch axes; what a single `number` is called otherwise."""
    entries = [f"{argument.name}[..., {', '.join(map(str, index))}]" for index in np.ndindex(*argument.shape)]
    return entries if argument.shape else [number]


def _number(value: float) -> str:
    return number(value, "np.nan", "np.inf")
