"""The two consoles: results go to standard output, all else to standard error. They obey no text they are given.

Plain strings are never markup; what acts on a terminal is written out. Styles are given as arguments or by `styled`.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from cardan.safety.text import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
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


def table(rows: Iterable[Sequence[Any]], *headings: str, **options: Any) -> "Table":
    """Return a table of rows that begin with a name; a heading that begins with `>` stands over numbers."""
    from rich import box
    from rich.table import Table

    found = Table(box=box.SIMPLE_HEAD, pad_edge=False, **options)
    for heading in headings:
        is_number = heading.startswith(">")
        justify: Any = "right" if is_number else "left"
        found.add_column(heading.removeprefix(">"), justify=justify, no_wrap=is_number, overflow="fold")
    for name, *cells in rows:
        found.add_row(styled(name), *cells)
    return found


def _console(stderr: bool = False) -> "Console":
    from rich.console import Console

    class Plain(Console):
        """A console that shows strings as they are, also those in cells of tables."""

        def render_str(self, text: str, **options: Any) -> "Text":
            return super().render_str(visible(text, keep="\n\t"), **options)

    return Plain(stderr=stderr, markup=False, emoji=False, highlight=False)
