"""The two consoles: results go to standard output, all else to standard error. They obey no text they are given.

Plain strings are never markup; what acts on a terminal is written out. Styles are given as arguments or by `styled`.
"""

from typing import TYPE_CHECKING, Any

from cardan.safety.text import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


def out() -> "Console":
    """Return the console for results, with colours only in a terminal."""
    return _console()


def err() -> "Console":
    """Return the console for errors, warnings and progress."""
    return _console(stderr=True)


def styled(text: str, style: str = "bold") -> "Text":
    """Return a `text` in a `style`, such as "bold red"."""
    from rich.text import Text

    return Text(visible(text, keep="\n\t"), style)


def _console(stderr: bool = False) -> "Console":
    from rich.console import Console

    class Plain(Console):
        """A console that shows strings as they are, also those in cells of tables."""

        def render_str(self, text: str, **options: Any) -> "Text":
            return super().render_str(visible(text, keep="\n\t"), **options)

    return Plain(stderr=stderr, markup=False, emoji=False, highlight=False)
