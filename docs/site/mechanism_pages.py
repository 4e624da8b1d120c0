"""Sphinx extension: pages of the gallery's mechanisms, with their animations and plots.

The pages that `python docs/pages.py` writes are sources of the site, so that a link to `mechanisms/scara.html` leads to
the same page on a code host and on the site. The site adds what moves: an animation, and plots of the motion. The
configuration value `motion` says of which mechanisms: a name or names, "all" or "" for none.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Parser

import cardan
from cardan.formats import gallery
from cardan.view.reports.figures import motion_figures

START = "planar_3rrr"
"""The mechanism that moves on the start page."""


class MechanismParser(Parser):
    """A page of a mechanism as sections of raw HTML."""

    supported = ("mechanism",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Fill the document of one page."""
        env = document.settings.env
        name = Path(env.docname).name
        title, first, sections = _parts(inputstring)
        page = nodes.section("", nodes.title("", title), ids=[nodes.make_id(title)], names=[title])
        page += _raw(f'<div class="paper">{first}</div>' if "<svg" in first else first)
        moving = _motion(name, env.app) if env.docname.startswith("mechanisms/") else []
        for heading, body in [*moving, *sections]:
            page += nodes.section(
                "", nodes.title("", heading), _raw(body), ids=[nodes.make_id(heading)], names=[heading]
            )
        document += page


def _parts(text: str) -> tuple[str, str, list[tuple[str, str]]]:
    """Title, what stands before the first heading, and the sections."""
    body = re.search(r"<body>\n(.*)</body>", text, re.DOTALL)[1]
    title, body = re.match(r"<h1>(.*?)</h1>\n(.*)", body, re.DOTALL).groups()
    pieces = re.split(r"<h2>(.*?)</h2>\n", body)
    return _text(title), pieces[0], [(_text(head), part) for head, part in zip(pieces[1::2], pieces[2::2], strict=True)]


def _text(markup: str) -> str:
    return nodes.unescape(re.sub(r"&(amp|lt|gt|quot|#x27);", lambda found: _ENTITIES[found[1]], markup))


_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "#x27": "'"}


def _raw(text: str) -> nodes.raw:
    text = re.sub(r'(<img src=")(?!data:)', r"\1../_static/mechanisms/", text)
    return nodes.raw("", text, format="html")


def _motion(name: str, app: Any) -> list[tuple[str, str]]:
    """The animation of a mechanism, and plots of its motion; of a bond graph alone the plots."""
    if not _moves(name, app):
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cardan.ModelWarning)  # printed motor constants, docs/errata.md
        model = cardan.load(name)
        run = cardan.simulate(model)
        if model.bodies:
            _write_animation(name, run, app)
    source = f'src="../_static/animations/{name}.html" title="{name} in motion" loading="lazy"'
    frame = f'<iframe class="animation tall" {source}></iframe>' if model.bodies else ""
    return [("Motion", f"{frame}\n{motion_figures(run, 'rad')}")]


def _moves(name: str, app: Any) -> bool:
    return app.config.motion == "all" or name in app.config.motion.split(",")


def _write_animation(name: str, run: cardan.Trajectory, app: Any) -> None:
    folder = Path(app.outdir) / "_static" / "animations"
    folder.mkdir(parents=True, exist_ok=True)
    cardan.animate(run, folder / f"{name}.html")


def _start(app: Any) -> None:
    """The animation of the start page, and the pictures that pages show."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cardan.ModelWarning)
        _write_animation(START, cardan.simulate(cardan.load(START)), app)
    folder = Path(app.outdir) / "_static" / "mechanisms"
    folder.mkdir(parents=True, exist_ok=True)
    for picture in (Path(app.srcdir) / "mechanisms").glob("*.png"):
        (folder / picture.name).write_bytes(picture.read_bytes())


def setup(app: Any) -> dict[str, Any]:
    """Register parser, configuration and hooks."""
    app.add_config_value("motion", "all", "env")
    app.add_source_suffix(".html", "mechanism")
    app.add_source_parser(MechanismParser)
    app.connect("builder-inited", _start)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


assert START in gallery()
