"""Memory as kernels see it: records of numbers and addresses, arrays and native functions by address.

Everything here also runs in plain Python, so that a kernel can be stepped through and compared with its machine code.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

__all__ = ["Address", "View", "address_of", "call", "doubles", "fields", "fill"]

Address = int  # of the first double of a C-contiguous array, or of a native function; 0: there is none

_KINDS = {"float": np.float64, "int": np.int64, "Address": np.int64}
_NATIVE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


@functools.cache
def fields(record: type) -> Mapping[str, str]:
    """Return the fields of a record class in order: name → "float", "int" or "Address", eight bytes each."""
    found = (inspect.get_annotations(base) for base in reversed(record.__mro__))
    return MappingProxyType({name: kind for kinds in found for name, kind in kinds.items()})


def fill(record: type, **values: Any) -> np.void:
    """Return a record with every field given: a number, or an array whose address is stored.

    The record does not keep the arrays alive.

    Parameters
    ----------
    record : type
        A class whose annotations are float, int or Address.
    **values
        One for each annotation.
    """
    row = tuple([_number(values[name]) for name in fields(record)])
    return np.array(row, _layout(record))[()]  # type: ignore[return-value]


@functools.cache
def _layout(record: type) -> np.dtype:
    return np.dtype([(name, _KINDS[kind]) for name, kind in fields(record).items()])


def _number(value: Any) -> Any:
    return address_of(value) if isinstance(value, np.ndarray) else value


class View:
    """A record as plain Python sees it: fields are attributes that hold Python numbers."""

    def __init__(self, record: np.void) -> None:
        object.__setattr__(self, "record", record)

    def __getattr__(self, name: str) -> Any:
        return self.record[name].item()

    def __setattr__(self, name: str, value: Any) -> None:
        self.record[name] = value


def address_of(array: np.ndarray | np.void) -> Address:
    """Return the address of the first byte of an array or of a record."""
    if isinstance(array, np.void):  # whose own interface describes every field, which takes a hundred times as long
        array = np.frombuffer(array, np.uint8)
    return array.__array_interface__["data"][0]


def doubles(address: Address) -> Any:
    """Return the doubles at `address` as something to index; nothing is checked."""
    return ctypes.cast(int(address), ctypes.POINTER(ctypes.c_double))


def call(function: Address, inputs: Address, outputs: Address, work: Address) -> None:
    """Call the native `function`, a `void f(const double *inputs, double *outputs, double *work)`."""
    _NATIVE(int(function))(int(inputs), int(outputs), int(work))
