"""What the studio says about a model beside its motion: equations, loads, mobility, bond graph, as pages to read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cardan.errors import ModelError, nearest
from cardan.view.tables import load_table, mobility_tables, paragraph, summary_tables

if TYPE_CHECKING:
    from cardan.kinematics.build import MotorModel
    from cardan.model.model import Model
    from cardan.results.trajectory import Trajectory

_STYLE = """
body { font: 14px/1.45 system-ui, "DejaVu Sans", Arial, sans-serif; margin: 0; padding: 10px 18px; max-width: none; }
table.legend th, table.legend td { white-space: nowrap; padding-right: 0.9rem; }
h2 { font-size: 1rem; margin: 1rem 0 0.4rem; } svg { max-width: 100%; height: auto; background: #fff; }
"""
_DARK = """
body { background: #1b2027; color: #e6ebf1; } table.legend th { border-color: #4a5461; }
div.equation span.number { color: #9ba7b4; } :root { color-scheme: dark; }
"""


def topic_page(topic: str, model: Model, run: Trajectory, motors: MotorModel, *, dark: bool = False) -> str:
    """One topic as an HTML page without a program."""
    from cardan.rendering.documents.html import font_address, style_sheet

    if topic not in TOPICS:
        raise ModelError(f"there is no topic {topic!r:.60}", nearest(topic, TOPICS))
    body = TOPICS[topic](model, run, motors)
    style = f"{style_sheet(font_address())}{_STYLE}{_DARK if dark else ''}"
    head = f'<meta charset="utf-8"><title>{topic}</title><style>{style}</style>'
    theme = "dark" if dark else "light"
    return f'<!doctype html><html lang="en" data-theme="{theme}"><head>{head}</head><body>{body}</body></html>'


def _equations(model: Model, run: Trajectory, motors: MotorModel) -> str:
    from cardan.matrix_form.equations import equations

    return equations(model, motors).render("html_body")


def _loads(model: Model, run: Trajectory, motors: MotorModel) -> str:
    from cardan.analysis.loads.bearing_loads import bearing_loads

    return load_table(bearing_loads(run)) or paragraph("The model has no joints that carry loads.")


def _mobility(model: Model, run: Trajectory, motors: MotorModel) -> str:
    from cardan.analysis.mobility import mobility

    return mobility_tables(mobility(model))


def _results(model: Model, run: Trajectory, motors: MotorModel) -> str:
    from cardan.results.summary import summary
    from cardan.view.reports.figures import drive_figures

    return summary_tables(summary(run)) + drive_figures(run)


def _bond_graph(model: Model, run: Trajectory, motors: MotorModel) -> str:
    from cardan.analysis.bond_graph import bond_graph

    return bond_graph(model, motors=motors).to_svg()


TOPICS: dict[str, Callable[[Model, Trajectory, MotorModel], str]] = {
    "Results": _results,
    "Loads": _loads,
    "Mobility": _mobility,
    "Equations": _equations,
    "Bond graph": _bond_graph,
}
"""What can be read, by its title."""
