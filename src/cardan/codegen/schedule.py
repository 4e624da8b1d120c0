"""The order in which a program's values are made."""

from __future__ import annotations

import casadi as ca

from .instruction import FREE
from .program import Program

__all__ = ["partners", "schedule"]


def schedule(program: Program) -> list[int]:
    """The values in the order in which they are made, without constants and inputs; sine and cosine of one angle side
    by side.

    Operands are made right before what reads them, the one with the longest chain of operations first, so that few
    values live at a time. Sines and cosines of inputs come before everything else: each ends a basic block, and LLVM
    orders instructions and fuses products with sums only within one.

    Parameters
    ----------
    program : Program
        What is ordered.
    """
    instructions, partner, height = program.instructions, partners(program), _heights(program)
    order: list[int] = []
    done = {value for value, instruction in enumerate(instructions) if instruction.op in FREE}
    angles = [value for value in range(len(instructions)) if value not in done and _turns_input(program, value)]
    waiting = [value for value in reversed([*angles, *program.results]) if value >= 0]
    while waiting:
        value = waiting[-1]
        operands = [] if value in done else [arg for arg in instructions[value].args if arg not in done]
        if operands:
            waiting.extend(sorted(operands, key=height.__getitem__))
            continue
        waiting.pop()
        if value not in done:
            group = (value, partner[value]) if value in partner else (value,)
            order.extend(group)
            done.update(group)
    return order


def _heights(program: Program) -> list[int]:
    """For each value the length of the longest chain of operations that makes it."""
    heights: list[int] = []
    for op, args, *_ in program.instructions:
        heights.append(0 if op in FREE else 1 + max(heights[arg] for arg in args))
    return heights


def _turns_input(program: Program, value: int) -> bool:
    op, args, *_ = program.instructions[value]
    return op in (ca.OP_SIN, ca.OP_COS) and program.instructions[args[0]].op in FREE


def partners(program: Program) -> dict[int, int]:
    """For each sine or cosine whose angle has both, the other one.

    Parameters
    ----------
    program : Program
        What is searched.
    """
    made: dict[tuple[int, int], int] = {}
    for value, instruction in enumerate(program.instructions):
        if instruction.op in (ca.OP_SIN, ca.OP_COS):
            made[instruction.op, instruction.args[0]] = value
    pairs = {}
    for (op, angle), value in made.items():
        other = made.get((ca.OP_COS if op == ca.OP_SIN else ca.OP_SIN, angle))
        if other is not None:
            pairs[value] = other
    return pairs
