"""Which joints carry the bodies and which close loops: a spanning tree of shortest paths to the ground.

Ties are broken by the file's order; `cut: true` takes a joint out of the tree.

Source: docs/notation.md §3; Wittenburg 2008, §5.2
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from cardan.frozen import dataclass
from cardan.model.joints import Joint
from cardan.model.place import GROUND, split

__all__ = ["Topology", "loop", "spanning_tree"]


@dataclass(frozen=True)
class Topology:
    """A spanning tree of the graph of bodies and joints."""

    carrying: tuple[str, ...]  # joints that carry a body, each after the joint that carries its near body
    cut: tuple[str, ...]  # joints that close a loop, in file order
    lost: tuple[str, ...]  # bodies that no chain of uncut joints joins to the ground


def spanning_tree(joints: Mapping[str, Joint], bodies: Mapping[str, object]) -> Topology:
    """Spanning tree by breadth first search from the ground.

    Parameters
    ----------
    joints : mapping from str to Joint
        The graph's edges, in file order.
    bodies : mapping from str
        The graph's nodes, ground excepted.
    """
    place = {name: i for i, name in enumerate(joints)}
    ends = {name: _ends(joint) for name, joint in joints.items()}
    at: defaultdict[str, list[str]] = defaultdict(list)
    for name, bodies_of in ends.items():
        for body in () if joints[name].cut else bodies_of:
            at[body].append(name)
    reached, layer = {GROUND}, [GROUND]
    carrying: list[str] = []
    while layer:
        leaving = sorted({name for body in layer for name in at[body]}, key=place.__getitem__)
        layer = []
        for name in leaving:
            new = ends[name] - reached
            if new:
                carrying.append(name)
                reached |= new
                layer += new
    chosen = set(carrying)
    return Topology(
        tuple(carrying),
        tuple(name for name in joints if name not in chosen),
        tuple(body for body in bodies if body not in reached),
    )


def loop(cut: str, joints: Mapping[str, Joint], bodies: Mapping[str, object]) -> tuple[str, ...]:
    """The joints that carry the loop which the joint `cut` closes, in file order.

    Parameters
    ----------
    cut : name of a joint that closes a loop.
    joints, bodies : as of `spanning_tree`; every body is reached.
    """
    below: dict[str, tuple[str, str]] = {}  # joint that carries a body, and the body before it
    for name in spanning_tree(joints, bodies).carrying:
        parent, child = split(joints[name].parent)[0], split(joints[name].child)[0]
        near, far = (parent, child) if parent == GROUND or parent in below else (child, parent)
        below[far] = (name, near)

    def path(body: str) -> set[str]:
        found = set()
        while body in below:
            name, body = below[body]
            found.add(name)
        return found

    inside = path(split(joints[cut].parent)[0]) ^ path(split(joints[cut].child)[0])
    return tuple(name for name in joints if name in inside)


def _ends(joint: Joint) -> set[str]:
    """The two bodies of a joint."""
    return {split(joint.parent)[0], split(joint.child)[0]}
