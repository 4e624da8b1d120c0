"""The user's events: a condition of the motion, and what happens when it is met. They know no index and no solver."""

from cardan.model.events.user_event import Action, AnyEvent, UserEvent, read_event

__all__ = ["Action", "AnyEvent", "UserEvent", "read_event"]
