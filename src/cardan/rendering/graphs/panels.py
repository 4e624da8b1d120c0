"""Panels of a drawing: closed and open frames, junctions with their one-ports, symbols, open ports; and their lines."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from cardan.bond_graphs.records import JUNCTIONS, Bond, Graph, GraphElement
from cardan.rendering.graphs.arrange import LANE, Arrangement, Panel, Point, arrange
from cardan.rendering.graphs.geometry import Area, Caption, DrawnBond, DrawnFrame, DrawnGraph, Sign, text_width
from cardan.rendering.graphs.layers import Edge
from cardan.rendering.graphs.subject import Subject, hanging_end, port_of
from cardan.rendering.graphs.words import (
    TWO_PORTS,
    power_of,
    sign_role,
    sign_text,
    texts,
    title_of,
    words_of_bond,
    words_of_element,
    words_of_frame,
)

MARGIN = 16.0  # round the drawing and inside open frames [px]
HEAD = 22.0  # height of the title of an open frame [px]
LINE = 15.0  # height of a text [px]
CORE = 20.0  # size of a junction with one bond on each side [px]
CLEAR = 3.0  # from the end of a line to what it joins [px]
HANG = 52.0  # length of the bond to a one-port above or below a junction [px]


def panel(subject: Subject, unit: str, left: Sequence[str], right: Sequence[str]) -> Panel:
    """Panel of a frame, or of an element without one."""
    inside = [x.name for x in subject.graph.elements.values() if x.of == unit]
    if not inside:
        element = subject.graph.elements[unit]
        return (_junction if element.kind in JUNCTIONS else _symbol)(subject, element, left, right)
    return (_open if subject.expanded else _closed)(subject, unit, inside, left, right)


def _closed(subject: Subject, unit: str, inside: Sequence[str], left: Sequence[str], right: Sequence[str]) -> Panel:
    """A box with the name of the part and what it is."""
    title = title_of(subject, unit)
    width, height = text_width(title, 13.0) + 20.0, LANE * max(len(left), len(right), 1) + 6.0
    words = words_of_frame(subject, unit, inside)

    def draw(out: DrawnGraph, x: float, y: float) -> None:
        out.frames.append(DrawnFrame(Area(x, y, width, height), title, words, False))

    west = {name: ((0.0, y),) for name, y in zip(left, _lanes(len(left), height), strict=True)}
    east = {name: ((width, y),) for name, y in zip(right, _lanes(len(right), height), strict=True)}
    return Panel(width, height, west, east, draw)


def _open(subject: Subject, unit: str, inside: Sequence[str], left: Sequence[str], right: Sequence[str]) -> Panel:
    """A frame with its elements."""
    graph = subject.graph
    hanging = subject.hanging
    nodes = [name for name in inside if name not in hanging]
    own = set(inside)
    bonds = [x for x in graph.bonds.values() if {x.tail, x.head} <= own and not {x.tail, x.head} & hanging]
    edges = _through(graph, bonds, left, right)
    turned = {edge.name for edge in edges if edge.source != graph.bonds[edge.name].tail}
    for names, is_left in ((left, True), (right, False)):
        for bond in (graph.bonds[name] for name in names):
            element = bond.tail if bond.tail in own else bond.head
            ends = (port_of(bond), element) if is_left else (element, port_of(bond))
            edges.append(Edge(bond.name, *ends))
    room = {bond.name: max(map(text_width, texts(subject, bond))) for bond in bonds}

    def measure(name: str, first: Sequence[str], second: Sequence[str]) -> Panel:
        if name not in own:
            return port_panel("", first, second)
        element = graph.elements[name]
        return (_junction if element.kind in JUNCTIONS else _symbol)(subject, element, first, second)

    ports = [[port_of(graph.bonds[name]) for name in names] for names in (left, right)]
    inner = arrange(nodes, edges, measure, room, *ports)
    title = title_of(subject, unit)
    spare = (
        max(0.0, text_width(title, 13.0) + 20.0 - inner.width - 2 * MARGIN) / 2
    )  # the title may be wider than what it heads
    width, height = inner.width + 2 * (MARGIN + spare), inner.height + HEAD + MARGIN
    words = words_of_frame(subject, unit, inside)

    def shifted(points: Sequence[Point]) -> tuple[Point, ...]:
        return tuple((x + MARGIN + spare, y + HEAD) for x, y in points)

    def draw(out: DrawnGraph, x: float, y: float) -> None:
        out.frames.append(DrawnFrame(Area(x, y, width, height), title, words, True))
        draw_all(subject, inner, out, x + MARGIN + spare, y + HEAD, bonds, turned)

    west = {name: ((0.0, inner.ports[port_of(graph.bonds[name])] + HEAD), *shifted(inner.lines[name])) for name in left}
    east = {
        name: ((width, inner.ports[port_of(graph.bonds[name])] + HEAD), *shifted(inner.lines[name][::-1]))
        for name in right
    }
    return Panel(width, height, west, east, draw)


def _through(graph: Graph, bonds: Sequence[Bond], left: Sequence[str], right: Sequence[str]) -> list[Edge]:
    """Edges for bonds inside a frame: a two-port at the border of the frame has its other bond on the other side."""
    first = {end for name in left for end in (graph.bonds[name].tail, graph.bonds[name].head)}
    last = {end for name in right for end in (graph.bonds[name].tail, graph.bonds[name].head)}
    before = {name for name in first - last if graph.elements[name].kind in TWO_PORTS}
    behind = {name for name in last - first if graph.elements[name].kind in TWO_PORTS}
    out = []
    for bond in bonds:
        ends = (bond.tail, bond.head)
        out.append(Edge(bond.name, *(ends[::-1] if bond.head in before or bond.tail in behind else ends)))
    return out


def port_panel(name: str, left: Sequence[str], right: Sequence[str]) -> Panel:
    """An open end of a bond, with the name of what it leads to."""
    width = text_width(name) + 6.0 if name else 0.0
    sign = Sign(Area(0.0, (LANE - LINE) / 2, width, LINE), name, "port", name)

    def draw(out: DrawnGraph, x: float, y: float) -> None:
        if name:
            out.signs.append(_moved(sign, x, y))

    west, east = dict.fromkeys(left, ((0.0, LANE / 2),)), dict.fromkeys(right, ((width, LANE / 2),))
    return Panel(width, LANE, west, east, draw)


def _symbol(subject: Subject, element: GraphElement, left: Sequence[str], right: Sequence[str]) -> Panel:
    """A source, two-port or one-port that stands in a layer."""
    text = sign_text(element)
    width, height = text_width(text, 12.0) + 10.0, LANE * max(len(left), len(right), 1)
    sign = Sign(Area(0.0, (height - LINE) / 2, width, LINE), text, sign_role(element), words_of_element(element))

    def draw(out: DrawnGraph, x: float, y: float) -> None:
        out.signs.append(_moved(sign, x, y))

    west = {name: ((0.0, y),) for name, y in zip(left, _lanes(len(left), height), strict=True)}
    east = {name: ((width, y),) for name, y in zip(right, _lanes(len(right), height), strict=True)}
    return Panel(width, height, west, east, draw)


def _junction(subject: Subject, element: GraphElement, left: Sequence[str], right: Sequence[str]) -> Panel:
    """A junction with its one-ports above and below; it is as high as its bonds need."""
    hung = subject.hung.get(element.name, [])
    above, below = hung[::2], hung[1::2]
    columns = [[_column(subject, bond) for bond in bonds] for bonds in (above, below)]
    lanes = max(len(left), len(right), 1)
    core_height = LANE * (lanes - 1) + CORE
    across = max((sum(column) for column in columns), default=0.0)
    widest = max((sum(column) - column[0] / 2 - column[-1] / 2 for column in columns if column), default=0.0)
    core_width = CORE + widest
    width = max(across, core_width)
    zone = HANG + LINE - (LANE - CORE) / 2
    up, down = (zone if above else 0.0), (zone if below else 0.0)
    height = up + LANE * lanes + down
    core = Area((width - core_width) / 2, up + (LANE - CORE) / 2, core_width, core_height)
    sign = Sign(core, element.kind, "junction", words_of_element(element))

    def draw(out: DrawnGraph, x: float, y: float) -> None:
        out.signs.append(_moved(sign, x, y))
        for bonds, widths, sense in ((above, columns[0], -1.0), (below, columns[1], 1.0)):
            place = x + (width - sum(widths)) / 2
            start = y + (core.y if sense < 0 else core.y + core.height)
            for bond, column in zip(bonds, widths, strict=True):
                _draw_hung(subject, out, bond, place + column / 2, start, sense)
                place += column

    levels = [up + LANE * lanes / 2 - LANE * len(names) / 2 for names in (left, right)]
    west = {
        name: ((0.0, levels[0] + LANE * (k + 0.5)), (core.x, levels[0] + LANE * (k + 0.5)))
        for k, name in enumerate(left)
    }
    end = core.x + core.width
    east = {
        name: ((width, levels[1] + LANE * (k + 0.5)), (end, levels[1] + LANE * (k + 0.5)))
        for k, name in enumerate(right)
    }
    return Panel(width, height, west, east, draw)


def _column(subject: Subject, bond: Bond) -> float:
    """Width that a one-port above or below a junction needs."""
    sign = text_width(sign_text(subject.graph.elements[hanging_end(subject.graph, bond)]), 12.0) + 10.0
    return max(sign, 2 * max(map(text_width, texts(subject, bond))) + 16.0) + 6.0


def _lanes(count: int, height: float) -> list[float]:
    """Heights of lanes in the middle of a panel."""
    return [height / 2 + LANE * (k - (count - 1) / 2) for k in range(count)]


def draw_all(
    subject: Subject,
    arrangement: Arrangement,
    out: DrawnGraph,
    x: float,
    y: float,
    bonds: Sequence[Bond],
    turned: Collection[str],
) -> None:
    """Add panels, and the lines and captions of bonds; other lines are drawn by the frame outside."""
    for left, top, panel in arrangement.panels.values():
        panel.content(out, x + left, y + top)
    for bond in bonds:
        line = arrangement.lines[bond.name][:: -1 if bond.name in turned else 1]
        points = tuple((px + x, py + y) for px, py in line)
        _add_bond(subject, out, bond, points)
        cx, cy = arrangement.captions[bond.name]
        for role, text in zip(("effort", "flow"), texts(subject, bond), strict=True):
            top = cy + y - LINE - 1.0 if role == "effort" else cy + y + 2.0
            out.captions.append(Caption(Area(cx + x, top, text_width(text), LINE - 1.0), text, role))


def _draw_hung(subject: Subject, out: DrawnGraph, bond: Bond, x: float, start: float, sense: float) -> None:
    """A one-port above (sense −1) or below its junction."""
    element = subject.graph.elements[hanging_end(subject.graph, bond)]
    end = start + sense * HANG
    points = ((x, start), (x, end))
    _add_bond(subject, out, bond, points if bond.head == element.name else points[::-1])
    text = sign_text(element)
    width = text_width(text, 12.0) + 10.0
    area = Area(x - width / 2, end if sense > 0 else end - LINE, width, LINE)
    out.signs.append(Sign(area, text, sign_role(element), words_of_element(element)))
    middle = (start + end) / 2 - LINE / 2
    effort, flow = texts(subject, bond)
    wide = text_width(effort)
    out.captions.append(Caption(Area(x - wide - 6.0, middle, wide, LINE - 1.0), effort, "effort"))
    out.captions.append(Caption(Area(x + 6.0, middle, text_width(flow), LINE - 1.0), flow, "flow"))


def _add_bond(subject: Subject, out: DrawnGraph, bond: Bond, points: tuple[Point, ...]) -> None:
    stroke = None if subject.causality is None else subject.causality.stroke_at_head(bond)
    bundle = subject.bundle(bond)
    size = max(len(bundle), *(x.size for x in bundle), 1)
    words, power = words_of_bond(subject, bond), power_of(subject, bond)
    out.bonds.append(DrawnBond(bond.name, _clear(points), stroke, size, words, power))


def _clear(points: tuple[Point, ...]) -> tuple[Point, ...]:
    """The line without a short piece at either end, so that strokes stand clear of what it joins."""
    (x0, y0), (x1, y1) = points[:2]
    (x2, y2), (x3, y3) = points[-2:]
    first = (x0 + _sign_of(x1 - x0) * CLEAR, y0 + _sign_of(y1 - y0) * CLEAR)
    last = (x3 - _sign_of(x3 - x2) * CLEAR, y3 - _sign_of(y3 - y2) * CLEAR)
    return (first, *points[1:-1], last)


def _sign_of(x: float) -> int:
    return (x > 1e-9) - (x < -1e-9)


def _moved(sign: Sign, x: float, y: float) -> Sign:
    return replace(sign, area=replace(sign.area, x=sign.area.x + x, y=sign.area.y + y))
