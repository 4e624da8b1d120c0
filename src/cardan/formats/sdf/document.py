"""The document of an SDF file: values as attributes, and the models that it includes in their places.

SDF writes `<mass>2</mass>` where other formats have an attribute. Such a text becomes an attribute of the element in
which it stands, so that what reads the others reads this too; a true attribute of this name goes before.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from cardan.errors import ModelError
from cardan.formats.xml.meshes import MeshFiles, package_folder
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.tree import XmlElement, read_xml, text
from cardan.formats.yaml_tree import MAX_NODES, MAX_OPEN
from cardan.safety.reading import is_inside

_NEEDED = {
    "include": ("uri",),
    "box": ("size",),
    "sphere": ("radius",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "mesh": ("uri",),
}
"""What these elements cannot be without."""

_ALLOW = "correct its <uri>, or allow the folder in which the folder of the model is: allow=…"


def is_true(element: XmlElement, key: str) -> bool:
    """Whether a value is 1 or true."""
    return element.attributes.get(key, "").strip().lower() in ("1", "true")


def read_whole(path: Path, allow: Sequence[Path], notes: Notes) -> tuple[XmlElement, Mapping[int, MeshFiles]]:
    """The outermost element of a file, and where the meshes are of the models in it, by the ids of their elements."""
    folders = (path.parent, package_folder(path.parent), *allow)
    top = _document(path, notes)
    size, meshes = _size(top), {id(top): MeshFiles(path.parent, allow)}
    waiting: list[tuple[XmlElement, Path, tuple[str, ...]]] = [(top, path, (os.path.realpath(path),))]
    while waiting:
        parent, file, above = waiting.pop()
        for k, child in enumerate(parent.children):
            if child.tag == "include":
                found = _found(child, file.parent, folders)
                if found is None:
                    fault = child.fault(f"{text(child, 'uri')} is not in the folder or package of the file", _ALLOW)
                    if parent.tag != "world":
                        raise fault
                    notes.mend(fault, "included models that are not found, left out", text(child, "uri"))
                    continue
                name = Path(os.path.relpath(found, path.parent)).as_posix()
                if os.path.realpath(found) in above or len(above) > MAX_OPEN:
                    raise child.fault(f"{name} includes itself", "take the <include> out")
                inner = _included(child, found, name, notes)
                size += _size(inner)
                if size > MAX_NODES:
                    raise child.fault(f"the included files have more than {MAX_NODES} elements and attributes")
                parent.children[k] = inner
                meshes[id(inner)] = MeshFiles(found.parent, folders)
                waiting.append((inner, found, (*above, os.path.realpath(found))))
            elif child.tag in ("world", "model"):
                waiting.append((child, file, above))
    return top, meshes


def _size(top: XmlElement) -> int:
    return sum(1 + len(one.attributes) for one in top.walk())


def _document(path: Path, notes: Notes, including: XmlElement | None = None, name: str = "") -> XmlElement:
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
            element.attributes.setdefault("use_parent_model_frame", "1")
        for key in _NEEDED.get(element.tag, ()):
            if key not in element.attributes:
                raise element.fault(f"<{element.tag}> has no <{key}>", f"write <{key}>…</{key}> in it")
    return top


def _included(element: XmlElement, path: Path, name: str, notes: Notes) -> XmlElement:
    """The model in a file, with the name, the pose and what else `<include>` gives it."""
    try:
        top = _document(path, notes, element, name)
    except ModelError as error:
        (issue,) = error.issues
        place = name if issue.line is None else f"{name}:{issue.line}"
        raise element.fault(f"{place}: {issue.fault}", issue.cure) from None
    models = top.all("model")
    if len(models) != 1:
        raise element.fault(f"{name} has {len(models)} models", "include a file of one model")
    (model,) = models
    for key in ("name", "static", "placement_frame"):
        model.attributes.update({key: element.attributes[key]} if key in element.attributes else {})
    if poses := element.all("pose"):
        model.children[:] = [one for one in model.children if one.tag != "pose"] + poses
        model.attributes["pose"] = element.attributes.get("pose", "0 0 0 0 0 0")
    return model


def _found(element: XmlElement, folder: Path, folders: Sequence[Path]) -> Path | None:
    """The file that an element includes, by its name or by that of its folder."""
    for one in MeshFiles(folder, folders).candidates(text(element, "uri")):
        for path in (one, os.path.join(one, "model.sdf")):
            if "\0" not in path and is_inside(path, folders) and os.path.isfile(path):
                return Path(path)
    return None
