"""Junction structure of a causal graph: what every field receives, as a linear function of what the fields give.

The walk follows the causal strokes back from every port of a field, through junctions, transformers and gyrators, to
the ports of other fields; the coefficients that it meets are the blocks J of the junction-structure matrices.

Source: Karnopp, Margolis & Rosenberg 2012, §5.3; Wang & Tao 2013, eqs. 8–12
"""

from collections.abc import Mapping

import casadi as ca

from cardan.bond_graphs.causality import Causality
from cardan.bond_graphs.records import Bond, Graph, GraphElement, Number
from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass, field


@dataclass
class Walk:
    """Computes the effort and the flow of any bond by following the causal strokes, each of them once."""

    graph: Graph  # a graph that was checked
    causality: Causality  # its strokes
    given: Mapping[str, Number]  # what each field, source and EJS gives at its port, by element: effort or flow (n,)
    known: dict[tuple[str, bool], Number] = field(default_factory=dict)  # by bond, and whether it is its effort
    underway: set[tuple[str, bool]] = field(default_factory=set)  # searched for at this moment

    def effort(self, bond: Bond) -> Number:
        """Effort of a bond (n,)."""
        return self._find(bond, True)

    def flow(self, bond: Bond) -> Number:
        """Flow of a bond (n,)."""
        return self._find(bond, False)

    def _find(self, bond: Bond, effort: bool) -> Number:
        key = (bond.name, effort)
        if key not in self.known:
            if key in self.underway:
                raise _loop(bond)
            self.underway.add(key)
            origin = self.causality.effort_from[bond.name]
            origin = origin if effort else bond.other(origin)
            self.known[key] = self._given_by(self.graph.elements[origin], bond, effort)
            self.underway.discard(key)
        return self.known[key]

    def _given_by(self, element: GraphElement, bond: Bond, effort: bool) -> Number:
        """Effort or flow that an element determines at one of its bonds."""
        if element.kind in ("0", "1"):
            return self._at_junction(element, bond, effort)
        if element.kind in ("TF", "MTF", "GY", "MGY"):
            return self._through(element, bond, effort)
        return self.given[element.name]

    def _at_junction(self, junction: GraphElement, bond: Bond, effort: bool) -> Number:
        others = [x for x in self.graph.ports[junction.name] if x is not bond]
        if effort == (junction.kind == "0"):  # the common one, which the strong bond brings
            strong = next(x for x in others if (self.causality.effort_from[x.name] != junction.name) == effort)
            return self._find(strong, effort)
        inwards = 1 if bond.head == junction.name else -1
        total: Number = ca.SX.zeros(bond.size)
        for other in others:
            sign = 1 if other.head == junction.name else -1
            total = total - inwards * sign * self._find(other, effort)
        return total

    def _through(self, element: GraphElement, bond: Bond, effort: bool) -> Number:
        """f₂ = M f₁, e₁ = Mᵀ e₂ of a transformer, e₂ = M f₁, e₁ = Mᵀ f₂ of a gyrator, or their inverses."""
        first, second = self.graph.through(element.name)
        transforms = element.kind in ("TF", "MTF")
        other = second if bond is first else first
        x = self._find(other, effort if transforms else not effort)
        A = ca.SX(element.modulus) if bond is second else ca.SX(element.modulus).T
        as_written = effort != (bond is second) if transforms else effort
        return A @ x if as_written else ca.solve(A.T, x)


def received(walk: Walk, element: str) -> Number:
    """What a field receives at its port (n,): the effort if it determines the flow, else the flow."""
    (bond,) = walk.graph.ports[element]
    return walk.flow(bond) if walk.causality.sets_effort(element, bond) else walk.effort(bond)


def _loop(bond: Bond) -> ModelError:
    fault = (
        f'the effort and the flow of bond "{bond.name}" depend on themselves: a loop of junctions without a store or R'
    )
    return ModelError(
        Issue(fault, "put an R or a store into the loop, or leave out one of its bonds", ("bonds", bond.name))
    )
