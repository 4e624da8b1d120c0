"""Equal limbs of a mechanism side by side, in the lanes of one evaluation.

Values of one kind, one of each limb, become one instruction over lanes, whose number is a power of two; lanes without a
limb repeat another one's numbers, so that they compute nothing unusual. Numbers are put into lanes by `SPREAD`, and
taken from them by `LANE`.

Values of one kind have chains of operations of the same length behind them. So they never wait for each other, and
neither do instructions over lanes.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import casadi as ca

from cardan.codegen.program.instruction import CONSTANTS, LANE, SPREAD, Instruction
from cardan.codegen.program.limbs import COMMUTATIVE, Limb, Limbs, find_limbs
from cardan.codegen.program.operations import OPERATIONS
from cardan.codegen.program.program import Program
from cardan.frozen import dataclass, replace

REGISTER = 4
"""Numbers in a register of 256 bits, which most processors compute at once."""
_AT_ONCE = frozenset(code for code, operation in OPERATIONS.items() if "{lib}" not in operation.llvm)
"""Operations of the processor; the others call a function for each number."""


def side_by_side(program: Program) -> Program:
    """The program with equal limbs in lanes; as it is where that saves no instructions."""
    limbs = None if program.called else find_limbs(program)
    if limbs is None:
        return program
    packs = tuple(_packs(program, limbs))
    saved = sum(len(pack.values) - -(-pack.lanes // REGISTER) for pack in packs)
    if saved <= len(limbs.inputs):  # which are all moved into lanes
        return program
    packed = _Packing(program, limbs, packs).program()
    return packed if saved > _moves(packed) else program


def _moves(program: Program) -> int:
    """Instructions of the processor that move numbers into lanes and out of them."""
    return sum(len(set(instruction.args)) for instruction in program.instructions if instruction.op in (SPREAD, LANE))


@dataclass(frozen=True, slots=True)
class _Pack:
    """Values of one kind in lanes."""

    lanes: int  # number of lanes, at least that of values
    values: Mapping[int, int]  # by lane


def _packs(program: Program, limbs: Limbs) -> Iterator[_Pack]:
    """The values of each kind, one of each limb, those that come first in their limbs together."""
    for members in limbs.computed:
        op, _, _, table = program.instructions[members[0]]
        if op not in _AT_ONCE or table:
            continue
        rows: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
        counts: dict[Limb, int] = defaultdict(int)
        for value in members:
            if value in limbs.limbs:
                group, lane = limb = limbs.limbs[value]
                rows[group, counts[limb]][lane] = value
                counts[limb] += 1
        for (group, _), row in rows.items():
            if len(row) > 1:
                yield _Pack(1 << (limbs.sizes[group] - 1).bit_length(), row)


class _Packing:
    """The instructions of a program over lanes, while they are made."""

    def __init__(self, program: Program, limbs: Limbs, packs: Sequence[_Pack]) -> None:
        self._given = program
        self._kinds, self._heights = limbs.kinds, limbs.heights
        self._packs = packs
        self._place = {value: (k, lane) for k, pack in enumerate(packs) for lane, value in pack.values.items()}
        self._instructions: list[Instruction] = []
        self._lanes: dict[int, int] = {}
        self._numbers: dict[object, int] = {}  # of new instructions: by single value, pack, or what lanes hold

    def program(self) -> Program:
        """The program over lanes."""
        for value in sorted(range(len(self._heights)), key=self._heights.__getitem__):
            if value in self._place:
                self._pack(self._place[value][0])
            else:
                op, args, number, table = self._given.instructions[value]
                reads = args if op == ca.OP_INPUT else tuple([self._single(arg) for arg in args])
                self._add(value, Instruction(op, reads, number, table))
        results = tuple([self._single(value) if value >= 0 else -1 for value in self._given.results])
        return replace(self._given, instructions=tuple(self._instructions), results=results, lanes=self._lanes)

    def _add(self, key: object, instruction: Instruction, lanes: int = 0) -> int:
        """The number of a new instruction, which stands for `key`; one that is there already is not made again."""
        number = self._numbers.setdefault(key, len(self._instructions))
        if number == len(self._instructions):
            self._instructions.append(instruction)
            if lanes:
                self._lanes[number] = lanes
        return number

    def _single(self, value: int) -> int:
        """The number of what makes a single value."""
        if value in self._numbers:
            return self._numbers[value]
        pack, lane = self._place[value]
        return self._add(value, Instruction(LANE, (self._pack(pack),), float(lane)))

    def _pack(self, k: int) -> int:
        """The number of what makes values in lanes."""
        if ("pack", k) in self._numbers:
            return self._numbers["pack", k]
        pack = self._packs[k]
        reads = {lane: self._operands(value) for lane, value in pack.values.items()}
        columns = zip(*reads.values(), strict=True)
        args = tuple([self._side_by_side(dict(zip(reads, column, strict=True)), pack.lanes) for column in columns])
        op = self._given.instructions[next(iter(pack.values.values()))].op
        return self._add(("pack", k), Instruction(op, args), pack.lanes)

    def _operands(self, value: int) -> Sequence[int]:
        """What a value reads, in an order that is the same for all values of its kind."""
        op, args, *_ = self._given.instructions[value]
        return sorted(args, key=self._kinds.__getitem__) if op in COMMUTATIVE else args

    def _side_by_side(self, values: Mapping[int, int], lanes: int) -> int:
        """The number of what holds values in their lanes."""
        places = [self._place.get(value, (-1, -1)) for value in values.values()]
        pack = places[0][0]
        if pack >= 0 and self._packs[pack].lanes == lanes and places == [(pack, lane) for lane in values]:
            return self._pack(pack)
        other = next(iter(values.values()))
        every = [values.get(lane, other) for lane in range(lanes)]
        are_constants = all(self._given.instructions[value].op == ca.OP_CONST for value in every)
        op, args = CONSTANTS if are_constants else SPREAD, tuple([self._single(value) for value in every])
        return self._add((op, args), Instruction(op, args), lanes)
