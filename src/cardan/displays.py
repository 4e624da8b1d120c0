"""How results show themselves in notebooks: records call `shown`, and the room that draws says what it does.

A record of a lower room must not import the room that draws. `cardan` itself, above both, names the function once.
"""

from collections.abc import Callable
from typing import Any

_display: Callable[[Any], str | None] | None = None


def show_by(display: Callable[[Any], str | None]) -> None:
    """Let results show themselves by a function."""
    global _display
    _display = display


def shown(thing: Any) -> str | None:
    """HTML of a result for a notebook; None, for which a notebook prints its text, where nothing draws it."""
    return _display(thing) if _display is not None else None
