"""The counter of instructions, on a loop whose instructions grow with its rounds."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import pytest
from tests.native_kernels import native_kernel

from cardan.codegen.kernels import Address, doubles

ROUNDS = 200


def rounds_of(inputs: Address, outputs: Address, work: Address) -> int:
    """Write the sum of 1/k up to the number in `inputs`."""
    total, k = 0.0, 1.0
    while k <= doubles(inputs)[0]:
        total += 1.0 / k
        k += 1.0
    doubles(outputs)[0] = total
    return 0


@pytest.mark.skipif(sys.platform != "linux", reason="instructions are counted on Linux only")
def test_twice_as_many_rounds_take_twice_as_many_instructions(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    from benchmarks.instructions import count, mark

    made, memory = native_kernel(rounds_of, 1, 1), (ctypes.c_double * 2)()
    call = mark(ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 3)(made.address))
    place = ctypes.addressof(memory)

    def run(rounds):
        memory[0] = rounds
        call(place, place + 8, place)

    none, once, twice = count([lambda n=n: run(n) for n in (0, ROUNDS, 2 * ROUNDS)])
    assert memory[0] == 0  # the calls run in a fork
    once, twice = once - none, twice - none
    assert 4 * ROUNDS < once < 12 * ROUNDS  # compare, divide, two additions; jumps and copies
    assert abs(twice - 2 * once) < ROUNDS  # what Python does between the marks differs by a few dozen
