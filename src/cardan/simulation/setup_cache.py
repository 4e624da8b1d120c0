"""Cache of setups: a call of `simulate` that repeats the arguments of an earlier call uses the earlier setup."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import lru_cache
from operator import attrgetter
from typing import Any

from cardan.model.signal import Table
from cardan.simulation.arguments import Arguments
from cardan.simulation.conditions import Conditions, read_conditions, reads_files
from cardan.simulation.setup import Setup

__all__ = ["kept_setup"]

KEPT = 64  # largest number of setups in the cache
LARGEST = 4096  # largest number of instants, or of samples of a table, of a setup in the cache


class _Key:
    """Arguments as a key: equal if all values and their types are equal, so that True, 1 and 1.0 differ."""

    __slots__ = ("_hash", "arguments", "values")

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        single = _SINGLE(arguments)
        named = [_entries(given) for given in (arguments.inputs, arguments.initial, arguments.parameters)]
        times = None if arguments.times is None else arguments.times.tobytes()
        self.values = (single, tuple(map(type, single)), *named, times)
        self._hash = hash(self.values)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.values == other.values


_LARGE = ("inputs", "initial", "parameters", "times")
_SINGLE = attrgetter(*(field.name for field in fields(Arguments) if field.name not in _LARGE))


def _entries(given: Mapping[str, Any] | None) -> Any:
    """A mapping as an immutable collection of its names, values and types."""
    return None if given is None else tuple([(name, type(x), x) for name, x in given.items()])


def kept_setup(arguments: Arguments) -> Setup:
    """The setup for these arguments: from the cache if an earlier call had equal arguments, else a new one."""
    key = _key(arguments)
    if key is not None:
        return _kept(key)
    rest = _key(replace(arguments, initial=None))
    return Setup.of(arguments, None if rest is None else _conditions(rest))


def _key(arguments: Arguments) -> _Key | None:
    """The key of the arguments; None if they are mutable or too large for the cache."""
    for signal in (*arguments.model.inputs.values(), *(arguments.inputs or {}).values()):
        if isinstance(signal, Table) and (reads_files([signal]) or len(signal.table or ()) > LARGEST):
            return None
    if arguments.times is not None and arguments.times.size > LARGEST:
        return None
    try:
        return _Key(arguments)
    except TypeError:  # a list or dictionary: its contents may have changed before the next call
        return None


@lru_cache(maxsize=KEPT)
def _kept(key: _Key) -> Setup:
    return Setup.of(key.arguments, _conditions(_Key(replace(key.arguments, initial=None))))


@lru_cache(maxsize=KEPT)
def _conditions(key: _Key) -> Conditions:
    return read_conditions(key.arguments)
