"""Record: the frozen base of everything a model consists of.

Wrong data raise one `ModelError` that lists every fault with its path; the faults of a record within a record carry the
whole path.
"""

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from typing import Any, ClassVar, Self, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from cardan.errors import MOST, Issue, ModelError, Path, nearest
from cardan.model.quantities.scalar import ONE, ZERO, Scalar
from cardan.model.records.key_advice import key_advice, not_yet
from cardan.model.records.section import Section

__all__ = ["ONE", "ZERO", "Record", "Scalar", "Section", "issues_of"]


class Record(BaseModel):
    """Frozen record; change it with `replace`, fill in its numbers with `resolved`."""

    # classes are built at their first use: a model needs few of the kinds, and to build one takes 2 ms
    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True, defer_build=True)

    inside: ClassVar[Mapping[str, str]] = {}
    """Fields that data hold as an entry of another one: field → the section in which it stands under its own name."""

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        """Give the class a signature of names and plain defaults; pydantic's fills a page."""
        cls.__signature__ = cast("Signature", _PlainSignature())

    @classmethod
    def __pydantic_on_complete__(cls) -> None:
        """Give the signature again: pydantic replaces it when it builds the class, at its first use."""
        cls.__signature__ = cast("Signature", _PlainSignature())

    def __dir__(self) -> list[str]:
        """The fields and methods of the record, without those of pydantic."""
        return sorted(name for name in super().__dir__() if name.startswith("__") or name not in _FOREIGN)

    def __init__(self, /, **data: Any) -> None:
        try:
            super().__init__(**self._apart(data))
        except ValidationError as error:
            raise ModelError([self._as_written(issue) for issue in issues_of(error, type(self))]) from None

    @classmethod
    def _apart(cls, data: dict[str, Any]) -> dict[str, Any]:
        """The data with the fields of `inside` at the top."""
        for name, section in cls.inside.items():
            table = data.get(section)
            if isinstance(table, Mapping) and name in table:
                data = data | {name: table[name], section: {key: table[key] for key in table if key != name}}
        return data

    @classmethod
    def _as_written(cls, issue: Issue) -> Issue:
        """The issue with the path that leads to it in the data."""
        section = cls.inside.get(str(issue.path[0])) if issue.path else None
        return issue.under(section) if section else issue

    def written(self, data: dict[str, Any]) -> dict[str, Any]:
        """The `data` of the record as a user writes them, where its fields have another form."""
        return data

    def replace(self, **changes: Any) -> Self:
        """The same record with some fields changed, as the constructor takes them; everything is checked again."""
        return type(self)(**{name: getattr(self, name) for name in type(self).model_fields} | changes)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """As `replace` with the fields of `update`: pydantic's own copy would leave them unchecked."""
        return self.replace(**update) if update else super().model_copy(deep=deep)

    def unchecked(self, **fields: Any) -> Self:
        """A copy with some fields as they are given, for laws whose numbers are symbols and for checked records."""
        return super().model_copy(update=fields)

    def resolved(self, number: Callable[[Scalar], Any]) -> Self:
        """A copy in which every `Scalar`, also within tuples, sections and records, is replaced by `number(scalar)`."""
        fields = {name: _resolved(getattr(self, name), number) for name in type(self).model_fields}
        return cast("Self", type(self).model_construct(self.model_fields_set, **fields))


_FOREIGN = frozenset(name for name in dir(BaseModel) if not name.startswith("__"))
"""Attributes that every class of pydantic has."""


class _PlainSignature:
    """The signature of a class of records, made when somebody looks at it."""

    def __get__(self, record: Record | None, owner: type[Record]) -> Signature:
        return Signature([_parameter(name, field) for name, field in owner.model_fields.items()])


class _Plain:
    """A default as a user writes it: in signatures only."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _parameter(name: str, field: FieldInfo) -> Parameter:
    default = Parameter.empty if field.is_required() else _Plain(_written(field.get_default(call_default_factory=True)))
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default)


def _written(value: Any) -> str:
    """A default as text: `0`, `[0, 0, 1]`, `{}`."""
    if isinstance(value, Scalar):
        return repr(value.source)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_written, value))}]"
    return "{}" if isinstance(value, Record | Section) else repr(value)


def _resolved(value: Any, number: Callable[[Scalar], Any]) -> Any:
    if isinstance(value, Scalar):
        return number(value)
    if isinstance(value, Record):
        return value.resolved(number)
    if isinstance(value, tuple):
        return tuple(_resolved(item, number) for item in value)
    if isinstance(value, Section):
        return Section({name: _resolved(item, number) for name, item in value.items()})
    return value


def issues_of(error: ValidationError, record: type[BaseModel]) -> list[Issue]:
    """What pydantic found wrong with the data of a record, in words a user can act on."""
    branches: dict[Path, dict[Path, list[Issue]]] = {}
    for number, detail in enumerate(error.errors()):
        field, branch = _split_at_union(detail)
        if number >= MOST and field not in branches:
            break
        branches.setdefault(field, {}).setdefault(branch, []).extend(_issues(detail, record))
    return [issue for found in branches.values() for issue in max(found.values(), key=_meaning)]


def _split_at_union(detail: ErrorDetails) -> tuple[Path, Path]:
    """The field, and the member of its union that was tried, which pydantic puts into the path as a schema's name."""
    path = detail["loc"]
    at = next((i for i in range(1, len(path)) if _is_schema(detail, i)), len(path))
    return path[:at], path[at : at + 1]


def _is_schema(detail: ErrorDetails, at: int) -> bool:
    """Names of schemas have brackets, except for that of a text; names in sections are identifiers."""
    part = detail["loc"][at]
    is_text = part == "str" and detail["type"] == "string_type"
    return at > 0 and isinstance(part, str) and ("[" in part or "(" in part or is_text)


def _meaning(issues: list[Issue]) -> tuple[int, bool]:
    """How well issues fit what was meant: those deep inside a value know its form, those with a cure its purpose."""
    return max(len(issue.path) for issue in issues), any(issue.cure for issue in issues)


def _issues(detail: ErrorDetails, record: type[BaseModel]) -> list[Issue]:
    path = tuple(part for at, part in enumerate(detail["loc"]) if not _is_schema(detail, at))
    kind = detail["type"]
    cause = detail.get("ctx", {}).get("error")
    if isinstance(cause, ModelError):
        return [issue.under(*path) for issue in cause.issues]
    if kind == "extra_forbidden":
        key = str(path[-1])
        cure = not_yet(key) if key.isidentifier() else key_advice(key)
        return [
            Issue(f"unknown key {key!r}", cure or _in_a_table(record, key) or nearest(key, record.model_fields), path)
        ]
    if kind == "missing":
        entry = f"entry {path[-1] + 1}" if isinstance(path[-1], int) else f"the key {path[-1]!r}"
        cure = "add it; commas separate entries" if isinstance(path[-1], int) else "add it"
        return [Issue(f"{entry} is missing", cure, path[:-1])]
    fault, cure = _wording(kind, detail)
    if kind == "model_type" and cure.startswith("write"):
        cure = f"{cure}; {nearest('', _keys(record, detail))}"
    return [Issue(fault, cure, path)]


def _in_a_table(record: type[BaseModel], key: str) -> str:
    """Advice on a key that stands in a table of the record, such as the position of a joint; "" if none has it."""
    for name, field in record.model_fields.items():
        for table in _tables(field.annotation):
            if key in table.model_fields:
                needed = (each for each, own in table.model_fields.items() if own.is_required() and each != key)
                return f"write it in {name}: {{{', '.join(f'{each}: …' for each in (*needed, key))}}}"
    return ""


def _tables(annotation: Any) -> list[type[BaseModel]]:
    """Records one of which a field may hold, without those of sections, whose names are the user's, and of lists."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    several = get_origin(annotation) in (Section, tuple)
    return [] if several else [one for part in get_args(annotation) for one in _tables(part)]


def _keys(record: type[BaseModel], detail: ErrorDetails) -> list[str]:
    """Keys of the record that was expected in a field, as pydantic names its class."""
    classes: list[Any] = [record.model_fields[str(detail["loc"][0])].annotation] if detail["loc"] else [record]
    for each in classes:
        if getattr(each, "__name__", "") == detail["ctx"]["class_name"] and hasattr(each, "model_fields"):
            return list(each.model_fields)
        classes += get_args(each)  # of a section, a union or an annotated class
    return []


def _wording(kind: str, detail: ErrorDetails) -> tuple[str, str]:
    shown, context = f"{detail['input']!r:.60}", detail.get("ctx", {})
    meant = key_advice(detail["input"]) if isinstance(detail["input"], str) else ""
    wordings = {
        "literal_error": (f"{shown} is not possible here", f"write {context.get('expected')}"),
        "too_long": ("there are too many entries", f"write {context.get('max_length')} of them"),
        "tuple_type": (f"{shown} is not a list", "write a list, such as [0, 0, 1]"),
        "bool_type": (f"{shown} is neither true nor false", "write true or false"),
        "bool_parsing": (f"{shown} is neither true nor false", "write true or false"),
        "model_type": (f"{shown} is not a table of keys", meant or "write {key: value, …}"),
        "string_type": (f"{shown} is not a text", "write a text"),
    }
    return wordings.get(kind, (f"{shown}: {detail['msg']}", ""))
