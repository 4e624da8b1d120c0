"""What writers of descriptions share: documents, colours and numbers as text."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from cardan.formats.xml.notes import Notes
from cardan.safety.writing import replacing

NO_TEXT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 has not."""


def write_xml(top: ElementTree.Element, path: Path, notes: Notes) -> None:
    """Write a document, whole or not at all, with warnings of what is left out."""
    ElementTree.indent(top)
    with replacing(path) as stream:
        stream.write(ElementTree.tostring(top, encoding="utf-8", xml_declaration=True) + b"\n")
    notes.warn(path.name)


def rgba(color: str) -> str:
    """The numbers of a colour `#rrggbb` and its opacity; empty of one that has a name."""
    is_hex = re.fullmatch("#[0-9a-fA-F]{6}", color)
    return words([*(int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)), 1]) if is_hex else ""


def words(values: Iterable[Any]) -> str:
    """Numbers with spaces between them."""
    return " ".join(map(word, values))


def word(value: Any) -> str:
    """A number with all its digits, whole ones without a point; 0 has no sign."""
    return repr(float(value) + 0.0).removesuffix(".0")
