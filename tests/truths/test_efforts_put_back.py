"""Efforts of kineto-statics put back as inputs reproduce the motion; prescribed runs and kineto-statics agree."""

import numpy as np
import pytest

import cardan

DRIVES = {"basket_arm": ("shoulder", "elbow", "basket"), "parallel_3rrrt": ("A1", "B1", "C1")}


def cubic_table(t, y):
    return {"table": np.column_stack([t, y]).tolist(), "interpolation": "cubic"}


@pytest.mark.parametrize("name", DRIVES)
def test_efforts_put_back_into_a_run_reproduce_the_motion(name):
    model, t = cardan.load(name), np.linspace(0, 0.5, 51)
    loads, samples = cardan.kinetostatics(model, t), cardan.kinetostatics(model, np.linspace(0, 0.5, 26))
    run = cardan.simulate(
        model,
        times=t,
        motions=dict.fromkeys(model.motions),
        inputs={drive: cubic_table(samples.t, samples.array(f"{drive}.effort")) for drive in DRIVES[name]},
        initial={f"{drive}{end}": loads.array(f"{drive}{end}")[0] for drive in DRIVES[name] for end in (".q", ".v")},
    )
    assert run.ok
    assert set(run.state_names) == set(loads.state_names)
    for state in run.state_names:  # tables with steps of 20 ms err by less than 1e-8 of the efforts
        assert run.array(state) == pytest.approx(loads.array(state), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("name", DRIVES)
def test_a_run_with_all_freedoms_prescribed_equals_kinetostatics(name):
    model, t = cardan.load(name), np.linspace(0, 2, 21)
    loads, run = cardan.kinetostatics(model, t), cardan.simulate(model, times=t)
    names = [*loads.state_names, *(name for name in loads.channels if not name.startswith("work."))]
    assert len(names) > 50
    for result in names:
        expected = loads.array(result)
        near = 1e-9 * np.nanmax(np.abs(expected), initial=1.0)
        assert run.array(result) == pytest.approx(expected, rel=1e-9, abs=near, nan_ok=True)  # what is unknown is NaN
