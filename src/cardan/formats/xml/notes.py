"""What a reader changes, leaves out, does not draw and renames: a line of warning for each, the weighty ones first."""

import difflib
from collections.abc import Collection

from cardan.errors import ModelError, warn
from cardan.formats.xml.tree import XmlElement, shortened
from cardan.frozen import dataclass, field

_SHOWN = 4  # places that a warning names for one thing; files have dozens of joints
_MOST = 12  # warnings of one file
_MENDED, _MOTION, _PICTURE, _NAMES = range(4)  # ranks: what changes the motion comes first


@dataclass
class Notes:
    """What is changed or left out, and where."""

    strict: bool = False  # whether a bad value is refused
    left_out: str = "left out"  # the words before what of the motion is left out
    found: dict[tuple[int, str], list[str]] = field(default_factory=dict)  # places by rank and by what was done there

    def mend(self, fault: ModelError, done: str, where: str = "") -> None:
        """Note what was done about a bad value; raise its fault where files are read strictly."""
        if self.strict:
            raise fault
        self._put(_MENDED, done, where)

    def add(self, what: str, where: str = "") -> None:
        """Note something of the motion that is left out."""
        self._put(_MOTION, f"{self.left_out}: {what}", where)

    def undrawn(self, what: str, where: str = "") -> None:
        """Note something of the picture that is left out or drawn otherwise."""
        self._put(_PICTURE, what, where)

    def rename(self, old: str, new: str) -> None:
        """Note another name, if it is one."""
        if old != new:
            self._put(_NAMES, "renamed, as names have letters, digits and _", f"{old} → {new}")

    def _put(self, rank: int, what: str, where: str) -> None:
        self.found.setdefault((rank, shortened(what)), []).extend([shortened(where)] if where else [])

    def check_element(self, element: XmlElement, known: Collection[str]) -> None:
        """Note an element whose name is not known, with the known one that is nearest."""
        self._check(element, element.tag, known, "elements <{}>", "<{}>")

    def check_attributes(self, element: XmlElement, known: Collection[str]) -> None:
        """Note the attributes of an element that are not known, each with the known one that is nearest."""
        for key in element.attributes:
            self._check(element, key, known, "attribute {} of " + f"<{element.tag}>", "{}")

    def _check(self, element: XmlElement, word: str, known: Collection[str], what: str, alike: str) -> None:
        if word not in known and ":" not in word:  # a prefix marks the words of another program
            near = difflib.get_close_matches(word, known, n=1)
            self.add(
                "unknown " + what.format(word) + "".join(f", perhaps {alike.format(*near)}" for _ in near),
                element.place,
            )

    def warn(self, file: str) -> None:
        """Warn of each thing in one line."""
        sorted_ones = sorted(self.found.items(), key=lambda one: one[0][0])
        for (_, what), where in sorted_ones[:_MOST]:
            shown = ", ".join(where[:_SHOWN]) + (f", … {len(where)} in all" if len(where) > _SHOWN else "")
            warn(f"{file}: {what} ({shown})" if where else f"{file}: {what}")
        if len(sorted_ones) > _MOST:
            warn(f"{file}: … {len(sorted_ones)} warnings in all")
