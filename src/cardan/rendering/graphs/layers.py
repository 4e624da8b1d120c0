"""Layers of a drawing of a graph: which node stands in which column, and in which order from top to bottom.

Source: Sugiyama, Tagawa & Toda 1981; Gansner, Koutsofios, North & Vo 1993, *A Technique for Drawing Directed Graphs*
(layers of least total length as a linear programme; medians and exchanges of neighbours against crossings)
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from cardan.frozen import dataclass, replace

Node = str | tuple[str, int]  # a node, or the place where an edge passes through a layer: its name and the layer
Orders = list[list[Node]]
SWEEPS = 12
"""Rounds of medians; crossings have settled after some six of them on every mechanism of the gallery."""


@dataclass(frozen=True)
class Edge:
    """An edge from left to right."""

    name: str  # no two edges have the same
    source: str  # node at its left end
    target: str  # node at its right end
    length: int = 1  # least number of layers from one to the other


@dataclass(frozen=True)
class Layered:
    """Nodes in layers, edges between neighbouring layers."""

    orders: Orders  # nodes of each layer from top to bottom
    edges: Mapping[str, Edge]  # turned where the graph has a ring, so that every one leads to the right
    routes: Mapping[str, tuple[Node, ...]]  # nodes that each edge passes, ends included


def layered(
    nodes: Sequence[str],
    edges: Sequence[Edge],
    west: Sequence[str] = (),
    east: Sequence[str] = (),
    *,
    ahead: Collection[str] = (),
    behind: Collection[str] = (),
) -> Layered:
    """Layers of a graph with few crossings."""
    turned = {edge.name: edge for edge in _acyclic(nodes, edges)}
    beside: dict[tuple[str, str], list[str]] = {}  # edges between the same two nodes stay together
    for edge in turned.values():
        beside.setdefault((edge.source, edge.target), []).append(edge.name)
    single = [turned[names[0]] for names in beside.values()]
    levels = _levels(nodes, single, west, east, ahead, behind)
    routes = {edge.name: _route(edge, levels) for edge in single}
    orders: Orders = [[] for _ in range(max(levels.values(), default=0) + 1)]
    for node in (*west, *nodes, *east):
        orders[levels[node]].append(node)
    for edge in single:
        for level in range(levels[edge.source] + 1, levels[edge.target]):
            orders[level].append((edge.name, level))
    found = _untangled(orders, routes, (*west, *east))
    together = {names[0]: names for names in beside.values()}
    apart = [[other for node in order for other in _members(node, together)] for order in found]
    return Layered(apart, turned, {name: _route(edge, levels) for name, edge in turned.items()})


def _members(node: Node, together: Mapping[str, list[str]]) -> list[Node]:
    """A node, or the places of all edges that pass where the first of them does."""
    return [node] if isinstance(node, str) else [(name, node[1]) for name in together[node[0]]]


def _acyclic(nodes: Sequence[str], edges: Sequence[Edge]) -> list[Edge]:
    """The edges, those turned that would close a ring of a search in depth."""
    leaving: dict[str, list[Edge]] = {}
    for edge in edges:
        leaving.setdefault(edge.source, []).append(edge)
    entered = {edge.target for edge in edges}
    starts = [*(node for node in leaving if node not in entered), *nodes]
    done: set[str] = set()
    open_: set[str] = set()
    back: set[str] = set()
    for start in starts:
        stack = [(start, iter(leaving.get(start, ())))] if start not in done else []
        open_.update([start] if stack else [])
        while stack:
            node, further = stack[-1]
            following = next(further, None)
            if following is None:
                stack.pop()
                open_.discard(node)
                done.add(node)
            elif following.target in open_:
                back.add(following.name)
            elif following.target not in done:
                open_.add(following.target)
                stack.append((following.target, iter(leaving.get(following.target, ()))))
    return [replace(e, source=e.target, target=e.source) if e.name in back else e for e in edges]


def _levels(
    nodes: Sequence[str],
    edges: Sequence[Edge],
    west: Sequence[str],
    east: Sequence[str],
    ahead: Collection[str],
    behind: Collection[str],
) -> dict[str, int]:
    """The layer of each node: the edges together as short as they can be."""
    from scipy.optimize import linprog

    index = {node: k for k, node in enumerate(nodes)}
    last = len(nodes)  # one unknown for the layer of all nodes of `east`
    index.update(dict.fromkeys(east, last))
    cost = np.zeros(last + 1)
    cost[last] = 1e-3 if not east else 1.0
    rows = [(k, last, 1) for k in range(last)] if east else []  # the second node stands so many layers on
    middle = [node for node in nodes if node not in ahead and node not in behind]
    rows += [(index[node], index[other], 1) for node in ahead for other in middle]
    rows += [(index[other], index[node], 1) for node in behind for other in middle]
    for edge in edges:
        if edge.source not in west:
            cost[index[edge.source]] -= 1.0
            rows.append((index[edge.source], index[edge.target], edge.length))
        cost[index[edge.target]] += 1.0
    A = np.zeros((len(rows), last + 1))
    for row, (a, b, _) in enumerate(rows):
        A[row, a], A[row, b] = 1.0, -1.0
    bounds = (1.0 if west else 0.0, None)
    cost[:last] += 1e-3  # where nothing else decides: to the left
    solution = linprog(cost, A, [-length for *_, length in rows], bounds=bounds, method="highs-ds")
    out = {node: round(solution.x[k]) for node, k in index.items()}
    return {**out, **dict.fromkeys(west, 0)}


def _route(edge: Edge, levels: Mapping[str, int]) -> tuple[Node, ...]:
    between = range(levels[edge.source] + 1, levels[edge.target])
    return (edge.source, *((edge.name, level) for level in between), edge.target)


def _untangled(orders: Orders, routes: Mapping[str, tuple[Node, ...]], fixed: Iterable[str]) -> Orders:
    """The best of several searches: from the declared order, its reverse, and the order of a search in breadth."""
    steps = [[] for _ in orders[1:]]  # type: list[list[tuple[Node, Node]]]
    level = {node: k for k, order in enumerate(orders) for node in order}
    for route in routes.values():
        for pair in pairwise(route):
            steps[level[pair[0]]].append(pair)
    held = {level[node] for node in fixed}
    best, least = orders, _crossings(orders, steps)
    reverse = [order if k in held else order[::-1] for k, order in enumerate(orders)]
    for start in (orders, reverse, _breadth_first(orders, steps, held)):
        trial = [list(order) for order in start]
        for sweep in range(SWEEPS):
            downwards = sweep % 2 == 0
            for k in range(len(trial)) if downwards else reversed(range(len(trial))):
                if k not in held:
                    trial[k] = _by_medians(k, trial, steps, downwards)
            _exchange(trial, steps, held)
            count = _crossings(trial, steps)
            if count < least:
                best, least = [list(order) for order in trial], count
    return best


def _breadth_first(orders: Orders, steps: list[list[tuple[Node, Node]]], held: set[int]) -> Orders:
    near: dict[Node, list[Node]] = {}
    for step in steps:
        for a, b in step:
            near.setdefault(a, []).append(b)
            near.setdefault(b, []).append(a)
    found: dict[Node, int] = {}
    for start in (node for order in orders for node in order):
        queue = [start] if start not in found else []
        for node in queue:
            if node not in found:
                found[node] = len(found)
                queue += [other for other in near.get(node, ()) if other not in found]
    return [order if k in held else sorted(order, key=found.__getitem__) for k, order in enumerate(orders)]


def _by_medians(k: int, orders: Orders, steps: list[list[tuple[Node, Node]]], downwards: bool) -> list[Node]:
    """A layer sorted by the medians of its neighbours in the layer before, or behind."""
    other = k - 1 if downwards else k + 1
    if not 0 <= other < len(orders):
        return orders[k]
    place = {node: i for i, node in enumerate(orders[other])}
    near: dict[Node, list[int]] = {node: [] for node in orders[k]}
    for a, b in steps[min(k, other)]:
        inner, outer = (b, a) if downwards else (a, b)
        near[inner].append(place[outer])
    keys = {node: float(np.median(found)) if found else float(i) for i, (node, found) in enumerate(near.items())}
    return sorted(orders[k], key=keys.__getitem__)


def _exchange(orders: Orders, steps: list[list[tuple[Node, Node]]], held: set[int]) -> None:
    """Exchange neighbours as long as that removes crossings."""
    for k, order in enumerate(orders):
        better = k not in held
        while better:
            better = False
            for i in range(len(order) - 1):
                before = _around(k, orders, steps)
                order[i], order[i + 1] = order[i + 1], order[i]
                if _around(k, orders, steps) < before:
                    better = True
                else:
                    order[i], order[i + 1] = order[i + 1], order[i]


def _around(k: int, orders: Orders, steps: list[list[tuple[Node, Node]]]) -> int:
    low, high = max(k - 1, 0), min(k + 1, len(orders) - 1)
    return _crossings(orders[low : high + 1], steps[low:high])


def crossings(graph: Layered) -> int:
    """Pairs of edges that cross."""
    level = {node: k for k, order in enumerate(graph.orders) for node in order}
    steps: list[list[tuple[Node, Node]]] = [[] for _ in graph.orders[1:]]
    for route in graph.routes.values():
        for pair in pairwise(route):
            steps[level[pair[0]]].append(pair)
    return _crossings(graph.orders, steps)


def _crossings(orders: Orders, steps: list[list[tuple[Node, Node]]]) -> int:
    """Pairs of edges that cross between the layers."""
    total = 0
    for first, second, step in zip(orders, orders[1:], steps, strict=False):
        left = {node: i for i, node in enumerate(first)}
        right = {node: i for i, node in enumerate(second)}
        a = np.array([left[node] for node, _ in step])
        b = np.array([right[node] for _, node in step])
        total += int(np.sum((a[:, None] < a) & (b[:, None] > b)))
    return total
