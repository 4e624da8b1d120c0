"""From targets back to coordinates: inverse kinematics.

In: a Model and values of places or coordinates. Out: coordinates that meet them. It knows no motors, forces and time.
"""

from cardan.analysis.inverse.inverse_kinematics import InverseKinematics, inverse_kinematics

__all__ = ["InverseKinematics", "inverse_kinematics"]
