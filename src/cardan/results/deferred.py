"""A mapping that makes each of its entries on first use."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import TypeVar

Value = TypeVar("Value")


class Deferred(Mapping[str, Value]):
    """Mapping whose entries `make(name)` gives when they are first needed.

    Parameters
    ----------
    names : callable
        Gives the names in their order; called at most once.
    make : callable
        Gives the entry of a name; called at most once for each.
    """

    def __init__(self, names: Callable[[], Collection[str]], make: Callable[[str], Value]) -> None:
        self._give_names = names
        self._make = make
        self._made: dict[str, Value] = {}

    @cached_property
    def _names(self) -> dict[str, None]:
        return dict.fromkeys(self._give_names())

    def __getitem__(self, name: str) -> Value:
        """The entry of a name."""
        if name not in self._made:
            if name not in self._names:
                raise KeyError(name)
            self._made[name] = self._make(name)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is such a name."""
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        """The names in their order."""
        return iter(self._names)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._names)

    def __reduce__(self) -> tuple[type, tuple[dict[str, Value]]]:
        """A pickle holds the entries themselves."""
        return dict, (dict(self),)
