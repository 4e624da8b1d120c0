"""Refusal of friction that could not hold a joint beside prescribed motions.

Source: docs/friction.md, "What is refused"
"""

from collections.abc import Sequence

from cardan.errors import Issue, ModelError
from cardan.kinematics.tree import Tree
from cardan.system.contacts.friction import JointFriction


def check_frictions(tree: Tree, blocks: Sequence[JointFriction], bouncing: Sequence[str]) -> None:
    """Refuse joints that would have to stick although a drive takes over what friction holds there, and in several
    directions beside drives of other joints or beside `bouncing` joints, which stop by impact.
    """
    driven, indirect = overcome_by_drives(tree), [motion.name for motion in tree.motions if not motion.is_direct]
    for block in (each for each in blocks if each.sticks):
        if not driven.isdisjoint((block.velocity, *block.own)):
            fault = (
                f"{block.noun} {block.name!r} drives a motion, so that its drive and its friction may share the effort "
            )
            fault += "at rest in any way"
            cure = "add prescribed: true (the drive adds what friction takes), or regularize: with a small speed"
            if block.law.gear is not None:
                fault = f"a motion prescribes how the gear with losses of {block.name!r} turns, which is not supported"
                cure = "let a controller follow the motion, or leave its efficiency to cardan.size"
            raise ModelError(Issue(fault, cure, block.path))
        if block.parts and (indirect or bouncing):
            beside = (
                f"{indirect[0]!r}, which other joints drive" if indirect else f"{bouncing[0]!r}, which stops by impact"
            )
            fault = f"{block.noun} {block.name!r} sticks in several directions beside {beside}"
            stiff = "" if indirect else "give the stops a stiffness, or "
            raise ModelError(Issue(fault, stiff + without_sticking(block), block.path))


def without_sticking(block: JointFriction) -> str:
    """The cure for friction that may not stick."""
    bristles = "" if block.parts else " or type: lugre"  # these bend in one direction
    return f"write regularize: {'1 mm/s' if block.unit == 'm/s' else '0.001 rad/s'}{bristles}"


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
