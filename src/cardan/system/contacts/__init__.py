"""Contacts: joints that rub, end stops, shapes that touch; the efforts of those that stick or follow their load.

In: laws of contacts, the motion of a system. Out: their blocks, and efforts. It knows neither events nor runs.
`friction`, `stops` and `shapes` say where two surfaces touch and which states that has; `loads` what presses them
together; `load_equations` and `sticking` which efforts result; `joint_groups` how joints share them; `holding` what
each of them holds.
"""

from cardan.system.contacts.checks import check_frictions, overcome_by_drives, without_sticking
from cardan.system.contacts.friction import JointFriction, acting_motions, size_and_direction
from cardan.system.contacts.friction_of_model import frictions, without_friction
from cardan.system.contacts.joint_groups import JointGroup, StoppedJoints, least_solve
from cardan.system.contacts.load_equations import Rub, Rubbing
from cardan.system.contacts.loads import rubbing
from cardan.system.contacts.rates import friction_rates
from cardan.system.contacts.sticking import Solved, Stuck, friction_of_motion, held_still, with_friction

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
