"""What a file says that the other format does not hold, for one warning."""

import difflib
from collections.abc import Collection

from cardan.formats.xml.tree import XmlElement, shortened
from cardan.frozen import dataclass, field

_SHOWN = 4  # places that the warning names for one thing; files have dozens of joints
_MOST = 12  # things that it names


@dataclass
class Notes:
    """What is left out or changed, and where, for one warning."""

    found: dict[str, list[str]] = field(default_factory=dict)  # places by what was left out there

    def add(self, what: str, where: str = "") -> None:
        """Note something."""
        self.found.setdefault(shortened(what), []).extend([shortened(where)] if where else [])

    def check_element(self, element: XmlElement, known: Collection[str]) -> None:
        """Note an element whose name is not known, with the known one that is nearest."""
        if element.tag not in known and ":" not in element.tag:  # a prefix marks the words of another program
            alike = difflib.get_close_matches(element.tag, known, n=1)
            meant = f", perhaps <{alike[0]}>" if alike else ""
            self.add(f"unknown elements <{element.tag}>{meant}", element.place)

    def check_attributes(self, element: XmlElement, known: Collection[str]) -> None:
        """Note the attributes of an element that are not known, each with the known one that is nearest."""
        for key in element.attributes:
            if key not in known and ":" not in key:
                alike = difflib.get_close_matches(key, known, n=1)
                meant = f", perhaps {alike[0]}" if alike else ""
                self.add(f"unknown attribute {key} of <{element.tag}>{meant}", element.place)

    def worded(self, head: str) -> str:
        """One text for all; empty where nothing was noted."""
        parts = [f"{what} ({_listed(where)})" if where else what for what, where in self.found.items()]
        more = [f"… {len(parts)} in all"] if len(parts) > _MOST else []
        return f"{head}: {'; '.join(parts[:_MOST] + more)}" if parts else ""


def _listed(places: list[str]) -> str:
    shown = ", ".join(places[:_SHOWN])
    return shown if len(places) <= _SHOWN else f"{shown}, … {len(places)} in all"
