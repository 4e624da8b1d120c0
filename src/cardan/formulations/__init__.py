"""Equations of motion by several roads that must meet: recursive Newton–Euler, composite-body, articulated-body.

In: a Tree and CasADi numbers (t, q, v, z). Out: Terms. No formulation knows another's result; `terms.py` states the contract.
"""
