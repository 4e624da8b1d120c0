"""Dry friction of joints: their blocks, and the efforts of those that stick or follow their load.

In: laws of friction, the motion of a system. Out: efforts on its joints. It knows neither events nor runs.
"""

from cardan.system.friction.block import (
    JointFriction,
    acting_motions,
    size_and_direction,
)
from cardan.system.friction.checks import check_frictions, overcome_by_drives, without_sticking
from cardan.system.friction.contacts import rubbing
from cardan.system.friction.coupled import Solved, Stuck, friction_of_motion, held_still, with_friction
from cardan.system.friction.equations import Rub, Rubbing
from cardan.system.friction.groups import JointGroup, StoppedJoints, least_solve
from cardan.system.friction.of_model import frictions, without_friction
from cardan.system.friction.rates import friction_rates

__all__ = [
    "JointFriction",
    "JointGroup",
    "Rub",
    "Rubbing",
    "Solved",
    "StoppedJoints",
    "Stuck",
    "acting_motions",
    "check_frictions",
    "friction_of_motion",
    "friction_rates",
    "frictions",
    "held_still",
    "least_solve",
    "overcome_by_drives",
    "rubbing",
    "size_and_direction",
    "with_friction",
    "without_friction",
    "without_sticking",
]
