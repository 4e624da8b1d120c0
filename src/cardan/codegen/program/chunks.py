"""Cutting a long program into functions of bounded length.

LLVM's time grows faster than the length of one function, and a 120-joint chain has tens of thousands of instructions.
Each chunk becomes a function of its own; values that live on into a later chunk pass through `work`, whose slots are
used again once their value is dead.
"""

from collections.abc import Sequence

import casadi as ca

from cardan.codegen.program.program import Program
from cardan.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a program."""

    values: tuple[int, ...]  # the values it makes, in order
    loads: dict[int, int]  # values it takes from `work`, with their slots
    stores: dict[int, int]  # values it leaves in `work`, with their slots


def cut(program: Program, order: Sequence[int], length: int) -> tuple[tuple[Chunk, ...], int]:
    """The chunks of a program, and the number of slots of `work` that they need."""
    pieces = _pieces(program, order, length)
    home = {value: i for i, piece in enumerate(pieces) for value in piece}
    reads = [_reads(program, piece, home, i) for i, piece in enumerate(pieces)]
    last = {value: i for i, values in enumerate(reads) for value in values}
    slots: dict[int, int] = {}
    free: list[int] = []
    chunks, size = [], 0
    for i, piece in enumerate(pieces):
        loads = {value: slots[value] for value in reads[i]}
        stores = {}
        for value in piece:
            if value in last:
                if not free:
                    free.append(size)
                    size += 1
                slots[value] = stores[value] = free.pop()
        free.extend(slots[value] for value in reads[i] if last[value] == i)
        chunks.append(Chunk(tuple(piece), loads, stores))
    return tuple(chunks), size


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
    """Values from earlier chunks that a piece reads, each once, in order of use."""
    args = (arg for value in piece for arg in program.instructions[value].args)
    return list(dict.fromkeys(arg for arg in args if arg in home and home[arg] != number))
