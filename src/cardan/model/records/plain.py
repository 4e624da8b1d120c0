"""Records as plain data: dictionaries, lists, texts and numbers, as a user would write them, without defaults."""

from typing import Any

from cardan.model.quantities.scalar import Scalar
from cardan.model.records.record import Record
from cardan.model.records.section import Section

_ALWAYS = ("cardan", "type", "body")


def plain(record: Record) -> dict[str, Any]:
    """The data of a record; the record made of them is equal to it."""
    fields = type(record).model_fields
    names = sorted(fields, key=lambda name: name not in _ALWAYS)
    written = {name: getattr(record, name) for name in names}
    data = {
        name: plain_value(value) for name, value in written.items() if name in _ALWAYS or value != fields[name].default
    }
    for name, section in type(record).inside.items():
        if name in data:
            entry = data.pop(name)
            data[section] = {name: entry} | data.get(section, {})
    return record.written(data)


def plain_value(value: Any) -> Any:
    """The data of anything that a record holds."""
    if isinstance(value, Record):
        return plain(value)
    if isinstance(value, Scalar):
        return plain(value.source) if isinstance(value.source, Record) else value.source
    if isinstance(value, Section):
        return {name: plain_value(entry) for name, entry in value.items()}
    if isinstance(value, tuple):
        return [plain_value(entry) for entry in value]
    return value
