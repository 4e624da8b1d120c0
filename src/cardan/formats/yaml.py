"""YAML model files: text → data with line numbers → `Model`, and back."""

import io
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cardan.errors import DoubtWarning, Issue, ModelError, warn
from cardan.errors import Path as KeyPath
from cardan.formats.format import Format
from cardan.formats.templates import expanded
from cardan.formats.yaml_edit import WIDTH
from cardan.formats.yaml_text import read_text
from cardan.formats.yaml_tree import YamlDocument, read_tree
from cardan.model.checks.values import unused_parameters
from cardan.model.model import Model
from cardan.model.records.plain import plain
from cardan.safety.reading import is_inside
from cardan.safety.writing import replacing

_BEGIN = "begin with cardan: 1"


def load(path: Path, allow: Sequence[Path] = ()) -> Model:
    """The model in a YAML file; tables and meshes are looked for beside it."""
    return _model(read_text(path), str(path), path.parent, allow)


def loads(text: str, folder: Path | None = None, allow: Sequence[Path] = ()) -> Model:
    """The model in a YAML text.

    Example
    -------
    >>> text = "{cardan: 1, bodies: {b: {mass: 2 kg}}, joints: {j: {type: free, parent: ground, child: b}}}"
    >>> loads(text).bodies["b"].mass.value
    2.0
    """
    return _model(text, None, folder or Path(), allow)


def save(model: Model, path: Path) -> None:
    """Write a model to a YAML file, whole or not at all; paths of tables are relative to the folder of that file."""
    text = _text(_moved(plain(model), path.parent))
    with replacing(path) as stream:
        stream.write(text.encode())


def lines(path: Path) -> Mapping[KeyPath, int]:
    """Line, from 1, of every key and list entry in a YAML file."""
    return read_tree(read_text(path)).lines


def dump(model: Model) -> str:
    """A model as YAML text: one line for each body, joint, motor, …"""
    return _text(plain(model))


def _text(data: dict[str, Any]) -> str:
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.width = WIDTH
    yaml.representer.ignore_aliases = lambda data: True
    stream = io.StringIO()
    yaml.dump(_laid_out(data), stream)
    return stream.getvalue()


def _model(text: str, file: str | None, folder: Path, allow: Sequence[Path]) -> Model:
    try:
        document = read_tree(text)
    except ModelError as error:
        raise error.located(file, {}) from None
    try:
        written_out = expanded(_checked(document))
    except ModelError as error:
        raise error.located(file, {(): 1, **document.lines}) from None
    try:
        model = Model(**_found(written_out.data, folder, allow))
    except ModelError as error:
        raise written_out.told(error.located(file, {(): 1, **written_out.lines})) from None
    for doubt in unused_parameters(model):
        warn(doubt.one_line(), DoubtWarning)
    return model


def _checked(document: YamlDocument) -> YamlDocument:
    data = document.data
    if not isinstance(data, dict):
        raise ModelError(Issue("this is not a model file: it holds no keys", _BEGIN, line=1))
    if "cardan" not in data:
        raise ModelError(Issue("the key 'cardan' is missing, the version of the format", _BEGIN, line=1))
    for key, section in Model.inside.items():
        if key in data:
            raise ModelError(Issue(f"unknown key {key!r}", f"write it in {section}: {{{key}: …}}", (key,)))
    return document


def _found(data: dict[str, Any], folder: Path, allow: Sequence[Path]) -> dict[str, Any]:
    """The data with the files of tables as seen from the current folder instead of from the model file's."""

    def place(file: str) -> str:
        path = os.path.normpath(folder / file)
        if "\0" in file or not is_inside(path, (folder, *allow)):
            cure = "put it beside the model file, or give its folder to allow="
            raise ModelError(f"the file {file!r} lies outside of the model's folder", cure)
        return path

    def drawn(file: str) -> str:
        """A mesh that is only drawn is looked for beside the model; the gate stands where it is read."""
        path = os.path.normpath(folder / file)
        there = "\0" not in file and is_inside(path, (folder, *allow)) and os.path.isfile(path)
        return path if there else file

    return _with_files(data, place, drawn)


def _moved(data: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The data with the files of tables as seen from the model file's folder instead of from the current one."""
    return _with_files(data, lambda file: file if Path(file).is_absolute() else os.path.relpath(file, folder))


def _with_files(
    data: dict[str, Any], change: Callable[[str], str], drawn: Callable[[str], str] = str
) -> dict[str, Any]:
    bodies = data.get("bodies")
    for section in ("inputs", "motions", "let", "controllers", "programs"):
        entries = data.get(section)
        if isinstance(entries, dict):
            data = data | {section: {name: _with_file(x, change, section, name) for name, x in entries.items()}}
    constraints = data.get("constraints")
    if isinstance(constraints, dict):
        data = data | {"constraints": {name: _with_measured(name, x, change) for name, x in constraints.items()}}
    if isinstance(bodies, dict):
        data = data | {"bodies": {name: _with_meshes(name, body, change, drawn) for name, body in bodies.items()}}
    return data


def _with_measured(name: str, constraint: Any, change: Callable[[str], str]) -> Any:
    """The data of a constraint with the files of the tables of its given part."""
    given = constraint.get("given") if isinstance(constraint, dict) else None
    if not isinstance(given, dict):
        return constraint
    value = given.get("value")
    if "table" in given:
        table = _with_file(given["table"], change, "constraints", name, "given", "table")
        return constraint | {"given": given | {"table": table}}
    if not isinstance(value, list):
        return constraint
    path = ("constraints", name, "given", "value")
    return constraint | {"given": given | {"value": [_with_file(x, change, *path, k) for k, x in enumerate(value)]}}


def _with_meshes(name: str, body: Any, change: Callable[[str], str], drawn: Callable[[str], str]) -> Any:
    """The data of a body with the files of its meshes: those that are read for their density, and those only drawn."""
    body = _with_file(body, change, "bodies", name)  # of modal data
    shapes = body.get("shapes") if isinstance(body, dict) else None
    if not isinstance(shapes, list):
        return body
    changed = [
        _with_file(shape, change if _is_read(shape) else drawn, "bodies", name, "shapes", k)
        for k, shape in enumerate(shapes)
    ]
    return body | {"shapes": changed}


def _is_read(shape: Any) -> bool:
    return isinstance(shape, dict) and shape.get("density") is not None and shape.get("integrals") is None


def _with_file(value: Any, change: Callable[[str], str], *path: str | int) -> Any:
    if not (isinstance(value, dict) and isinstance(value.get("file"), str)):
        return value
    try:
        return value | {"file": change(value["file"])}
    except ModelError as error:
        raise error.under(*path, "file") from None


def _laid_out(data: dict[str, Any]) -> Any:
    """The data with sections in block style and everything inside their entries in flow style."""
    from ruamel.yaml.comments import CommentedMap

    top = CommentedMap()
    for key, value in data.items():
        is_section = isinstance(value, dict) and key not in ("parameters", "assemble", "simulate")
        if key == "graphs":
            top[key] = CommentedMap((name, _graph(graph)) for name, graph in value.items())
            continue
        top[key] = CommentedMap((name, _flow(entry)) for name, entry in value.items()) if is_section else _flow(value)
    return top


def _graph(data: dict[str, Any]) -> Any:
    """The data of a bond graph: one line for each element, one for each chain of bonds."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    elements = CommentedMap((name, _flow(entry)) for name, entry in data.get("elements", {}).items())
    return CommentedMap(elements=elements, bonds=CommentedSeq(data.get("bonds", [])))


def _flow(value: Any) -> Any:
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    if isinstance(value, dict):
        table = CommentedMap((key, _flow(entry)) for key, entry in value.items())
        table.fa.set_flow_style()
        return table
    if isinstance(value, list):
        entries = CommentedSeq(_flow(entry) for entry in value)
        entries.fa.set_flow_style()
        return entries
    return value


FORMAT = Format(load, save, lines, is_yaml=True)
"""How YAML files are read and written."""
