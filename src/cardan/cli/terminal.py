"""The two consoles: results go to standard output, all else to standard error."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["err", "out"]


def out() -> "Console":
    """Return the console for results, with colours only in a terminal."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def err() -> "Console":
    """Return the console for errors, warnings and progress."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)
