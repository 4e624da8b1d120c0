"""The order in which a program's values are made."""

from __future__ import annotations

import casadi as ca

from .instruction import FREE
from .program import Program

__all__ = ["partners", "schedule"]


def schedule(program: Program) -> list[int]:
    """The values in the order in which they are made, without constants and inputs; sine and cosine of one angle side
    by side.

    Parameters
    ----------
    program : Program
        What is ordered.
    """
    partner = partners(program)
    order: list[int] = []
    done: set[int] = set()
    for value, instruction in enumerate(program.instructions):
        if instruction.op in FREE or value in done:
            continue
        group = (value, partner[value]) if value in partner else (value,)
        order.extend(group)
        done.update(group)
    return order


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
