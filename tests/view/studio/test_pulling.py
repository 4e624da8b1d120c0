"""A body that is pulled leaves its position in the file as the start of the next run."""

import base64

import numpy as np
import pytest

import cardan
from cardan.formats.yaml import loads

SINGLE = 1e-6  # of positions of a metre in 32-bit numbers


def _poses(answer):
    return np.frombuffer(base64.b64decode(answer["poses"]), "<f4").reshape(-1, 7)


def test_a_pulled_body_follows_and_the_next_run_starts_there(bench):
    on = bench("overhead_crane")
    (pose,) = on("pull", body="payload", point=[0, 0, -0.7], target=[0.2, 0, -0.6])
    assert pose["kind"] == "pose"
    assert _poses(pose).shape == (2, 7)
    run, model = on("drop")
    assert run["kind"] == "run"
    at = cardan.simulate(loads(on.text), until=0.01).array("payload.hook.position")[0]
    np.testing.assert_allclose(at, [0.2, 0, -0.6], atol=SINGLE)
    np.testing.assert_allclose(_poses(pose)[0, :3], [model["data"]["initial"]["travel"], 0, 0], atol=SINGLE)
    assert on("drop") == []


def test_a_closed_loop_keeps_what_is_held_and_guesses_the_others(bench):
    on = bench("four_bar")
    before = cardan.load("four_bar").initial["A"].source
    on("pull", body="rocker", point=[0.1, 0, 0], target=[0.85, 0.12, 0])
    run, model = on("drop")
    assert run["kind"] == "run"
    initial = model["data"]["initial"]
    assert initial["A"].endswith(" deg")
    assert initial["A"] != before
    assert set(initial["B"]) == set(initial["D"]) == {"guess"}
    assert initial["A.v"] == 12


@pytest.mark.parametrize(
    ("model", "message", "fault"),
    [
        ("basket_arm", {"body": "arm1"}, "the motions of the model decide"),
        ("heavy_top", {"body": "top"}, "'pivot' turns freely"),
        ("overhead_crane", {"body": "wheel"}, "no body 'wheel'"),
        ("overhead_crane", {"body": "payload", "point": [0, 0]}, "is not a point"),
        ("overhead_crane", {"body": "payload", "target": [0, 0, float("inf")]}, "is not a point"),
        ("overhead_crane", {"body": "payload", "target": "there"}, "is not a point"),
    ],
)
def test_what_cannot_be_pulled_is_refused(bench, model, message, fault):
    (refused,) = bench(model)("pull", **{"point": [0, 0, 0], "target": [0, 0, 0], **message})
    assert fault in refused["issues"][0]["fault"]


def test_nothing_is_pulled_without_a_run(bench):
    on = bench("overhead_crane")
    on("text", text="cardan: 1\n")
    assert "does not run" in on("pull", body="payload", point=[0, 0, 0], target=[0, 0, 0])[0]["issues"][0]["fault"]
    assert on("drop") == []
