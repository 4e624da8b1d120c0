"""First picture: from the start of a process to the 7-joint arm in a browser, with its shapes, ready to be turned.

Cardan loads the model, computes one second of motion and writes the page that plays it; Chromium opens the page. For
Meshcat, Pinocchio gets the same links, with capsules as shapes; Meshcat starts its server, and Chromium opens its page.
The picture is there when a screenshot of it is on the disk. Chromium draws in software and has no window; its own start
is in both times. MuJoCo's viewer needs no browser; it shows the same links with capsules in a window of the same size,
drawn in software as well, on a display without a screen (Xvfb) that already runs. The caches of machine code and of
bytecode are filled, and nothing is in the cache of the browser.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from cardan.view.animation.browser import ARGUMENTS, browser_path

from .mechanisms import ARM
from .peers import Missing, require, versions
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
VIEWER = """
import os, re, cardan, mujoco, mujoco.viewer
from PIL import ImageGrab
from benchmarks.peers import mjcf
capsule = r'\\g<0><geom type="capsule" size="0.05 0.1" pos="\\1" rgba="1 0 0 1"/>'
model = mujoco.MjModel.from_xml_string(re.sub(r'<inertial pos="(.*?)".*?/>', capsule, mjcf(cardan.load(ARM), 1e-3)))
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
mujoco.viewer.launch_passive(model, data, show_left_ui=False, show_right_ui=False).sync()
red = 0
while red < 500:  # pixels of the arm
    picture = ImageGrab.grab()
    red = sum(count for count, (r, g, b) in picture.getcolors(1 << 24) if r > 100 and r > 3 * max(g, b))
picture.save(sys.argv[1])
os._exit(0)  # its window fails when it is closed
"""
SCREEN = "1200x900x24"  # of which MuJoCo's window takes two thirds: as many pixels as the browser's page


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
        raise Missing("Playwright and Chromium not installed: `pip install -e '.[video]'`, `apt install chromium`")
    programs = {"": OURS, "Pinocchio with Meshcat": THEIRS}
    if "mujoco" in versions() and shutil.which("Xvfb"):  # Debian: apt install xvfb
        programs["MuJoCo's viewer"] = VIEWER
    spent: dict[str, list[float]] = {name: [] for name in programs}
    with TemporaryDirectory() as folder, _display() as display:
        for _ in range(effort.processes + effort.first_turns):
            for name, code in programs.items():
                spent[name].append(_shown(code, Path(folder), path, display, own_bytecode=effort.first_turns > 0))
    ours, *peers = ((name, Times(tuple(seconds[effort.first_turns :]))) for name, seconds in spent.items())
    return Result(tuple(Row("process to picture", ours[1], name, times) for name, times in peers))


@contextmanager
def _display() -> Iterator[str]:
    """Name of a display without a screen; that of the session where Xvfb is not installed."""
    program = shutil.which("Xvfb")
    if program is None:
        yield os.environ.get("DISPLAY", "")
        return
    reader, writer = os.pipe()
    command = [program, "-displayfd", str(writer), "-screen", "0", SCREEN]
    server = subprocess.Popen(command, pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as said:
            yield f":{said.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


def _shown(code: str, folder: Path, browser: str, display: str, *, own_bytecode: bool) -> float:
    """Seconds until the picture is there, which is not blank; with bytecode that earlier turns have filled, if any."""
    picture = folder / "picture.png"
    picture.unlink(missing_ok=True)
    text = f"ARM = {str(ARM)!r}\n{LOOK}{code}"
    environment = {**os.environ, "DISPLAY": display}
    if own_bytecode:
        environment["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", text, str(picture), browser, *ARGUMENTS]
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    spent = time.perf_counter() - start
    assert picture.stat().st_size > BLANK, "the picture is blank"
    return spent
