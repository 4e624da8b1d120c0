"""YAML text → plain data with the line of every key, bounded in every direction.

Built on the node tree of ruamel.yaml: only texts, numbers, true/false, null, lists and tables with text keys are made;
no tag makes an object. Aliases count with everything they stand for, so that a few lines cannot unfold into a billion
entries.
"""

import math
import re
from collections.abc import Iterator
from typing import Any

from cardan.errors import Issue, ModelError, Path
from cardan.frozen import dataclass, field
from cardan.model.records.key_advice import key_advice

MAX_DEPTH = 20  # tables and lists inside each other; model files need 7
MAX_NODES = 200_000  # entries after unfolding aliases; a file of the largest size has fewer
MAX_OPEN = 200  # brackets open at once anywhere in the text; the parser takes several Python frames for each

_TAG = "tag:yaml.org,2002:"
_TRUE, _FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")


@dataclass(frozen=True)
class YamlDocument:
    """What stands in a YAML text."""

    data: Any  # plain data
    lines: dict[Path, int]  # the line, from 1, of every key and list entry


def read_tree(text: str) -> YamlDocument:
    """The data in a YAML text."""
    reader = _Reader()
    data = reader.read(compose(text))
    if reader.issues:
        raise ModelError(reader.issues)
    return YamlDocument(data, reader.lines)


def compose(text: str) -> Any:
    """The nodes of a YAML `text` with their places in it; None for an empty one."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError
    from ruamel.yaml.reader import ReaderError

    _refuse_depth(text)
    try:
        return YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
        raise ModelError(Issue(f"this is not YAML: {error.problem}", _advice(text, line), line=line)) from None
    except ReaderError as error:
        fault = f"this is not YAML: the character #x{error.character:04x} is not allowed"
        raise ModelError(Issue(fault, "delete it", line=text.count("\n", 0, error.position) + 1)) from None
    except (ValueError, OverflowError) as error:  # escapes and numbers that ruamel.yaml trips over
        raise ModelError(Issue(f"this is not YAML: {error}", "look for a \\U escape", line=1)) from None
    except RecursionError:
        raise _too_deep(1) from None


def _refuse_depth(text: str) -> None:
    depth = 0
    for bracket in re.finditer(r"[\[\]{}]", text):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > MAX_OPEN:
            raise _too_deep(text.count("\n", 0, bracket.start()) + 1)


def _too_deep(line: int) -> ModelError:
    cure = f"at most {MAX_DEPTH} tables and lists stand inside each other"
    return ModelError(Issue("the file is nested too deeply", cure, line=line))


def _advice(text: str, number: int | None) -> str:
    lines = text.splitlines()
    line = lines[number - 1] if number is not None and number <= len(lines) else ""
    if "\t" in line:
        return "indent with spaces, not with tabs"
    if re.search(r":\s*[*&!%@`]", line):
        return "put a text that begins with a sign between quotes"
    for one in lines[max((number or 1) - 2, 0) : number]:
        if cure := key_advice(one.strip()):
            return cure
    return "check brackets, colons and indentation in this line and the one before"


@dataclass
class _Reader:
    """One pass over the nodes of one document."""

    lines: dict[Path, int] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)
    count: int = 0
    merging: int = 0  # tables that are merged into each other at the moment

    def read(self, node: Any, path: Path = ()) -> Any:
        """The data of a node."""
        if node is None:
            return None
        self.count += 1
        if self.count > MAX_NODES:
            cure = "write large tables into CSV files; do not nest aliases"
            raise ModelError(Issue(f"the file unfolds into more than {MAX_NODES} entries", cure, path, _line(node)))
        if len(path) > MAX_DEPTH:
            raise _too_deep(_line(node))
        if node.id == "scalar":
            return self._scalar(node, path)
        if not node.tag.startswith(_TAG) or node.tag[len(_TAG) :] not in ("map", "seq"):
            self._refuse(node, path, f"the tag {node.tag} is not allowed", "leave the tag out")
            return None
        return self._table(node, path) if node.id == "mapping" else self._list(node, path)

    def _table(self, node: Any, path: Path) -> dict[str, Any]:
        pairs = list(self._pairs(node, path))
        data = self._merged([value for key, value in pairs if _is_merge(key)], path)
        first: dict[str, int] = {}
        for key_node, value_node in pairs:
            if _is_merge(key_node):
                continue
            key = self._key(key_node, path)
            if key is None:
                continue
            if key in first:
                fault = f"the key {key!r} stands here a second time, first in line {first[key]}"
                self._refuse(key_node, (*path, key), fault, "keep one of them")
                continue
            first[key] = self.lines[(*path, key)] = _line(key_node)
            data[key] = self.read(value_node, (*path, key))
        return data

    def _merged(self, nodes: list[Any], path: Path) -> dict[str, Any]:
        """What the merge keys `<<` of a table bring; of several tables the first one that has a key decides."""
        data: dict[str, Any] = {}
        tables = [table for node in nodes for table in (node.value if node.id == "sequence" else [node])]
        if self.merging >= MAX_DEPTH:
            raise _too_deep(_line(nodes[0]) if nodes else 1)
        self.merging += 1
        for table in reversed(tables):
            if table.id == "mapping":
                data = {**data, **(self.read(table, path) or {})}
            else:
                self._refuse(table, path, "<< merges tables only", "write <<: *anchor, or <<: [*first, *second]")
        self.merging -= 1
        return data

    def _pairs(self, node: Any, path: Path) -> Iterator[tuple[Any, Any]]:
        """Keys with values, without those that are the rest of an expression which a comma has split."""
        pairs = iter(node.value)
        for key, value in pairs:
            if node.flow_style and _is_open(value):
                parts = [value.value, *(rest.value for rest, empty in pairs if not empty.value)]
                self._split(value, (*path, key.value), parts)
                return
            yield key, value

    def _list(self, node: Any, path: Path) -> list[Any]:
        for index, entry in enumerate(node.value):
            if node.flow_style and _is_open(entry):
                parts = [rest.value for rest in node.value[index:] if rest.id == "scalar"]
                self._split(entry, (*path, index), parts)
                return []
        data = []
        for index, entry in enumerate(node.value):
            self.lines[(*path, index)] = _line(entry)
            data.append(self.read(entry, (*path, index)))
        return data

    def _split(self, node: Any, path: Path, parts: list[str]) -> None:
        whole = ", ".join(_closed(parts))
        self._refuse(node, path, f"the comma splits the expression {whole}", f'put it between quotes: "{whole}"')

    def _key(self, node: Any, path: Path) -> str | None:
        if node.id == "scalar" and node.tag in (f"{_TAG}str", f"{_TAG}null", f"{_TAG}bool"):
            return str(node.value)
        shown = node.value if node.id == "scalar" else "a list or a table"
        cure = "keys are names"
        if node.id == "scalar" and node.tag in (f"{_TAG}int", f"{_TAG}float"):
            cure += "; a number has a decimal point, 0.5, and no comma"
        self._refuse(node, path, f"{shown!s:.60} cannot be a key", cure)
        return None

    def _scalar(self, node: Any, path: Path) -> Any:
        tag, text = node.tag.removeprefix(_TAG), node.value
        if tag == "null":
            return None
        if tag == "bool" and text in (*_TRUE, *_FALSE):
            return text in _TRUE
        if tag in ("int", "float"):
            return self._number(node, path, tag, text)
        if tag in ("str", "timestamp", "bool", "value"):
            return self._text(node, path, text)
        self._refuse(node, path, f"the tag {node.tag} is not allowed", "leave the tag out")
        return None

    def _text(self, node: Any, path: Path, text: str) -> str:
        if any("\ud800" <= character <= "\udfff" for character in text):
            self._refuse(node, path, "half of a surrogate pair is not a character", "write the character itself")
        return text

    def _number(self, node: Any, path: Path, tag: str, text: str) -> int | float | None:
        try:
            value = _int(text) if tag == "int" else float(text.replace("_", ""))
            finite = math.isfinite(value)
        except (ValueError, OverflowError):
            finite = False
        if not finite:
            self._refuse(node, path, f"{text:.60} is not a finite number", "write a finite number")
            return None
        return value

    def _refuse(self, node: Any, path: Path, fault: str, cure: str) -> None:
        self.issues.append(Issue(fault, cure, path, _line(node)))


def _is_merge(node: Any) -> bool:
    """True for the key <<, without quotes."""
    return node.id == "scalar" and node.tag == f"{_TAG}merge"


def _int(text: str) -> int:
    """A whole number; 0x, 0o and 0b are hexadecimal, octal and binary."""
    digits = text.replace("_", "")
    return int(digits, 0 if digits.lstrip("+-")[:2].lower() in ("0x", "0o", "0b") else 10)


def _is_open(node: Any) -> bool:
    """True for a text without quotes in which a parenthesis is never closed."""
    return node.id == "scalar" and node.style is None and node.value.count("(") > node.value.count(")")


def _closed(parts: list[str]) -> Iterator[str]:
    """The parts up to the one that closes the last parenthesis."""
    depth = 0
    for part in parts:
        yield part
        depth += part.count("(") - part.count(")")
        if depth <= 0:
            return


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1
