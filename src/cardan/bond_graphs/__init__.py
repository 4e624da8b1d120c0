"""Vector bond graphs: elements and bonds → causality, junction-structure matrices, state equations.

In: a `Graph` of records whose moduli are CasADi numbers. Out: the same graph with causal strokes, its matrices by name,
its state equations. The room knows no mechanism: `formulations.bond_graph` makes the graph of one.
"""

from cardan.bond_graphs.causality import Causality, assign
from cardan.bond_graphs.checks import check_graph, checked_graph, graph_issues
from cardan.bond_graphs.domains import DOMAINS, Domain, Variable
from cardan.bond_graphs.junctions import Walk, received
from cardan.bond_graphs.matrices import JunctionStructure, junction_structure
from cardan.bond_graphs.records import JUNCTIONS, KINDS, Bond, Graph, GraphElement, make_graph
from cardan.bond_graphs.state_equations import Signals, StateEquations, state_equations, state_symbols

__all__ = [
    "DOMAINS",
    "JUNCTIONS",
    "KINDS",
    "Bond",
    "Causality",
    "Domain",
    "Graph",
    "GraphElement",
    "JunctionStructure",
    "Signals",
    "StateEquations",
    "Variable",
    "Walk",
    "assign",
    "check_graph",
    "checked_graph",
    "graph_issues",
    "junction_structure",
    "make_graph",
    "received",
    "state_equations",
    "state_symbols",
]
