"""Junction-structure matrices of a causal graph by name: what every field receives per unit of what every field gives.

    Ẋ_i1 = J_i1i1 Z_i1 + J_i1i2 Z_i2 + J_i1s Z_s + J_i1L D_out + J_i1E E_out + J_i1u1 U_1 + J_i1u2 U_2 + J_i1u3 U_3 + …

and in the same way Ẋ_i2, Ẋ_s, D_in (L), E_in (E), V_1 (u1), the sums of flows at the unknown constraint forces (C), and
the sums of efforts at unknown flows (u4). Z are co-energy variables: flows of I, efforts of C.

Source: Wang & Tao 2013, eqs. 8–12; C's, which the paper counts to X_i, are the field s, ports without inertia u4
"""

from collections.abc import Collection, Iterator, Mapping

import casadi as ca

from cardan.bond_graphs.causality import Causality
from cardan.bond_graphs.junctions import Walk, received
from cardan.bond_graphs.records import Graph, GraphElement, Number
from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.numerics.entries import column

ROWS = ("i1", "i2", "s", "L", "E", "u1", "C", "u4")
"""Fields that receive: independent and dependent momenta, springs, resistors, EJS, drives, constraints, free flows."""
COLUMNS = ("i1", "i2", "s", "L", "E", "u1", "u2", "u3", "u4")
"""Fields that give; u2 are constraint forces, u3 known sources."""

FieldEntry = tuple[str, int]
"""An element, and a component of its effort or flow."""


@dataclass(frozen=True)
class JunctionStructure(Mapping[str, Number]):
    """All junction-structure matrices; a mapping from names such as "J_i1u2" to matrices."""

    J: Number  # all of them (rows × columns), by `received` and `given`
    received: Mapping[str, tuple[FieldEntry, ...]]  # entries of the rows, by field; momenta together as "i"
    given: Mapping[str, tuple[FieldEntry, ...]]  # entries of the columns, by field; momenta together as "i"
    first: tuple[FieldEntry, ...] = ()  # momenta that count as X_i1; all others are X_i2

    def __getitem__(self, name: str) -> Number:
        """A matrix by its name."""
        for row in ROWS:
            column_name = name.removeprefix(f"J_{row}")
            if column_name != name and column_name in COLUMNS:
                return self.block(row, column_name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        """Names of all matrices."""
        return (f"J_{row}{name}" for row in ROWS for name in COLUMNS)

    def __len__(self) -> int:
        """Number of matrices."""
        return len(ROWS) * len(COLUMNS)

    def block(self, row: str, name: str) -> Number:
        """One matrix."""
        rows = [self._rows[entry] for entry in self.entries(row)]
        columns = [self._columns[entry] for entry in self.entries(name, given=True)]
        if not rows or not columns:
            return ca.SX(len(rows), len(columns))
        return self.J[rows, columns]

    def entries(self, name: str, given: bool = False) -> tuple[FieldEntry, ...]:
        """Elements and components in the rows of a field, or in its columns."""
        if name == "i1":
            return self.first
        fields = self.given if given else self.received
        if name == "i2":
            own = set(self.first)
            return tuple(entry for entry in fields["i"] if entry not in own)
        return fields[name]

    @property
    def _rows(self) -> dict[FieldEntry, int]:
        entries = [entry for own in self.received.values() for entry in own]
        return {entry: k for k, entry in enumerate(entries)}

    @property
    def _columns(self) -> dict[FieldEntry, int]:
        entries = [entry for own in self.given.values() for entry in own]
        return {entry: k for k, entry in enumerate(entries)}


def junction_structure(
    graph: Graph, causality: Causality, first: Collection[FieldEntry] = (), known: Collection[str] = ()
) -> JunctionStructure:
    """Junction-structure matrices of a graph without derivative causality."""
    for name, causes in causality.derivative.items():
        why = f"depends on {', '.join(causes)}" if causes else "is bound"
        fault = f"{name} has derivative causality: it {why}"
        raise ModelError(
            Issue(fault, "take the augmented graph, or put a C between them in one made by hand", ("elements", name))
        )
    size = {name: graph.ports[name][0].size for name in graph.elements}
    fields = {name: "s" if name in known else _field(element) for name, element in graph.elements.items()}
    symbols = {name: ca.SX.sym(name, size[name]) for name, field in fields.items() if field}
    walk = Walk(graph, causality, symbols)
    given = {field: _of(fields, size, field) for field in ("i", "s", "L", "E", "u1", "u2", "u3", "u4")}
    rows = {field: _of(fields, size, {"C": "u2"}.get(field, field)) for field in ("i", "s", "L", "E", "u1", "C", "u4")}
    inputs = column([symbols[name] for own in given.values() for name in dict.fromkeys(name for name, _ in own)])
    outputs = [received(walk, name) for own in rows.values() for name in dict.fromkeys(name for name, _ in own)]
    J = ca.jacobian(ca.SX(column(outputs)), ca.SX(inputs))
    momenta = set(first)
    ordered = tuple(entry for entry in given["i"] if entry in momenta)
    return JunctionStructure(ca.sparsify(J), rows, given, ordered)


def _field(element: GraphElement) -> str:
    """Field that an element belongs to; empty for junctions and two-ports."""
    if element.kind in ("Se", "Sf"):
        return {"drive": "u1", "constraint": "u2", "flow": "u4"}.get(element.unknown, "u3")
    return {"I": "i", "C": "s", "R": "L", "EJS": "E"}.get(element.kind, "")


def _of(fields: Mapping[str, str], size: Mapping[str, int], field: str) -> tuple[FieldEntry, ...]:
    return tuple((name, k) for name, own in fields.items() if own == field for k in range(size[name]))
