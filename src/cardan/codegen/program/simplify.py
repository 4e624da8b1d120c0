"""Cheaper instructions with the same value up to rounding."""

from collections import Counter
from collections.abc import Sequence

import casadi as ca

from cardan.codegen.program.instruction import Instruction, renumbered_reads


def share_reciprocals(
    instructions: Sequence[Instruction], results: Sequence[int]
) -> tuple[list[Instruction], list[int]]:
    """The instructions with several quotients a/d, b/d … of one divisor replaced by products with 1/d, and the
    renumbered results.

    A division takes as long as ten products, and articulated-body programs divide whole rows by one joint inertia.
    The relative error grows from ½ to at most 1½ units in the last place; a divisor below 2⁻¹⁰²⁴, whose reciprocal
    overflows, is the only one that gives another result.
    """
    divisions = Counter(instruction.args[1] for instruction in instructions if instruction.op == ca.OP_DIV)
    made: list[Instruction] = []
    renumbered: list[int] = []
    reciprocals: dict[int, int] = {}
    for instruction in instructions:
        if instruction.op != ca.OP_INPUT:
            if instruction.op == ca.OP_DIV and divisions[instruction.args[1]] > 1:
                divisor = instruction.args[1]
                if divisor not in reciprocals:
                    reciprocals[divisor] = len(made)
                    made.append(Instruction(ca.OP_INV, (renumbered[divisor],)))
                args = (renumbered[instruction.args[0]], reciprocals[divisor])
                instruction = Instruction(ca.OP_MUL, args)
            elif reciprocals:  # until then all numbers stay
                instruction = renumbered_reads(instruction, renumbered)
        renumbered.append(len(made))
        made.append(instruction)
    return made, [renumbered[value] if value >= 0 else -1 for value in results]
