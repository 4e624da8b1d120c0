"""Bond graphs made by hand: their inputs, and the right-hand sides of their state equations, which are a term.

Source: Karnopp, Margolis & Rosenberg 2012, §5.3
"""

from __future__ import annotations

from cardan.kinematics.tree import Number
from cardan.numerics.entries import column
from cardan.rendering.documents.document import RATES
from cardan.system.blocks.graphs import GraphBlock
from cardan.system.state import State, blocks_at
from cardan.system.system import System

__all__ = ["RATES", "graph_inputs", "graph_rates"]


def graph_inputs(system: System) -> dict[str, str]:
    """The graph of every source that is an input, by its name in `Equations.inputs`."""
    return {name: graph.name for graph in system.graphs for name in graph.input_names}


def graph_rates(system: System, state: State) -> Number:
    """Rates of the states of all graphs (k, 1), in the order of `Equations.states`."""
    graphs = ((block, z, u) for block, z, u in blocks_at(system, state) if isinstance(block, GraphBlock))
    return column([block.rates(state.motion, z, u) for block, z, u in graphs])
