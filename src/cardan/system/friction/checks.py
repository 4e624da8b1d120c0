"""Refusal of friction that could not hold a joint beside prescribed motions; how joints that stick are decided about.

Source: docs/friction.md, "What is refused"
"""

from __future__ import annotations

from collections.abc import Sequence

from cardan.errors import Issue, ModelError
from cardan.kinematics.tree import Tree
from cardan.system.friction.block import JointFriction

__all__ = ["check_frictions", "decided_one_by_one"]


def check_frictions(tree: Tree, blocks: Sequence[JointFriction]) -> None:
    """Refuse joints that would have to stick beside prescribed motions that decide about their efforts.

    Parameters
    ----------
    tree : the mechanism.
    blocks : friction of its joints.

    Raises
    ------
    ModelError
        A joint with friction drives a motion, a motion is driven through others, or friction follows the load beside
        drives of other joints, or takes the smallest loads beside such drives.
    """
    sticking = [block for block in blocks if block.sticks]
    indirect = [motion.name for motion in tree.motions if not motion.is_direct]
    for block in sticking:
        path = block.path
        if not tree.driven.isdisjoint((block.velocity, *block.own)):
            fault = f"{block.noun} {block.name!r} drives a motion, so that nothing decides what friction holds at rest"
            raise ModelError(Issue(fault, "add prescribed: true, or regularize: with a small speed", path))
        if indirect:
            fault = (
                f"{block.noun} {block.name!r} may stick beside the drives of {indirect[0]!r}, which is not built yet"
            )
            raise ModelError(Issue(fault, "add prescribed: true, or regularize: with a small speed", path))
    spare = [motion.name for motion in tree.motions if not motion.is_direct and len(motion.drives) > motion.target.size]
    for block in (each for each in blocks if each.is_unknown):
        path = block.path
        if spare:
            drives = f"{spare[0]!r} has more drives than components, which is not built yet"
            fault = f"the friction of {block.name!r} depends on accelerations, and {drives}"
            raise ModelError(Issue(fault, "give effort and regularize:, or drive it by fewer joints", path))
    for block in (each for each in blocks if each.law.loads is not None and indirect):
        fault = f"the friction of {block.name!r} takes the smallest loads beside the drives of {indirect[0]!r}"
        cure = "give effort: in place of coefficient:, or let the joint drive the motion directly"
        raise ModelError(Issue(f"{fault}, which is not built yet", cure, (*block.path, "loads")))


def decided_one_by_one(blocks: Sequence[JointFriction]) -> bool:
    """Whether joints that stick are decided about one after another: a load, or several directions, couple them.

    Parameters
    ----------
    blocks : friction of the joints.
    """
    return any(block.law.follows_load or block.sticks_in_several_directions for block in blocks)
