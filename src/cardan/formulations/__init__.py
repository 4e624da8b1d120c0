"""Equations of motion by several roads that must meet: recursive Newton–Euler, composite-body, articulated-body.

In: a Tree and CasADi numbers (t, q, v, z). Out: Terms, or accelerations and efforts. `terms.py` states the
contract; it knows no motor but its rotor.
"""

from cardan.formulations import articulated_body, composite_body, newton_euler

__all__ = ["articulated_body", "composite_body", "newton_euler"]
