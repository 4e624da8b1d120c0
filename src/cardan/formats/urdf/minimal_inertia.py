"""The least mass and inertia for links that have none, so that all joints accelerate.

A link gets √ε of the robot's mass: halfway, in digits, between what round-off swallows and what the other joints
notice, whose accelerations change by about 1.5e-8 of theirs.
"""

import math
import sys
from typing import Any

from cardan.formats.urdf.robot import Robot
from cardan.formats.xml.tree import numbers, only

_SHARE = math.sqrt(sys.float_info.epsilon)


def add_inertia(robot: Robot, links: dict[str, Any]) -> None:
    """Give mass and inertia to the link of each joint that moves only links without both.

    The radius of gyration is the longest distance between two joints, or from a joint to a centre of mass; 1 kg and 1 m
    stand for a robot without mass and lengths.
    """
    heavy = {name for name, data in links.items() if data.get("mass") or any(data.get("inertia", ()))}
    carrier = {child: parent for parent, child in robot.ends.values()}
    carries = set(heavy)  # links that have mass, or carry links that have
    for name in heavy:
        while name in carrier and carrier[name] not in carries:
            name = carrier[name]
            carries.add(name)
    origins = (only(joint, "origin") for joint in robot.joints.values())
    places = [numbers(one, "xyz", (0.0,) * 3) for one in origins if one is not None]
    places += [data["com"] for data in links.values() if "com" in data]
    length = max((math.hypot(*place) for place in places), default=0) or 1
    mass = _SHARE * (sum(data.get("mass", 0) for data in links.values()) or 1)
    for name, (_, child) in robot.ends.items():
        if child not in carries and robot.kinds[name] != "fixed":
            links[child] |= {"mass": mass, "inertia": [mass * length**2] * 3}
