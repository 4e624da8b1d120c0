"""Sphinx extension: sources that are plain Markdown and plain docstrings, as code hosts and editors show them.

Markdown pages link to folders and list other pages; docstrings write code between single backticks and products with
asterisks. Both become what Sphinx reads.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_TOCTREE = "\n```{{toctree}}\n{caption}:hidden:\n:glob:\n\n{pages}\n```\n"
_LINK = re.compile(r"\[([^\]]*)\]\(([^)#:]+)\)")
_CODE = re.compile(r"(``.*?``|`[^`]*`)", re.DOTALL)


def _page(app: Any, docname: str, source: list[str]) -> None:
    """Links to folders lead to their lists; lists of pages are parts of the table of contents."""
    folder = (Path(app.srcdir) / docname).parent

    def lead(found: re.Match[str]) -> str:
        text, target = found.groups()
        if not (folder / target).is_dir():
            return found[0]
        listed = folder / target / "README.md"
        return f"[{text}]({target.rstrip('/')}/README.md)" if listed.exists() else text

    source[0] = _LINK.sub(lead, source[0])
    if docname in ("mechanisms/README", "decisions/README", "notebooks/README"):
        source[0] += _TOCTREE.format(caption="", pages="*")
    if docname == "index":
        source[0] += _rest(app.env.found_docs, source[0])


def _rest(pages: set[str], index: str) -> str:
    """Pages that the index does not list yet."""
    listed = {line.strip() for line in index.splitlines()}
    left = sorted(page for page in pages - listed if not page.startswith(("mechanisms/", "decisions/", "notebooks/", "index")))
    return _TOCTREE.format(caption=":caption: More\n", pages="\n".join(left)) if left else ""


def _docstring(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Code is code, and an asterisk an asterisk; examples stay as they are."""
    blocks = re.split(r"(?:(?<=\n)|^)([ ]*>>>.*?)(?=\n\s*\n|\Z)", "\n".join(lines), flags=re.DOTALL)
    blocks[::2] = ["".join(map(_word, _CODE.split(block))) for block in blocks[::2]]
    lines[:] = "".join(blocks).split("\n")


def _word(part: str) -> str:
    if part.startswith("``"):
        return part
    if part.startswith("`"):
        return f"`{part}`\\ "  # what follows may be a letter: `array`s
    return re.sub(r"(?<!\\)([*|]|(?<=\w)_(?!\w))", r"\\\1", part)


def setup(app: Any) -> dict[str, Any]:
    """Register the hooks; docstrings are changed before their sections are read."""
    app.connect("source-read", _page)
    app.connect("autodoc-process-docstring", _docstring, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
