"""Texts that somebody else wrote, made fit for each output, so that they are shown there and never obeyed.

A name may hold anything: markup, formulas, control sequences of terminals, the end of a comment. Every place that lets
a text of a model or of a file of a run out of Cardan calls one of these functions.
"""

import html
import unicodedata

_HIDDEN = frozenset(["Cc", "Cs", "Cn", "Zl", "Zp"])  # controls, surrogates, no characters, ends of lines
_TURNING = frozenset(["LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"])  # order of the characters


def visible(text: str, keep: str = "") -> str:
    r"""The text with every character that acts instead of being shown written out, such as \x1b.

    Example
    -------
    >>> visible("rig\x1b[2J\n")
    'rig\\x1b[2J\\n'
    """
    if text.isprintable():
        return text
    return "".join(one if one in keep or not _acts(one) else _written(one) for one in text)


def for_plot(text: str) -> str:
    r"""The `text` for labels of matplotlib, which would take what stands between two $ for a formula."""
    return visible(text).replace("$", r"\$")


def for_markup(text: str) -> str:
    """The `text` for HTML, SVG and other XML."""
    return html.escape(visible(text))


def for_comment(text: str) -> str:
    """The `text` for comments and docstrings: one line that no programming language takes for code."""
    line = visible(text)
    for code in ("*/", "/*", "??", '""'):
        while code in line:
            line = line.replace(code, f"{code[0]} {code[1]}")
    line = f"{line[:-1]}'" if line.endswith('"') else line
    return line.replace("\\", "/")


def _acts(character: str) -> bool:
    """Whether a character does something instead of being shown."""
    return unicodedata.category(character) in _HIDDEN or unicodedata.bidirectional(character) in _TURNING


def _written(character: str) -> str:
    code = ord(character)
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return short.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
