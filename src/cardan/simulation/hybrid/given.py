"""Reads the argument `events`: an event replaces the one of the same name in the model, or adds to them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from cardan.errors import Issue, ModelError, nearest
from cardan.model.checks.arguments import check_named
from cardan.model.events import read_event
from cardan.model.model import Model
from cardan.model.quantities.lets import reached


def with_events(model: Model, events: Mapping[str, Any] | None) -> Model:
    """The model with further events; one of the same name replaces the model's, and None removes it."""
    check_named("events", events)
    if not events:
        return model
    together = dict(model.events)
    for name, event in events.items():
        known = together.pop(name, None)
        if event is None:
            if known is None:
                raise ModelError(Issue("there is no event to remove", nearest(name, model.events), ("events", name)))
            continue
        try:
            together[name] = read_event(event)
        except ModelError as error:
            raise error.under("events", name) from None
    return model.replace(events=together)


def without_notes(model: Model, motors: Collection[str] | None = None) -> Model:
    """The model without the events that are only noted, all of them or those about results of some motors."""
    notes = {name: event for name, event in model.events.items() if event.is_note}
    if motors is not None:
        known = {**model.outputs, **model.let}
        of = {name: {x.partition(".")[0] for x in reached(event.when.names, known)} for name, event in notes.items()}
        notes = {name: event for name, event in notes.items() if not of[name].isdisjoint(motors)}
    kept = {name: event for name, event in model.events.items() if name not in notes}
    return model.replace(events=kept) if notes else model
