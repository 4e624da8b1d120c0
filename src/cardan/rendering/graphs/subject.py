"""What is drawn, and which of its elements belong together."""

from collections.abc import Collection, Mapping

from cardan.bond_graphs.causality import Causality
from cardan.bond_graphs.records import JUNCTIONS, Bond, Graph
from cardan.frozen import dataclass, field


@dataclass
class Subject:
    """What is drawn, and how."""

    graph: Graph  # a graph that was checked
    causality: Causality | None  # its strokes
    expanded: bool  # whether frames are open
    parts: Collection[str] | None  # names of the parts that are shown; all if None
    powers: Mapping[str, float]  # by bond, for the words that the pointer shows
    hung: dict[str, list[Bond]] = field(default_factory=dict)  # bonds of the one-ports that hang at each junction
    bundles: dict[str, list[Bond]] = field(default_factory=dict)  # bonds that one line stands for, by the first of them

    @property
    def hanging(self) -> set[str]:
        """Names of the one-ports that hang at junctions."""
        return {hanging_end(self.graph, bond) for bonds in self.hung.values() for bond in bonds}

    def bundle(self, bond: Bond) -> list[Bond]:
        """Bonds for which the line of one stands."""
        return self.bundles.get(bond.name, [bond])


def unit_of(graph: Graph, element: str) -> str:
    """The frame in which an element stands, or the element itself."""
    return graph.elements[element].of or element


def is_shown(subject: Subject, element: str) -> bool:
    """Whether the frame of an element is drawn."""
    return subject.parts is None or unit_of(subject.graph, element) in subject.parts


def port_of(bond: Bond) -> str:
    """Name of the open end of a bond."""
    return f"port of {bond.name}"


def hang(subject: Subject, name: str) -> None:
    """Hang a one-port at its junction; sources outside frames stand in the layers, where power comes from."""
    element = subject.graph.elements[name]
    sources = ("Se", "Sf") if element.of else ()
    if element.kind not in ("I", "C", "R", "EJS", *sources):
        return
    (bond,) = subject.graph.ports[name]
    junction = subject.graph.elements[bond.other(name)]
    if junction.kind in JUNCTIONS and junction.of == element.of:
        subject.hung.setdefault(junction.name, []).append(bond)


def hanging_end(graph: Graph, bond: Bond) -> str:
    """The one-port at a bond of a one-port and a junction."""
    return bond.tail if graph.elements[bond.head].kind in JUNCTIONS else bond.head
