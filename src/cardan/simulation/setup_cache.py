"""Cache of setups: a call of `simulate` with the same arguments as an earlier one reads and compiles nothing."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

from cardan.model.records.model_text import reads_files
from cardan.model.signal import Table
from cardan.simulation.arguments import Arguments
from cardan.simulation.conditions import Conditions, read_conditions
from cardan.simulation.setup import Setup
from cardan.simulation.task import Task

KEPT = 64  # largest number of setups in the cache
LARGEST = 4096  # largest number of instants, or of samples of a table, in the cache


class _Key:
    """Arguments of a call as a key: equal if the values and types that it was made from are equal."""

    __slots__ = ("_hash", "arguments", "values")

    def __init__(self, arguments: Arguments, values: tuple[Any, ...]) -> None:
        self.arguments, self.values, self._hash = arguments, values, hash(values)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.values == other.values


_LARGE = ("inputs", "initial", "parameters", "times")


def kept_setup(arguments: Arguments) -> Setup:
    """The setup for these arguments: from the cache if an earlier call had equal arguments, else a new one."""
    times = arguments.settings["times"]
    if times is not None and times.size > LARGEST:
        return kept_setup(arguments.updated(times=times[[0, -1]])).at(times)
    key = _conditions_key(arguments)
    if key is None:
        return Setup.of(arguments)
    conditions = _conditions(key)
    start_key = _key(arguments, (conditions, _entries(arguments.settings["initial"])))
    return _reusing_last_task(arguments, conditions) if start_key is None else _kept(start_key)


def _conditions_key(arguments: Arguments) -> _Key | None:
    """The key of all arguments except the initial values; None if they are mutable or too large for the cache."""
    settings = arguments.settings
    for signal in (*arguments.model.inputs.values(), *(settings["inputs"] or {}).values()):
        if isinstance(signal, Table) and (reads_files([signal]) or len(signal.table or ()) > LARGEST):
            return None
    single = (
        *(arguments.model, arguments.until, arguments.motors, arguments.all_prescribed),
        *(x for name, x in settings.items() if name not in _LARGE),
    )  # with types: True, 1 and 1.0 are equal, but not the same argument
    times = None if settings["times"] is None else settings["times"].tobytes()
    named = _entries(settings["inputs"]), _entries(settings["parameters"])
    return _key(arguments, (single, tuple(map(type, single)), *named, times))


def _entries(given: Mapping[str, Any] | None) -> Any:
    """A mapping as an immutable collection of its names, values and types."""
    return None if given is None else tuple([(name, type(x), x) for name, x in given.items()])


def _key(arguments: Arguments, values: tuple[Any, ...]) -> _Key | None:
    """A key made from these values; None if they are mutable."""
    try:
        return _Key(arguments, values)
    except TypeError:
        return None


@lru_cache(maxsize=KEPT)
def _conditions(key: _Key) -> Conditions:
    return read_conditions(key.arguments)


@lru_cache(maxsize=KEPT)
def _kept(key: _Key) -> Setup:
    return _reusing_last_task(key.arguments, key.values[0])


def _reusing_last_task(arguments: Arguments, conditions: Conditions) -> Setup:
    """The setup under cached conditions, with the task of their last setup if it solves the same equations."""
    setup = Setup.of(arguments, conditions, _LAST_TASK.get(conditions))
    _LAST_TASK[conditions] = setup.task
    return setup


_LAST_TASK: WeakKeyDictionary[Conditions, Task] = WeakKeyDictionary()
