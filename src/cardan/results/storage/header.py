"""The header of a run's file, the same in every format: one mapping of plain values, stored as JSON."""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from cardan.frozen import dataclass
from cardan.results.channel import Channel
from cardan.results.run_records import Occurrence, Passage, Provenance, Report
from cardan.results.status import Status

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory

Value = TypeVar("Value")

FORMAT = 1
"""Version of the header; a reader refuses what is newer."""


def header(run: "Trajectory", names: Iterable[str]) -> dict[str, Any]:
    """Return the header from which a run can be read back: status, figures, model, states, channels."""
    return {
        "format": FORMAT,
        "status": str(run.status),
        "message": run.message,
        "statistics": _plain(run.statistics),
        "report": asdict(run.report),
        "passages": [asdict(passage) for passage in run.passages],
        "events": [asdict(event) for event in run.events],
        "provenance": _plain(asdict(run.provenance)),
        "instants": len(run),
        "states": [[name, unit] for name, unit in zip(run.state_names, run.state_units, strict=True)],
        "works": list(run.work_names),
        "channels": [asdict(run.channels[name]) for name in names],
    }


_TYPES: dict[str, Any] = {
    "status": str,
    "message": str,
    "statistics": dict[str, Any],
    "report": dict[str, float],
    "passages": list[Passage],
    "provenance": Provenance,
    "instants": int,
    "states": list[tuple[str, str]],
    "works": list[str],
    "channels": list[Channel],
    "events": list[Occurrence],
}
"""Types of the entries of a header, as JSON gives them."""

_LATER = frozenset(["events"])
"""Entries that files of earlier versions do not have; they are empty there."""


def check_header(head: Any) -> None:
    """Refuse what JSON can hold and a header cannot."""
    from pydantic import TypeAdapter, ValidationError

    if not isinstance(head, Mapping):
        raise ValueError("it is not a table of keys")
    for name, kind in _TYPES.items():
        if name not in head:
            if name in _LATER:
                continue
            raise ValueError(f"{name} is missing")
        try:
            TypeAdapter(kind).validate_python(head[name])
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in (name, *first["loc"]))
            raise ValueError(f"{place}: {first['msg']}") from None


def channels_of(head: Mapping[str, Any]) -> dict[str, Channel]:
    """Return the channels that a header lists, by name."""
    listed = (Channel(**_tuples(entry)) for entry in head["channels"])
    return {channel.name: channel for channel in listed}


def trajectory_fields(head: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a trajectory that its header holds: all but the arrays."""
    return {
        "state_names": tuple(name for name, _ in head["states"]),
        "state_units": tuple(unit for _, unit in head["states"]),
        "work_names": tuple(head["works"]),
        "channels": channels_of(head),
        "status": Status(head["status"]),
        "message": head["message"],
        "statistics": head["statistics"],
        "find_report": Stored(Report(**head["report"])),
        "find_passages": Stored(tuple(Passage(**_tuples(entry)) for entry in head["passages"])),
        "provenance": Provenance(**head["provenance"]),
        "events": tuple(Occurrence(**entry) for entry in head.get("events", ())),
    }


@dataclass(frozen=True, slots=True)
class Stored(Generic[Value]):
    """A value from a file, returned when it is called: in place of a computation."""

    value: Value  # the value to return

    def __call__(self) -> Value:
        """The value."""
        return self.value


def _tuples(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a record; what JSON made a list of is a tuple again."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}


def _plain(value: Any) -> Any:
    """Value in terms of JSON: what JSON does not know becomes a list, a number or its text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray | np.generic | array):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value if value is None or isinstance(value, bool | int | float) else str(value)
