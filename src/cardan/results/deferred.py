"""A mapping that is made when somebody first looks into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

__all__ = ["Deferred"]

Value = TypeVar("Value")


class Deferred(Mapping[str, Value]):
    """Mapping whose entries `make()` gives when they are first needed.

    Parameters
    ----------
    make : callable
        Gives the entries; called at most once.
    """

    def __init__(self, make: Callable[[], Mapping[str, Value]]) -> None:
        self._make = make
        self._made: Mapping[str, Value] | None = None

    def _entries(self) -> Mapping[str, Value]:
        if self._made is None:
            self._made = self._make()
        return self._made

    def __getitem__(self, name: str) -> Value:
        """The entry of a name."""
        return self._entries()[name]

    def __iter__(self) -> Iterator[str]:
        """The names in their order."""
        return iter(self._entries())

    def __len__(self) -> int:
        """How many there are."""
        return len(self._entries())

    def __reduce__(self) -> tuple[type, tuple[dict[str, Value]]]:
        """Another process gets the entries themselves."""
        return dict, (dict(self._entries()),)
