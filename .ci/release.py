"""Builds wheel and source distribution into a folder and checks them in empty environments. Nothing is uploaded.

    python .ci/release.py [FOLDER]      # by default out/release

Every Python that pyproject.toml names as supported and that is found here (on the path, or in pyenv) gets an empty
environment with the wheel and its dependencies, the oldest one also the source distribution; the crane runs there in an
empty folder. The oldest and the newest have to be found: others may be named in PYTHONS, with commas between.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

CRANE = """
import sys, warnings
from pathlib import Path
import cardan
from cardan.formats import gallery
assert Path(cardan.__file__).is_relative_to(sys.prefix), cardan.__file__
warnings.simplefilter("ignore")
for name in gallery():
    cardan.load(name)
crane = cardan.load("overhead_crane")
run = cardan.simulate(crane, until=1.0)
assert run.ok, run.status
assert len(cardan.animate(run).html) > 100_000
cardan.equations(crane).render("html")
cardan.save_run(run, "run.nc")
print(f"Cardan {cardan.__version__} on Python {sys.version.split()[0]}: {len(gallery())} models, the crane runs")
"""


def contents(wheel: Path) -> list[str]:
    """What is wrong with the content of a wheel."""
    info = f"cardan-{PROJECT['version']}.dist-info"
    names = set(zipfile.ZipFile(wheel).namelist())
    kept = [path for path in (ROOT / "src").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    missing = [path for path in kept if path.relative_to(ROOT / "src").as_posix() not in names]
    strange = [name for name in names if name.split("/")[0] not in ("cardan", info)]
    licences = [path for path in PROJECT["license-files"] if f"{info}/licenses/{path}" not in names]
    tests = [name for name in names if re.search(r"(^|/)(tests?|conftest)[/_.]", name)]
    found = {"missing": missing, "strange": strange, "licences missing": licences, "tests": tests}
    return [f"{what}: {', '.join(map(str, sorted(files)))}" for what, files in found.items() if files]


def versions() -> dict[str, str]:
    """Where the version stands, and what it is there."""
    texts = {
        "CITATION.cff": r"^version: (\S+)",
        "src/cardan/__init__.py": r'^__version__ = "(.+)"',
        "CHANGELOG.md": r"^## (\d\S*)",
    }
    found = {
        file: re.search(law, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE) for file, law in texts.items()
    }
    return {"pyproject.toml": PROJECT["version"]} | {file: match[1] for file, match in found.items()}


def pythons() -> dict[str, str]:
    """Programs of the supported versions, oldest first; an empty text for one that is not here."""
    said = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = dict.fromkeys(said, "")
    for version in said:
        named = [name for name in os.environ.get("PYTHONS", "").split(",") if name]
        for name in [*named, shutil.which(f"python{version}"), *map(str, pyenv.glob(f"{version}.*/bin/python"))]:
            if not found[version] and name and _version(name) == version:
                found[version] = name
    return found


def _version(python: str) -> str:
    """What a program says to be; empty if it does not run."""
    ask = [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    return subprocess.run(ask, capture_output=True, text=True, check=False).stdout.strip()


def check(python: str, package: Path) -> None:
    """Install a package into an empty environment and run the crane there, in Python and in a terminal."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "environment"
        subprocess.run([python, "-m", "venv", place], check=True)
        bin_ = place / ("Scripts" if os.name == "nt" else "bin")
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
        do = {"check": True, "cwd": folder, "env": clean | {"CARDAN_CACHE_DIR": str(place / "cache")}}
        subprocess.run([bin_ / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check", package], **do)
        subprocess.run([bin_ / "python", "-m", "pip", "check", "-q"], **do)
        subprocess.run([bin_ / "python", "-c", CRANE], **do)
        for words in ("--version", "simulate overhead_crane -o crane.nc", "report overhead_crane -o crane.html"):
            subprocess.run([bin_ / "cardan", *words.split()], **do, stdout=subprocess.DEVNULL)


def main(folder: Path) -> None:
    """Build, look and run; ends with the first fault."""
    if len({*versions().values()}) > 1:
        sys.exit(f"versions differ: {versions()}")
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "build", "--outdir", folder, ROOT], check=True, stdout=subprocess.DEVNULL)
    (wheel,), (sources,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    if faults := contents(wheel):
        sys.exit("\n".join(faults))
    found = pythons()
    oldest, *_, newest = found
    if missing := [version for version in (oldest, newest) if not found[version]]:
        sys.exit(f"no Python {' and no '.join(missing)} was found: name it, PYTHONS=/path/to/python make release")
    for version, python in found.items():
        if not python:
            print(f"Python {version} was not found: not checked")
            continue
        check(python, wheel)
        if version == oldest:
            check(python, sources)
    print(f"{wheel}\n{sources}\nchecked; nothing was uploaded")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "out" / "release").resolve())
