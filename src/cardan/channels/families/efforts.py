"""Efforts of the actuators along the motions of their joints: `travel.effort`."""

from cardan.functions.results import joint_efforts
from cardan.kinematics.tree import Number, Tree
from cardan.results.channel import Channel
from cardan.system.state import State
from cardan.system.system import System


def channels(system: System) -> list[Channel]:
    """One effort for each velocity of the `system`."""
    tree, out = system.tree, []
    motions = {k: motion.name for motion in tree.motions for k in motion.drives}
    for k, entry in enumerate(tree.velocities):
        unit = "N" if entry.unit == "m/s" else "N*m"
        if k in motions:
            words, kind = (
                f"effort of the drive that keeps the motion of {motions[k]}{_shared(tree, motions[k])}",
                "drive",
            )
        else:
            words, kind = "effort of the actuator", "joint"
        out.append(Channel(f"{entry.name}.effort", unit, (), kind, words))  # type: ignore[arg-type]
    return out


def _shared(tree: Tree, name: str) -> str:
    """How several drives share a motion; empty where it has one for each component."""
    motion = next(motion for motion in tree.motions if motion.name == name)
    spare = len(motion.drives) > motion.target.size
    return f", shared by {motion.realize.words}" if spare else ""


def values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Efforts of the motors, or those given, in a `state` of the `system`; those of prescribed motions from `lam`."""
    return joint_efforts(system, state, lam)
