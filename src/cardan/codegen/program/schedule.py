"""The order in which a program's values are made."""

import casadi as ca

from cardan.codegen.program.instruction import FREE, SPREAD
from cardan.codegen.program.operations import OPERATIONS
from cardan.codegen.program.program import Program

WINDOW = 300
"""Values among which those that most others wait for are made first. The processor itself looks that far ahead; in
longer windows more values live at a time than there are registers."""


def schedule(program: Program) -> list[int]:
    """The values in the order in which they are made, without constants and inputs; sine and cosine of one angle side
    by side.

    First operands stand right before what reads them, the one with the longest chain of operations first, so that few
    values live at a time. Sines and cosines of inputs come before everything else: each ends a basic block, and LLVM
    orders instructions and fuses products with sums only within one. Then, window by window, the value with the
    longest way to the window's end comes first, so that what waits for an operand is filled with other work.
    """
    groups = _depth_first(program)
    windows = (groups[start : start + WINDOW] for start in range(0, len(groups), WINDOW))
    return [value for window in windows for group in _longest_way_first(program, window) for value in group]


def _depth_first(program: Program) -> list[tuple[int, ...]]:
    """The values with every operand right before what reads it; sine and cosine of one angle in one group."""
    instructions, partner, height = program.instructions, partners(program), chains(program)
    groups: list[tuple[int, ...]] = []
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
            groups.append((value, partner[value]) if value in partner else (value,))
            done.update(groups[-1])
    return groups


def _longest_way_first(program: Program, window: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Groups ordered by the cycles from their start to the end of what waits for them within the window."""
    instructions = program.instructions
    way: dict[int, int] = {}  # from a value that is ready to the end [cycles]
    start: dict[tuple[int, ...], int] = {}
    for group in reversed(window):
        op = instructions[group[0]].op
        cycles = OPERATIONS[op].cycles if op in OPERATIONS else 0  # no other work fills the time of a call
        start[group] = cycles + max([way.get(value, 0) for value in group])
        for value in group:
            for arg in instructions[value].args:
                way[arg] = max(way.get(arg, 0), start[group])
    return sorted(window, key=start.__getitem__, reverse=True)


def chains(program: Program) -> list[int]:
    """For each value the length of the longest chain of operations that makes it."""
    heights: list[int] = []
    for op, args, *_ in program.instructions:
        heights.append(0 if op in FREE else 1 + max([heights[arg] for arg in args]))
    return heights


def _turns_input(program: Program, value: int) -> bool:
    op, args, *_ = program.instructions[value]
    if op not in (ca.OP_SIN, ca.OP_COS):
        return False
    angle = program.instructions[args[0]]
    return angle.op in FREE or (angle.op == SPREAD and all(program.instructions[a].op in FREE for a in angle.args))


def partners(program: Program) -> dict[int, int]:
    """For each sine or cosine whose angle has both, the other one."""
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
