"""A run made of plain arrays, without any mechanism: two instants more than a vector has components."""

import numpy as np
import pytest

from cardan.results import Channel, Provenance, Report, Trajectory

SOURCE = "cardan: 1\nname: slider  # ≠ ASCII\nbodies: {box: {mass: 2 kg}}\n"


@pytest.fixture
def run() -> Trajectory:
    """Slider with a speed, a work, and one scalar, one vector and one incomplete channel evaluated on demand."""
    t = np.array([0.0, 0.1, 0.25, 1 / 3, 1.0])
    x = np.stack([np.sin(t), np.cos(t)], axis=-1)

    def evaluate(names):
        values = {
            "box.position": np.stack([np.sin(t), 0 * t, 0 * t], axis=-1),
            "drive.current": 10 * t,
            "pin.reaction_moment": np.full((5, 3), [np.nan, 1.0, np.inf]),
        }
        return {name: values[name] for name in names}

    channels = [
        Channel("box.position", "m", ("x", "y", "z"), "body"),
        Channel("drive.current", "A", kind="motor", description="armature current"),
        Channel("pin.reaction_moment", "N m", ("x", "y", "z"), "joint"),
    ]
    return Trajectory(
        t=t,
        x=x,
        state_names=("slide.q", "slide.v"),
        state_units=("m", "m/s"),
        w=t[:, None] ** 2,
        work_names=("work.drive",),
        channels={c.name: c for c in channels},
        evaluate=evaluate,
        status="step_too_small",
        message="at t = 1 s: try a larger tolerance",
        statistics={"steps": np.int64(12), "method": "tsit5", "wall": 0.01},
        find_report=lambda: Report(1e-9, 2.0, 0.0, 0.0),
        provenance=Provenance("slider", SOURCE, {"rtol": 1e-8, "inputs": {"drive": np.array([1.0, 2.0])}, "a": None}),
    )
