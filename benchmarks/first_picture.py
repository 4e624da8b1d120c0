"""First picture: from the start of a process to the 7-joint arm in a browser, with its shapes, ready to be turned.

Cardan loads the model, computes one second of motion and writes the page that plays it; Chromium opens the page. For
Meshcat, Pinocchio gets the same links, with capsules as shapes; Meshcat starts its server, and Chromium opens its page.
The picture is there when a screenshot of it is on the disk. Chromium draws in software and has no window; its own start
is in both times. The caches of machine code and of bytecode are filled, and nothing is in the cache of the browser.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from cardan.view.animation.browser import ARGUMENTS, browser_path

from .mechanisms import ARM
from .peers import Missing, require
from .table import Result, Row
from .timing import Effort, Times

__all__ = ["TITLE", "measure"]

TITLE = "First picture of the 7-joint arm"

BLANK = 5000  # a page of one colour takes less [bytes]

LOOK = """
import sys
def look(address, ready):
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=sys.argv[2], args=sys.argv[3:], chromium_sandbox=False)
        page = browser.new_page(viewport={"width": 800, "height": 600}, reduced_motion="reduce")
        page.goto(address)
        page.wait_for_function(ready)
        page.screenshot(path=sys.argv[1])
        browser.close()
"""
OURS = """
import pathlib, cardan
page = pathlib.Path(sys.argv[1]).with_suffix(".html")
cardan.animate(cardan.simulate(cardan.load(ARM), until=1.0), page)
look(page.as_uri(), "window.cardan")
"""
THEIRS = """
import cardan, coal, numpy as np, pinocchio as pin
from pinocchio.visualize import MeshcatVisualizer
from benchmarks.peers import pinocchio_model
model = pinocchio_model(cardan.load(ARM))
shapes = pin.GeometryModel()
for joint in range(1, model.njoints):
    place = pin.SE3(np.eye(3), model.inertias[joint].lever)
    shapes.addGeometryObject(pin.GeometryObject(model.names[joint], joint, place, coal.Capsule(0.05, 0.2)))
shown = MeshcatVisualizer(model, pin.GeometryModel(), shapes)
shown.initViewer(open=False)
shown.loadViewerModel()
shown.display(pin.neutral(model))
drawn = "viewer.scene_tree.children.meshcat?.children.pinocchio?.children.visuals?.children"
look(shown.viewer.url(), f"typeof viewer !== 'undefined' && {drawn}?.{model.names[model.njoints - 1]}")
"""


def measure(effort: Effort) -> Result:
    """Times of fresh processes, in turns.

    Parameters
    ----------
    effort : Effort
        How many processes.

    Raises
    ------
    Missing
        Pinocchio, Meshcat, Playwright or a browser is not installed.
    """
    require("pinocchio", "meshcat")
    path = browser_path()
    if find_spec("playwright") is None or path is None:
        raise Missing("Playwright and Chromium not installed: `pip install 'cardan[video]'`, `apt install chromium`")
    sides: tuple[list[float], list[float]] = ([], [])
    with TemporaryDirectory() as folder:
        for turn in range(effort.processes + 1):
            for code, seconds in zip((OURS, THEIRS), sides, strict=True):
                spent = _shown(code, Path(folder), path)
                if turn:  # the first turn compiles bytecode and machine code
                    seconds.append(spent)
    ours, theirs = (Times(tuple(seconds)) for seconds in sides)
    return Result((Row("process to picture", ours, "Pinocchio with Meshcat", theirs),))


def _shown(code: str, folder: Path, browser: str) -> float:
    """Seconds until the picture is there, which is not blank."""
    picture = folder / "picture.png"
    picture.unlink(missing_ok=True)
    text = f"ARM = {str(ARM)!r}\n{LOOK}{code}"
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", text, str(picture), browser, *ARGUMENTS]
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    spent = time.perf_counter() - start
    assert picture.stat().st_size > BLANK, "the picture is blank"
    return spent
