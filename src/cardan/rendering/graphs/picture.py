"""A bond graph as a picture: elements in frames of the parts that they show, and junctions with their one-ports.

Stores, resistors and Euler junction structures hang above and below their junction, as in the books; everything else
stands in layers, so that power flows from left to right. A frame is closed, a box with a name, or open.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from cardan.bond_graphs.causality import Causality
from cardan.bond_graphs.records import Graph
from cardan.rendering.graphs.arrange import Panel, arrange
from cardan.rendering.graphs.geometry import DrawnGraph, text_width
from cardan.rendering.graphs.layers import Edge
from cardan.rendering.graphs.panels import MARGIN, draw_all, panel, port_panel
from cardan.rendering.graphs.subject import Subject, hang, hanging_end, is_shown, port_of, unit_of
from cardan.rendering.graphs.words import texts

__all__ = ["picture"]


def picture(
    graph: Graph,
    causality: Causality | None = None,
    *,
    expanded: bool = False,
    parts: Collection[str] | None = None,
    powers: Mapping[str, float] | None = None,
) -> DrawnGraph:
    """Geometry of a subject.

    Parameters
    ----------
    graph : a graph that was checked.
    causality : its strokes; without them none are drawn.
    expanded : whether bodies and joints show their elements, or are boxes.
    parts : names of the bodies, joints … that are drawn, the bonds to others being open ports; all by default.
    powers : power of each bond along its half-arrow at one instant [W], for what the pointer shows.
    """
    subject = Subject(graph, causality, expanded, parts, powers or {})
    for name in graph.elements:
        hang(subject, name)
    hanging = {hanging_end(graph, bond) for bonds in subject.hung.values() for bond in bonds}
    shown = [name for name in graph.elements if name not in hanging and is_shown(subject, name)]
    bonds = [bond for bond in graph.bonds.values() if unit_of(graph, bond.tail) != unit_of(graph, bond.head)]
    bonds = [bond for bond in bonds if not hanging & {bond.tail, bond.head}]
    bonds = [bond for bond in bonds if is_shown(subject, bond.tail) or is_shown(subject, bond.head)]
    west = [bond for bond in bonds if not is_shown(subject, bond.tail)]
    east = [bond for bond in bonds if not is_shown(subject, bond.head)]
    edges = [
        Edge(
            bond.name,
            port_of(bond) if bond in west else unit_of(graph, bond.tail),
            port_of(bond) if bond in east else unit_of(graph, bond.head),
        )
        for bond in bonds
    ]
    room = {bond.name: max(map(text_width, texts(bond))) for bond in bonds}

    named = {port_of(bond): unit_of(graph, bond.tail if bond in west else bond.head) for bond in (*west, *east)}

    def measure(unit: str, left: Sequence[str], right: Sequence[str]) -> Panel:
        return port_panel(named[unit], left, right) if unit in named else panel(subject, unit, left, right)

    arrangement = arrange(
        list(dict.fromkeys(unit_of(graph, name) for name in shown)),
        edges,
        measure,
        room,
        [port_of(bond) for bond in west],
        [port_of(bond) for bond in east],
    )
    out = DrawnGraph()
    draw_all(subject, arrangement, out, MARGIN, MARGIN, bonds)
    out.width = arrangement.width + 2 * MARGIN
    out.height = arrangement.height + 2 * MARGIN
    return out
