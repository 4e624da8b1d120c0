"""Results in a notebook: models as schematics, runs as animations, equations as formulas, reports as tables.

`html` is what `_repr_html_` of every such record calls, through `cardan.displays`.
"""

from functools import singledispatch
from typing import Any

from cardan.analysis import BearingLoads, Mobility, Verification, bond_graph
from cardan.analysis.run_results import model_of
from cardan.errors import AssemblyError
from cardan.matrix_form.equations import Equations
from cardan.model.graphs import BondGraph
from cardan.model.model import Model
from cardan.rendering.documents.html import math_style
from cardan.results.summary import summary
from cardan.results.trajectory import Trajectory
from cardan.safety.text import for_markup
from cardan.view.animation.animate import animate
from cardan.view.drawing.draw import draw
from cardan.view.tables import load_table, mobility_tables, model_tables, paragraph, summary_tables, verification_table


def html(thing: Any) -> str | None:
    """HTML of a result for a notebook; None for one without a picture."""
    inner = _inner(thing)
    return None if inner is None else f'<div class="cardan">\n{inner}</div>\n'


@singledispatch
def _inner(thing: Any) -> str | None:
    return None


@_inner.register
def _(model: Model) -> str:
    """Name, schematic in the assembled position, tables."""
    head = f"<p><strong>{for_markup(model.name or 'Model without a name')}</strong></p>\n"
    return head + paragraph(model.source) + _diagram(model) + model_tables(model)


def _diagram(model: Model) -> str:
    if not model.bodies:
        return ""
    try:
        return draw(model).svg
    except AssemblyError as error:
        return paragraph(f"The mechanism cannot be assembled: {error}")


@_inner.register
def _(equations: Equations) -> str:
    """The document, with the font of its formulas; its headings stand below those of the notebook."""
    style = f"{math_style('.cardan ')}.cardan h2 {{ font-size: 1.1em; margin: 1em 0 0.4em; }}"
    return f"<style>{style}</style>\n{equations.render('html_body')}"


@_inner.register
def _(run: Trajectory) -> str | None:
    """The animation of its bodies, and the summary below it; a run without a model or instants has a text alone."""
    if not len(run) or not run.provenance.source:
        return None
    moving = animate(run)._repr_html_() if model_of(run).bodies else ""
    return f"{moving}\n{paragraph(summary(run).status)}{summary_tables(summary(run))}"


@_inner.register
def _(found: Mobility) -> str:
    return mobility_tables(found)


@_inner.register
def _(found: Verification) -> str:
    return verification_table(found)


@_inner.register
def _(found: BearingLoads) -> str:
    return load_table(found)


@_inner.register
def _(graph: BondGraph) -> str:
    return bond_graph(graph).to_svg()
