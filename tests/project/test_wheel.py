"""The wheel contains what the package needs: the crane runs from it, in a place without the sources."""

import os
import runpy
import subprocess
import sys
import zipfile
from pathlib import Path

import cardan

ROOT = Path(__file__).parents[2]

CRANE = """
import cardan
run = cardan.simulate(cardan.load("overhead_crane"), until=0.5)
assert run.ok, run.status
print(cardan.__file__, cardan.__version__, len(cardan.animate(run).html) > 100_000)
"""


def test_the_crane_runs_from_the_wheel(tmp_path):
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path / "dist"), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, text=True)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert wheel.name == f"cardan-{cardan.__version__}-py3-none-any.whl"
    release = runpy.run_path(str(ROOT / ".ci" / "release.py"))
    assert release["contents"](wheel) == []  # all of src, no tests, all licences
    assert {*release["versions"]().values()} == {cardan.__version__}
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "installed")}
    run = subprocess.run(
        [sys.executable, "-c", CRANE], check=True, capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    file, version, has_page = run.stdout.split()
    assert Path(file).is_relative_to(tmp_path / "installed")
    assert (version, has_page) == ("0.1.0", "True")
