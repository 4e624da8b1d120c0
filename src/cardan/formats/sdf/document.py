"""The document of an SDF file: values as attributes, and the models that it includes in their places.

SDF writes `<mass>2</mass>` where other formats have an attribute. Such a text becomes an attribute of the element in
which it stands, and the attribute `value` of its own, so that what reads the others reads this too.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from cardan.formats.xml.meshes import MeshFiles, first_readable, package_folder
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.tree import MAX_SIZE, XmlElement, read_xml, text
from cardan.formats.yaml_tree import MAX_NODES, MAX_OPEN

MODEL = "__model__"
"""What a model calls its own frame."""


def is_true(element: XmlElement, key: str) -> bool:
    """Whether a value is 1 or true."""
    return element.attributes.get(key, "").lower() in ("1", "true")


def read_whole(path: Path, allow: Sequence[Path], notes: Notes) -> tuple[XmlElement, dict[int, MeshFiles], set[int]]:
    """The outermost element of a file; where meshes are, by the ids of it and of the models of other files; and the ids
    of those that are to be merged.
    """
    folders = (path.parent, package_folder(path.parent), *allow)
    top = _document(path, notes)
    count, meshes = top.size(), {id(top): MeshFiles(path.parent, allow)}
    merged, size = set[int](), 0
    waiting: list[tuple[XmlElement, Path, tuple[str, ...]]] = [(top, path, (os.path.realpath(path),))]
    while waiting:
        parent, file, above = waiting.pop()
        for k, child in enumerate(parent.children):
            if child.tag == "include" and (found := _found(child, parent, file.parent, folders, notes)):
                name = Path(os.path.relpath(found, path.parent)).as_posix()
                if os.path.realpath(found) in above or len(above) > MAX_OPEN:
                    raise child.fault(f"{name} includes itself", "take the <include> out")
                inner = _model(child, _document(found, notes, child, name), name)
                count, size = count + inner.size(), size + os.path.getsize(found)
                if count > MAX_NODES or size > MAX_SIZE:
                    most = f"{MAX_NODES} elements and attributes, or {MAX_SIZE / 1e6:g} MB"
                    raise child.fault(f"the included files have more than {most}", "include fewer of them")
                parent.children[k], meshes[id(inner)] = inner, MeshFiles(found.parent, folders)
                merged |= {id(inner)} if is_true(child, "merge") and parent.tag == "model" else set()
                waiting.append((inner, found, (*above, os.path.realpath(found))))
            elif child.tag in ("world", "model"):
                waiting.append((child, file, above))
    return top, meshes, merged


def _document(path: Path, notes: Notes, including: XmlElement | None = None, name: str = "") -> XmlElement:
    """The outermost element of one file, which an element of another one may include by this `name`."""
    top = read_xml(path, notes.mend, including, name)
    if top.tag != "sdf":
        what = f"a file with the outermost element <{top.tag}>, not" if including is None else "not"
        raise top.fault(f"this is {what} an SDF file", 'an SDF file begins with <sdf version="1.9">')
    version = [int(word) for word in text(top, "version").split(".") if word.isdigit()]
    for element in top.walk():
        for child in element.children:
            if value := "".join(child.words).strip():
                element.attributes.setdefault(child.tag, value)
                child.attributes.setdefault("value", value)
        if element.tag in ("axis", "axis2") and version < [1, 5]:
            element.attributes["use_parent_model_frame"] = "1"
    return top


def _model(element: XmlElement, top: XmlElement, name: str) -> XmlElement:
    """The model of an included document, with what `<include>` says of it."""
    models = top.all("model")
    if len(models) != 1:
        raise element.fault(f"{name} has {len(models)} models", "include a file of one model")
    (model,) = models
    keys = ("name", "static", "placement_frame")
    model.attributes.update({key: element.attributes[key] for key in keys if key in element.attributes})
    if poses := element.all("pose"):
        model.children[:] = [one for one in model.children if one.tag != "pose"] + poses
    return model


def _found(element: XmlElement, parent: XmlElement, folder: Path, folders: Sequence[Path], notes: Notes) -> Path | None:
    """The file that an element includes, by its name or by that of its folder; None without it in a world."""
    name = text(element, "uri")
    places = MeshFiles(folder, folders).candidates(name)
    if path := first_readable((path for one in places for path in (one, os.path.join(one, "model.sdf"))), folders):
        return Path(path)
    cure = "correct its <uri>, or allow the folder in which the folder of the model is: allow=…"
    fault = element.fault(f"{name} is not in the folder or package of the file", cure)
    if parent.tag != "world":
        raise fault
    notes.mend(fault, "included models that are not found, left out", name)
    return None
