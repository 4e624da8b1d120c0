"""Pages, films, answers: a page of 20 bodies and 1000 instants, a picture of 50, a film of 10 s, the studio.

The bodies form chains of the arm's links with a spring at each; 1001 instants are shown. A page is written by
`cardan.animate`; its time is that of the processor: of the first page in a process, whose functions are then in the
cache of machine code, and of later ones. For a picture the page has joints, springs, the paths of ten bodies, the
arrows of all reactions, springs and weights, all names and one plot; what the script does is timed in Chromium, the
rasteriser is another program. The film has 1280 × 720 pixels and 30 pictures per second; Chromium draws them in
software. An answer of the studio is the new run after a parameter has changed by a thousandth, on its processor's time.
Goals are those of the project.
"""

from __future__ import annotations

import statistics
import time
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import cardan
from cardan.view.animation.browser import browser_path, opened
from cardan.view.studio.model_file import file_of
from cardan.view.studio.workbench import Workbench

from .mechanisms import chain
from .peers import Missing
from .table import Goal, Result, Row
from .timing import FULL, Effort, Times, on_all_cores

__all__ = ["TITLE", "measure"]

TITLE = "Pages, films and the studio"

INSTANTS = 1000  # steps of a run that is shown
PICTURES = 20  # of which the script's time is the median
CHANGED = {"parallel_3rrrt": "L1", "scissor_lift": "L", "overhead_crane": "mp"}  # models and parameters in the studio
DRAWN = ("andrews_squeezer", "parallel_3rrrt", "manipulator_6dof")  # the largest models of the gallery
SINGLE = 1e-5  # of positions of metres in 32-bit numbers

SET = """async count => {
  const spent = [];
  const [begin, end] = cardan.span;
  for (let k = 1; k <= count; k++) {
    await new Promise(requestAnimationFrame);
    const start = performance.now();
    cardan.time = begin + (end - begin) * k / count;
    spent.push((performance.now() - start) / 1000);
  }
  return spent;
}"""


def measure(effort: Effort) -> Result:
    """Times of this process for pages, of Chromium's script for pictures, and of everything for the film.

    Parameters
    ----------
    effort : Effort
        How many rounds; a quick one shows small chains and a short film.

    Raises
    ------
    Missing
        Playwright, imageio-ffmpeg or a browser is not installed.
    """
    if any(find_spec(name) is None for name in ("playwright", "imageio_ffmpeg")) or browser_path() is None:
        raise Missing("Playwright, imageio-ffmpeg or Chromium: `pip install -e '.[video]'`, `apt install chromium`")
    full = effort == FULL
    few, many, length = (20, 50, 10.0) if full else (2, 3, 0.1)
    with TemporaryDirectory() as name, on_all_cores():
        first, later = _pages(Path(name), _run(few), effort)
        return Result(
            (
                Row(f"page of {few} bodies and {INSTANTS} instants, first in a process", first, goal=Goal(limit=1.0)),
                Row(f"page of {few} bodies and {INSTANTS} instants", later, goal=Goal(limit=1.0)),
                Row(
                    f"script of a picture with {many} bodies", _script(_run(many), many, effort), goal=Goal(limit=0.004)
                ),
                Row(f"film of {length:g} s", _film(Path(name), length), goal=Goal(limit=60.0)),
                *(
                    Row(f"kinematic diagram, `{model}`", _drawing(model, effort), goal=Goal(limit=1.0))
                    for model in DRAWN
                ),
                *(
                    Row(f"answer of the studio, `{model}`", _answers(model, parameter, effort), goal=Goal(limit=0.2))
                    for model, parameter in CHANGED.items()
                ),
            )
        )


def _run(count: int) -> cardan.Trajectory:
    """A chain with springs that falls from a stretched position."""
    model = chain(count)
    springs: dict[str, Any] = {
        f"s{k}": {"type": "spring_damper", "parent": "ground", "child": f"link{k}", "stiffness": 20.0, "damping": 1.0}
        for k in range(2, count + 1)
    }
    hung = cardan.Model(name=model.name, bodies=model.bodies, joints=model.joints, forces=springs)
    return cardan.simulate(hung, times=np.linspace(0, 0.2, INSTANTS + 1))


def _pages(folder: Path, run: cardan.Trajectory, effort: Effort) -> tuple[Times, Times]:
    """Processor time of the first page and of later ones."""
    spent = []
    for _ in range(min(10, effort.rounds) + 1):
        start = time.process_time()
        cardan.animate(run, folder / "page.html")
        spent.append(time.process_time() - start)
    return Times(tuple(spent[:1])), Times(tuple(spent[1:]))


def _script(run: cardan.Trajectory, count: int, effort: Effort) -> Times:
    """Time of the script for a picture, the median of each round."""
    bodies = [f"link{k}" for k in range(1, count + 1)]
    shown = ["labels", "reactions", "springs", "gravity"]
    page_text = cardan.animate(run, plots=["q1.q"], trace=bodies[1::5], show=shown).html
    with opened(page_text, (1280, 720)) as page:
        page.evaluate("window.cardan.pause()")
        page.evaluate(SET, 5)
        rounds = [statistics.median(page.evaluate(SET, PICTURES)) for _ in range(min(3, effort.rounds))]
        position = page.evaluate("name => window.cardan.pose(name).position", bodies[-1])
    np.testing.assert_allclose(position, run.array(f"{bodies[-1]}.position")[-1], atol=SINGLE)
    return Times(tuple(rounds))


def _film(folder: Path, length: float) -> Times:
    """Time from a run to the film on the disk."""
    from imageio_ffmpeg import count_frames_and_secs

    animation = cardan.animate(cardan.simulate(cardan.load("overhead_crane"), until=length), speed=1.0)
    path = folder / "film.mp4"
    start = time.perf_counter()
    animation.save(path)
    spent = time.perf_counter() - start
    assert count_frames_and_secs(str(path))[0] == round(30 * length) + 1
    return Times((spent,))


def _answers(model: str, parameter: str, effort: Effort) -> Times:
    """Processor time from a new value of a parameter to the run that the page shows."""
    workbench = Workbench(file_of(model))
    _, shown = workbench.begin()
    control = next(one for one in shown["controls"]["parameters"] if one["name"] == parameter)
    message = {"do": "set", "section": "parameters", "name": parameter}
    spent = []
    for k in range(min(11, effort.rounds)):
        text = f"{control['number'] * (1 + 0.001 * k)} {control['suffix']}"
        start = time.thread_time()
        answers = workbench.answers({**message, "text": text})
        assert next(answers)["kind"] == "run", f"{model}: no run"
        spent.append(time.thread_time() - start)
        list(answers)
    return Times(tuple(spent))


def _drawing(name: str, effort: Effort) -> Times:
    """Processor time of a diagram with its coordinates."""
    model, spent = cardan.load(name), []
    for _ in range(min(11, effort.rounds)):
        start = time.process_time()
        assert cardan.draw(model, coordinates=True).svg
        spent.append(time.process_time() - start)
    return Times(tuple(spent))
