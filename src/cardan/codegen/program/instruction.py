"""One instruction of a program."""

from collections.abc import Sequence
from typing import NamedTuple

import casadi as ca

IDENTITY = frozenset({ca.OP_ASSIGN, ca.OP_LIFT, ca.OP_PRINTME})
"""Operations whose value is their first operand."""
SPREAD = -1
"""A value over lanes of single values, its operands."""
LANE = -2
"""One lane of a value over lanes."""
CONSTANTS = -3
"""A value over lanes of constants, its operands."""
FREE = frozenset({ca.OP_INPUT, ca.OP_CONST, CONSTANTS})
"""Operations that compute nothing."""
CALL = ca.OP_CALL
"""Calls another program with the values of its whole input vector; it has results, and no value of its own."""
NEEDED = "needed"
"""First input of a function whose calls are left out where it is zero; what they compute counts as zero there."""
RESULT = ca.OP_GETNONZEROS
"""A number of the output of a call, which is its only operand."""

NAMES = {getattr(ca, name): name for name in dir(ca) if name.startswith("OP_")}
"""CasADi's name of each operation code."""


class Instruction(NamedTuple):
    """One value of a program."""

    op: int  # CasADi's operation code, `casadi.OP_ADD` and so on
    args: tuple[int, ...] = ()  # numbers of the values it reads; for `OP_INPUT` the position in the concatenated inputs
    value: float = 0.0
    """The constant of `OP_CONST`; of `CALL` the number of the program, of `RESULT` the position in its output vector,
    of `LANE` the lane.
    """
    table: tuple[float, ...] = ()  # what `tables.LOW` searches and `tables.READ` reads


def renumbered_reads(instruction: Instruction, numbers: Sequence[int]) -> Instruction:
    """The instruction with new numbers of the values that it reads.

    Built anew as a tuple: `_replace` takes five times as long.
    """
    op, args, value, table = instruction
    reads = (numbers[args[0]], numbers[args[1]]) if len(args) == 2 else tuple([numbers[arg] for arg in args])
    return _new(Instruction, (op, reads, value, table))


_new = tuple.__new__
