"""Refusal of friction that could not hold a joint beside prescribed motions; how joints that stick are decided about.

Source: docs/friction.md, "What is refused"
"""

from __future__ import annotations

from collections.abc import Sequence

from cardan.errors import Issue, ModelError
from cardan.kinematics.tree import Tree
from cardan.system.friction.block import JointFriction

__all__ = ["check_frictions", "decided_one_by_one", "overcome_by_drives"]


def check_frictions(tree: Tree, blocks: Sequence[JointFriction]) -> None:
    """Refuse joints that would have to stick although a drive takes over what friction holds there."""
    driven = overcome_by_drives(tree)
    for block in blocks:
        if block.sticks and not driven.isdisjoint((block.velocity, *block.own)):
            fault = (
                f"{block.noun} {block.name!r} drives a motion, so that its drive and its friction may share the effort "
            )
            fault += "at rest in any way"
            cure = "add prescribed: true (the drive adds what friction takes), or regularize: with a small speed"
            raise ModelError(Issue(fault, cure, block.path))


def decided_one_by_one(tree: Tree, blocks: Sequence[JointFriction]) -> bool:
    """Whether sticking is decided joint by joint, not by one complementarity problem: friction follows a load, acts in
    several directions, or drives of other joints act.
    """
    driven_elsewhere = any(not motion.is_direct for motion in tree.motions)
    return any(
        block.law.follows_load or block.sticks_in_several_directions or (block.sticks and driven_elsewhere)
        for block in blocks
    )


def overcome_by_drives(tree: Tree) -> frozenset[int]:
    """Velocities whose friction moves nothing: the drive on each adds what friction takes away.

    So it is where the motions alone determine the efforts of the drives that act on these velocities.
    """
    direct = [k for motion in tree.motions if motion.is_direct for k in motion.drives]
    indirect, left, out = [motion for motion in tree.motions if not motion.is_direct], 0, list[int]()
    for motion in indirect:
        rule, size = motion.realize, motion.target.size
        chosen = {*rule.zero, *(rule.given or ())}
        acting = [k for k in motion.drives if tree.velocities[k].name not in chosen]
        shares = bool(rule.share) or (rule.rule == "ideal" and len(acting) > size)
        left += 0 if shares else len(acting) - size
        out += [] if shares else acting
    return frozenset(direct if left else (*direct, *out))
