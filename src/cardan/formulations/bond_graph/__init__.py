"""Vector bond graph of a mechanism, and its equations of motion by it.

In: a Tree and its state of motion. Out: a `Graph` whose numbers are expressions of the state; Terms as of every other
formulation. Each part of the model has its graph in one file: bodies, joints, forces, constraints, motors.

Source: Wang & Tao 2013, Open Autom. Control Syst. J. 5:126; errata: docs/errata.md
"""

from cardan.formulations.bond_graph.graph import mechanism_graph
from cardan.formulations.bond_graph.terms import terms

__all__ = ["mechanism_graph", "terms"]
