"""Equations of motion by several roads that must meet: recursive Newton–Euler, composite-body, articulated-body,
Lagrange from the energies, Lagrange in trace form.

In: a Tree and CasADi numbers (t, q, v, z). Out: Terms (`terms.py` states the contract), accelerations or
efforts. No formulation knows another's result, and of a motor they know the rotor only.
"""

from cardan.formulations import (
    articulated_body,
    composite_body,
    constrained,
    lagrange,
    newton_euler,
    regressor,
    trace_lagrange,
)

__all__ = [
    "articulated_body",
    "composite_body",
    "constrained",
    "lagrange",
    "newton_euler",
    "regressor",
    "trace_lagrange",
]
