"""Reads the argument `events`: an event replaces the one of the same name in the model, or adds to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardan.errors import Issue, ModelError, nearest
from cardan.model.checks.arguments import check_named
from cardan.model.events import read_event
from cardan.model.model import Model

__all__ = ["with_events"]


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
