"""Records of a vector bond graph: elements, bonds, and the graph that joins them.

A bond carries an effort e and a flow f of equal size; its half-arrow points from `tail` to `head`, the direction
in which the power eᵀf is positive. The numbers of elements are CasADi numbers (SX or DM).

Source: Karnopp, Margolis & Rosenberg 2012, ch. 3; Wang & Tao 2013, §3 and Fig. 11
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, get_args

from cardan.bond_graphs.domains import DOMAINS
from cardan.frozen import dataclass, field

Number = Any  # casadi.SX or casadi.DM
Law = Callable[[Number], Number]

Kind = Literal["Se", "Sf", "I", "C", "R", "TF", "MTF", "GY", "MGY", "0", "1", "EJS"]
"""Sources, stores, resistors, transformers, gyrators, junctions, and the Euler junction structure of a rigid body."""
KINDS: tuple[Kind, ...] = get_args(Kind)
JUNCTIONS: tuple[Kind, ...] = ("0", "1")


@dataclass(frozen=True)
class GraphElement:
    """One element of a bond graph.

    What `modulus` and `law` are depends on the kind; a bond of size n leads into one-port elements, out of sources.

    ========  ============================================  =============================================
    kind      modulus                                        law
    ========  ============================================  =============================================
    Se, Sf    –                                              –; `value` is the effort or the flow (n,)
    I         inertia (n, n): p = modulus f                  flow of the momentum: f = law(p)
    C         stiffness (n, n): e = modulus x                effort of the displacement: e = law(x)
    R         resistance (n, n): e = modulus f               effort of the flow: e = law(f), or f = law(e): `gives`
    TF, MTF   M (m, n): f₂ = M f₁, e₁ = Mᵀ e₂                –
    GY, MGY   M (m, n): e₂ = M f₁, e₁ = Mᵀ f₂                –
    EJS       R_E (n, n): e = R_E f, of no power             –
    0, 1      –                                              –
    ========  ============================================  =============================================

    The graph of a mechanism in a state of motion knows more: its I have their flow for `value`, its C their
    displacement, and unknown flows what they are in that state.
    """

    name: str  # no two elements of a graph have the same
    kind: Kind
    modulus: Number | None = None  # matrix of a linear law; a number for size 1
    law: Law | None = None  # law of an I, C or R that is not linear
    value: Number | None = None  # effort or flow of a source (n,), None if unknown; in a state of motion: see below
    unknown: Literal["", "drive", "constraint", "flow"] = ""  # for a source: U1, drives; U2, constraint forces; flow
    flipped: bool = False  # whether f₁ and e₁ of a two-port belong to the bond out of it, f₂ and e₂ to the bond into it
    invertible: bool = False  # whether a TF or GY may be read against its modulus; always so for size 1
    of: str = ""  # part of the model that it shows: a body, joint, motor, force; a box of the collapsed drawing
    note: str = ""  # what it is, in a few words: "mass", "constraint force"
    gives: Literal["effort", "flow"] = "effort"  # what the law of an R gives


@dataclass(frozen=True)
class Bond:
    """One bond; power is positive from `tail` to `head`."""

    name: str  # no two bonds of a graph have the same
    tail: str  # name of an element
    head: str  # name of an element
    domain: str  # key of `DOMAINS`
    size: int = 1
    effort: str = ""  # symbol of its effort in drawings; that of the domain if empty
    flow: str = ""  # symbol of its flow
    place: str = ""  # where it is, for names in words: "travel → trolley", "of crank.inertia"

    @property
    def effort_name(self) -> str:
        """Name of its effort in words: "force travel → trolley"; without a place that of the bond."""
        return f"{DOMAINS[self.domain].effort.name} {self.place}" if self.place else f"bond {self.name}"

    def other(self, element: str) -> str:
        """The element at the end that is not `element`."""
        return self.head if element == self.tail else self.tail


@dataclass(frozen=True)
class Graph:
    """A bond graph: elements and bonds in the order in which they were given."""

    elements: Mapping[str, GraphElement]
    bonds: Mapping[str, Bond]
    name: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)  # words for the boxes of the collapsed drawing, by `of`

    @cached_property
    def ports(self) -> Mapping[str, tuple[Bond, ...]]:
        """Bonds at each element, in order."""
        out: dict[str, list[Bond]] = {name: [] for name in self.elements}
        for bond in self.bonds.values():
            for end in (bond.tail, bond.head):
                out[end].append(bond)
        return {name: tuple(bonds) for name, bonds in out.items()}

    def through(self, element: str) -> tuple[Bond, Bond]:
        """First and second bond of a two-port element: into it and out of it,
        or the other way round if it is flipped.
        """
        first, second = self.ports[element]
        return (first, second) if (first.head == element) != self.elements[element].flipped else (second, first)


def make_graph(
    elements: Sequence[GraphElement], bonds: Sequence[Bond], name: str = "", titles: Mapping[str, str] | None = None
) -> Graph:
    """A graph of elements and bonds whose names are known to differ."""
    return Graph({x.name: x for x in elements}, {x.name: x for x in bonds}, name, titles or {})
