"""A CasADi Function as machine code at an address."""

from __future__ import annotations

import casadi as ca

from cardan.codegen.machine import engine
from cardan.codegen.machine.build import machine_code
from cardan.codegen.machine.machine_code import MachineCode
from cardan.codegen.program.program import flatten
from cardan.frozen import dataclass, field


@dataclass(frozen=True, slots=True)
class Native:
    """Machine code `void f(const double *in, double *out, double *work)` in memory.

    All inputs concatenated, each dense and row-major, form `in`; likewise `out`. With lanes each entry is a row of
    that many doubles. The last input may stand apart, in an array `const double *last`, the fourth argument. The
    arrays must not overlap.
    """

    address: int  # of the function; valid as long as this record lives
    n_in: int  # entries of `in`, or rows of `lanes` doubles
    n_out: int  # entries of `out`
    n_work: int  # entries of `work`, which may be null if there are none
    lanes: int  # states computed at once; 0 for plain numbers
    length: int  # number of instructions of the program
    engine: engine.Engine = field(repr=False)  # owner of the code

    def __reduce__(self) -> str:
        """An address is valid in one process only."""
        raise TypeError("machine code in memory cannot be pickled; pickle what it was made from")


def native(function: ca.Function, *, lanes: int = 0, apart: bool = False) -> Native:
    """Machine code of a CasADi Function."""
    return load_native(machine_code(flatten(function, calls=True), lanes, apart=apart))


def load_native(made: MachineCode) -> Native:
    """Machine code in memory, ready to be called."""
    loaded = engine.load(made.code)
    return Native(loaded.program, made.n_in, made.n_out, made.n_work, made.lanes, made.length, loaded)
