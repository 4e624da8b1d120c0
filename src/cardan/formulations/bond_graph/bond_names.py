"""Places of the bonds of a mechanism, for names of their efforts and flows: "force travel → trolley".

A bond between two parts of the model is named by them; where several bonds of one domain join the same two parts, by
junctions. A transformer between two junctions passes on what reaches it: its bonds are named by the junctions, and by
the nearer of both where they are of one domain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cardan.bond_graphs import Bond, GraphElement
from cardan.bond_graphs.records import JUNCTIONS

_TWO_PORTS = ("TF", "MTF")


def placed_bonds(elements: Sequence[GraphElement], bonds: Sequence[Bond]) -> list[Bond]:
    """The bonds with their places."""
    kinds = {element.name: element for element in elements}
    neighbours: dict[str, list[str]] = {element.name: [] for element in elements}
    for bond in bonds:
        neighbours[bond.tail].append(bond.head)
        neighbours[bond.head].append(bond.tail)

    def junction(end: str, other: str) -> str:
        """The junction behind a transformer, or the end itself."""
        beyond = [x for x in neighbours[end] if x != other] if kinds[end].kind in _TWO_PORTS else []
        return beyond[0] if beyond else end

    ends = {bond.name: (junction(bond.tail, bond.head), junction(bond.head, bond.tail)) for bond in bonds}
    between: dict[tuple[str, str, str], set[tuple[str, str]]] = {}
    domains: dict[tuple[str, str], set[str]] = {}
    for bond in bonds:
        domains.setdefault(ends[bond.name], set()).add(bond.domain)
        between.setdefault(_parts(kinds, ends[bond.name], bond), set()).add(ends[bond.name])
    out = []
    for bond in bonds:
        parts = _parts(kinds, ends[bond.name], bond)
        where = _place(kinds, ends[bond.name], parts, alone=len(between[parts]) == 1)
        nearer = _nearer(kinds, bond)
        if nearer and len(domains[ends[bond.name]]) == 1:
            where = f"{where} at {nearer}"
        out.append(replace(bond, place=where))
    return out


def _nearer(kinds: Mapping[str, GraphElement], bond: Bond) -> str:
    """The end of a bond that is not its transformer; empty without one."""
    for end, other in ((bond.tail, bond.head), (bond.head, bond.tail)):
        if kinds[end].kind in _TWO_PORTS:
            return other
    return ""


def _parts(kinds: Mapping[str, GraphElement], ends: tuple[str, str], bond: Bond) -> tuple[str, str, str]:
    """Names of the parts that a bond leads from and to, and its domain."""
    tail, head = (kinds[end].of.partition(" ")[2] or end for end in ends)
    return tail, head, bond.domain


def _place(
    kinds: Mapping[str, GraphElement], ends: tuple[str, str], parts: tuple[str, str, str], *, alone: bool
) -> str:
    """Where a bond is: "travel → trolley", "of trolley.mass"."""
    ports = [end for end in ends if kinds[end].kind not in JUNCTIONS]
    if len(ports) == 1:
        return f"of {ports[0]}"
    return " → ".join(parts[:2] if alone and parts[0] != parts[1] else ends)
