"""Where the inputs and outputs of called programs stand: in the `work` array of the program that calls them."""

from collections.abc import Sequence
from itertools import accumulate

from cardan.codegen.program.instruction import CALL
from cardan.codegen.program.program import Program
from cardan.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Calls:
    """The places of called programs: first their inputs, then the work of whichever is called, then all outputs.

    Inputs that are the same in all calls of a program are written once.
    """

    inputs: list[int]  # where the input of each called program begins
    work: int  # where their work begins
    outputs: dict[int, int]  # where the output of each call begins, by its value
    shared: dict[int, list[int]]  # rows of the input that the first call of a program writes for all, by its value
    own: list[list[int]]  # rows that each call writes, by number of the program
    end: int  # where all of this ends

    def written_by(self, program: Program, value: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Places and values of the inputs that a call writes for all calls, and of those of its own."""
        _, args, number, _ = program.instructions[value]
        first, rows = self.inputs[int(number)], (self.shared.get(value, []), self.own[int(number)])
        shared, own = ([(first + row, args[row]) for row in some] for some in rows)
        return shared, own


def place_calls(program: Program, order: Sequence[int], start: int, work: int = 0) -> Calls:
    """The places of the calls of a program behind `start`, with room for the `work` of called programs."""
    *inputs, first = accumulate((each.n_in for each in program.called), initial=start)
    end, outputs, shared, own = first + work, dict[int, int](), dict[int, list[int]](), list[list[int]]()
    for number, called in enumerate(program.called):
        values = [v for v in order if program.instructions[v].op == CALL and program.instructions[v].value == number]
        given = list(zip(*(program.instructions[value].args for value in values), strict=True))
        own.append([row for row, args in enumerate(given) if len(set(args)) > 1])
        shared[values[0]] = [row for row, args in enumerate(given) if len(set(args)) == 1]
        for value in values:
            outputs[value] = end
            end += called.n_out
    return Calls(inputs, first, outputs, shared, own, end)
