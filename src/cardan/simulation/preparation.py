"""What a run needs before it starts: its situation, an assembled start, and the task that follows from both.

A call of `simulate` that says the same as one before finds everything ready; one that says the same but for its start
finds the rest ready.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from cardan.assembly.start import Start, start
from cardan.model.arguments import check_named
from cardan.model.model import Model
from cardan.model.signal import Table
from cardan.results.provenance import Provenance
from cardan.simulation.instants import column
from cardan.simulation.setup import Situation, Task, read_files, situation, written
from cardan.system.constrained import has_constraints

__all__ = ["Preparation", "prepare"]

WRITTEN = 1e-5  # by which a given velocity may be off, relative: what is written with six digits is meant exactly
KEPT = 64  # situations, and preparations, that are kept
LARGEST = 4096  # instants, or samples of a table, that one of them may hold


@dataclass(frozen=True)
class Preparation:
    """Everything that a run needs; nothing in it changes when it runs."""

    situation: Situation
    task: Task
    x0: np.ndarray  # state that it starts from (nx,)
    written: Mapping[str, Any]  # the arguments of the call in plain values
    notices: tuple[str, ...]  # what the user should know, as warnings

    @property
    def projects(self) -> bool:
        """Whether states are brought back onto their constraints, and how near singular positions are is known then."""
        return self.task.embedding is None and self.task.problem.project is not None

    @property
    def judges(self) -> bool:
        """Whether its loops are equations that a motion could lose; those of a straight branch hold by themselves."""
        return self.task.embedding is None and has_constraints(self.situation.system.tree)

    @cached_property
    def begin(self) -> np.ndarray:
        """The states that are integrated, at the start."""
        embedding = self.task.embedding
        return self.x0 if embedding is None else embedding.reduced(self.x0)

    @property
    def independent(self) -> dict[str, list[str]]:
        """Which coordinates are integrated where the others are linear in them, as part of a run's statistics."""
        embedding, names = self.task.embedding, self.situation.system.tree.coordinates
        return {} if embedding is None else {"independent": [names[i].name for i in embedding.q]}

    @property
    def provenance(self) -> Provenance:
        """Where the run comes from; nobody else holds its settings."""
        settings = dict(self.written)
        for name in self._nested:
            settings[name] = _copied(settings[name])
        return Provenance(self.situation.model.name, self.situation.source, settings)

    @cached_property
    def _nested(self) -> tuple[str, ...]:
        """Which settings hold others."""
        return tuple(name for name, x in self.written.items() if isinstance(x, (dict, list)))


def _copied(x: Any) -> Any:
    """Plain values in lists and mappings of their own."""
    if isinstance(x, dict):
        return {name: _copied(entry) for name, entry in x.items()}
    return [_copied(entry) for entry in x] if isinstance(x, list) else x


Entries = tuple[tuple[str, type, Any], ...]
"""A mapping by name as part of a key, with types: True, 1 and 1.0 are equal, but not the same argument."""


def prepare(model: Model, *, initial: Mapping[str, Any] | None, **arguments: Any) -> Preparation:
    """What the arguments of `simulate` ask for, made ready; asked for again, it is the same one.

    Parameters
    ----------
    model : the mechanism.
    initial : as of `simulate`.
    **arguments : the others but for `progress`, all of them.

    Raises
    ------
    ModelError
        As of `simulate`.
    """
    for name, given in (("inputs", arguments["inputs"]), ("initial", initial), ("parameters", arguments["parameters"])):
        check_named(name, given)
    if arguments["times"] is not None:
        arguments["times"] = column(arguments["times"])
    key = _key(model, **arguments)
    if key is None:
        return _prepared(situation(model, **arguments), initial)
    here, entries = _kept_situation(model, **key), _entries(initial)
    return _kept(here, entries) if _is_fixed(entries) else _prepared(here, initial)


def _key(
    model: Model,
    inputs: Mapping[str, Any] | None,
    parameters: Mapping[str, Any] | None,
    times: np.ndarray | None,
    **others: Any,
) -> dict[str, Any] | None:
    """The arguments in a form that tells them from others; None where they can change or are too large to keep."""
    for signal in (*model.inputs.values(), *(inputs or {}).values()):
        if isinstance(signal, Table) and (read_files([signal]) or len(signal.table or ()) > LARGEST):
            return None
    if times is not None and times.size > LARGEST:
        return None
    key = {
        "inputs": _entries(inputs),
        "parameters": _entries(parameters),
        "times": None if times is None else times.tobytes(),
        **others,
    }
    return key if _is_fixed(tuple(key.values())) else None


def _is_fixed(values: Any) -> bool:
    """Whether nothing in it is a list or a dictionary, whose contents may be others at the next call."""
    try:
        hash(values)
    except TypeError:
        return False
    return True


def _entries(given: Mapping[str, Any] | None) -> Entries | None:
    return None if given is None else tuple([(name, type(value), value) for name, value in given.items()])


def _mapping(entries: Entries | None) -> dict[str, Any] | None:
    return None if entries is None else {name: value for name, _, value in entries}


@lru_cache(maxsize=KEPT, typed=True)
def _kept_situation(
    model: Model, *, inputs: Entries | None, parameters: Entries | None, times: bytes | None, **others: Any
) -> Situation:
    return situation(
        model,
        inputs=_mapping(inputs),
        parameters=_mapping(parameters),
        times=None if times is None else np.frombuffer(times),
        **others,
    )


@lru_cache(maxsize=KEPT)
def _kept(here: Situation, initial: Entries | None) -> Preparation:
    return _prepared(here, _mapping(initial))


def _prepared(here: Situation, initial: Mapping[str, Any] | None) -> Preparation:
    begin = start(here.system, here.functions, {**here.model.initial, **(initial or {})}, here.values)
    task = here.task(begin.choice, here.embedding(begin.x))
    says = {**here.written, **written("initial", initial)}
    return Preparation(here, task, np.array(begin.x), says, (*here.notices, *_changes(begin)))


def _changes(begin: Start) -> tuple[str, ...]:
    """Which initial velocities the constraints do not allow, in words."""
    lost = [entry for entry in begin.changed if abs(entry[2] - entry[1]) > WRITTEN * (1 + abs(entry[1]))]
    if not lost:
        return ()
    listed = ", ".join(f"{name} = {used:.6g} instead of {given:.6g}" for name, given, used in lost)
    cure = "give one per degree of freedom, the others follow"
    return (f"the constraints do not allow the initial velocities; the run starts with {listed}; {cure}",)
