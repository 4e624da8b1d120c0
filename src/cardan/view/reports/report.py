"""`report`: a mechanism on one page, with everything inside, as HTML or PDF."""

import errno
import platform
import re
import warnings
from collections.abc import Callable, Sequence
from datetime import date
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import cardan
from cardan.analysis.loads.bearing_loads import bearing_loads
from cardan.analysis.mobility import mobility
from cardan.analysis.run_results import model_of, parameters_of
from cardan.errors import AssemblyError, ModelError, ModelWarning
from cardan.frozen import dataclass, field
from cardan.matrix_form.equations import equations as equations_of
from cardan.model.checks.values import doubts
from cardan.model.model import Model, check_model
from cardan.model.quantities.parameters import resolve
from cardan.rendering.documents.html import font_address, style_sheet
from cardan.results.channel import check_units
from cardan.results.summary import HEADINGS, summary
from cardan.results.trajectory import Trajectory, check_run
from cardan.safety.text import for_markup
from cardan.safety.writing import replacing
from cardan.settings import Motors
from cardan.simulation.simulator import simulate
from cardan.view.animation.animate import Animation, animate
from cardan.view.animation.page import viewer_digest
from cardan.view.drawing.draw import draw
from cardan.view.reports.figures import drive_figures, motion_figures
from cardan.view.tables import load_table, mobility_tables, paragraph, parameter_table, table

FORMATS = (".html", ".pdf")
"""What a report can be written as."""

AnimationPlace = Literal["inside", "beside", "none"]
ANIMATIONS = ("inside", "beside", "none")
"""Where the animation of a report is: inside its page, in a page beside it that it links to, or nowhere."""

_STYLE = """
nav { columns: 2; max-width: 32rem; font-size: 0.95rem; } nav a { display: block; }
h2 { border-bottom: 1px solid #ccc; } h3 { font-size: 1.05rem; margin: 1.2rem 0 0.4rem; }
svg { max-width: 100%; height: auto; } iframe { width: 100%; height: 34rem; border: 1px solid #ccc; }
div.stills { display: flex; gap: 0.5rem; } div.stills img { width: 33%; border: 1px solid #ccc; }
table.legend { margin: 0.6rem 0; } p.quiet { color: #555; font-size: 0.9rem; }
@media print { nav { display: none; } body { max-width: none; margin: 0; font-size: 11pt; } svg { max-height: 24cm; }
  svg, table, div.stills, div.equation { break-inside: avoid; } h2, h3 { break-after: avoid; } }
"""
_STILL = (720, 540)  # size of the pictures of a PDF [pixels]


@dataclass
class _Writing:
    """What the sections of a report draw from."""

    model: Model
    run: Trajectory | None
    units: str
    motors: Motors | None
    picture: str  # the animation, as HTML
    failure: str = ""  # why there is no run
    warnings: list[str] = field(default_factory=list)


def report(
    model: Model,
    path: str | Path,
    run: Trajectory | None = None,
    *,
    motors: Motors | None = None,
    animation: AnimationPlace = "inside",
    units: str = "rad",
    allow: Sequence[str | Path] | None = None,
) -> Path:
    """Return the path of a report of a mechanism that has been written: one page with everything inside.

    It shows the schematic, the mobility, the motion, the loads and which of them are unique, the energy balance,
    warnings, parameters, equations, and the versions of the programs that made it. A page needs no network. Its
    animation is left out where a browser shows no 3-D graphics.

    Parameters
    ----------
    model : Model
        The mechanism.
    path : str or Path
        Where to: .html, or .pdf, which a browser without a window prints.
    run : Trajectory, optional
        Its motion; by default the one that `simulate` of the model file describes, if there is one.
    motors : "full", "simplified" or "none", optional
        How motors are modelled in the equations, and in the run if none is given; by default as in the run.
    animation : "inside", "beside" or "none"
        Whether the page holds the animation, links to a second page beside it, or has none. A PDF has three pictures.
    units : "rad" or "deg"
        What angles are shown in.
    allow : sequence of str or Path, optional
        Folders in which the meshes of the bodies may lie; by default any.

    Raises
    ------
    ModelError
        It is not a model, the run is none or that of another model, the file has another extension, an option is not
        possible, or what prints a PDF is not installed.
    ValueError
        Angles are wanted in other units.
    FileNotFoundError
        There is no such folder.
    OSError
        The file cannot be written.
    """
    path = Path(path)
    check_model(model)
    check_report(path, animation)
    check_units(units)
    if run is not None:
        check_run(run)
        model = _model_as_run(model, run)
        motors = motors or run.provenance.settings.get("motors")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        run, failure = (run, "") if run is not None else _own_run(model, motors)
        moving = _animated(run, units, allow) if run is not None and animation != "none" else None
        work = _Writing(model, run, units, motors, "", failure)
        if moving is not None:
            work.picture = _picture(moving, path, animation)
        sections = {title: write(work) if write else "" for title, write in _SECTIONS.items()}
        work.warnings = [doubt.one_line() for doubt in doubts(model, resolve(model.parameters))]
    work.warnings += [str(one.message) for one in caught if issubclass(one.category, ModelWarning)]
    sections["Warnings"] = _warnings(work)  # the last to be known, not the last on the page
    page = _page(model, sections, moving is not None and animation == "inside" and path.suffix.lower() == ".html")
    if path.suffix.lower() == ".pdf":
        from cardan.view.animation.pictures import printed

        content = printed(page)
    else:
        content = page.encode()
    with replacing(path) as stream:
        stream.write(content)
    return path


def check_report(path: Path, animation: str = "inside") -> None:
    """Refuse a file that a report cannot be written to, before anything is computed for it."""
    if path.suffix.lower() not in FORMATS:
        raise ModelError(f'{path}: no report has the extension "{path.suffix}"', f"use one of {', '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no folder", str(path.parent))
    if animation not in ANIMATIONS:
        raise ModelError(f"animation={animation!r:.60} is not possible", f"write one of {', '.join(ANIMATIONS)}")
    if path.suffix.lower() == ".pdf":
        from cardan.view.animation.browser import check_drawable

        check_drawable(".pdf")


def _model_as_run(model: Model, run: Trajectory) -> Model:
    """The model with the motions and events of the call that made the run."""
    own = model_of(run)
    if (own.bodies, own.joints, own.parameters) != (model.bodies, model.joints, model.parameters):
        raise ModelError("the run is one of another model", "give the model that the run was made with")
    return own


def _own_run(model: Model, motors: Motors | None) -> tuple[Trajectory | None, str]:
    """The run that the model file describes, or why there is none."""
    try:
        return simulate(model, motors=motors), ""
    except (ModelError, AssemblyError) as error:
        return None, str(error)


def _animated(run: Trajectory, units: str, allow: Sequence[str | Path] | None) -> Animation | None:
    """The animation of a run; None for one without bodies."""
    return (
        animate(run, plots=(), units=units, theme="light", allow=allow) if len(run) and model_of(run).bodies else None
    )


def _picture(moving: Animation, path: Path, place: str) -> str:
    """The animation as a report shows it."""
    if path.suffix.lower() == ".pdf":
        return _stills(moving)
    if place == "beside":
        target = path.with_name(f"{path.stem}-animation.html")
        moving.save(target)
        return f'<p><a href="{for_markup(target.name)}">Animation: {for_markup(target.name)}</a></p>\n'
    inner = escape(moving.html, quote=True)
    return f'<iframe srcdoc="{inner}" sandbox="allow-scripts" title="animation"></iframe>\n'


def _stills(moving: Animation) -> str:
    """The mechanism at its first instant, half-way and at the last."""
    from base64 import b64encode

    from cardan.view.animation.pictures import pictures

    t = moving.scene.instants
    instants = [float(t[0]), float(t[len(t) // 2]), float(t[-1])]
    shown = [
        f'<img src="data:image/png;base64,{b64encode(png).decode()}" alt="the mechanism at {at:.3g} s"/>'
        for at, png in zip(instants, pictures(moving.html, _STILL, instants), strict=True)
    ]
    return f'<div class="stills">{"".join(shown)}</div>\n'


def _page(model: Model, sections: dict[str, str], plays: bool) -> str:
    title = for_markup(model.name or "a mechanism without a name")
    kept = {name: text for name, text in sections.items() if text}
    anchors = {name: re.sub(r"\W+", "-", name.lower()) for name in kept}
    contents = "".join(f'<a href="#{anchors[name]}">{name}</a>' for name in kept)
    body = "".join(
        f'<section id="{anchors[name]}">\n<h2>{name}</h2>\n{text}</section>\n' for name, text in kept.items()
    )
    script = f" script-src '{viewer_digest()}';" if plays else ""
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:;{script}"
    return (
        f'<!doctype html>\n<html lang="en" data-theme="light">\n<head>\n<meta charset="utf-8"/>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f'<meta name="generator" content="Cardan {cardan.__version__}"/>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"/>\n<title>{title}</title>\n'
        f"<style>{style_sheet(font_address())}{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"{paragraph(f'Source: {model.source}' if model.source else '')}<nav>{contents}</nav>\n{body}</body>\n</html>\n"
    )


def _mechanism(work: _Writing) -> str:
    """The schematic."""
    if not work.model.bodies:
        return ""
    try:
        return draw(work.model, coordinates=True, parameters=_parameters(work)).svg
    except AssemblyError as error:
        return paragraph(f"The mechanism cannot be assembled: {error}")


def _mobility(work: _Writing) -> str:
    if not work.model.bodies:
        return ""
    try:
        return mobility_tables(mobility(work.model, parameters=_parameters(work)))
    except AssemblyError as error:
        return paragraph(f"The mechanism cannot be assembled: {error}")


def _motion(work: _Writing) -> str:
    if work.run is None:
        return paragraph(f"There is no run: {work.failure}")
    found = summary(work.run, work.units)
    settings = [(name, _words(value)) for name, value in work.run.provenance.settings.items() if value is not None]
    return (
        work.picture
        + paragraph(f"The run {found.status}" if work.run.ok else f"The run failed: {found.status}")
        + (motion_figures(work.run, work.units) if len(work.run) else "")
        + f"<h3>Results</h3>\n{table(HEADINGS, found.rows, range(2, len(HEADINGS)))}{paragraph(found.caption)}"
        + f"<h3>Settings</h3>\n{table(('setting', 'value'), settings)}"
    )


def _loads(work: _Writing) -> str:
    if work.run is None or not len(work.run) or not work.model.joints:
        return ""
    try:
        return load_table(bearing_loads(work.run))
    except KeyError as error:  # a file of a run that lacks reactions
        return paragraph(f"The run has no loads: {error.args[0]}")


def _drives(work: _Writing) -> str:
    """What the motion asks of each motor, and its torque over its speed."""
    return "" if work.run is None else drive_figures(work.run)


def _balances(work: _Writing) -> str:
    """Energy balance, constraints, cost; and the works since the start."""
    if work.run is None:
        return ""
    run = work.run
    rows = [(line.partition("  ")[0], line.partition("  ")[2].strip()) for line in summary(run).lines]
    works = [(name, f"{run.w[-1, k]:.6g}") for k, name in enumerate(run.work_names)] if len(run) else []
    words = "Energy stored at an instant less that at the start equals the works since the start:"
    law = paragraph(f"{words} the largest difference is the first line.") if works else ""
    return law + table(("", ""), rows) + table(("work since the start", "J"), works, [1])


def _warnings(work: _Writing) -> str:
    lines = list(dict.fromkeys(work.warnings))
    return "".join(map(paragraph, lines)) if lines else paragraph("None.")


def _parameter_values(work: _Writing) -> str:
    return parameter_table(work.model, _parameters(work))


def _equations(work: _Writing) -> str:
    """The document of the equations, its headings one level lower."""
    try:
        body = equations_of(work.model, work.motors).render("html_body")
    except ModelError as error:
        return paragraph(f"The equations cannot be written: {error}")
    return body.replace("<h2>", "<h3>").replace("</h2>", "</h3>")


def _versions(work: _Writing) -> str:
    packages = [(name, version(name)) for name in ("numpy", "casadi", "llvmlite")]
    made = [("run computed by cardan", work.run.provenance.version)] if work.run is not None else []
    own = [("cardan", cardan.__version__), *made, *packages, ("python", platform.python_version())]
    return table(("program", "version"), [*own, ("report written", date.today().isoformat())])


def _parameters(work: _Writing) -> dict[str, float] | None:
    return parameters_of(work.run) if work.run is not None else None


def _words(value: Any) -> str:
    """A setting as text, shortened where it is long."""
    text = ", ".join(f"{k}: {v}" for k, v in value.items()) if isinstance(value, dict) else str(value)
    return text if len(text) <= 300 else f"{text[:300]} …"


_SECTIONS: dict[str, Callable[[_Writing], str] | None] = {
    "Mechanism": _mechanism,
    "Mobility": _mobility,
    "Parameters": _parameter_values,
    "Motion": _motion,
    "Loads": _loads,
    "Drives": _drives,
    "Energy balance": _balances,
    "Warnings": None,  # those of all other sections
    "Equations": _equations,
    "Versions": _versions,
}
