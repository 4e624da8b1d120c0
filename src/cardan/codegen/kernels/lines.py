"""Lines: eight doubles as one value, which a processor with vectors of that length adds or multiplies at once.

In a kernel a line is a value as a number is; here, in plain Python, it is an array (8,).
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardan.codegen.kernels.memory import Address

LINE = 8  # doubles of a cache line

Line = NDArray[np.float64]  # (8,)
_Cells = ctypes.c_double * LINE


class _Lines:
    """The doubles at an address, eight at a time."""

    def __init__(self, address: Address) -> None:
        self._address = int(address)

    def _at(self, i: int) -> Any:
        return _Cells.from_address(self._address + i * ctypes.sizeof(_Cells))

    def __getitem__(self, i: int) -> Line:
        return np.array(self._at(i))

    def __setitem__(self, i: int, value: Any) -> None:
        self._at(i)[:] = np.broadcast_to(value, LINE).tolist()


def lines(address: Address) -> Any:
    """Return the doubles at `address` as lines to index; nothing is checked."""
    return _Lines(address)


def line(x: float) -> Line:
    """Return a line of eight equal numbers `x`."""
    return np.full(LINE, x)


def select(where: NDArray[np.bool_], yes: Line, no: Line) -> Line:
    """Return a line with the entries of `yes` where a comparison of lines holds (`where`), else those of `no`."""
    return np.where(where, yes, no)


def somewhere(where: NDArray[np.bool_]) -> bool:
    """Return whether a comparison of lines, `where`, holds in one place at least."""
    return bool(np.any(where))
