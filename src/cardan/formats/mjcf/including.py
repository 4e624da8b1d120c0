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
        waiting = [top]
        while waiting:
            inside, k = waiting.pop().children, 0
            while k < len(inside):
                if inside[k].tag == "include":
                    inside[k : k + 1] = self._included(inside[k])
                else:
                    k += 1
            waiting += inside

    def _included(self, element: XmlElement) -> list[XmlElement]:
        """The elements in the file that an element includes."""
        path = self._found(element)
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
        return top.children

    def _found(self, element: XmlElement) -> Path:
        name = text(element, "file")
        around = (self.folder / element.origin.rpartition(":")[0]).parent if element.origin else self.folder
        bases = (self.folder, around, *self.folders[1:])
        if path := first_readable((str(base / name) for base in bases), self.folders):
            return Path(path)
        folder, target = os.path.abspath(self.folder), os.path.abspath(self.folder / name)
        above = os.path.dirname(target) if os.path.isabs(name) else os.path.commonpath([folder, target])
        cure = f"correct its name, or allow its folder: allow={above!r}"
        raise element.fault(f"{name} is not in the folder or package of the file", cure)
