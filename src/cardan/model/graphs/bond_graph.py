"""BondGraph: elements by name and bonds as chains; one record of the section `graphs:`."""

import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any, Self

import casadi as ca
from pydantic import BeforeValidator, model_validator

from cardan.bond_graphs import DOMAINS, Bond, Graph, assign, graph_issues, make_graph
from cardan.displays import shown
from cardan.errors import Issue, ModelError, Path, nearest
from cardan.frozen import dataclass, replace
from cardan.model.graphs.elements import (
    CompliantStore,
    EffortSource,
    FlowSource,
    GraphGyrator,
    GraphTransformer,
    InertialStore,
    OneJunction,
    Resistor,
    ZeroJunction,
)
from cardan.model.graphs.part import GraphNumber, GraphPart
from cardan.model.graphs.port import GraphPort
from cardan.model.quantities.dimensions import infer
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.quantities.scalar import naming
from cardan.model.records.element import ModelPart
from cardan.model.records.kinds import OneOf
from cardan.model.records.known_names import KnownNames
from cardan.model.records.section import Section
from cardan.model.units import Dimension, describe

KINDS: dict[str, type[GraphPart]] = {
    "Se": EffortSource,
    "Sf": FlowSource,
    "I": InertialStore,
    "C": CompliantStore,
    "R": Resistor,
    "TF": GraphTransformer,
    "GY": GraphGyrator,
    "0": ZeroJunction,
    "1": OneJunction,
    "port": GraphPort,
}
"""Kinds of elements by the key `type` of a model file."""

_JUNCTION = re.compile(r"\s*([01])\s+(\w+)(?:\s+(\d+))?\s*")
_CHAIN = "write bonds as chains: a -> b -> c, or a -> b, c for two bonds from a"


@dataclass(frozen=True)
class Wire:
    """One bond as it was written."""

    name: str  # the one-port element at one of its ends, else tail_head
    tail: str  # element where its half-arrow begins
    head: str  # element to which its half-arrow points
    chain: int  # place in the list of bonds


def _read_part(value: Any) -> Any:
    """The record of an element as the user wrote it; the texts "1 electrical" and "1 translation 3" are junctions."""
    if isinstance(value, str) and (found := _JUNCTION.fullmatch(value)):
        value = {"type": found[1], "domain": found[2], **({"size": int(found[3])} if found[3] else {})}
    if isinstance(value, Mapping) and isinstance(value.get("type"), int):
        value = {**value, "type": str(value["type"])}
    return value


AnyPart = Annotated[GraphPart, OneOf("graph element", KINDS), BeforeValidator(_read_part)]


def _read_chain(value: Any) -> Any:
    if not isinstance(value, str) or len(_ends(value)) < 2 or not all(all(names) for names in _ends(value)):
        raise ModelError(f"{f'{value!r:.60}'} is not a bond", _CHAIN)
    if any(len(names) > 1 for names in _ends(value)[:-1]):
        raise ModelError(f"{f'{value!r:.60}'} goes on after several elements", _CHAIN)
    return value


Chain = Annotated[str, BeforeValidator(_read_chain)]
"""Bonds that follow each other: "a -> b -> c"; the last element may be several: "b -> c, d"."""


def _ends(chain: str) -> list[list[str]]:
    return [[name.strip() for name in part.split(",")] for part in chain.split("->")]


class BondGraph(ModelPart):
    """A bond graph made by hand. Its faults are reported together, those of the whole graph where its parts are right.

    Raises
    ------
    ModelError
        An element is wrong in itself, a bond leads nowhere, a port is open, the graph is in pieces, two elements
        determine the same effort or flow.

    Example
    -------
    >>> oscillator = BondGraph(
    ...     elements={"body": "1 translation", "m": {"type": "I", "inertia": 2}, "k": {"type": "C", "stiffness": 8}},
    ...     bonds=["body -> m, k"],
    ... )
    >>> [wire.name for wire in wires(oscillator)]
    ['m', 'k']
    """

    elements: Section[AnyPart] = Section()
    bonds: tuple[Chain, ...] = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        issues = [issue.under("elements", name) for name, part in self.elements.items() for issue in part.law_issues()]
        issues += list(_wire_issues(self)) or list(_size_issues(self))
        if issues:
            raise ModelError(issues)
        graph = core_graph(self, _placeholder)
        issues = [_placed(self, issue) for issue in graph_issues(graph)]
        if issues:
            raise ModelError(issues)
        try:
            assign(graph)
        except ModelError as error:
            raise ModelError([_placed(self, issue) for issue in error.issues]) from None
        return self

    def _repr_html_(self) -> str | None:
        """Show the drawing in a notebook."""
        return shown(self)

    def number_kind(self, path: Path, names: KnownNames) -> NumberKind | None:
        """What the number at a `path` has to be, by the domains of the element's bonds; whatever the `names`."""
        _, element, key = path[:3]
        found = self.elements[str(element)].number_kind(str(key), *self.domains(str(element)))
        is_entry = len(path) > 4 and found is not None  # of a matrix: its rows may have any sign
        return replace(found, minimum=-math.inf, excluded=False) if is_entry and found is not None else found

    def domains(self, element: str) -> tuple[Any, Any]:
        """Domains of the bonds into and out of an element; the same twice if it has one bond."""
        found = [DOMAINS[_domain(self, wire)] for wire in self._bonds_of(element)]
        return found[0], found[-1]

    def sizes(self, element: str) -> tuple[int, int]:
        """Components of the bonds into and out of an element; the same twice if it has one bond."""
        own = self._bonds_of(element)
        return (_size(self, own[0]), _size(self, own[-1])) if own else (1, 1)

    def _bonds_of(self, element: str) -> list[Wire]:
        """The bonds into an element, then those out of it."""
        own = [wire for wire in wires(self) if element in (wire.tail, wire.head)]
        return sorted(own, key=lambda wire: wire.tail == element)

    def name_issues(self, names: KnownNames) -> Iterator[Issue]:
        for name, part in self.elements.items():
            path = ("elements", name)
            yield from (issue.under(*path) for issue in part.name_issues(names, self.domains(name)[0].name))
            for key, variable in part.variable.items():
                law = getattr(part, key)
                if law is None:
                    continue
                others = sorted(law.names & {"p", "x", "e", "f"} - {variable})
                if variable in names.model.parameters:
                    fault = f"{variable!r} is a parameter, and what the law {str(law)!r} receives"
                    yield Issue(fault, "rename the parameter", (*path, key))
                elif others and not any(other in names.model.parameters for other in others):
                    fault = f"{naming(law, others[0])} is not what this law receives: {variable!r}"
                    yield Issue(fault, f"write {variable} for what it receives", (*path, key))

    def dimension_issues(self, names: KnownNames, known: Mapping[str, Dimension | None]) -> Iterator[Issue]:
        for name, part in self.elements.items():
            for key, variable in part.variable.items():
                law, of = getattr(part, key), part.law_dimensions(key, self.domains(name)[0])
                if law is None or law.expression is None or of is None:
                    continue
                path = ("elements", name, key)
                try:
                    found = infer(law.expression, {**known, variable: of[0]}.get)
                except ModelError as error:
                    yield from (issue.under(*path) for issue in error.issues)
                    continue
                if found is not None and found != of[1]:
                    fault = f"{str(law)!r} is {describe(found)}, but {describe(of[1])} is needed here"
                    yield Issue(fault, f"the law gives the {key} of {variable}", path)


@lru_cache(maxsize=256)
def wires(graph: BondGraph) -> tuple[Wire, ...]:
    """Bonds of a graph in the order in which they were written.

    A bond takes the name of the one-port element at its end, or `tail_head` where neither end or both have one port.
    """
    found = []
    for place, chain in enumerate(graph.bonds):
        ends = _ends(chain)
        for k, names in enumerate(ends[1:]):
            found += [Wire(_bond_name(graph, ends[k][0], head), ends[k][0], head, place) for head in names]
    return tuple(found)


def _bond_name(graph: BondGraph, tail: str, head: str) -> str:
    single = [end for end in (tail, head) if end in graph.elements and graph.elements[end].ports == 1]
    return single[0] if len(single) == 1 else f"{tail}_{head}"


def core_graph(graph: BondGraph, number: GraphNumber, name: str = "") -> Graph:
    """The graph with numbers for its scalars."""
    parts = [
        part.core(
            element,
            lambda scalar, _element=element, **names: number(scalar, element=_element, **names),
            graph.sizes(element),
        )
        for element, part in graph.elements.items()
    ]
    bonds = [Bond(wire.name, wire.tail, wire.head, _domain(graph, wire), _size(graph, wire)) for wire in wires(graph)]
    return make_graph(parts, bonds, name)


def causality_words(graph: BondGraph) -> tuple[str, ...]:
    """A sentence for each store in derivative causality and each algebraic loop."""
    return assign(core_graph(graph, _placeholder)).words


def store_names(graph: BondGraph, store: str) -> tuple[str, ...]:
    """Names of the momenta or displacements of a store: "shaft.x", with a vector bond "body.p1", "body.p2", …"""
    return _components(f"{store}.{graph.elements[store].content}", graph.sizes(store)[0])


def _components(name: str, size: int) -> tuple[str, ...]:
    return (name,) if size == 1 else tuple(f"{name}{k + 1}" for k in range(size))


def graph_states(graph: BondGraph) -> dict[str, str]:
    """Unit of the states of every store that does not follow others, by name: "shaft.x", "body.p1"."""
    found = {}
    for element in assign(core_graph(graph, _placeholder)).integral:
        domain, _ = graph.domains(element)
        unit = {"p": domain.momentum, "x": domain.displacement}[graph.elements[element].content].unit
        found.update(dict.fromkeys(store_names(graph, element), unit))
    return found


def graph_inputs(graph: BondGraph) -> dict[str, str]:
    """Unit of every source without a value, by element: an input of the model."""
    units = {element: part.input_unit(graph.domains(element)[0]) for element, part in graph.elements.items()}
    return {element: unit for element, unit in units.items() if unit}


def graph_results(graph: BondGraph) -> dict[str, str]:
    """Unit of effort, flow and power of every bond: `motor.effort`, `circuit_motor.flow`,
    `body.effort1` of a vector.
    """
    found = {}
    for wire in wires(graph):
        domain = DOMAINS[_domain(graph, wire)]
        for key, variable in (("effort", domain.effort), ("flow", domain.flow)):
            found.update(dict.fromkeys(_components(f"{wire.name}.{key}", _size(graph, wire)), variable.unit))
        found[f"{wire.name}.power"] = "W"
    return found


def _domain(graph: BondGraph, wire: Wire) -> str:
    return graph.elements[wire.tail].own_domain() or graph.elements[wire.head].own_domain()


def _size(graph: BondGraph, wire: Wire) -> int:
    """Components of a bond: what one of its ends says."""
    given = [graph.elements[end].own_size() for end in (wire.tail, wire.head)]
    return next((size for size in given if size is not None), 1)


def _size_issues(graph: BondGraph) -> Iterator[Issue]:
    """Ends of bonds that differ in size, and laws and inputs of one component at vector bonds."""
    for wire in wires(graph):
        given = [(end, graph.elements[end].own_size()) for end in (wire.tail, wire.head)]
        sizes = [(end, size) for end, size in given if size is not None]
        if len({size for _, size in sizes}) > 1:
            fault = " but ".join(f"{end!r} has size {size}" for end, size in sizes)
            yield Issue(fault, "give both the same size, or put a TF between", ("bonds", wire.chain))
    for name, part in graph.elements.items():
        size, path = graph.sizes(name)[0], ("elements", name)
        laws = [key for key in part.variable if getattr(part, key) is not None]
        yield from (issue.under(*path) for issue in part.size_issues(size))
        if size > 1 and laws:
            fault = f"the law of {name!r} is that of one component, its bond has size {size}"
            yield Issue(fault, "give a number, a list or a matrix, or lead a TF to a bond of size 1", (*path, laws[0]))
        if size > 1 and part.input_unit(graph.domains(name)[0]):
            fault = f"{name!r} has no {part.gives}: an input of the model is one number, its bond has size {size}"
            yield Issue(fault, f"give its {size} components, or lead a TF from a source of size 1", path)


def _wire_issues(graph: BondGraph) -> Iterator[Issue]:
    """Bonds that lead nowhere, stand twice, or whose domain is open or ambiguous."""
    if not graph.elements:
        yield Issue("the graph has no elements", "add elements: and bonds: that join them", ("elements",))
    seen: set[str] = set()
    for wire in wires(graph):
        path = ("bonds", wire.chain)
        missing = [end for end in (wire.tail, wire.head) if end not in graph.elements]
        for end in missing:
            yield Issue(f"there is no element {end!r}", nearest(end, graph.elements), path)
        if missing:
            continue
        if wire.name in graph.elements and wire.name in seen:
            fault = f"{graph.elements[wire.name].type} {wire.name!r} has several bonds, and 1 port"
            yield Issue(fault, "put a 0- or 1-junction between", path)
        elif wire.name in seen:
            fault = f"two bonds lead from {wire.tail!r} to {wire.head!r}"
            yield Issue(fault, "delete one, or put a junction into one of them", path)
        seen.add(wire.name)
        given = [graph.elements[end].own_domain() for end in (wire.tail, wire.head)]
        if not any(given):
            ports = [end for end in (wire.tail, wire.head) if graph.elements[end].is_port]
            cure = "put a junction between, or give the domain of one end, such as domain: rotation"
            if ports:
                cure = f"give the port {ports[0]!r} that of its joint: domain: rotation, or domain: translation"
            yield Issue(f"the domain of the bond {wire.tail} -> {wire.head} is open", cure, path)
        elif all(given) and given[0] != given[1]:
            fault = f"{wire.tail!r} is {given[0]}, but {wire.head!r} is {given[1]}"
            yield Issue(fault, "put a TF or a GY between the domains", path)


def _placed(graph: BondGraph, issue: Issue) -> Issue:
    """An issue of the mathematics with the path at which its bond was written."""
    if issue.path[:1] != ("bonds",):
        return issue
    place = next(wire.chain for wire in wires(graph) if wire.name == issue.path[1])
    return Issue(issue.fault, issue.cure, ("bonds", place))


def _placeholder(scalar: Any, **names: Any) -> Any:
    return ca.SX(1)
