"""The events of a run, as its table lists them."""

from cardan.results.events.occurrence import Occurrence

__all__ = ["Occurrence"]
