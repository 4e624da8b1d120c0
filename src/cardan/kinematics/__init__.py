"""From names to indices, and from coordinates to positions, velocities, Jacobians and energies.

In: a Model and CasADi numbers. Out: a Tree and its state of motion. It knows no formulation and no solver.
"""

from cardan.kinematics import build, energy, jacobian, loads, motion, places, regroup, scope, tree

__all__ = ["build", "energy", "jacobian", "loads", "motion", "places", "regroup", "scope", "tree"]
