"""Tables of kinds: a kind is one file, named as the key `type` of a model file names it."""

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Any


class Kinds(MutableMapping[str, Any]):
    """Record classes by their `type`, each from the file of that name, which is imported when somebody looks it up.

    A model has few of the kinds, and to import one takes about a millisecond. `types` are in the order in which
    messages list them; those of `beside` stand in the file of another one, or in that of another folder.
    """

    def __init__(self, package: str, *types: str, **beside: str) -> None:
        self._package, self._beside = package, beside
        self._records: dict[str, Any] = dict.fromkeys((*types, *beside))  # None until its file is imported

    def __getitem__(self, kind: str) -> Any:
        """The record class of a kind."""
        if self._records[kind] is None:
            self._records[kind] = _record(f".{self._beside.get(kind, kind)}", self._package, kind)
        return self._records[kind]

    def __setitem__(self, kind: str, record: type) -> None:
        """Add a kind."""
        self._records[kind] = record

    def __delitem__(self, kind: str) -> None:
        """Remove a kind."""
        del self._records[kind]

    def __iter__(self) -> Iterator[str]:
        """The kinds in their order."""
        return iter(self._records)

    def __len__(self) -> int:
        """Number of kinds."""
        return len(self._records)


def _record(module: str, package: str, kind: str) -> type:
    """The record class in `module`, as named from `package`, whose key `type` is `kind`."""
    for entry in vars(import_module(module, package)).values():
        field = getattr(entry, "model_fields", {}).get("type")
        if field is not None and field.default == kind:
            return entry
    raise ImportError(f"{package}{module} has no record with the type {kind!r}")
