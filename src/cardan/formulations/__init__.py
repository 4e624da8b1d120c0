"""Equations of motion by seven formulations with equal results: recursive Newton–Euler, composite-body,
articulated-body, Lagrange from the energies, Lagrange in trace form, principle of compatibility, vector bond graph.

In: a Tree and CasADi numbers (t, q, v, z). Out: Terms (`terms.py` states the contract), accelerations or
efforts. No formulation uses the result of another; the rotor is the only part of a motor that they know, but for
`bond_graph`, which makes the vector bond graph of a mechanism with its circuits.
"""

from __future__ import annotations
