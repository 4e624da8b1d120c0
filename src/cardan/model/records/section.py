"""Section: an ordered, immutable table of names, as `bodies:` or `parameters:` of a model.

Two sections are equal when they hold the same things in the same order, because the order of joints and motors is the
order of coordinates and inputs.
"""

import re
from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any, ClassVar, Generic, Self, TypeVar, get_args

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from cardan.errors import Issue, ModelError
from cardan.model.expressions.grammar import ARITY, CONSTANTS, KEYWORDS

RESERVED = frozenset(["ground", "t", *CONSTANTS, *KEYWORDS, *ARITY])
"""Names that mean something else in expressions or as the base of a mechanism."""
FUNCTIONS = frozenset(ARITY)
"""Names of functions, such as `floor`: those that never stand alone in an expression may have them."""

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MAX_NAME = 100  # characters; longer names make tables and messages unreadable

Value = TypeVar("Value")


class Section(Mapping[str, Value], Generic[Value]):
    """Immutable mapping from names to values that keeps their order."""

    __slots__ = ("_entries", "_hash")
    allowed: ClassVar[frozenset[str]] = frozenset()  # reserved words that may be names here

    def __init__(self, entries: Mapping[str, Value] | None = None) -> None:
        self._entries = dict(entries or {})
        self._hash: int | None = None

    def __getitem__(self, name: str) -> Value:
        """The value of a name."""
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        """The names in their order."""
        return iter(self._entries)

    def __len__(self) -> int:
        """How many names there are."""
        return len(self._entries)

    def keys(self) -> KeysView[str]:
        """The names in their order."""
        return self._entries.keys()

    def values(self) -> ValuesView[Value]:
        """The values in their order."""
        return self._entries.values()

    def items(self) -> ItemsView[str, Value]:
        """Names and values in their order."""
        return self._entries.items()

    def __contains__(self, name: object) -> bool:
        """Whether there is such a name."""
        return name in self._entries

    def __eq__(self, other: object) -> bool:
        """True if the other mapping holds equal things in the same order."""
        return isinstance(other, Mapping) and list(self.items()) == list(other.items())

    def __hash__(self) -> int:
        """A hash of names and values in their order, worked out once."""
        if self._hash is None:
            self._hash = hash(tuple(self._entries.items()))
        return self._hash

    def __reduce__(self) -> tuple[type[Self], tuple[dict[str, Value]]]:
        """The entries travel; their hash would be wrong in another process."""
        return type(self), (self._entries,)

    def __repr__(self) -> str:
        """The section as a dictionary."""
        return f"Section({self._entries!r})"

    @classmethod
    def _table(cls, value: Any) -> dict[str, Any]:
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise ModelError(f"{f'{value!r:.60}'} is not a table", 'write "name: …" lines, or {} for an empty one')
        faults = [issue for name in value for issue in _faults(name, cls._parts(name), cls.allowed)]
        if faults:
            raise ModelError(faults)
        return dict(value)

    @staticmethod
    def _parts(name: Any) -> list[Any]:
        """What has to be an identifier in a name."""
        return [name]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """How pydantic reads a section: any mapping, checked name by name."""
        values = handler.generate_schema(get_args(source)[0])
        table = core_schema.dict_schema(core_schema.any_schema(), values)
        return core_schema.chain_schema(
            [
                core_schema.no_info_plain_validator_function(cls._table),
                table,
                core_schema.no_info_plain_validator_function(cls),
            ],
            serialization=core_schema.plain_serializer_function_ser_schema(dict),
        )


class PathSection(Section[Value]):
    """A section whose names may have dots, such as `swing.v`."""

    @staticmethod
    def _parts(name: Any) -> list[Any]:
        return name.split(".") if isinstance(name, str) else [name]


class DottedSection(Section[Value]):
    """A section whose names stand in expressions with a dot behind them only: `floor.normal`."""

    allowed = FUNCTIONS


def check_name(name: Any, allowed: frozenset[str] = frozenset()) -> None:
    """Refuse what cannot be the name of a body, joint, motor, parameter or marker; `allowed` reserved words can."""
    if not isinstance(name, str) or not _IDENTIFIER.fullmatch(name) or len(name) > MAX_NAME:
        cure = f"use a letter and then letters, digits and _, at most {MAX_NAME} characters"
        if re.fullmatch(r"\d+(\s.*)?", str(name)):  # what YAML makes of {l: 1,5 m}
            cure = f"{cure}; if a decimal number was meant, write a point, such as 1.5: a comma begins the next entry"
        raise ModelError(f"{f'{name!r:.60}'} cannot be a name", cure)
    if name in RESERVED - allowed:
        named = {"ground": "the body that does not move", "t": "the time", "pi": "the number π"}.get(name)
        meaning = named or ("a function" if name in ARITY else "a word of expressions")
        raise ModelError(f"the name {name!r} is reserved: it means {meaning}", f"choose another name, such as {name}_1")


def _faults(name: Any, parts: list[Any], allowed: frozenset[str]) -> list[Issue]:
    try:
        for part in parts:
            check_name(part, allowed)
    except ModelError as error:
        return [issue.under(name if isinstance(name, str) else repr(name)) for issue in error.issues]
    return []
