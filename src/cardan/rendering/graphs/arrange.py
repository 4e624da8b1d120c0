"""Places of panels in layers, and lines between them that meet no panel and no caption.

Every line leaves and meets panels level, in a lane of its own: first past its caption, then over to the lane in which
it passes or meets the next layer. Only that middle part is inclined, and no panel or caption stands there.

Source: Gansner, Koutsofios, North & Vo 1993 (places as a linear programme: long lines straight, all of them short)
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from cardan.frozen import dataclass, field, replace
from cardan.rendering.graphs.layers import Edge, Layered, Node, layered

Point = tuple[float, float]

LANE = 34.0  # height of a line with a text above and one below [px]
STUB = 20.0  # room for half-arrow and causal stroke at the end of a line [px]
BESIDE = 5.0  # between a caption and the inclined part of its line, which may be double [px]
GAP = 16.0  # between panels of a layer [px]
PASS = 10.0  # height of a line that passes a layer [px]
SLOPE = 0.55  # width of the inclined part by its largest height
STEEPEST = (14.0, 120.0)  # least and largest width of the inclined part [px]


@dataclass(frozen=True)
class Panel:
    """What stands at one place of the drawing: a symbol, a junction with its elements, or a frame."""

    width: float  # [px]
    height: float  # [px]
    west: Mapping[str, tuple[Point, ...]]  # by edge: from the left side to where the line ends; first point x = 0
    east: Mapping[str, tuple[Point, ...]]  # by edge: from the right side to where the line ends; first point x = width
    content: Any  # what is drawn there


@dataclass(frozen=True)
class Arrangement:
    """Places of panels, and the lines between them."""

    width: float  # [px]
    height: float  # [px]
    panels: Mapping[str, tuple[float, float, Panel]]  # upper left corner and panel by node
    lines: Mapping[str, tuple[Point, ...]]  # by edge, from where it starts to where it ends
    captions: Mapping[str, Point] = field(default_factory=dict)  # by edge: left end of the level part that has room
    ports: Mapping[str, float] = field(default_factory=dict)  # height of each port


Measure = Callable[[str, Sequence[str], Sequence[str]], Panel]


def arrange(
    nodes: Sequence[str],
    edges: Sequence[Edge],
    measure: Measure,
    room: Mapping[str, float],
    west: Sequence[str] = (),
    east: Sequence[str] = (),
    *,
    ahead: Collection[str] = (),
    behind: Collection[str] = (),
) -> Arrangement:
    """Places of all panels and lines."""
    graph = layered(nodes, edges, west, east, ahead=ahead, behind=behind)
    sides = _sides(graph, [edge.name for edge in edges])
    panels = {name: measure(name, *sides[name]) for name in (*west, *nodes, *east)}
    drawn = _drawn(graph, panels, room, {*west, *east})
    turned = {edge.name for edge in edges if graph.edges[edge.name].source != edge.source}
    lines = {name: points[::-1] if name in turned else points for name, points in drawn.lines.items()}
    return replace(drawn, lines=lines)


def _sides(graph: Layered, declared: Sequence[str]) -> dict[Node, tuple[list[str], list[str]]]:
    """Edges on the left and right of each node, in the order of their other ends, then as declared."""
    place = {node: i for order in graph.orders for i, node in enumerate(order)}
    rank = {name: i for i, name in enumerate(declared)}
    left: dict[Node, list[tuple[int, int, str]]] = {node: [] for node in place}
    right: dict[Node, list[tuple[int, int, str]]] = {node: [] for node in place}
    for name, route in graph.routes.items():
        right[route[0]].append((place[route[1]], rank[name], name))
        left[route[-1]].append((place[route[-2]], rank[name], name))
    return {node: ([x[2] for x in sorted(left[node])], [x[2] for x in sorted(right[node])]) for node in place}


def _drawn(graph: Layered, panels: Mapping[str, Panel], room: Mapping[str, float], ports: set[str]) -> Arrangement:
    top = _heights(graph, panels)
    lanes = _lanes(graph, panels, top)
    columns, gaps = _columns(graph, panels, lanes, room)
    level = {node: k for k, order in enumerate(graph.orders) for node in order}
    corner = {
        name: columns[level[name]][0] + (_width(columns, level[name]) - p.width) / 2 for name, p in panels.items()
    }
    last = len(graph.orders) - 1
    for name in ports:  # at the borders
        corner[name] = columns[0][1] - panels[name].width if level[name] == 0 else columns[last][0]
    lines, captions = {}, {}
    for name, route in graph.routes.items():
        source, target = (panels[str(route[0])], panels[str(route[-1])])
        first, final = source.east[name], target.west[name]
        points = [(corner[str(route[0])] + x, top[route[0]] + y) for x, y in reversed(first)]
        for k, (a, b) in enumerate(pairwise(route)):
            y0, y1 = lanes[name, a, "out"], lanes[name, b, "in"]
            start, end = gaps[level[a]]
            if k == 0:
                captions[name] = (columns[level[a]][1] + STUB, y0)
            points += [(start, y0), (end, y1)]
        points += [(corner[str(route[-1])] + x, top[route[-1]] + y) for x, y in final]
        lines[name] = _simplified(points)
    places = {name: (corner[name], top[name], panel) for name, panel in panels.items()}
    height = max((top[node] + _height(node, panels) for node in top), default=0.0)
    width = columns[-1][1] if columns else 0.0
    return Arrangement(width, height, places, lines, captions, {name: top[name] + LANE / 2 for name in ports})


def _height(node: Node, panels: Mapping[str, Panel]) -> float:
    return panels[node].height if isinstance(node, str) else PASS


def _offset(node: Node, edge: str, side: str, panels: Mapping[str, Panel]) -> float:
    """Height of a lane below the top of a node."""
    if not isinstance(node, str):
        return PASS / 2
    lanes = panels[node].east if side == "out" else panels[node].west
    return lanes[edge][0][1]


def _heights(graph: Layered, panels: Mapping[str, Panel]) -> dict[Node, float]:
    """Top of each node [px]: lines as straight as the order of the layers allows, long ones first."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    nodes = [node for order in graph.orders for node in order]
    index = {node: k for k, node in enumerate(nodes)}
    steps = [(name, a, b) for name, route in graph.routes.items() for a, b in pairwise(route)]
    size = len(nodes) + len(steps)
    entries: list[tuple[int, int, float]] = []
    bound: list[float] = []
    for order in graph.orders:
        for a, b in pairwise(order):  # a above b
            entries += [(len(bound), index[a], 1.0), (len(bound), index[b], -1.0)]
            bound.append(-_height(a, panels) - (GAP if _height(a, panels) and _height(b, panels) else 0.0))
    for k, (name, a, b) in enumerate(steps):  # |height of one end − height of the other| ≤ the k-th further unknown
        shift = _offset(b, name, "in", panels) - _offset(a, name, "out", panels)
        for sign in (1.0, -1.0):
            entries += [(len(bound), index[b], sign), (len(bound), index[a], -sign)]
            entries.append((len(bound), len(nodes) + k, -1.0))
            bound.append(-sign * shift)
    passes = [sum(not isinstance(node, str) for node in (a, b)) for _, a, b in steps]
    cost = np.concatenate([np.full(len(nodes), 1e-4), [(1.0, 2.0, 8.0)[n] for n in passes]])  # as in Gansner et al.
    if not bound:
        return dict.fromkeys(nodes, 0.0)
    row, column, value = zip(*entries, strict=True)
    A = coo_array((value, (row, column)), shape=(len(bound), size)).tocsc()
    solution = linprog(cost, A, bound, bounds=(0.0, None), method="highs-ds")
    return {node: float(solution.x[k]) for node, k in index.items()}


def _lanes(
    graph: Layered, panels: Mapping[str, Panel], top: Mapping[Node, float]
) -> dict[tuple[str, Node, str], float]:
    """Height of each edge where it leaves ("out") or meets ("in") a node."""
    out = {}
    for name, route in graph.routes.items():
        for a, b in pairwise(route):
            out[name, a, "out"] = top[a] + _offset(a, name, "out", panels)
            out[name, b, "in"] = top[b] + _offset(b, name, "in", panels)
    return out


def _columns(
    graph: Layered, panels: Mapping[str, Panel], lanes: Mapping[tuple[str, Node, str], float], room: Mapping[str, float]
) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Left and right border of each layer, and of the inclined parts behind each."""
    level = {node: k for k, order in enumerate(graph.orders) for node in order}
    captions, rises = [0.0] * len(graph.orders), [0.0] * len(graph.orders)
    for name, route in graph.routes.items():
        captions[level[route[0]]] = max(captions[level[route[0]]], room.get(name, 0.0))
        for a, b in pairwise(route):
            rise = abs(lanes[name, b, "in"] - lanes[name, a, "out"])
            rises[level[a]] = max(rises[level[a]], rise)
    columns, gaps, x = [], [], 0.0
    for k, order in enumerate(graph.orders):
        width = max((panels[node].width for node in order if isinstance(node, str)), default=0.0)
        columns.append((x, x + width))
        start = x + width + STUB + (captions[k] + BESIDE if captions[k] else 0.0)
        incline = min(max(SLOPE * rises[k], STEEPEST[0]), STEEPEST[1]) if rises[k] > 0.01 else 0.0
        gaps.append((start, start + incline))
        x = start + incline + STUB
    return columns, gaps


def _width(columns: Sequence[tuple[float, float]], k: int) -> float:
    return columns[k][1] - columns[k][0]


def _simplified(points: Sequence[Point]) -> tuple[Point, ...]:
    """The points without those on a straight way between their neighbours."""
    out: list[Point] = []
    for point in points:
        if out and abs(point[0] - out[-1][0]) + abs(point[1] - out[-1][1]) < 0.01:
            continue
        while len(out) > 1 and abs(_area(out[-2], out[-1], point)) < 0.01:
            out.pop()
        out.append(point)
    return tuple(out)


def _area(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
