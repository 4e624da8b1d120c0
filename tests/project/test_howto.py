"""Tutorial and how-to pages run as they are printed: their files load, their commands work, their code runs."""

import re
import shlex
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
from tests.c_compiler import CC, run
from typer.testing import CliRunner

from cardan.cli.program import program
from cardan.errors import ModelWarning

DOCS = Path(__file__).parents[2] / "docs"
G = 9.81
_PRINTED: dict[str, str] = {}
"""What programs beside Cardan have printed last, by name."""
PAGES = [DOCS / "tutorial.md", *sorted((DOCS / "howto").glob("*.md"))]


def _save(code):
    name = re.match(r"(?:#|//) (\S+)\n", code)[1]
    Path(name).write_text(code, encoding="utf-8")


def _type(code):
    for line in code.strip().splitlines():
        name, *words = shlex.split(line)
        if name != "cardan":
            _PRINTED[name] = run(*shlex.split(line), folder=Path.cwd())
            continue
        done = CliRunner().invoke(program(), words)
        assert done.exit_code == 0, f"{line}\n{done.output}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_runs_as_it_is_printed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    do = {"yaml": _save, "c": _save, "sh": _type, "python": lambda code: exec(compile(code, page.name, "exec"), names)}
    if page.stem == "microcontroller" and (CC is None or shutil.which("nm") is None):
        pytest.skip("no C compiler (cc, gcc, clang) is installed")
    if page.stem == "studies":
        pytest.importorskip("SALib")
        pytest.importorskip("zarr")
    if page.stem == "cluster":
        pytest.importorskip("distributed")
        pytest.importorskip("zarr")
    blocks = re.findall(r"```(yaml|sh|python|c)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # printed motor constants, docs/errata.md
        for language, code in blocks:
            do[language](code)
    _EXPECTED.get(page.stem, lambda names: None)(names)


def _four_bar(names):
    assert names["status"]["100 mm"] == "completed"  # Grashof: turns
    assert {names["status"]["60 mm"], names["status"]["170 mm"]} == {"does not close", "dead_end"}


def _microcontroller(names):
    """The step is that of the run up to round-off; beside it the crane needs two functions."""
    assert abs(float(_PRINTED["./crane"]) - names["position"]) < 2e-9  # printed digits
    assert set(re.findall(r"U (\w+)", _PRINTED["nm"])) <= {"sin", "cos", "sincos", "_GLOBAL_OFFSET_TABLE_"}


def _optimiser(names):
    assert names["sway"](names["best"].x) < 0.5 * names["sway"](0)
    assert names["elite"].std() < 0.05  # the population has gathered


def _press(names):
    assert names["loads"].of("wrist").is_unique
    weight, inertia = (
        25 * 9.81,
        25 * 0.048 * 9.42**2,
    )  # of the ram; crank and rod accelerate it by (r + r²/L) ω² at most
    assert names["loads"].of("wrist").largest == pytest.approx(
        50e3, abs=weight + inertia + 300
    )  # 300 N: rod inclined by 6°


def _cam(names):
    assert not names["lifts_off"]("300 rpm")
    assert names["lifts_off"]("1200 rpm")


def _contacts(names):
    run, end = names["fall"], 0.5 - 0.5 * np.sin(np.radians(20))  # height of the lower end of the ramp
    top = np.argmax(run.t > names["hit"])
    speed = np.sqrt(10 / 7 * G * 0.9 * np.sin(np.radians(20)))  # of a ball that has rolled 0.9 m
    fallen = names["hit"] - np.sqrt(2 * 0.9 / (5 / 7 * G * np.sin(np.radians(20))))
    assert run["fly.vx.v"].values[top] == pytest.approx(speed * np.cos(np.radians(20)), rel=0.05)
    assert speed * np.sin(np.radians(20)) * fallen + G / 2 * fallen**2 == pytest.approx(end, abs=0.03)


def _studies(names):
    """The rope decides the sway, the damping of the trolley hardly; shares of the variance lie between 0 and 1."""
    total, found = names["total"], names["found"]
    assert found["sway"].size == 640
    assert max(total.values()) <= 1.1
    assert total["L"] > total["d1"]
    assert names["low"] < names["middle"] < names["high"]
    lengths, dampings = np.linspace(0.5, 0.9, 9), np.linspace(1, 3, 9)
    grid = np.array(np.meshgrid(lengths, dampings)).reshape(2, -1)
    sway = names["sway"](grid)
    assert names["best"].fun <= sway.min() + 0.01 * np.ptp(sway)  # the best is a corner, which generations approach


def _robot_arm(names):
    assert names["reachable"].gap == pytest.approx([0.0, 0.9 - 0.7], abs=1e-6)  # both links stretched are 0.7 m long


def _dh_table(names):
    """Published efforts and inertia (tests/truths/test_puma560.py), to the four digits printed; Pieper's eight ways."""
    np.testing.assert_allclose(names["weight"], [0, 31.6399, 6.0351, 0, 0.0283, 0], atol=1e-4)
    np.testing.assert_allclose(np.diag(names["M"]), [3.6594, 4.4137, 0.9378, 0.1925, 0.1713, 0.1941], atol=1e-4)
    assert len(names["found"].branches["elbow"]) == 8


_EXPECTED = {
    "dh_table": _dh_table,
    "microcontroller": _microcontroller,
    "four_bar": _four_bar,
    "optimiser": _optimiser,
    "press_loads": _press,
    "cam": _cam,
    "contacts": _contacts,
    "robot_arm": _robot_arm,
    "studies": _studies,
}
