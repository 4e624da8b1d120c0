"""Expansion of vector bonds: a graph of scalar bonds, one along each axis, with the same state equations.

A junction becomes one junction for each axis. A transformer or gyrator becomes one for each entry of its modulus, with
a 1-junction for the flow that several of them share and a 0-junction (1-junction for a gyrator) where their flows
(efforts) add. A store or resistor with a coupled modulus K = L D Lᵀ becomes transformers Lᵀ and scalars D. The Euler
junction structure becomes its ring of gyrators.

Source: Karnopp, Margolis & Rosenberg 2012, §7.2 (multiport fields) and §9.2 (rigid bodies); Breedveld 1985
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace

import casadi as ca

from cardan.bond_graphs.checks import checked_graph
from cardan.bond_graphs.records import JUNCTIONS, Bond, Graph, GraphElement, Number
from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass

__all__ = ["expanded"]

_AXES = "xyz"
_TRANSFORMERS = ("TF", "MTF")


def expanded(graph: Graph) -> Graph:
    """The graph with scalar bonds only; bonds and elements of size n are numbered or, of size 3, named x, y, z."""
    work = _Expansion(graph)
    for element in graph.elements.values():
        work.element(element)
    for bond in graph.bonds.values():
        work.bond(bond)
    return checked_graph(work.elements, work.bonds, graph.name, graph.titles)


@dataclass
class _Expansion:
    """Scalar elements and bonds so far, and the element at each end of a vector bond along each axis."""

    graph: Graph
    elements: list[GraphElement] = field(default_factory=list)
    bonds: list[Bond] = field(default_factory=list)
    ends: dict[tuple[str, str], list[str]] = field(default_factory=dict)  # by element and bond: names along the axes

    def element(self, element: GraphElement) -> None:
        """Add the scalar elements of one element."""
        bonds = self.graph.ports[element.name]
        if all(bond.size == 1 for bond in bonds):
            self.elements.append(element)
            for bond in bonds:
                self.ends[element.name, bond.name] = [element.name]
        elif element.kind in JUNCTIONS:
            self._along(element, bonds)
        elif element.kind in ("Se", "Sf"):
            self._source(element, bonds[0])
        elif element.kind == "EJS":
            self._euler(element, bonds[0])
        elif element.kind in ("I", "C", "R"):
            self._field(element, bonds[0])
        else:
            self._two_port(element)

    def bond(self, bond: Bond) -> None:
        """Add the scalar bonds of one bond."""
        tails, heads = self.ends[bond.tail, bond.name], self.ends[bond.head, bond.name]
        for tail, head, axis in zip(tails, heads, _axes(bond.size), strict=True):
            names = {
                key: f"{name}{axis}" if name else "" for key, name in (("effort", bond.effort), ("flow", bond.flow))
            }
            self.bonds.append(Bond(f"{bond.name}{axis}", tail, head, bond.domain, 1, **names))

    def _along(self, element: GraphElement, bonds: tuple[Bond, ...]) -> None:
        """One junction for each axis."""
        names = [f"{element.name}{axis}" for axis in _axes(bonds[0].size)]
        self.elements += [replace(element, name=name) for name in names]
        for bond in bonds:
            self.ends[element.name, bond.name] = names

    def _source(self, element: GraphElement, bond: Bond) -> None:
        names = [f"{element.name}{axis}" for axis in _axes(bond.size)]
        value = None if element.value is None else ca.SX(element.value)
        self.elements += [
            replace(element, name=name, value=None if value is None else value[k]) for k, name in enumerate(names)
        ]
        self.ends[element.name, bond.name] = names

    def _field(self, element: GraphElement, bond: Bond) -> None:
        """Scalars D along the axes of Lᵀ f (of Lᵀ x for a C), with transformers where K = L D Lᵀ is coupled."""
        if element.law is not None:
            fault = f"the law of {element.kind} {element.name!r} is not linear, and its bond has size {bond.size}"
            raise ModelError(Issue(fault, "leave the graph as it is", ("elements", element.name)))
        K = ca.SX(element.modulus)
        if not _equal(K, K.T):
            fault = f"the modulus of {element.kind} {element.name!r} is not symmetric"
            raise ModelError(Issue(fault, "leave the graph as it is", ("elements", element.name)))
        L, D = _factors(K)
        axes = _axes(bond.size)
        names = [f"{element.name}{axis}" for axis in axes]
        self.elements += [replace(element, name=name, modulus=D[k]) for k, name in enumerate(names)]
        if _equal(L, ca.SX.eye(bond.size)):
            self.ends[element.name, bond.name] = names
            return
        outputs = self._matrix(f"{element.name}.axes", ca.SX(L.T), element, bond, ("1", "0"), "TF")
        self.ends[element.name, bond.name] = outputs[0]
        for name, junction in zip(names, outputs[1], strict=True):
            self.bonds.append(Bond(f"{junction}>{name}", junction, name, bond.domain))

    def _euler(self, element: GraphElement, bond: Bond) -> None:
        """A 1-junction for each axis, and a gyrator between each two of them: e_i = m f_j, e_j = −m f_i."""
        R = ca.SX(element.modulus)
        names = [f"{element.name}{axis}" for axis in _axes(bond.size)]
        self.elements += [replace(element, name=name, kind="1", modulus=None) for name in names]
        for i in range(bond.size):
            for j in range(i + 1, bond.size):
                if not _is_zero(R[i, j]):
                    gyrator = f"{names[i]}_{names[j]}"
                    self.elements.append(replace(element, name=gyrator, kind="MGY", modulus=R[i, j]))
                    self.bonds.append(Bond(f"{names[i]}>{gyrator}", names[i], gyrator, bond.domain))
                    self.bonds.append(Bond(f"{gyrator}>{names[j]}", gyrator, names[j], bond.domain))
        self.ends[element.name, bond.name] = names

    def _two_port(self, element: GraphElement) -> None:
        first, second = self.graph.through(element.name)
        sums = "0" if element.kind in _TRANSFORMERS else "1"
        inputs, outputs = self._matrix(element.name, ca.SX(element.modulus), element, first, ("1", sums), element.kind)
        self.ends[element.name, first.name] = inputs
        self.ends[element.name, second.name] = outputs

    def _matrix(
        self, name: str, M: Number, element: GraphElement, first: Bond, kinds: tuple[str, str], kind: str
    ) -> tuple[list[str], list[str]]:
        """A 1-junction for each column of M, a junction for each row, and a two-port for each entry between them."""
        after = next((bond.domain for bond in self.graph.ports[element.name] if bond is not first), first.domain)
        rows, columns = M.shape
        inputs = [f"{name}.in{axis}" for axis in _axes(columns)]
        outputs = [f"{name}.out{axis}" for axis in _axes(rows)]
        plain = GraphElement("", "1", of=element.of)
        self.elements += [replace(plain, name=each, kind=kinds[0]) for each in inputs]  # type: ignore[arg-type]
        self.elements += [replace(plain, name=each, kind=kinds[1]) for each in outputs]  # type: ignore[arg-type]
        for i, j in _entries(M):
            two_port = f"{name}{_axes(rows)[i]}{_axes(columns)[j]}"
            self.elements.append(
                GraphElement(two_port, kind, modulus=M[i, j], of=element.of, note=element.note)  # type: ignore[arg-type]
            )
            self.bonds.append(Bond(f"{inputs[j]}>{two_port}", inputs[j], two_port, first.domain))
            self.bonds.append(Bond(f"{two_port}>{outputs[i]}", two_port, outputs[i], after))
        return inputs, outputs


def _axes(size: int) -> list[str]:
    """What follows the names along the axes of a bond."""
    if size == 1:
        return [""]
    return [f".{_AXES[k]}" for k in range(size)] if size == 3 else [f".{k + 1}" for k in range(size)]


def _entries(M: Number) -> Iterator[tuple[int, int]]:
    """Places of the entries that are not zero."""
    return ((i, j) for i in range(M.shape[0]) for j in range(M.shape[1]) if not _is_zero(M[i, j]))


def _factors(K: Number) -> tuple[Number, Number]:
    """L (n, n), with ones on its diagonal, and D (n,) of K = L D Lᵀ."""
    n = K.shape[0]
    L, D, rest = ca.SX.eye(n), ca.SX.zeros(n), ca.SX(K)
    for k in range(n):
        D[k] = rest[k, k]
        for i in range(k + 1, n):
            if not _is_zero(rest[i, k]):
                L[i, k] = rest[i, k] / D[k]
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                if not (_is_zero(L[i, k]) or _is_zero(L[j, k])):
                    rest[i, j] = rest[i, j] - L[i, k] * D[k] * L[j, k]
    return L, D


def _is_zero(x: Number) -> bool:
    return bool(ca.SX(x).is_zero())


def _equal(A: Number, B: Number) -> bool:
    """Whether two matrices are alike, entry by entry."""
    return bool(ca.is_equal(ca.densify(ca.SX(A)), ca.densify(ca.SX(B)), 100))
