"""Records of several kinds in one place of a model: the key `type` says which."""

from collections.abc import Mapping
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from cardan.errors import Issue, ModelError, nearest
from cardan.frozen import dataclass
from cardan.model.records.planned import not_yet
from cardan.model.records.record import Record


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
