"""Changes of single entries in a YAML text; its comments stay, and where a value is replaced its layout too."""

import io
from collections.abc import Sequence
from typing import Any

from cardan.errors import Issue, ModelError, Path
from cardan.formats.yaml_tree import compose, read_tree

WIDTH = 10**6  # characters of a line before it is folded: one line for each body, joint, motor, …


def written(value: Any) -> str:
    """A value as YAML in one line, fit for every place of a file.

    Example
    -------
    >>> written({"size": [1, "25 mm"], "law": "max(a, b)"})
    "{size: [1, 25 mm], law: 'max(a, b)'}"
    """
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.default_flow_style = True
    yaml.width = WIDTH
    yaml.representer.ignore_aliases = lambda data: True
    stream = io.StringIO()
    yaml.dump({"_": value}, stream)
    return stream.getvalue().strip()[len("{_: ") : -1]


def read_value(text: str) -> Any:
    """The value that a user has typed into a field: YAML in one line.

    Example
    -------
    >>> read_value("2 kg"), read_value("0.5"), read_value("[0, 0, L]")
    ('2 kg', 0.5, [0, 0, 'L'])
    """
    return read_tree(text).data


def edited(text: str, path: Path, value: Any = None, order: Sequence[str] = ()) -> str:
    """The text with one entry set to a value, made where it is missing, or taken out.

    Example
    -------
    >>> edited("parameters: {m: 2 kg}  # loaded", ("parameters", "m"), "3 kg")
    'parameters: {m: 3 kg}  # loaded'
    """
    wanted = read_tree(text).data or {}
    _change(wanted, path, value, order)
    new = _replaced(text, path, value) if value is not None else None
    if new is None:
        new = _rewritten(text, path, value, order)
    if (read_tree(new).data or {}) != wanted:
        raise ModelError(Issue("this entry cannot be changed alone", "change it in the text of the file", path))
    return new


def _replaced(text: str, path: Path, value: Any) -> str | None:
    """The text with another value in the place of one that stands within a line, or in brackets; None without one."""
    node = compose(text)
    for key in path:
        pairs = node.value if node is not None and node.id != "scalar" else ()
        node = pairs[key] if isinstance(key, int) and key < len(pairs) else _entry(pairs, key)
        if node is None:
            return None
    is_inside = node.id == "scalar" and node.style not in ("|", ">") and node.end_mark.index > node.start_mark.index
    if not (is_inside or node.flow_style):
        return None
    return text[: node.start_mark.index] + written(value) + text[node.end_mark.index :]


def _entry(pairs: Any, key: Any) -> Any:
    """The node of a key in a table; None without one."""
    return next((pair[1] for pair in pairs if isinstance(pair, tuple) and pair[0].value == key), None)


def _rewritten(text: str, path: Path, value: Any, order: Sequence[str]) -> str:
    """The text read and written again, with an entry that is new or gone."""
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap

    yaml = YAML()
    yaml.width, yaml.preserve_quotes = WIDTH, True
    yaml.indent(mapping=2, sequence=4, offset=2)
    data = yaml.load(text)
    if data is None:
        data = CommentedMap()
    _change(data, path, value if value is None else yaml.load(written(value)), order)
    stream = io.StringIO()
    yaml.dump(data, stream)
    return stream.getvalue()


def _change(data: Any, path: Path, value: Any, order: Sequence[str]) -> None:
    """Set the entry at a path of tables and lists, or take it out."""
    tables = [data]
    for k, key in enumerate(path[:-1]):
        at = tables[-1]
        if isinstance(at, dict) and at.get(key) is None and value is not None:
            _insert(at, key, type(data)() if k == 0 else {}, order if k == 0 else ())
        try:
            tables.append(at[key])
        except (KeyError, IndexError, TypeError):
            if value is None:
                return
            raise ModelError(Issue("there is no such entry", "add the one above it first", path[: k + 1])) from None
    at = tables[-1]
    if not isinstance(at, dict | list) or (isinstance(at, list) and not _is_place(at, path[-1], value)):
        raise ModelError(Issue("there is no such entry", "add the one above it first", path))
    if isinstance(at, list):
        at[path[-1] : path[-1] + 1] = [] if value is None else [value]  # type: ignore[index, operator]
    elif value is not None:
        _insert(at, path[-1], value, order if len(path) == 1 else ())
    else:
        at.pop(path[-1], None)
        for above, table, key in zip(tables[-2::-1], tables[:0:-1], path[-2::-1], strict=True):
            if not table and isinstance(above, dict):
                del above[key]


def _is_place(entries: list[Any], index: Any, value: Any) -> bool:
    """Whether an index is one of a list, or that of its next entry if there is a value for it."""
    return isinstance(index, int) and 0 <= index < len(entries) + (value is not None)


def _insert(table: Any, key: Any, value: Any, order: Sequence[str]) -> None:
    """Set a key of a table; a new one comes behind the last of those that stand before it in an order."""
    if key in table or key not in order or not hasattr(table, "insert"):
        table[key] = value
        return
    before = [k for k, name in enumerate(table) if name in order and order.index(name) < order.index(key)]
    table.insert(max(before, default=-1) + 1, key, value)
