"""Compiler of kernels: `kernel` compiles Python loops over scalars, records and arrays by address to machine code.

In: functions of a small subset of Python, whose meaning is Python's own (`lowering`). Out: a function that runs without
the interpreter and its lock. The folder does not know integration.
"""

from cardan.codegen.kernels.lines import LINE, Line, line, lines, select, somewhere
from cardan.codegen.kernels.memory import Address, Cells, address_of, call, doubles, fields, fill, inlined
from cardan.codegen.kernels.run import Kernel, kernel

__all__ = [
    "LINE",
    "Address",
    "Cells",
    "Kernel",
    "Line",
    "address_of",
    "call",
    "doubles",
    "fields",
    "fill",
    "inlined",
    "kernel",
    "line",
    "lines",
    "select",
    "somewhere",
]
