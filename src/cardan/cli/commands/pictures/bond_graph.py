"""`cardan bond-graph`: the vector bond graph of a model as a drawing, its causality in words, its matrices."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import cardan
from cardan.cli.failure import guarded
from cardan.cli.given import GivenModel, reads_model
from cardan.cli.options import explained, seconds
from cardan.cli.terminal import out
from cardan.cli.writing import ForceOption, check_free, write
from cardan.safety.text import visible

if TYPE_CHECKING:
    from cardan.analysis.bond_graph import MechanismBondGraph
    from cardan.analysis.power_flow import PowerFlow
    from cardan.model.model import Model

STRONGEST = 10
"""Bonds of which the terminal shows the power."""


@guarded
@reads_model("motors")
def bond_graph(
    model: GivenModel,
    output: Annotated[
        Path | None, explained("Draw to this file, .svg.", "a summary on the terminal", "-o", "--output")
    ] = None,
    expanded: Annotated[
        bool, typer.Option("--expanded", help="Show the elements of bodies, joints and motors.")
    ] = False,
    augmented: Annotated[
        bool, typer.Option("--augmented/--no-augmented", help="Whether constraint forces are unknown sources.")
    ] = True,
    matrices: Annotated[
        bool, typer.Option("--matrices", help="Print the junction-structure matrices that are not zero.")
    ] = False,
    graph_name: Annotated[
        str, typer.Option("--graph", metavar="NAME", help="A graph of the section graphs: in place of the mechanism's.")
    ] = "",
    run: Annotated[
        Path | None, typer.Option("--run", metavar="RUN", help="Lines as wide as the power in this run.")
    ] = None,
    at: Annotated[str, typer.Option("--at", metavar="TIME", help="The instant, such as [bold]0.3s[/].")] = "",
    force: ForceOption = False,
) -> None:
    """Draw the vector bond graph of a MODEL, and say in words what its causality means.

    [dim]cardan bond-graph overhead_crane -o crane.svg[/]

    [dim]cardan bond-graph overhead_crane --expanded -o crane.svg[/]   all elements

    [dim]cardan bond-graph four_bar --no-augmented[/]   which inertias depend on others

    [dim]cardan bond-graph parallel_3rrrt --matrices[/]

    [dim]cardan bond-graph boom.yaml --graph lift -o lift.svg[/]   a graph made by hand

    [dim]cardan bond-graph overhead_crane --run run.nc --at 0.3s -o power.svg[/]   the power flow of a run
    """
    check_free(output, force, read=[model.name, run or model.name])
    if output is not None and output.suffix.lower() != ".svg":
        raise typer.BadParameter(f"{output} does not end in .svg", param_hint="--output")
    if (run is None) == bool(at):
        raise typer.BadParameter("--run and --at go together", param_hint="--at" if at else "--run")
    if run is not None and (model.motors or not augmented):
        raise typer.BadParameter("the graph of a run has its motors, and is augmented", param_hint="--run")
    loaded, name = model.read(), graph_name or None
    flow = None if run is None else cardan.power_flow(cardan.load_run(run), seconds(at, "--at"), graph=name)
    if flow is not None and _parts(flow.graph.system.model) != _parts(loaded):
        raise typer.BadParameter(f"{run} is not a run of {model.name}", param_hint="--run")
    graph = cardan.bond_graph(loaded, augmented, model.motors, graph=name) if flow is None else flow.graph
    console = out()
    for line in _lines(graph, flow, matrices):
        console.print(visible(line), markup=False, highlight=False, soft_wrap=True)
    if output is not None:
        write(output, graph.to_svg(expanded, powers=None if flow is None else flow.powers))


def _lines(graph: "MechanismBondGraph", flow: "PowerFlow | None", matrices: bool) -> Iterator[str]:
    """What the terminal shows: counts, causality, matrices, and the strongest bonds of a run."""
    kinds = Counter(element.kind for element in graph.elements.values())
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    yield f"{len(graph.elements)} elements ({counts}), {len(graph.bonds)} bonds"
    yield from graph.causality.words or ("integral causality throughout, no algebraic loop",)
    yield from graph.left_out
    if matrices:
        from cardan.analysis.junction_text import junction_text

        yield from junction_text(graph)
    if flow is not None:
        yield from flow.words[:STRONGEST]


def _parts(model: "Model") -> list[list[str]]:
    """Names of the parts that a graph shows, by section."""
    graphs = [list(graph.elements) for graph in model.graphs.values()]
    forces = [list(model.forces), list(model.motors), list(model.graphs)]
    return [list(model.bodies), list(model.joints), list(model.constraints), *forces, *graphs]
