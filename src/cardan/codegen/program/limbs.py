"""Equal limbs of a mechanism, found in its instructions: legs, fingers or arms that differ in their numbers alone.

Values of one *kind* are made by the same operation from values of the same kinds; all constants are of one kind. Where
each value of a kind reads as many inputs that no other value of it reads, besides those that all of them read, these
are the inputs of one limb each. Whatever reads one limb alone, or is read by one alone, is part of it, if another limb
has a value of the same kind there. What all limbs share, such as the body that they hang on, belongs to none.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import pairwise
from operator import and_, or_

import casadi as ca

from cardan.codegen.program.instruction import FREE, Instruction
from cardan.codegen.program.operations import OPERATIONS
from cardan.codegen.program.program import Program
from cardan.codegen.program.schedule import chains
from cardan.frozen import dataclass

WIDEST = 8
"""Most limbs side by side: as many as numbers in a register of 512 bits."""
COMMUTATIVE = frozenset(code for code, operation in OPERATIONS.items() if operation.commutative)

Limb = tuple[int, int]
"""The number of a group of equal limbs, and that of a limb in it."""


@dataclass(frozen=True, slots=True)
class Limbs:
    """Values of equal limbs."""

    sizes: tuple[int, ...]  # number of limbs of each group
    inputs: Mapping[int, Limb]  # limb of each input that is part of one
    limbs: Mapping[int, Limb]  # limb of each value that is part of one
    kinds: Sequence[int]  # kind of each value; each input that is part of no limb has a kind of its own
    heights: Sequence[int]  # number of operations in the longest chain that makes each value
    computed: Sequence[Sequence[int]]  # values of each kind, of kinds with several; the lowest first


def find_limbs(program: Program) -> Limbs | None:
    """The equal limbs of a program; None if it has none."""
    groups = _groups(program.instructions)
    inputs = {value: limb for limb, own in _each(groups) for value in _places(own)}
    if not inputs:
        return None
    kinds = _kinds(program.instructions, _roles(program.instructions, inputs))
    heights = chains(program)
    computed = sorted(_computed(program.instructions, kinds), key=lambda members: heights[members[0]])
    return Limbs(tuple(map(len, groups)), inputs, _joined(program, inputs, computed), kinds, heights, computed)


def _groups(instructions: Sequence[Instruction]) -> list[list[int]]:
    """Groups of limbs: the inputs of each limb, a bit for each; those with most inputs first."""
    reads: list[int] = []
    for value, (op, args, *_) in enumerate(instructions):
        bits = 1 << value if op == ca.OP_INPUT else 0
        for arg in args if op not in FREE else ():
            bits |= reads[arg]
        reads.append(bits)
    computed = _computed(instructions, _kinds(instructions, {}))
    found = [own for members in computed if (own := _own_inputs([reads[value] for value in members]))]
    groups: list[list[int]] = []
    taken = 0
    for own in sorted(found, key=lambda own: (-sum(bits.bit_count() for bits in own), len(own))):
        every = reduce(or_, own)
        if not taken & every:
            taken |= every
            parts = -(-len(own) // WIDEST)
            ends = [len(own) * k // parts for k in range(parts + 1)]  # of groups alike in size
            groups += [own[start:end] for start, end in pairwise(ends)]
    return groups


def _own_inputs(reads: Sequence[int]) -> list[int]:
    """The inputs that values do not share, if each has equally many and no two have one in common; else none."""
    shared = reduce(and_, reads)
    own = [one & ~shared for one in reads]
    size = own[0].bit_count()
    alike = size > 0 and all(bits.bit_count() == size for bits in own)
    return own if alike and reduce(or_, own).bit_count() == size * len(own) else []


def _each(groups: Iterable[Sequence[int]]) -> Iterator[tuple[Limb, int]]:
    return (((number, k), own) for number, group in enumerate(groups) for k, own in enumerate(group))


def _places(bits: int) -> list[int]:
    return [place for place in range(bits.bit_length()) if bits >> place & 1]


def _roles(instructions: Sequence[Instruction], inputs: Mapping[int, Limb]) -> dict[int, object]:
    """What each input is: to its limb, the same in all of a group; else an input of its own."""
    counts: dict[Limb, int] = defaultdict(int)
    roles: dict[int, object] = {}
    for value, instruction in enumerate(instructions):
        if instruction.op == ca.OP_INPUT:
            roles[value] = value
            if value in inputs:
                limb = inputs[value]
                roles[value] = limb[0], counts[limb]
                counts[limb] += 1
    return roles


def _kinds(instructions: Sequence[Instruction], roles: Mapping[int, object]) -> list[int]:
    """The kind of each value; inputs without roles are of one kind."""
    numbers: dict[object, int] = {}
    kinds: list[int] = []
    for value, (op, args, _, table) in enumerate(instructions):
        read = [kinds[arg] for arg in args] if op != ca.OP_INPUT else []
        if op in COMMUTATIVE:
            read.sort()
        key = (op, table, roles.get(value)) if op == ca.OP_INPUT else (op, table, *read)
        kinds.append(numbers.setdefault(key, len(numbers)))
    return kinds


def _computed(instructions: Sequence[Instruction], kinds: Sequence[int]) -> list[list[int]]:
    """Values of each kind that is computed, of kinds with several."""
    members: dict[int, list[int]] = defaultdict(list)
    for value, kind in enumerate(kinds):
        if instructions[value].op not in FREE:
            members[kind].append(value)
    return [values for values in members.values() if len(values) > 1]


def _joined(program: Program, inputs: Mapping[int, Limb], computed: Sequence[Sequence[int]]) -> dict[int, Limb]:
    """The limb of each value that is part of one: from the inputs on, then back from what reads values of limbs."""
    limbs = dict(inputs)
    instructions = program.instructions
    for members in computed:
        _join(limbs, {value: {limbs.get(arg) for arg in instructions[value].args} - {None} for value in members})
    results = set(program.results)
    readers: dict[int, list[int]] = {
        value: [] for members in computed for value in members if value not in limbs and value not in results
    }
    for value, (op, args, *_) in enumerate(instructions):
        for arg in args if op not in FREE else ():
            if arg in readers:
                readers[arg].append(value)
    for members in reversed(computed):
        _join(limbs, {value: {limbs.get(reader) for reader in readers[value]} for value in members if value in readers})
    return limbs


def _join(limbs: dict[int, Limb], near: Mapping[int, set[Limb | None]]) -> None:
    """Let values of one kind be part of the only limb that each is near to, if there are two such limbs or more."""
    found = {value: limb for value, around in near.items() if len(around) == 1 for limb in around if limb is not None}
    if len(set(found.values())) > 1:
        limbs.update(found)
