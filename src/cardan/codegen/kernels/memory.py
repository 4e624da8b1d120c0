"""Memory as kernels see it: records of numbers and addresses, arrays and native functions by address.

Everything here also runs in plain Python, so that a kernel can be stepped through and compared with its machine code.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Address = int  # address of the first double of a C-contiguous array, or of a native function; 0 for none

_NATIVE = {count: ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count) for count in (3, 4)}


def fields(record: type) -> Mapping[str, str]:
    """Return the fields of a record class in order: name → "float", "int" or "Address", eight bytes each."""
    found = (inspect.get_annotations(base) for base in reversed(record.__mro__))
    return MappingProxyType({name: kind for kinds in found for name, kind in kinds.items()})


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function with a loop to be compiled into its callers: one place calls it, at nearly every step."""
    vars(function)["inlined"] = True
    return function


class Cells:
    """The fields of a record class, by name, where a kernel reads and writes them.

    `words` (fields,) are their eight bytes each, as integers, which the record reads and writes in place.
    """

    __slots__ = ("_numbers", "_places", "_words", "address", "kind")

    def __init__(self, kind: type, words: NDArray[np.int64], address: Address | None = None) -> None:
        self.kind = kind
        self.address = address_of(words) if address is None else address
        self._words, self._numbers, self._places = words, words.view(np.float64), _places(kind)

    def __getitem__(self, name: str) -> Any:
        """Return a field as Python's number."""
        place, is_float = self._places[name]
        return (self._numbers if is_float else self._words).item(place)

    def __setitem__(self, name: str, value: Any) -> None:
        place, is_float = self._places[name]
        (self._numbers if is_float else self._words)[place] = value

    def copy(self) -> Cells:
        """Return the same fields in memory of their own."""
        return Cells(self.kind, self._words.copy())


def fill(record: type, **values: Any) -> Cells:
    """Return a record with every field given: a number, or an array whose address is stored.

    The record does not keep the arrays alive.
    """
    filled = Cells(record, np.empty(len(_places(record)), np.int64))
    for name in _places(record):
        filled[name] = _number(values[name])
    return filled


@functools.cache
def _places(record: type) -> Mapping[str, tuple[int, bool]]:
    """Number of every field, and whether it is a float."""
    return {name: (place, kind == "float") for place, (name, kind) in enumerate(fields(record).items())}


def _number(value: Any) -> Any:
    return address_of(value) if isinstance(value, np.ndarray) else value


class View:
    """A record as plain Python sees it: fields are attributes that hold Python numbers, functions are methods."""

    def __init__(self, record: Cells) -> None:
        object.__setattr__(self, "record", record)

    def __getattr__(self, name: str) -> Any:
        if name in _places(self.record.kind):
            return self.record[name]
        return functools.partial(getattr(self.record.kind, name), self)

    def __setattr__(self, name: str, value: Any) -> None:
        self.record[name] = value


def address_of(array: NDArray[Any]) -> Address:
    """Return the address of the first byte of an array."""
    return array.__array_interface__["data"][0]


def doubles(address: Address) -> Any:
    """Return the doubles at `address` as something to index; nothing is checked."""
    return ctypes.cast(int(address), ctypes.POINTER(ctypes.c_double))


def call(function: Address, inputs: Address, outputs: Address, work: Address, *last: Address) -> None:
    """Call the native `function`, a `void f(const double *inputs, double *outputs, double *work)`.

    The `last` input follows if it stands in an array of its own.
    """
    arguments = inputs, outputs, work, *last
    _NATIVE[len(arguments)](int(function))(*map(int, arguments))
