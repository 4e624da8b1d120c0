"""A graph in the making: elements and bonds as the parts of a mechanism add them.

A part connects itself to velocities that other parts have: a matrix for each velocity says what of it arrives.
Source: Karnopp, Margolis & Rosenberg 2012, ch. 9 (mechanisms by 0-junctions of relative velocities)
"""

from collections.abc import Sequence
from dataclasses import field

import casadi as ca

from cardan.bond_graphs import Bond, Graph, GraphElement, make_graph
from cardan.bond_graphs.records import Kind, Number
from cardan.formulations.bond_graph.bond_names import placed_bonds
from cardan.frozen import dataclass

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
