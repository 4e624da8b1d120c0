"""Cutting a long program into functions of bounded length.

LLVM's time grows faster than the length of one function, and a 120-joint chain has tens of thousands of instructions.
Each chunk becomes a function of its own; values that live on into a later chunk pass through `work`, whose slots are
used again once their value is dead.
"""

from collections import defaultdict
from collections.abc import Sequence

import casadi as ca

from cardan.codegen.program.instruction import RESULT
from cardan.codegen.program.program import Program
from cardan.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a program."""

    values: tuple[int, ...]  # the values it makes, in order
    loads: dict[int, int]  # values it takes from `work`, with their slots
    stores: dict[int, int]  # values it leaves in `work`, with their slots


def cut(program: Program, order: Sequence[int], longest: int) -> tuple[tuple[Chunk, ...], int]:
    """The chunks of a program, and the number of slots of `work` that they need."""
    pieces = _pieces(program, order, longest)
    home = {value: i for i, piece in enumerate(pieces) for value in piece}
    reads = [_reads(program, piece, home, i) for i, piece in enumerate(pieces)]
    last = {value: i for i, values in enumerate(reads) for value in values}
    slots: dict[int, tuple[int, int]] = {}  # number of lanes of a value, and the number among slots of that length
    free: dict[int, list[int]] = defaultdict(list)
    used: dict[int, int] = defaultdict(int)
    chunks = []
    for i, piece in enumerate(pieces):
        loads = {value: slots[value] for value in reads[i]}
        stores = {}
        for value in piece:
            if value in last:
                lanes = program.lanes.get(value, 1)
                if not free[lanes]:
                    free[lanes].append(used[lanes])
                    used[lanes] += 1
                slots[value] = stores[value] = lanes, free[lanes].pop()
        for lanes, slot in (slots[value] for value in reads[i] if last[value] == i):
            free[lanes].append(slot)
        chunks.append((piece, loads, stores))
    starts, size = {}, 0
    for lanes in sorted(used, reverse=True):  # so that each slot begins at a multiple of its length
        starts[lanes] = size
        size += lanes * used[lanes]

    def placed(given: dict[int, tuple[int, int]]) -> dict[int, int]:
        return {value: starts[lanes] + lanes * slot for value, (lanes, slot) in given.items()}

    return tuple(Chunk(tuple(piece), placed(loads), placed(stores)) for piece, loads, stores in chunks), size


def _pieces(program: Program, order: Sequence[int], length: int) -> list[list[int]]:
    pieces: list[list[int]] = [[]]
    for position, value in enumerate(order):
        if len(pieces[-1]) >= length and not _paired(program, order[position - 1], value):
            pieces.append([])
        pieces[-1].append(value)
    return pieces


def _paired(program: Program, first: int, second: int) -> bool:
    a, b = program.instructions[first], program.instructions[second]
    return {a.op, b.op} == {ca.OP_SIN, ca.OP_COS} and a.args == b.args


def _reads(program: Program, piece: Sequence[int], home: dict[int, int], number: int) -> list[int]:
    """Values from earlier chunks that a piece reads, each once, in order of use; calls leave theirs in places apart."""
    args = (
        arg for value in piece if program.instructions[value].op != RESULT for arg in program.instructions[value].args
    )
    return list(dict.fromkeys(arg for arg in args if arg in home and home[arg] != number))
