"""Pages and films: a page of 20 bodies and 1000 instants, the script of a picture with 50 bodies, a film of 10 s.

The bodies form chains of the arm's links with a spring at each; 1001 instants are shown. A page is written by
`cardan.animate`; its time is that of the processor: of the first page in a process, whose functions are then in the
cache of machine code, and of later ones. For a picture the page has joints, springs, the paths of ten bodies, the
arrows of all reactions, springs and weights, all names and one plot; what the script does is timed in Chromium, the
rasteriser is another program. The film has 1280 × 720 pixels and 30 pictures per second; Chromium draws them in
software. Goals are those of the project.
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

from .mechanisms import chain
from .peers import Missing
from .table import Goal, Result, Row
from .timing import FULL, Effort, Times, on_all_cores

__all__ = ["TITLE", "measure"]

TITLE = "Pages and films"

INSTANTS = 1000  # steps of a run that is shown
PICTURES = 20  # of which the script's time is the median
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
        raise Missing("Playwright, imageio-ffmpeg or Chromium: `pip install 'cardan[video]'`, `apt install chromium`")
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
