"""`cardan workspace`: words become a grid, and the grid files and a map."""

import csv

import numpy as np
import pytest
import xarray

import cardan

ARM = ("workspace", "scara", "--grid", "link2.tip.x=-1:1:11")


def test_a_map_and_its_data_are_written(cardan_cli, tmp_path):
    files = ("-o", "map.png", "-o", "map.nc", "-o", "map.csv")
    done = cardan_cli(*ARM, "--grid", "link2.tip.y=-1:1:9", "--payload", "2kg", "--bearings", *files)
    assert done.exit_code == 0, done.stderr
    x, y = np.linspace(-1, 1, 11), np.linspace(-1, 1, 9)
    radius = np.hypot(x[:, None], y)
    inside = int(((radius >= 0.1) & (radius <= 0.9)).sum())
    assert f"{inside} of 99 cells are reached" in done.stdout
    assert "bearing_force" in done.stdout
    with xarray.open_dataset(tmp_path / "map.nc") as data:
        assert data["reachable"].sum() == inside
        assert data.attrs["output"] == "link2.tip"
    lines = (tmp_path / "map.csv").read_text(encoding="utf-8").splitlines()
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    assert len(rows) == 99
    assert {row["status"] for row in rows} == {"found", "unreachable"}
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    again = cardan_cli(*ARM, "-o", "map.nc")
    assert again.exit_code == 2
    assert "--force" in again.stderr


def test_options_reach_the_function(cardan_cli, monkeypatch):
    calls, real = [], cardan.workspace

    def noted(model, *given, **options):
        calls.append((given, options))
        return real(model, *given, **{**options, "client": None})

    monkeypatch.setattr(cardan, "workspace", noted)
    words = (
        "--of link2 --by joint1,joint2 --velocity twist --length 10cm --payload 0,0,-50N --guess joint2=1 --threads 2 "
        "--cluster local:4"
    )
    done = cardan_cli(
        *ARM, "--grid", "link2.tip.y=0", *words.split(), "--limits", "joint2=0:170deg", "--set", "l2=0.45m"
    )
    assert done.exit_code == 0, done.stderr
    ((given, options),) = calls
    assert given[0] == "link2"
    assert given[1]["link2.tip.y"] == 0
    assert given[1]["link2.tip.x"][0] == -1
    assert len(given[1]["link2.tip.x"]) == 11
    assert options == {
        "by": ["joint1", "joint2"],
        "output": "twist",
        "length": "10cm",
        "payload": [0.0, 0.0, "-50N"],
        "bearings": False,
        "guess": {"joint2": 1.0},
        "limits": {"joint2": [0.0, "170deg"]},
        "threads": 2,
        "client": "local:4",
    }


def test_nothing_reached_is_a_failure(cardan_cli):
    done = cardan_cli("workspace", "scara", "--grid", "link2.tip.x=2:3:3", "--grid", "link2.tip.y=0", "-o", "far.png")
    assert done.exit_code == 1
    assert "0 of 3 cells" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "there is no grid"),
        (("--grid", "link2.tip.x"), "NAME=VALUES"),
        (("--grid", "link2.tip.x=0", "--grid", "link2.tip.x=1"), "given twice"),
        (("--grid", "link2.tip.x=0:1"), "begin:end:count"),
        (("--grid", "joint1=0:1:3"), "names no body or marker"),
        (("--grid", "link2.tip.x=0:1:3", "--limits", "joint1=3"), "NAME=LOW:HIGH"),
        (("--grid", "link2.tip.x=0:1:3", "-o", "map.xyz"), "no image has the extension"),
        (("--grid", "link2.tip.x=0", "-o", "map.png"), "one or two axes"),
        (("--grid", "link2.tip.x=0:1:3", "-o", "map.png", "--names", "speed"), 'no quantity "speed"'),
        (("--grid", "link2.tpi.x=0:1:3"), "link2.tpi"),
    ],
)
def test_wrong_words_are_named(cardan_cli, words, message):
    done = cardan_cli("workspace", "scara", *words)
    assert done.exit_code == 2
    assert message in done.stderr
