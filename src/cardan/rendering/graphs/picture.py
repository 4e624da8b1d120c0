"""A bond graph as a picture: elements in frames of the parts that they show, and junctions with their one-ports.

Stores, resistors and Euler junction structures hang above and below their junction, as in the books; everything else
stands in layers, so that power flows from left to right. A frame is closed, a box with a name, or open.
"""

from collections.abc import Collection, Mapping, Sequence

from cardan.bond_graphs.causality import Causality
from cardan.bond_graphs.records import Bond, Graph
from cardan.rendering.graphs.arrange import Panel, arrange
from cardan.rendering.graphs.direction import directed
from cardan.rendering.graphs.geometry import DrawnGraph, text_width
from cardan.rendering.graphs.layers import Edge
from cardan.rendering.graphs.panels import MARGIN, draw_all, panel, port_panel
from cardan.rendering.graphs.subject import Subject, hang, is_shown, port_of, unit_of
from cardan.rendering.graphs.words import texts


def picture(
    graph: Graph,
    causality: Causality | None = None,
    *,
    expanded: bool = False,
    parts: Collection[str] | None = None,
    powers: Mapping[str, float] | None = None,
) -> DrawnGraph:
    """Geometry of a drawing."""
    subject = Subject(graph, causality, expanded, parts, powers or {})
    for name in graph.elements:
        hang(subject, name)
    hanging = subject.hanging
    units = list(dict.fromkeys(unit_of(graph, x) for x in graph.elements if x not in hanging and is_shown(subject, x)))
    bonds = _bundled(subject, [bond for bond in graph.bonds.values() if _is_between(subject, bond)])
    place = {name: k for k, name in enumerate(graph.elements)}  # open ends stand in the order of what they lead to
    west = sorted((bond for bond in bonds if not is_shown(subject, bond.tail)), key=lambda bond: place[bond.head])
    east = sorted((bond for bond in bonds if not is_shown(subject, bond.head)), key=lambda bond: place[bond.tail])
    ports = {port_of(bond): unit_of(graph, bond.tail) for bond in west}
    ports |= {port_of(bond): unit_of(graph, bond.head) for bond in east}
    edges = [
        Edge(
            bond.name,
            port_of(bond) if bond in west else unit_of(graph, bond.tail),
            port_of(bond) if bond in east else unit_of(graph, bond.head),
        )
        for bond in _ordered(graph, bonds)
    ]
    room = {bond.name: max(map(text_width, texts(subject, bond))) for bond in bonds}

    def measure(unit: str, left: Sequence[str], right: Sequence[str]) -> Panel:
        return port_panel(ports[unit], left, right) if unit in ports else panel(subject, unit, left, right)

    borders = ([*map(port_of, west)], [*map(port_of, east)])
    way = directed(units, edges, _sources(graph), *borders)
    arrangement = arrange(units, way.edges, measure, room, *borders, ahead=way.ahead, behind=way.behind)
    out = DrawnGraph(arrangement.width + 2 * MARGIN, arrangement.height + 2 * MARGIN)
    draw_all(subject, arrangement, out, MARGIN, MARGIN, bonds, way.turned)
    return out


def _sources(graph: Graph) -> set[str]:
    """Frames and elements from which power comes: known sources and drives outside bodies with inertia."""
    stores = {unit_of(graph, x.name) for x in graph.elements.values() if x.kind in ("I", "EJS")}
    entering = {unit_of(graph, bond.head) for bond in graph.bonds.values() if _leaves(graph, bond)}
    given = (x for x in graph.elements.values() if x.kind in ("Se", "Sf") and x.unknown in ("", "drive"))
    return {unit_of(graph, x.name) for x in given} - (stores & entering)


def _leaves(graph: Graph, bond: Bond) -> bool:
    return unit_of(graph, bond.tail) != unit_of(graph, bond.head)


def _is_between(subject: Subject, bond: Bond) -> bool:
    """Whether a bond joins two frames, or a frame and an open port."""
    if subject.hanging & {bond.tail, bond.head} or unit_of(subject.graph, bond.tail) == unit_of(
        subject.graph, bond.head
    ):
        return False
    return is_shown(subject, bond.tail) or is_shown(subject, bond.head)


def _bundled(subject: Subject, bonds: Sequence[Bond]) -> list[Bond]:
    """One bond for all that join two closed frames in one domain with the same half-arrow and stroke."""
    found: dict[tuple[object, ...], Bond] = {}
    for bond in bonds:
        ends = (unit_of(subject.graph, bond.tail), unit_of(subject.graph, bond.head))
        stroke = subject.causality is not None and subject.causality.stroke_at_head(bond)
        key = (bond.name,) if subject.expanded else (*ends, bond.domain, stroke)
        first = found.setdefault(key, bond)
        subject.bundles.setdefault(first.name, []).append(bond)
    return [*found.values()]


def _ordered(graph: Graph, bonds: Sequence[Bond]) -> list[Bond]:
    """The bonds between the same two frames in the order of their ends in the frame where fewer elements take them."""
    place = {name: k for k, name in enumerate(graph.elements)}
    shared: dict[tuple[str, str], list[Bond]] = {}
    for bond in bonds:
        shared.setdefault((unit_of(graph, bond.tail), unit_of(graph, bond.head)), []).append(bond)
    out: list[Bond] = []
    for group in shared.values():
        ends = min(([bond.tail for bond in group], [bond.head for bond in group]), key=lambda ends: len({*ends}))
        ranks = {bond.name: place[end] for bond, end in zip(group, ends, strict=True)}
        out += sorted(group, key=lambda bond: ranks[bond.name])
    return out
