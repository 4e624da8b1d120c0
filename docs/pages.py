"""Write a page for every mechanism of the gallery into docs/mechanisms: drawing, equations, parameters, source, errata.

    python docs/pages.py [FOLDER]

The pages are the same on every run, so that a test can tell whether they are up to date.
"""

from __future__ import annotations

import argparse
import re
import shutil
import warnings
from functools import lru_cache
from html import escape
from pathlib import Path

import cardan
import cardan.analysis
from cardan.bond_graphs import Bond, Causality, GraphElement, make_graph
from cardan.formats import gallery
from cardan.formats.gallery import gallery_path
from cardan.rendering import Budget
from cardan.rendering.documents.html import FONT, style_sheet
from cardan.rendering.graphs import as_svg, picture
from cardan.rendering.graphs.geometry import DrawnGraph

HERE = Path(__file__).parent
POSES = {
    "slider_crank": {"crank": 0.9},
    "scara": {"joint1": 0.5, "joint2": 0.8},
    "planar_manipulator": {"shoulder": -0.6, "elbow": 1.1},
    "planar_manipulator_controlled": {"shoulder": -0.6, "elbow": 1.1},
    "planar_manipulator_mounted": {"shoulder": -0.6, "elbow": 1.1},
    "overhead_crane": {"travel": 0.25, "swing": 0.4},
    "overhead_crane_antisway": {"travel": 0.25, "swing": 0.4},
    "spring_pendulum": {"slider": 0.5},
    "spring_pendulum_element": {"slider": 0.5},
    "trolley_pendulum": {"trolley": 0.3},
    "stick_slip_slider": {"slip": 0.3},
}
"""Positions that show more of a mechanism than its start."""
VIEWS = {"screw_press": "xz", "stick_slip_slider": "xz", "bouncing_ball": "xz", "gripper": "xz"}
"""Views that show more than the usual one."""

FIGURES = {
    "basket_arm": "path and position of the basket, driving moments M1 and M2, and SFORCE_1 over time, as figures 5 to "
    "9 of the source show them",
    "parallel_3rrrt": "driving moments of A1, B1 and C1, and the constraint forces between platform and third bodies, "
    "base and first bodies, second and third bodies, as figures 12 to 17 of the source show them",
}
"""What the figure of a mechanism beside its page shows of its prescribed motion; `python docs/figures.py` draws it."""
RUNS = {
    "crane_load_path": "path of the load, positions, speeds and forces of trolley and hoist, and the angle of the rope",
    "digging_machine": "path of the scoop, angles and speeds, moments of both drives, and the residual of the line that the "
    "drives keep",
    "door_closer": "angle and speed of the door, its last degree with a bounce at the stop, the latched door in a gust, the "
    "moment of the stop, and the angle of the closer's arm on the door",
    "screw_press": "angle and speed of the wheel, force on the workpiece, friction of the thread and the most that it could hold",
    "shaper": "position and speed of the tool, cutting force over time and over the stroke, force across the line, and the "
    "moment of the crank",
    "stick_slip_slider": "stretch of the spring, speeds of block and belt, friction on the block, and the limit cycle",
    "overhead_crane": "travel, swing and current with full motors and with simplified ones, the start of the current "
    "enlarged, and the path of the load",
    "planar_3rrr": "position of the platform and current of the first motor with full motors and with simplified ones, "
    "the start of the current enlarged, and the path of the platform",
    "planar_manipulator": "angles and current of the first motor with full motors and with simplified ones, the start of the "
    "current enlarged, and the path of the tip",
    "slider_crank": "speed of the crank, position of the slider and current with full motors and with simplified ones, "
    "the start of the current enlarged, and the path of the rod's centre of mass",
}
"""The same for mechanisms that move by themselves."""
STEPS = Budget(steps=6_000_000)
"""For each page; a time would give other pages on another machine."""
SYMBOLS = ("manipulator_3dof", "manipulator_6dof")
"""Mechanisms of the matrix method: masses and inertias, numbers in the model, are symbols in the source."""

GRAPHS = ("parallel_3rrrt",)
"""Mechanisms whose source uses bond graphs: their pages have its figures."""


def page(name: str) -> str:
    """The page of a mechanism."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cardan.ModelWarning)  # printed motor constants, docs/errata.md
        model = cardan.load(name)
        body, figure = equations(name).render("html_body"), ""
        if model.bodies:
            figure = cardan.draw(model, initial=POSES.get(name), view=VIEWS.get(name), coordinates=True).svg
        graphs = bond_graph_figures(model) if name in GRAPHS else ""
        graphs += hand_made_graphs(name, model)
    title = escape(model.name or name)
    errata = _errata(name)
    return (
        f'<!doctype html>\n<html lang="en" data-theme="light">\n<head>\n<meta charset="utf-8"/>\n<title>{title}</title>\n'
        f"<style>{style_sheet(FONT.name)}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"<p>In the gallery as <code>{name}</code>: <code>cardan show {name}</code>, "
        f"<code>cardan equations {name}</code>, "
        f"<code>cardan simulate {name}</code>.</p>\n"
        f"{figure}{body}{_results(name)}{graphs}{errata}</body>\n</html>\n"
    )


@lru_cache(maxsize=1)
def equations(name: str) -> cardan.matrix_form.Equations:
    """The equations that the page of a mechanism shows."""
    model = cardan.load(name)
    formulation = "trace_lagrange" if name in SYMBOLS else "composite_body"
    motors = "full" if model.motors else "none"
    return cardan.equations(model, motors, formulation, budget=STEPS, symbols=name in SYMBOLS)


def hand_made_graphs(name: str, model: cardan.Model) -> str:
    """Graphs that the model holds, each with its states, and the model file where it has nothing else."""
    parts = []
    for each in model.graphs:
        graph = cardan.bond_graph(model, graph=each)
        states = [f"{state} [{unit}]"
                  for state, unit in zip(graph.system.state_names, graph.system.state_units, strict=True)
                  if state.startswith(f"{each}.")]  # fmt: skip
        words = "; ".join(graph.causality.words) or "integral causality throughout, no algebraic loop"
        parts.append(
            f"<h2>Bond graph {escape(each)}</h2>\n<p>States: {escape(', '.join(states))}; {escape(words)}.</p>\n"
            f'<div class="wide">{graph.to_svg(True)}</div>\n'
        )
    if model.graphs and not model.bodies:
        parts.append(f"<h2>Model file</h2>\n<pre>{escape(gallery_path(name).read_text(encoding='utf-8'))}</pre>\n")
    return "".join(parts)


def bond_graph_figures(model: cardan.Model) -> str:
    """Figures 2 and 4 to 11 of Wang & Tao, from the model."""
    graph = cardan.bond_graph(model)
    plain = cardan.bond_graph(model.replace(motions={}), augmented=False, drives=["A1", "B1", "C1"])
    chain = [f"{kind} {name}{k}" for k in (1, 2, 3) for kind, name in (("joint", "A"), ("body", "a"))]
    structure = as_svg(picture(graph.graph), "joined structure")
    figures = [
        ("2", "Universal joint A4: sums of flows at 0-junctions, for the joint point and the direction.",
         graph.to_svg(True, parts=["joint A4"])),
        ("4", "Joined structure: three chains carry the platform. Fig. 5, the configuration, is the drawing above.",
         structure),
        ("6", "Chain A: three bodies with their Euler junction structures, and three revolute joints.",
         graph.to_svg(True, parts=chain)),
        ("7", "The same chain, bodies and joints as boxes; its ports lead to the universal joint.",
         graph.to_svg(parts=chain)),
        ("8", "Platform. It has no moments of inertia, since it only translates: the flow there is unknown.",
         graph.to_svg(True, parts=["body platform"])),
        ("9", "The platform as a box; its ports lead to the three universal joints.",
         graph.to_svg(parts=["body platform"])),
        ("10, before", "All of it without constraint forces: the strokes show which inertias depend on others.",
         plain.to_svg(True)),
        ("10, after", "Augmented: an unknown source at every constraint gives all inertias integral causality.",
         graph.to_svg(True)),
        ("11", "Fields round the junction structure, with the number of components of each vector.",
         as_svg(_fields(graph), "fields and junction structure")),
    ]  # fmt: skip
    shown = "".join(
        f'<h3>Fig. {number}</h3>\n<p>{escape(words)}</p>\n<div class="wide">{svg}</div>\n'
        for number, words, svg in figures
    )
    style = "<style>.wide { overflow-x: auto; } .wide .bond-graph { max-width: none; }</style>"
    return f"<h2>Vector bond graph: figures 2 and 4 to 11 of the source</h2>\n{style}\n{shown}"


def _fields(graph: cardan.analysis.MechanismBondGraph) -> DrawnGraph:
    """Basic fields and the junction structure that joins them."""
    given = graph.matrices.given
    first = len(given["u1"])  # X_i1: as many momenta as there are drives
    fields = [  # element, kind, components, effort, flow
        ("drives", "Se", len(given["u1"]), "U₁", "V₁"),
        ("constraint forces", "Se", len(given["u2"]), "U₂", "0"),
        ("known sources", "Se", len(given["u3"]), "U₃", "V₃"),
        ("independent momenta", "I", first, "dX_i1/dt", "Z_i1"),
        ("other momenta", "I", len(given["i"]) - first, "dX_i2/dt", "Z_i2"),
        ("losses", "R", len(given["L"]), "D_out", "D_in"),
        ("gyration", "EJS", len(given["E"]), "E_out", "E_in"),
    ]
    fields = [field for field in fields if field[2]]  # a mechanism without dampers has no losses
    centre = GraphElement("junctions", "1", of="junction structure")
    elements = [centre, *(GraphElement(f"{name} ({n})", kind) for name, kind, n, *_ in fields)]
    bonds = []
    for element, (name, kind, n, effort, flow) in zip(elements[1:], fields, strict=True):
        ends = (element.name, centre.name) if kind == "Se" else (centre.name, element.name)
        bonds.append(Bond(name, *ends, "rotation", max(n, 2), effort, flow))
    strokes = {x.name: x.head if x.tail == centre.name and not x.effort.startswith("d") else x.tail for x in bonds}
    title = {"junction structure": "0, 1, TF, MTF"}
    return picture(make_graph(elements, bonds, titles=title), Causality(strokes, (), {}, ()))


def index(names: list[str]) -> str:
    """The list of all pages."""
    rows = "\n".join(f"| [{name}]({name}.html) | {title} |" for name, title in gallery().items() if name in names)
    return (
        "# Mechanisms of the gallery\n\nEach page has a drawing, the symbols and parameters, all equations, the source "
        "and the errata found in it.\nThey are written by `python docs/pages.py`.\n\n"
        f"| page | mechanism |\n|---|---|\n{rows}\n"
    )


def _results(name: str) -> str:
    """The figure of the motion and its loads, if there is one."""
    if name not in FIGURES | RUNS:
        return ""
    words, command = escape((FIGURES | RUNS)[name]), "kinetostatics" if name in FIGURES else "simulate"
    said = f"<p>With the numbers of the model file: {words} (<code>cardan {command} {name}</code>).</p>"
    return f'<h2>The motion and its loads</h2>\n{said}\n<p><img src="{name}.png" alt="{words}"/></p>\n'


def _errata(name: str) -> str:
    """The errata that concern the model, in the section of docs/errata.md that lists it, as a table."""
    text = (HERE / "errata.md").read_text(encoding="utf-8")
    for section in text.split("\n## ")[1:]:
        listed = re.search(r"^Models?: (.*)$", section, re.MULTILINE)
        if not listed or f"`{name}`" not in listed[1]:
            continue
        head, _, *rest = ([*line.strip("| ").split(" | ")] for line in section.splitlines() if line.startswith("|"))
        rows = [row for *row, concerned in rest if concerned == "all" or f"`{name}`" in concerned]
        cells = "".join(f"<tr>{''.join(f'<td>{_inline(cell)}</td>' for cell in row)}</tr>\n" for row in rows)
        titles = "".join(f"<th>{_inline(cell)}</th>" for cell in head[:-1])
        table = f'<table class="legend">\n<tr>{titles}</tr>\n{cells}</table>\n'
        return f"<h2>Errata found in the source</h2>\n{table}" if rows else ""
    return ""


def _inline(text: str) -> str:
    """Markdown of a table's cell."""
    text = re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)


def crane_figures() -> dict[str, str]:
    """Drawings of docs/bond-graphs.md by file name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cardan.ModelWarning)  # printed motor constants, docs/errata.md
        crane = cardan.load("overhead_crane")
        graph = cardan.bond_graph(crane)
        flow = cardan.power_flow(cardan.simulate(crane, until=1.0), at=0.3)
    return {
        "crane_graph.svg": graph.to_svg(),
        "crane_graph_open.svg": graph.to_svg(expanded=True),
        "crane_power.svg": flow.to_svg(expanded=True),
    }


def drawing_figures() -> dict[str, str]:
    """Drawings of docs/drawing.md by file name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cardan.ModelWarning)  # printed motor constants, docs/errata.md
        crank, arm, bars = (cardan.load(name) for name in ("slider_crank", "manipulator_6dof", "four_bar"))
    return {
        "drawing_stop.svg": cardan.draw(cardan.load("door_closer")).svg,
        "drawing_crank.svg": cardan.draw(crank, initial={"crank": 0.9}, coordinates=True).svg,
        "drawing_frames.svg": cardan.draw(arm, frames=True, labels="joints").svg,
        "drawing_dimensions.svg": cardan.draw(bars, dimensions=True).svg,
        "drawing_tree.svg": cardan.draw(bars, tree=True).svg,
    }


def main(folder: Path) -> None:
    """Write all pages, and the drawings of the pages on bond graphs and drawings."""
    folder.mkdir(parents=True, exist_ok=True)
    names = list(gallery())
    for name in names:
        (folder / f"{name}.html").write_text(page(name), encoding="utf-8")
    shutil.copy(FONT, folder)
    shutil.copy(FONT.with_name("OFL.txt"), folder)
    (folder / "README.md").write_text(index(names), encoding="utf-8")
    if folder == HERE / "mechanisms":
        for name, drawing in {**crane_figures(), **drawing_figures()}.items():
            (HERE / "figures" / name).write_text(drawing, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=HERE / "mechanisms", help="other than docs/mechanisms")
    main(parser.parse_args().folder)
