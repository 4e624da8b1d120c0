"""Checks of a bond graph: every fault by name, with its place and what would be right.

What the other files of this room trust is refused here: names, ends, numbers of bonds, sizes, domains, laws.
"""

from collections.abc import Iterator, Mapping, Sequence

import casadi as ca

from cardan.bond_graphs.domains import DOMAINS
from cardan.bond_graphs.records import JUNCTIONS, KINDS, Bond, Graph, GraphElement, Number, make_graph
from cardan.errors import Issue, ModelError, nearest

_SOURCES = ("Se", "Sf")
_FIELDS = ("I", "C", "R", "EJS")
_TWO_PORTS = ("TF", "MTF", "GY", "MGY")
_MODULUS = {"I": "an inertia", "C": "a stiffness", "R": "a resistance"}


def checked_graph(
    elements: Sequence[GraphElement], bonds: Sequence[Bond], name: str = "", titles: Mapping[str, str] | None = None
) -> Graph:
    """A graph of elements and bonds, after all checks."""
    issues = [*_twice("elements", elements), *_twice("bonds", bonds)]
    if issues:
        raise ModelError(issues)
    graph = make_graph(elements, bonds, name, titles)
    check_graph(graph)
    return graph


def check_graph(graph: Graph) -> None:
    """Refuse a graph that cannot be."""
    issues = list(graph_issues(graph))
    if issues:
        raise ModelError(issues)


def graph_issues(graph: Graph) -> Iterator[Issue]:
    """Faults of a graph; the later checks need what the earlier ones ask for."""
    for stage in (_ends, _numbers_of_bonds, _rest):
        issues = list(stage(graph))
        yield from issues
        if issues:
            return


def _rest(graph: Graph) -> Iterator[Issue]:
    yield from _half_arrows(graph)
    yield from _sizes_and_domains(graph)
    yield from _laws(graph)
    yield from _pieces(graph)


def _twice(section: str, records: Sequence[GraphElement] | Sequence[Bond]) -> Iterator[Issue]:
    names = [record.name for record in records]
    noun = section.removesuffix("s")
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        yield Issue(f"the {noun} {name!r} stands {names.count(name)} times", "rename one of them", (section, name))


def _ends(graph: Graph) -> Iterator[Issue]:
    """Kinds, domains and sizes that do not exist, and bonds that lead nowhere."""
    for name, element in graph.elements.items():
        if element.kind not in KINDS:
            yield Issue(f"there is no kind {element.kind!r}", nearest(element.kind, KINDS), ("elements", name))
    for name, bond in graph.bonds.items():
        path = ("bonds", name)
        for end in (bond.tail, bond.head):
            if end not in graph.elements:
                yield Issue(f"there is no element {end!r}", nearest(end, graph.elements), path)
        if bond.tail == bond.head:
            yield Issue(f"both ends are {bond.tail!r}", "join two elements", path)
        if bond.domain not in DOMAINS:
            yield Issue(f"there is no domain {bond.domain!r}", nearest(bond.domain, DOMAINS), path)
        if bond.size < 1:
            yield Issue(f"the bond has size {bond.size}", "give it size 1 or more", path)


def _numbers_of_bonds(graph: Graph) -> Iterator[Issue]:
    """Open ports, and elements with more bonds than ports."""
    for name, element in graph.elements.items():
        count = len(graph.ports[name])
        ports = 2 if element.kind in (*_TWO_PORTS, *JUNCTIONS) else 1
        if count < ports:
            what = "has no bond" if count == 0 else "has one bond"
            fault = f"{element.kind} {name!r} {what}: {'two ports are' if ports - count == 2 else 'a port is'} open"
            cure = "join it to another element" if element.kind not in JUNCTIONS else "join two elements or more to it"
            yield Issue(fault, cure, ("elements", name))
        elif count > ports and element.kind not in JUNCTIONS:
            allowed = f"{ports} port{'s' if ports > 1 else ''}"
            fault = f"{element.kind} {name!r} has {count} bonds, and {allowed}"
            yield Issue(fault, "put a 0- or 1-junction between", ("elements", name))


def _half_arrows(graph: Graph) -> Iterator[Issue]:
    for name, element in graph.elements.items():
        bonds = graph.ports[name]
        if element.kind in _FIELDS and bonds[0].head != name:
            cure = f"turn the bond around: {bonds[0].head} -> {name}"
            yield Issue(f"the half-arrow leads out of {element.kind} {name!r}", cure, ("bonds", bonds[0].name))
        if element.kind in _TWO_PORTS and sum(bond.head == name for bond in bonds) != 1:
            way = "into" if bonds[0].head == name else "out of"
            cure = "turn one of them around: f₂ = M f₁ goes from the first bond to the second"
            yield Issue(f"both half-arrows lead {way} {element.kind} {name!r}", cure, ("elements", name))


def _sizes_and_domains(graph: Graph) -> Iterator[Issue]:
    """Bonds whose size or domain differs from that of the others at a junction."""
    for name, element in graph.elements.items():
        if element.kind not in JUNCTIONS:
            continue
        first, *others = graph.ports[name]
        for other in others:
            if other.size != first.size:
                fault = f'the bond has size {other.size}, but "{first.name}" at junction {name!r} has size {first.size}'
                yield Issue(fault, "give both the same size, or put a TF between", ("bonds", other.name))
            if other.domain != first.domain:
                fault = f'the bond is {other.domain}, but "{first.name}" at junction {name!r} is {first.domain}'
                yield Issue(fault, "put a TF or a GY between the domains", ("bonds", other.name))


def _laws(graph: Graph) -> Iterator[Issue]:
    for name, element in graph.elements.items():
        path, bonds = ("elements", name), graph.ports[name]
        if element.kind in _SOURCES:
            what = "effort" if element.kind == "Se" else "flow"
            if element.value is None and not element.unknown:
                yield Issue(f"{element.kind} {name!r} has no law", f"give its {what}", path)
            elif element.value is not None and ca.SX(element.value).numel() != bonds[0].size:
                fault = f"the {what} of {name!r} has {_entries(element.value)}, its bond size {bonds[0].size}"
                yield Issue(fault, f"give {bonds[0].size} of them", path)
        elif element.kind in _TWO_PORTS or element.kind in _FIELDS:
            if element.modulus is None and element.law is None:
                wanted = _MODULUS.get(element.kind)
                cure = f"give {wanted} (modulus), or a law" if wanted else "give its modulus"
                yield Issue(f"{element.kind} {name!r} has no law", cure, path)
            elif element.modulus is not None:
                yield from _shape(element, bonds, graph)


def _shape(element: GraphElement, bonds: Sequence[Bond], graph: Graph) -> Iterator[Issue]:
    first, second = graph.through(element.name) if element.kind in _TWO_PORTS else (bonds[0], bonds[0])
    shape, needed = ca.SX(element.modulus).shape, (second.size, first.size)
    if shape != needed:
        fault = (
            f"the modulus of {element.name!r} has shape {shape[0]}×{shape[1]}, its bonds need {needed[0]}×{needed[1]}"
        )
        yield Issue(fault, "give a matrix of that shape, or change the sizes of the bonds", ("elements", element.name))


def _pieces(graph: Graph) -> Iterator[Issue]:
    """The first element of every piece but the first one."""
    seen: set[str] = set()
    for start in graph.elements:
        if start in seen:
            continue
        if seen:
            fault = f"no bond joins {start!r} to {next(iter(graph.elements))!r}: the graph is in pieces"
            yield Issue(fault, "join them, or make two graphs of them", ("elements", start))
        pending = [start]
        while pending:
            name = pending.pop()
            if name not in seen:
                seen.add(name)
                pending += [bond.other(name) for bond in graph.ports[name]]


def _entries(value: Number) -> str:
    count = ca.SX(value).numel()
    return f"{count} {'entry' if count == 1 else 'entries'}"
