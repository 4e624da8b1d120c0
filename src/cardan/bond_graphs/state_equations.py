"""State equations ẋ = f(x, u) of a causal graph, and every effort and flow as a function of x and u.

Stores in integral causality give what follows from their state. A store in derivative causality gives the rate of what
it receives: ṗ of p = I f, or ẋ of x = K⁻¹ e, differentiated along the state equations themselves. What such stores,
resistors and Euler junction structures give is the solution of equations that are linear, block by block.

Source: Karnopp, Margolis & Rosenberg 2012, §5.3–5.5 (integral causality, algebraic loops, derivative
causality)
"""

from collections.abc import Mapping, Sequence

import casadi as ca

from cardan.bond_graphs.causality import Causality, assign
from cardan.bond_graphs.junctions import Walk, received
from cardan.bond_graphs.records import Bond, Graph, GraphElement, Number
from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass, field

_STORES = ("I", "C")


@dataclass(frozen=True)
class Signals:
    """Symbols in the numbers of a graph that change with time, beside its own states; all others are constant."""

    rates: Sequence[tuple[Number, Number]] = ()  # each with its rate
    inputs: Mapping[str, Number] = field(default_factory=dict)  # those whose rate is not known, by name


@dataclass(frozen=True)
class StateEquations:
    """The state equations of a graph."""

    graph: Graph
    causality: Causality
    state: Mapping[str, Number]  # symbols: momentum or displacement (n,) of each store in integral causality
    rates: Mapping[str, Number]  # their rates (n,)
    efforts: Mapping[str, Number]  # by bond (n,)
    flows: Mapping[str, Number]  # by bond (n,)
    stored: Mapping[str, Number]  # energy [J] of each store with a linear law; nothing for the others

    @property
    def x(self) -> Number:
        """All states in one column (nx,)."""
        return ca.vertcat(ca.SX(0, 1), *self.state.values())

    @property
    def x_dot(self) -> Number:
        """Their rates (nx,)."""
        return ca.vertcat(ca.SX(0, 1), *self.rates.values())

    def power(self, bond: str) -> Number:
        """Power eᵀf [W] along the half-arrow."""
        return self.efforts[bond].T @ self.flows[bond]

    def power_into(self, element: str) -> Number:
        """Power [W] that an element takes from all its bonds."""
        total: Number = ca.SX(1, 1)
        for bond in self.graph.ports[element]:
            total = total + (1 if bond.head == element else -1) * self.power(bond.name)
        return total


def state_symbols(graph: Graph) -> dict[str, Number]:
    """A column of symbols (n,) for the momentum or displacement of every I and C."""
    return {
        name: ca.SX.sym(name, graph.ports[name][0].size)
        for name, element in graph.elements.items()
        if element.kind in _STORES
    }


def state_equations(
    graph: Graph, state: Mapping[str, Number] | None = None, signals: Signals | None = None
) -> StateEquations:
    """State equations of a graph.

    Example
    -------
    >>> from cardan.bond_graphs import Bond, GraphElement, checked_graph
    >>> mass, spring = GraphElement("m", "I", modulus=2.0), GraphElement("k", "C", modulus=8.0)
    >>> bonds = [Bond("a", "body", "m", "translation"), Bond("b", "body", "k", "translation")]
    >>> found = state_equations(checked_graph([GraphElement("body", "1"), mass, spring], bonds))
    >>> found.state, found.rates
    ({'m': SX(m), 'k': SX(k)}, {'m': SX((-(8*k))), 'k': SX((m/2))})
    """
    known = state_symbols(graph) if state is None else state
    return _Solver(graph, assign(graph), known, Signals() if signals is None else signals).solve()


@dataclass
class _Solver:
    graph: Graph
    causality: Causality
    symbols: Mapping[str, Number]  # of all stores
    signals: Signals

    def solve(self) -> StateEquations:
        unknown = {
            name: ca.SX.sym(f"{name}_gives", self.graph.ports[name][0].size)
            for name, element in self.graph.elements.items()
            if element.kind in ("R", "EJS") or name in self.causality.derivative
        }
        given = {**self._of_stores(), **self._of_sources()}
        walk = Walk(self.graph, self.causality, {**given, **unknown})
        laws = {name: self._law(walk, self.graph.elements[name], unknown) for name in unknown}
        walk = Walk(self.graph, self.causality, {**given, **self._solved(unknown, laws)})
        rates = {name: ca.SX(received(walk, name)) for name in self.causality.integral}
        efforts = {name: ca.SX(walk.effort(bond)) for name, bond in self.graph.bonds.items()}
        flows = {name: ca.SX(walk.flow(bond)) for name, bond in self.graph.bonds.items()}
        state = {name: self.symbols[name] for name in self.causality.integral}
        stored = {
            name: energy
            for name, element in self.graph.elements.items()
            if element.kind in _STORES and (energy := _energy(element, self._bond(name), efforts, flows)) is not None
        }
        return StateEquations(self.graph, self.causality, state, rates, efforts, flows, stored)

    def _bond(self, element: str) -> Bond:
        return self.graph.ports[element][0]

    def _of_stores(self) -> dict[str, Number]:
        """What stores in integral causality give: f of p, or e of x."""
        return {name: _gives(self.graph.elements[name], self.symbols[name]) for name in self.causality.integral}

    def _of_sources(self) -> dict[str, Number]:
        sources = {name: x for name, x in self.graph.elements.items() if x.kind in ("Se", "Sf")}
        for name, source in sources.items():
            if source.value is None:
                raise ModelError(Issue(f"the value of {name!r} is unknown", "give it a value", ("elements", name)))
        return {name: ca.SX(source.value) for name, source in sources.items()}

    def _law(self, walk: Walk, element: GraphElement, unknown: Mapping[str, Number]) -> Number:
        """What an R, an EJS or a store in derivative causality gives, as a function of what the others give."""
        if element.kind == "EJS":
            return ca.SX(element.modulus) @ received(walk, element.name)
        if element.kind == "R":
            x = received(walk, element.name)
            if element.law is not None:
                return ca.SX(element.law(x))
            gives_effort = self.causality.sets_effort(element.name, self._bond(element.name))
            return ca.SX(element.modulus) @ x if gives_effort else ca.solve(ca.SX(element.modulus), x)
        return self._rate(walk, element, unknown)

    def _rate(self, walk: Walk, store: GraphElement, unknown: Mapping[str, Number]) -> Number:
        """Rate of the momentum or displacement of a store that follows others."""
        name, path = store.name, ("elements", store.name)
        causes = " and ".join(self.causality.derivative[name])
        if store.law is not None:
            fault = f"{store.kind} {name!r} follows {causes} (derivative causality), and its law is not linear"
            raise ModelError(Issue(fault, "give it a linear law, or put an R or a store between", path))
        x, K = received(walk, name), ca.SX(store.modulus)
        content = ca.SX(K @ x if store.kind == "I" else ca.solve(K, x))
        for other, symbol in unknown.items():
            if ca.depends_on(content, symbol):
                fault = f"{store.kind} {name!r} follows {other!r} without delay (derivative causality)"
                raise ModelError(Issue(fault, f"give {other!r} a law the other way around, or a linear one", path))
        for source, symbol in self.signals.inputs.items():
            if ca.depends_on(content, ca.SX(symbol)):
                fault = f"{store.kind} {name!r} follows {source!r} (derivative causality), whose rate is not known"
                raise ModelError(Issue(fault, "put an R between: its resistance may be small", path))
        along = [(self.symbols[each], received(walk, each)) for each in self.causality.integral]
        along += list(self.signals.rates)
        if not along:
            return ca.SX(*content.shape)
        symbols, rates = (ca.vertcat(*(ca.SX(x) for x in column)) for column in zip(*along, strict=True))
        return ca.jtimes(content, symbols, rates)

    def _solved(self, unknown: Mapping[str, Number], laws: Mapping[str, Number]) -> dict[str, Number]:
        """The unknowns as functions of states and sources: block by block, each linear in itself."""
        found: dict[str, Number] = {}
        for block in _blocks(unknown, laws):
            w = ca.vertcat(*(unknown[name] for name in block))
            g = ca.densify(ca.vertcat(*(laws[name] for name in block)))
            if found:
                before = ca.vertcat(*(unknown[name] for name in found))
                g = ca.substitute(g, before, ca.densify(ca.vertcat(*found.values())))
            if ca.depends_on(g, w):
                A = ca.jacobian(g, w)
                if ca.depends_on(A, w):
                    raise self._not_linear(block)
                g = ca.solve(ca.SX.eye(w.numel()) - A, ca.substitute(g, w, ca.SX.zeros(w.numel())))
            found.update(zip(block, _split(g, [unknown[name].numel() for name in block]), strict=True))
        return found

    def _not_linear(self, block: Sequence[str]) -> ModelError:
        name = next(x for x in block if self.graph.elements[x].law is not None)
        others = " and ".join(x for x in block if x != name) or "itself"
        fault = f"the law of R {name!r} is not linear, and lies in an algebraic loop with {others}"
        return ModelError(Issue(fault, "put a store into the loop, such as a small C or I", ("elements", name)))


def _gives(store: GraphElement, content: Number) -> Number:
    """f of p, or e of x."""
    if store.law is not None:
        return ca.SX(store.law(content))
    K = ca.SX(store.modulus)
    return ca.solve(K, content) if store.kind == "I" else K @ content


def _energy(
    store: GraphElement, bond: Bond, efforts: Mapping[str, Number], flows: Mapping[str, Number]
) -> Number | None:
    """½ fᵀ I f, or ½ eᵀ K⁻¹ e; None where the law is not linear."""
    if store.law is not None:
        return None
    K, e, f = ca.SX(store.modulus), efforts[bond.name], flows[bond.name]
    return 0.5 * f.T @ (K @ f) if store.kind == "I" else 0.5 * e.T @ ca.solve(K, e)


def _blocks(unknown: Mapping[str, Number], laws: Mapping[str, Number]) -> list[list[str]]:
    """Unknowns that depend on each other, each block after those that it needs."""
    needs = {name: {other for other, w in unknown.items() if ca.depends_on(laws[name], w)} for name in laws}
    reached = {name: _closure(name, needs) for name in needs}
    blocks = {frozenset({name, *(x for x in reached[name] if name in reached[x])}) for name in needs}
    ordered = sorted(blocks, key=lambda block: len(set().union(*(reached[name] for name in block))))
    return [[name for name in needs if name in block] for block in ordered]


def _closure(start: str, needs: Mapping[str, set[str]]) -> set[str]:
    """All that `start` needs, and what that needs in turn."""
    seen: set[str] = set()
    pending = [*needs[start]]
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            pending += needs[name]
    return seen


def _split(column: Number, sizes: Sequence[int]) -> list[Number]:
    ends = [sum(sizes[: k + 1]) for k in range(len(sizes))]
    return [column[end - size : end] for end, size in zip(ends, sizes, strict=True)]
