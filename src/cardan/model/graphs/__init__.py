"""Hand-made bond graphs: the section `graphs:` of a model, and `cardan.BondGraph`.

In: elements by name, and bonds as chains "a -> b -> c". Out: records that have been checked, and the state equations of
each graph over symbols for all that its expressions name.
"""

from cardan.model.graphs.bond_graph import BondGraph, Wire, causality_words, core_graph, graph_states, wires

__all__ = ["BondGraph", "Wire", "causality_words", "core_graph", "graph_states", "wires"]
