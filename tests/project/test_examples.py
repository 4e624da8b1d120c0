"""Every example runs as a user runs it, in an empty folder, and its own checks hold."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.selection import few

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"), key=lambda path: (path.stem != "overhead_crane", path.stem))


@pytest.mark.parametrize("example", few(EXAMPLES, 1), ids=lambda path: path.stem)
def test_example(example, tmp_path):
    if example.stem == "modal_plate":
        pytest.importorskip("skfem")
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    done = subprocess.run(
        [sys.executable, str(example)], check=False, capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert not list(tmp_path.glob("out/*.png")) or all(p.stat().st_size > 10_000 for p in tmp_path.glob("out/*.png"))
