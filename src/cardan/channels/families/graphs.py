"""Hand-made bond graphs: effort, flow and power of every bond, contents of the stores that follow others."""

from cardan.kinematics.tree import Number
from cardan.model.graphs.bond_graph import graph_results
from cardan.results.channel import Channel
from cardan.system.blocks.graphs import GraphBlock
from cardan.system.state import State, blocks_at
from cardan.system.system import System


def channels(system: System) -> list[Channel]:
    """Results of every graph in the `system`; momenta and displacements of free stores are states."""
    out = []
    for block in system.blocks:
        if isinstance(block, GraphBlock):
            out += [
                Channel(f"{block.name}.{result}", unit, kind="graph", description=_words(result))
                for result, unit in graph_results(block.graph).items()
            ]
            out += [
                Channel(f"{block.name}.{content}", unit, kind="graph", description="follows other stores or sources")
                for content, unit in block.equations.followers.items()
            ]
    return out


def values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Their values in a `state` of the `system` with accelerations `a` (nv,); `lam` is not needed."""
    out: list[Number] = []
    for block, z, u in blocks_at(system, state):
        if isinstance(block, GraphBlock):
            arguments = block.arguments(state.motion, z, u, a)
            for function in (block.equations.bonds, block.equations.contents):
                found = function(*arguments)
                out += [found[k] for k in range(found.numel())]
    return out


def _words(result: str) -> str:
    """What a result of a bond is."""
    return "power along the half-arrow" if result.endswith(".power") else ""
