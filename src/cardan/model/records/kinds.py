"""Tables of kinds, each one file named as the key `type` names it, and fields whose records are of several kinds."""

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from cardan.errors import Issue, ModelError, nearest
from cardan.frozen import dataclass
from cardan.model.records.key_advice import not_yet
from cardan.model.records.record import Record


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


@dataclass(frozen=True)
class OneOf:
    """Reads a record of the kind that its key `type` names; attached to a field's type with `Annotated`."""

    noun: str  # what the records are, for messages: "joint"
    kinds: Mapping[str, type[Record]]  # the possible values of `type`
    default: str = ""  # value of `type` where it is not written; empty where it has to be

    def read(self, value: Any) -> Record:
        """The record that `value` describes; a record of one of the kinds is returned as it is."""
        if isinstance(value, Record) and isinstance(value, self.kinds.get(getattr(value, "type", ""), ())):
            return value
        known = ", ".join(self.kinds)
        if not isinstance(value, Mapping):
            raise ModelError(f"{f'{value!r:.60}'} is not a {self.noun}", f"write {{type: …, …}}; types: {known}")
        if "type" not in value and not self.default:
            raise ModelError(f"the {self.noun} has no type", f"add one of: {known}")
        kind = value.get("type", self.default)
        if not isinstance(kind, str) or kind not in self.kinds:
            cure = not_yet(str(kind)) or nearest(str(kind), self.kinds)
            raise ModelError(Issue(f"there is no {self.noun} type {f'{kind!r:.60}'}", cure, ("type",)))
        return self.kinds[kind](**{str(key): entry for key, entry in value.items()})

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """How pydantic reads such a field."""
        return core_schema.no_info_plain_validator_function(self.read)
