"""`<include>`: the elements of other files take its place.

Source: MuJoCo's XML reference, include. A file is sought from the folder of the outermost one, then from that of the
file which includes it, and is read once. It lies in the package of the outermost file, and is MJCF itself: of any other
file no text comes into a model or a message.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from cardan.formats.xml.meshes import first_readable, package_folder
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.tree import XmlElement, read_xml, text
from cardan.formats.yaml_tree import MAX_NODES


def read_whole(path: Path, allow: Sequence[Path], notes: Notes) -> XmlElement:
    """The outermost element of a file, with the elements of the files that it includes."""
    top = read_xml(path, notes.mend)
    if any(element.tag == "include" for element in top.walk()):
        _Inclusion(path, allow, notes).fill(top)
    return top


class _Inclusion:
    """What has been included in one file so far."""

    def __init__(self, path: Path, allow: Sequence[Path], notes: Notes) -> None:
        self.notes = notes
        self.folder, self.folders = path.parent, (path.parent, package_folder(path.parent), *allow)
        self.read, self.size = {os.path.realpath(path)}, 0

    def fill(self, top: XmlElement) -> None:
        """Put the elements of included files in place of every `<include>` below `top`."""
        parents = [(top, self.folder)]
        while parents:
            parent, folder = parents.pop()
            waiting, parent.children[:] = [(child, folder) for child in reversed(parent.children)], []
            while waiting:
                child, folder = waiting.pop()
                if child.tag == "include":
                    inner, around = self._included(child, folder)
                    waiting += [(one, around) for one in reversed(inner.children)]
                else:
                    parent.children.append(child)
                    parents.append((child, folder))

    def _included(self, element: XmlElement, folder: Path) -> tuple[XmlElement, Path]:
        """The outermost element of the file that an element includes, and the folder of this file."""
        path = self._found(element, folder)
        if os.path.realpath(path) in self.read:
            raise element.fault(f"{path.name} is included twice", "include it once, as MuJoCo asks for")
        self.read.add(os.path.realpath(path))
        name = Path(os.path.relpath(path, self.folder)).as_posix()
        top = read_xml(path, self.notes.mend, element, name)
        if top.tag not in ("mujoco", "mujocoinclude"):
            cure = "its outermost element has to be <mujocoinclude> or <mujoco>"
            raise element.fault(f"{name} is no MJCF file", cure)
        self.size += top.size()
        if self.size > MAX_NODES:
            raise element.fault(f"the included files have more than {MAX_NODES} elements and attributes")
        return top, path.parent

    def _found(self, element: XmlElement, folder: Path) -> Path:
        name = text(element, "file")
        bases = (self.folder, folder, *self.folders[1:])
        if path := first_readable((str(base / name) for base in bases), self.folders):
            return Path(path)
        target = os.path.abspath(self.folder / name)
        above = os.path.dirname(target)
        if not os.path.isabs(name):
            above = os.path.commonpath([os.path.abspath(self.folder), target])
        cure = f"correct its name, or allow its folder: allow={above!r}"
        raise element.fault(f"{name} is not in the folder or package of the file", cure)
