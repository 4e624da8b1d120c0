"""A graph in the making: elements and bonds as the parts of a mechanism add them.

A part connects itself to velocities that other parts have: a matrix for each velocity says what of it arrives.
A bond between two parts of the model is named by them; where several bonds of one domain join the same two parts, by
junctions. A transformer between two junctions passes on what reaches it: its bonds are named by the junctions, and by
the nearer of both where they are of one domain.
Source: Karnopp, Margolis & Rosenberg 2012, ch. 9 (mechanisms by 0-junctions of relative velocities)
"""

from collections.abc import Mapping, Sequence

import casadi as ca

from cardan.bond_graphs import Bond, Graph, GraphElement, make_graph
from cardan.bond_graphs.records import JUNCTIONS, Kind, Number
from cardan.frozen import dataclass, field, replace

FlowPath = tuple[str, Number]
"""A 1-junction, and the matrix (k×n) by which its flow (n,) reaches a 0-junction of size k."""


@dataclass
class Draft:
    """Elements and bonds so far."""

    augmented: bool  # whether constraint forces are sources; otherwise strokes may run against transformers
    elements: list[GraphElement] = field(default_factory=list)
    bonds: list[Bond] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)  # words for a part, by `GraphElement.of`
    of: str = ""  # part that is added
    domains: dict[str, tuple[str, int]] = field(default_factory=dict)  # domain and size of each junction

    def part(self, kind: str, name: str, title: str) -> None:
        """Begin a part of the model: `of` of the elements that follow."""
        self.of = f"{kind} {name}"
        self.titles[self.of] = title

    def junction(self, kind: Kind, name: str, domain: str, size: int, note: str = "") -> str:
        """Name of a new junction."""
        self.elements.append(GraphElement(name, kind, of=self.of, note=note))
        self.domains[name] = domain, size
        return name

    def bond(self, tail: str, head: str, at: str) -> None:
        """Add a bond."""
        domain, size = self.domains[at]
        self.bonds.append(Bond(f"{tail} > {head}", tail, head, domain, size))

    def port(self, element: GraphElement, junction: str) -> None:
        """Add a one-port element at a junction: power flows out of sources, into all others."""
        self.elements.append(element)
        ends = (element.name, junction) if element.kind in ("Se", "Sf") else (junction, element.name)
        self.bond(*ends, junction)

    def source(self, name: str, junction: str, value: Number, note: str) -> None:
        """Add a source of a known effort at a junction."""
        self.port(GraphElement(name, "Se", value=value, of=self.of, note=note), junction)

    def relative(
        self, name: str, domain: str, size: int, parents: Sequence[FlowPath], children: Sequence[FlowPath], note: str
    ) -> str:
        """A 0-junction whose effort acts on the children, and reversed on the parents.

        What is joined to it moves with the flow of the children less that of the parents.
        """
        self.junction("0", name, domain, size, note)
        for reaches, is_child in ((parents, False), (children, True)):
            for node, M in reaches:
                if ca.SX(M).nnz():
                    self._reach(name, node, ca.SX(M), is_child)
        return name

    def _reach(self, junction: str, node: str, M: Number, is_child: bool) -> None:
        """Bonds between a 1-junction and a 0-junction: one, or two with a transformer between."""
        if M.is_eye() and self.domains[node][0] == self.domains[junction][0]:
            ends = (junction, node) if is_child else (node, junction)
            self.bond(*ends, junction)
            return
        name, kind = f"{junction} | {node}", "TF" if M.is_constant() else "MTF"
        self.elements.append(
            GraphElement(name, kind, M, invertible=not self.augmented, flipped=is_child, of=self.of)  # type: ignore[arg-type]
        )
        if is_child:
            self.bond(junction, name, junction)
            self.bond(name, node, node)
        else:
            self.bond(node, name, node)
            self.bond(name, junction, junction)

    def graph(self, name: str) -> Graph:
        """The graph."""
        return make_graph(self.elements, placed_bonds(self.elements, self.bonds), name, self.titles)


def domain_of(unit: str) -> str:
    """Domain of a velocity with this unit."""
    return "translation" if unit == "m/s" else "rotation"


_TWO_PORTS = ("TF", "MTF")


def placed_bonds(elements: Sequence[GraphElement], bonds: Sequence[Bond]) -> list[Bond]:
    """The bonds with their places."""
    kinds = {element.name: element for element in elements}
    neighbours: dict[str, list[str]] = {element.name: [] for element in elements}
    for bond in bonds:
        neighbours[bond.tail].append(bond.head)
        neighbours[bond.head].append(bond.tail)

    def junction(end: str, other: str) -> str:
        """The junction behind a transformer, or the end itself."""
        beyond = [x for x in neighbours[end] if x != other] if kinds[end].kind in _TWO_PORTS else []
        return beyond[0] if beyond else end

    ends = {bond.name: (junction(bond.tail, bond.head), junction(bond.head, bond.tail)) for bond in bonds}
    between: dict[tuple[str, str, str], set[tuple[str, str]]] = {}
    domains: dict[tuple[str, str], set[str]] = {}
    for bond in bonds:
        domains.setdefault(ends[bond.name], set()).add(bond.domain)
        between.setdefault(_parts(kinds, ends[bond.name], bond), set()).add(ends[bond.name])
    out = []
    for bond in bonds:
        parts = _parts(kinds, ends[bond.name], bond)
        where = _place(kinds, ends[bond.name], parts, alone=len(between[parts]) == 1)
        nearer = _nearer(kinds, bond)
        if nearer and len(domains[ends[bond.name]]) == 1:
            where = f"{where} at {nearer}"
        out.append(replace(bond, place=where))
    return out


def _nearer(kinds: Mapping[str, GraphElement], bond: Bond) -> str:
    """The end of a bond that is not its transformer; empty without one."""
    for end, other in ((bond.tail, bond.head), (bond.head, bond.tail)):
        if kinds[end].kind in _TWO_PORTS:
            return other
    return ""


def _parts(kinds: Mapping[str, GraphElement], ends: tuple[str, str], bond: Bond) -> tuple[str, str, str]:
    """Names of the parts that a bond leads from and to, and its domain."""
    tail, head = (kinds[end].of.partition(" ")[2] or end for end in ends)
    return tail, head, bond.domain


def _place(
    kinds: Mapping[str, GraphElement], ends: tuple[str, str], parts: tuple[str, str, str], *, alone: bool
) -> str:
    """Where a bond is: "travel → trolley", "of trolley.mass"."""
    ports = [end for end in ends if kinds[end].kind not in JUNCTIONS]
    if len(ports) == 1:
        return f"of {ports[0]}"
    return " → ".join(parts[:2] if alone and parts[0] != parts[1] else ends)
