"""XML text → elements with their lines, bounded in every direction, and the numbers in their attributes.

Built on the standard library's expat. A document type (DTD) is refused, so that no entity is ever expanded and no other
file is read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar
from xml.parsers import expat

from cardan.errors import Issue, ModelError, nearest
from cardan.formats.yaml_text import cannot_be_read
from cardan.formats.yaml_tree import MAX_NODES, MAX_OPEN
from cardan.frozen import dataclass, field
from cardan.safety.reading import read_bounded

MAX_SIZE = 10_000_000  # bytes; descriptions of humanoid robots have up to 1 MB, without their meshes
_LONGEST = 300  # characters of a message: two lines of a terminal, with names that a file may make as long as it likes
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?", re.ASCII)

Value = TypeVar("Value")


@dataclass(frozen=True)
class XmlElement:
    """An element of a document."""

    tag: str  # its name, with the prefix of a namespace as it is written
    attributes: dict[str, str]  # its attributes
    line: int  # the line in which it begins, from 1; in an included file that of the element which includes it
    children: list[XmlElement] = field(default_factory=list)  # the elements in it, in their order
    origin: str = ""  # name and line of the included file in which it stands
    words: list[str] = field(default_factory=list)  # pieces of the text in it

    @property
    def place(self) -> str:
        """Where it stands, in words."""
        return self.origin or f"line {self.line}"

    @property
    def name(self) -> str:
        """Its name; empty without one."""
        return self.attributes.get("name", "")

    def all(self, tag: str) -> list[XmlElement]:
        """The elements of one name in it."""
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> Iterator[XmlElement]:
        """The element and all below it, in the order of the file."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting += reversed(element.children)

    def size(self) -> int:
        """How many elements and attributes it and all below it are."""
        return sum(1 + len(one.attributes) for one in self.walk())

    def fault(self, fault: str, cure: str = "") -> ModelError:
        """An error at the line of the element."""
        fault = f"{self.origin}: {fault}" if self.origin else fault
        return ModelError(Issue(shortened(fault), shortened(cure), line=self.line))


def shortened(words: str) -> str:
    """A text that may have names from a file in it, cut where it is too long for a message."""
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"


def read_xml(
    path: Path, mend: Callable[[ModelError, str, str], None], including: XmlElement | None = None, name: str = ""
) -> XmlElement:
    """The outermost element of a file, which another may include by this `name`; `mend` notes what is mended in it."""
    try:
        content = read_bounded(path, MAX_SIZE, "keep meshes in files of their own")
        try:
            return parse(content, including, name)
        except ModelError as fault:
            plain = _without_dashes(content)
            if plain == content:
                raise
            top, line = parse(plain, including, name), fault.issues[0].line
            issue = Issue("a comment has -- in it, which XML does not allow", "write - or _ in it", line=line)
            place = f"line {line}" if including is None else f"{name}:{line}"
            mend(ModelError(issue), "comments with -- in them, which XML does not allow, passed over", place)
            return top
    except OSError as error:
        refusal = cannot_be_read(path, error, name or "the file")
        raise including.fault(refusal.issues[0].fault) if including else refusal from error
    except ModelError as error:
        if including is None:
            raise
        (issue,) = error.issues
        place = name if issue.line is None else f"{name}:{issue.line}"
        raise including.fault(f"{place}: {issue.fault}", issue.cure) from None


def parse(content: bytes, including: XmlElement | None = None, name: str = "") -> XmlElement:
    """The outermost element of an XML document, of this `name` where an element of another one includes it."""
    parser, count = expat.ParserCreate(), 0
    inside = [XmlElement("", {}, 0)]  # the elements that are open, around them one for the outermost

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count, line = count + 1 + len(attributes), parser.CurrentLineNumber
        if count > MAX_NODES:
            raise ModelError(Issue(f"the file has more than {MAX_NODES} elements and attributes", line=line))
        if len(inside) > MAX_OPEN:
            raise ModelError(Issue(f"more than {MAX_OPEN} elements stand inside each other", line=line))
        element = XmlElement(tag, attributes, line)
        if including is not None:
            element = XmlElement(tag, attributes, including.line, origin=f"{name}:{line}")
        inside[-1].children.append(element)
        inside.append(element)

    def refuse(*declaration: object) -> None:
        fault, cure = "the file declares a document type", "delete <!DOCTYPE …> and its entities"
        raise ModelError(Issue(fault, cure, line=parser.CurrentLineNumber))

    parser.StartElementHandler, parser.StartDoctypeDeclHandler = begin, refuse
    parser.EndElementHandler = lambda tag: inside.pop()
    parser.CharacterDataHandler = lambda words: inside[-1].words.append(words)
    parser.buffer_text = True
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        fault = f"this is not XML: {expat.ErrorString(error.code)} (column {error.offset + 1})"
        cure = "look for a missing > or quote, an & that is not &amp;, or an element that is not closed"
        raise ModelError(Issue(fault, cure, line=error.lineno)) from None
    except (LookupError, ValueError) as error:  # an encoding that Python does not know, or no text encoding
        if isinstance(error, ModelError):
            raise
        raise ModelError(Issue(f"this is not XML that can be read: {error}", "save it as UTF-8", line=1)) from None
    return inside[0].children[0]


_COMMENT = re.compile(rb"(<!--)(.*?)(-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)", re.DOTALL)


def _without_dashes(content: bytes) -> bytes:
    """The document with `_` for each dash in a comment: XML forbids two beside each other there, people write them."""
    return _COMMENT.sub(
        lambda found: found[1] + found[2].replace(b"-", b"_") + found[3] if found[1] else found[0], content
    )


def read_each(elements: Mapping[str, XmlElement], read: Callable[[str, XmlElement], Value]) -> dict[str, Value]:
    """What `read` gives for each name and element, by name; the faults of all of them in one error."""
    found: dict[str, Value] = {}
    issues: list[Issue] = []
    for name, element in elements.items():
        try:
            found[name] = read(name, element)
        except ModelError as error:
            issues += [
                Issue(f"{element.tag} {f'{name!r:.60}'}: {one.fault}", one.cure, line=one.line or element.line)
                for one in error.issues
            ]
    if issues:
        raise ModelError(issues)
    return found


def named(element: XmlElement, tag: str) -> dict[str, XmlElement]:
    """The elements of a tag in another one, by their names."""
    return by_name(((text(one, "name"), one) for one in element.all(tag)), f"{tag}s")


def by_name(elements: Iterable[tuple[str, XmlElement]], what: str) -> dict[str, XmlElement]:
    """Elements by their names, of which each has another one; those without a name may be several."""
    found: dict[str, XmlElement] = {}
    for name, element in elements:
        if name and found.setdefault(name, element) is not element:
            fault = f"there are two {what} {name!r}, the other one in {found[name].place}"
            raise element.fault(fault, "rename one of them")
    return found


def only(element: XmlElement, tag: str) -> XmlElement | None:
    """The one element of a name in another; None without one."""
    found = element.all(tag)
    if len(found) > 1:
        raise found[1].fault(f"<{element.tag}> has {len(found)} elements <{tag}>", "keep one of them")
    return found[0] if found else None


def look_up(element: XmlElement, name: str, known: Mapping[str, Value], what: str) -> Value:
    """What an element calls by a name; `what` is the word for it."""
    if name not in known:
        raise element.fault(f"there is no {what} {name!r}", nearest(name, known))
    return known[name]


def text(element: XmlElement, attribute: str) -> str:
    """The text of an attribute that has to be there."""
    found = element.attributes.get(attribute, "").strip()
    if not found:
        raise element.fault(f"<{element.tag}> has no attribute {attribute}", f"write its {attribute}")
    return found


def numbers(element: XmlElement, attribute: str, default: tuple[float, ...]) -> tuple[float, ...]:
    """As many finite numbers from an attribute as the default has."""
    written = element.attributes.get(attribute)
    if written is None:
        return default
    found = tuple(_number(element, attribute, word) for word in written.split())
    if len(found) != len(default):
        fault = f"{attribute} of <{element.tag}> has {len(found)} numbers in place of {len(default)}"
        cure = f"write {len(default)} numbers with spaces between: {' '.join(['0'] * len(default))}"
        raise element.fault(fault, cure)
    return found


def all_numbers(element: XmlElement, attribute: str) -> tuple[float, ...]:
    """All numbers of an attribute; none where it is not given."""
    return numbers(element, attribute, (0.0,) * len(element.attributes.get(attribute, "").split()))


def first_numbers(element: XmlElement, attribute: str, usual: tuple[float, ...]) -> tuple[float, ...]:
    """As many numbers as there are usual ones: of a longer attribute the first, a shorter one is completed."""
    found = all_numbers(element, attribute)
    return (*found, *usual[len(found) :])[: len(usual)]


def number(element: XmlElement, attribute: str, default: float | None = None) -> float:
    """The finite number in an attribute."""
    written = str(default) if default is not None and attribute not in element.attributes else text(element, attribute)
    return _number(element, attribute, written.strip())


def _number(element: XmlElement, attribute: str, word: str) -> float:
    found = float(word) if _NUMBER.fullmatch(word) else math.nan
    if found.is_integer() and word.lstrip("+-").isdigit() and abs(found) < 2**53:
        return int(word)  # a whole number stays one in the files that are written of it
    if not math.isfinite(found):
        cure = "write a plain number in SI units with a decimal point, such as 0.25"
        raise element.fault(f"{attribute} of <{element.tag}> is {f'{word!r:.60}'}, which is no finite number", cure)
    return found
