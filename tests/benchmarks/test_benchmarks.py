"""Every benchmark runs: its own assertions of correctness hold, and the page can be written. No time is judged here."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOGETHER = {
    "trees": ["batch", "single", "steps", "legs", "trajectories", "inverse", "growth", "overhead", "events"],
    "loops": [
        "closed_loops",
        "prescribed",
        "friction",
        "contacts",
        "rods",
        "controlled",
        "bond_graphs",
        "loop_growth",
        "preparing",
    ],
    "runs": ["methods", "sweeps", "studies", "symbolic"],
    "processes": ["startup", "first_picture", "showing"],
}
"""Sections that one process measures: they share their imports and their loops."""
SECTIONS = [section for sections in TOGETHER.values() for section in sections]


def _run(*arguments):
    command = [sys.executable, "-m", "benchmarks", "--quick", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)


@pytest.mark.exhaustive
@pytest.mark.parametrize("group", TOGETHER)
def test_sections_are_correct_and_written_to_a_page(group, tmp_path):
    page = tmp_path / "benchmarks.md"
    done = _run(*(word for section in TOGETHER[group] for word in ("--only", section)), "--markdown", str(page))
    assert done.returncode == 0, done.stderr
    _, *texts = page.read_text(encoding="utf-8").split("\n## ")
    assert len(texts) == len(TOGETHER[group])
    skipped = []
    for section, text in zip(TOGETHER[group], texts, strict=True):
        if reason := re.search(r"Not measured: (.*)", text):
            skipped.append(f"{section}: {reason[1]}")
            continue
        assert re.search(r"^\| .*\d ((ns|µs|ms|s)\b|%)", text, re.MULTILINE), f"{section}: no times or costs"
        figures = re.findall(r"!\[.*\]\((.*)\)", text)
        assert len(figures) == (section in ("growth", "loop_growth"))
        assert all((tmp_path / figure).stat().st_size > 10_000 for figure in figures)
    if skipped:
        pytest.skip("; ".join(skipped))


@pytest.mark.exhaustive
def test_what_is_written_by_hand_stays_when_the_page_is_written_anew(tmp_path):
    path, by_hand = (
        tmp_path / "benchmarks.md",
        "### Counted\n\n| model |\n| --- |\n| arm |\n\n### Weighed\n\nNothing.\n",
    )
    write = (
        "import sys; from pathlib import Path\n"
        "from benchmarks import overhead, single; from benchmarks.page import page\n"
        "sections = [('single', single, 'a reason'), ('overhead', overhead, 'another reason')]\n"
        "page(Path(sys.argv[1]), sections, sys.argv[2])"
    )

    def written(command):
        subprocess.run([sys.executable, "-c", write, str(path), command], check=True, cwd=ROOT)
        return path.read_text(encoding="utf-8")

    introduction, first, second = written("one").split("\n## ")
    path.write_text("\n## ".join([introduction, f"{first}\n{by_hand}", second]), encoding="utf-8")
    again = written("two")
    assert again == "\n## ".join([introduction.replace("    one\n", "    two\n"), f"{first}\n{by_hand}", second])
    assert written("two") == again


def test_an_unknown_section_is_refused_and_the_known_ones_are_named():
    done = _run("--only", "speed")
    assert done.returncode == 2
    assert all(section in done.stderr for section in SECTIONS)


@pytest.mark.exhaustive
def test_without_peers_the_sections_that_need_them_are_skipped_by_name(tmp_path):
    """The peers are hidden by a module search path in which they have no metadata."""
    hide = (
        "import importlib.metadata as m; real = m.version\n"
        "def version(name):\n"
        "    if name in ('pin', 'mujoco', 'exudyn', 'scipy'): raise m.PackageNotFoundError(name)\n"
        "    return real(name)\n"
        "m.version = version\n"
        "from benchmarks.__main__ import main\n"
        "main(['--quick', '--only', 'batch', '--only', 'steps'])"
    )
    done = subprocess.run([sys.executable, "-c", hide], check=False, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "skipped, pin not installed: `pip install -e '.[peers]'`" in done.stdout
    assert "skipped, mujoco, pin, scipy not installed" in done.stdout


def test_the_published_page_is_that_of_the_full_measurement():
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert "    python -m benchmarks --markdown\n" in text
    assert "Not measured" not in text
    assert text.count("\n## ") == len(SECTIONS)
    assert not re.search(r"/(home|tmp|root|work)/", text)
