"""Which way edges lead: power goes from left to right, also through parts that close loops.

Such a part, a closing joint or a further equation, gives to several others and takes from none, yet it is no source of
power. Its edges are turned so that the power passes it: away from the neighbour that is nearest to the sources. Where
lines cross then, other ways are tried.
"""

from collections.abc import Collection, Mapping, Sequence

from cardan.frozen import dataclass, field, replace
from cardan.rendering.graphs.layers import Edge, crossings, layered

_AHEAD, _BEHIND, _FIRST = -1, -2, -3  # options of a closing part beside the neighbour from which it takes
_NEAR, _APART = -4, -5  # options of a part with a motor: whether there is room for it before the other neighbours


@dataclass(frozen=True)
class OnwardEdges:
    """Edges that all lead onwards."""

    edges: Sequence[Edge]  # some turned
    turned: frozenset[str] = frozenset()  # names of those
    ahead: Collection[str] = field(default=())  # nodes before all others
    behind: Collection[str] = field(default=())  # nodes behind all others


def directed(
    nodes: Sequence[str],
    edges: Sequence[Edge],
    sources: Collection[str],
    west: Sequence[str] = (),
    east: Sequence[str] = (),
) -> OnwardEdges:
    """Edges turned so that power passes the parts that close loops, with few crossings."""
    takes = {edge.target for edge in edges}
    gives = {node: list(dict.fromkeys(x.target for x in edges if x.source == node)) for node in nodes}
    closing = [node for node in nodes if node not in takes and node not in sources and len(gives[node]) > 1]
    first = [node for node in nodes if node not in takes and node not in closing]
    far = _distances(gives, [node for node in first if node in sources] or first)
    choice = {node: _nearest(gives[node], far) for node in closing}
    choice |= dict.fromkeys(_driven(nodes, gives), _NEAR)
    thin = [*{(edge.source, edge.target): edge for edge in edges}.values()]

    def count(choice: Mapping[str, int]) -> int:
        way = _chosen(thin, gives, choice)
        return crossings(layered(nodes, way.edges, west, east, ahead=way.ahead, behind=way.behind))

    least = count(choice) if choice else 0
    better = least > 0
    while better:
        better = False
        for node in choice:
            own = (*range(len(gives[node])), _FIRST, _AHEAD, _BEHIND) if node in closing else (_NEAR, _APART)
            for option in own:
                trial = {**choice, node: option}
                found = count(trial) if trial != choice and least else least
                if found < least:
                    choice, least, better = trial, found, True
    return _chosen(edges, gives, choice)


def _leaves(gives: Mapping[str, list[str]]) -> set[str]:
    """Nodes that give to one other and take from none, such as motors."""
    taking = {other for others in gives.values() for other in others}
    return {node for node, others in gives.items() if len(others) == 1 and node not in taking}


def _driven(nodes: Sequence[str], gives: Mapping[str, list[str]]) -> list[str]:
    """Nodes that take from a leaf and from others."""
    leaves = _leaves(gives)
    givers = {node: {giver for giver, others in gives.items() if node in others} for node in nodes}
    return [node for node in nodes if givers[node] & leaves and givers[node] - leaves]


def _distances(gives: Mapping[str, list[str]], starts: Sequence[str]) -> dict[str, int]:
    """Edges between a source of power and each node, by a search in breadth."""
    far = dict.fromkeys(starts, 0)
    queue = [*far]
    for node in queue:
        for other in gives.get(node, ()):
            if other not in far:
                far[other] = far[node] + 1
                queue.append(other)
    return far


def _nearest(others: Sequence[str], far: Mapping[str, int]) -> int:
    """Place of the neighbour nearest to the sources; none if several are."""
    distances = [far.get(other, len(far) + len(others)) for other in others]
    least = min(distances)
    return distances.index(least) if distances.count(least) == 1 else _FIRST


def _chosen(edges: Sequence[Edge], gives: Mapping[str, list[str]], choice: Mapping[str, int]) -> OnwardEdges:
    """The edges of the closing parts as chosen: one neighbour gives, or all take, or all give."""
    behind = {node for node, option in choice.items() if option == _BEHIND}
    before = {(node, gives[node][option]) for node, option in choice.items() if option >= 0}
    turned = {edge.name for edge in edges if edge.source in behind or (edge.source, edge.target) in before}
    led = [replace(x, source=x.target, target=x.source) if x.name in turned else x for x in edges]
    apart = {node for node, option in choice.items() if option == _APART}
    leaves = _leaves(gives)
    led = [replace(x, length=2) if x.target in apart and x.source not in leaves else x for x in led]
    return OnwardEdges(led, frozenset(turned), {node for node, x in choice.items() if x == _AHEAD}, behind)
