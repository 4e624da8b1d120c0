"""Which joints carry the bodies and which close loops: a spanning tree of the shortest paths to the ground.

Ties are broken by the file's order; `cut: true` takes a joint out of the tree. Where a joint would close a loop whose
stiffness, damping or end stops need a coordinate, the loop is cut at another joint, if one of it needs none.

Source: docs/notation.md §3; Wittenburg 2008, §5.2
"""

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence

from cardan.frozen import dataclass
from cardan.model.joints import Joint
from cardan.model.place import GROUND, split


@dataclass(frozen=True)
class Topology:
    """A spanning tree of the graph of bodies and joints."""

    carrying: tuple[str, ...]  # joints that carry a body, each after the joint that carries its near body
    cut: tuple[str, ...]  # joints that close a loop, in file order
    lost: tuple[str, ...]  # bodies that no chain of uncut joints joins to the ground


def spanning_tree(joints: Mapping[str, Joint], bodies: Mapping[str, object]) -> Topology:
    """Spanning tree by breadth first search from the ground.

    Where it would cut a joint that needs its coordinate, the loop is cut at another one, as far from the ground as
    possible.
    """
    found = _shortest_paths(joints, bodies, {name for name, joint in joints.items() if joint.cut})
    for name in found.cut:
        if joints[name].coordinate_keys and not joints[name].cut and not found.lost:
            around = _around(name, joints, found.carrying)
            others = [other for other in found.carrying if other in around and not joints[other].coordinate_keys]
            if others:
                found = _shortest_paths(joints, bodies, {*found.cut, others[-1]} - {name})
    return found


def _shortest_paths(joints: Mapping[str, Joint], bodies: Mapping[str, object], cut: Container[str]) -> Topology:
    """Spanning tree without the joints `cut`."""
    place = {name: i for i, name in enumerate(joints)}
    ends = {name: _ends(joint) for name, joint in joints.items()}
    at: defaultdict[str, list[str]] = defaultdict(list)
    for name, bodies_of in ends.items():
        for body in () if name in cut else bodies_of:
            at[body].append(name)
    reached, layer = {GROUND}, [GROUND]
    carrying: list[str] = []
    while layer:
        leaving = sorted({name for body in layer for name in at[body]}, key=place.__getitem__)
        layer = []
        for name in leaving:
            new = ends[name] - reached
            if new and (joints[name].both_ways or split(joints[name].parent)[0] in reached):
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
    """The joints that carry the loop which the joint `cut` closes, in file order."""
    inside = _around(cut, joints, spanning_tree(joints, bodies).carrying)
    return tuple(name for name in joints if name in inside)


def how_to_free(cut: str, joints: Mapping[str, Joint], bodies: Mapping[str, object]) -> str:
    """What gives the joint `cut` a coordinate: another joint of its loop that may close it in its place."""
    if joints[cut].cut:
        return "leave cut: true out, so that this one carries a body"
    around = loop(cut, joints, bodies)
    if free := [name for name in around if not joints[name].coordinate_keys]:
        return f"set cut: true on {' or '.join(free)}"
    spared = "the spring or damper of that joint under forces, as torsion_spring or spring_damper"
    return f"set cut: true on one of {', '.join(around)}; write {spared}, and leave the limits of that joint out"


def _around(cut: str, joints: Mapping[str, Joint], carrying: Sequence[str]) -> set[str]:
    """The joints that carry a loop, of those that carry the bodies."""
    below: dict[str, tuple[str, str]] = {}  # joint that carries a body, and the body before it
    for name in carrying:
        parent, child = split(joints[name].parent)[0], split(joints[name].child)[0]
        near, far = (parent, child) if parent == GROUND or parent in below else (child, parent)
        below[far] = (name, near)

    def path(body: str) -> set[str]:
        found = set()
        while body in below:
            name, body = below[body]
            found.add(name)
        return found

    return path(split(joints[cut].parent)[0]) ^ path(split(joints[cut].child)[0])


def _ends(joint: Joint) -> set[str]:
    """The two bodies of a joint."""
    return {split(joint.parent)[0], split(joint.child)[0]}
