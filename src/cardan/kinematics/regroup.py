"""Regrouping of inertial parameters: inertia that does not influence a joint's effort is assigned to its parent.

Each joint's law returns the part of its link's inertia that can be assigned to the parent (`split_inertia`). That part
becomes a structural zero of the link, which shortens programs. Energies and efforts do not change, but reactions in the
joints do: the regrouped tree serves the equations of motion only.

Source: Gautier & Khalil 1990; Khalil & Dombre 2002, §9.4.2
"""

from dataclasses import replace

from cardan.kinematics.tree import GROUND, Tree
from cardan.spatial import inertia
from cardan.spatial.transforms import position, rotation


def regroup(tree: Tree) -> Tree:
    """Tree with the same equations of motion, inertial parameters regrouped from the tips to the ground."""
    links = list(tree.links)
    for i in reversed(range(len(links))):
        link = links[i]
        kept, moved = link.law.split_inertia(link.inertia)
        links[i] = replace(link, inertia=kept)
        if link.parent != GROUND:
            parent = links[link.parent]
            carried = inertia.transformed(moved, rotation(link.T), position(link.T))
            links[link.parent] = replace(parent, inertia=inertia.add(parent.inertia, carried))
    return replace(tree, links=tuple(links))
