"""A run with the single instant t = 0: the initial state with its accelerations and reactions, without integration."""

import numpy as np
from tests.selection import each

import cardan


@each("name", ["overhead_crane", "slider_crank", "planar_3rrr", "heavy_top", "door_two_hinges"])
def test_the_initial_state_has_accelerations_and_reactions(name):
    model = cardan.load(name)
    run, longer = cardan.simulate(model, times=[0.0]), cardan.simulate(model, times=[0.0, 0.01])
    assert run.ok
    assert list(run.t) == [0.0]
    assert run.statistics["steps"] == 0
    for joint in model.joints:
        for result in ("reaction_force", "reaction_moment"):
            np.testing.assert_array_equal(run[f"{joint}.{result}"].values[0], longer[f"{joint}.{result}"].values[0])
    names = [result for result in longer.names if result.endswith(".a")]
    assert names
    for result in names:
        np.testing.assert_array_equal(run[result].values[0], longer[result].values[0])
    assert "completed" in repr(run.status) or str(run.status) == "completed"


def test_a_setup_and_a_fixed_step_take_a_single_instant():
    model = cardan.load("compound_pendulum")
    setup = cardan.prepare(model, times=[0.0])
    assert setup.run(initial={"pendulum": 0.3})["pendulum.q"].values == [0.3]
    assert cardan.simulate(model, times=[0.0], method="rk4", step=0.01).ok
    found = cardan.sweep(model, times=[0.0], initial={"pendulum": [0.1, 0.2]}, outputs=["pendulum.q"])
    assert found["pendulum.q"].values.tolist() == [[0.1], [0.2]]
    assert cardan.simulate(model, times=0.0)["pendulum.a"].values.shape == (1,)


def test_a_run_begins_with_the_state_after_the_events_of_its_start():
    """10 N break friction of 1 N away at once: friction is never more than 1 N in the results."""
    slide = {"type": "prismatic", "parent": "ground", "child": "b", "axis": "x", "friction": {"effort": 1}}
    model = cardan.Model(bodies={"b": {"mass": 2}}, joints={"s": slide}, inputs={"s": 10})
    run = cardan.simulate(model, until=0.1)
    assert [(event.t, event.did) for event in run.events] == [(0.0, "slides forwards")]
    assert np.count_nonzero(run.t == 0) == 1
    assert np.max(np.abs(run.array("s.friction"))) == 1
    np.testing.assert_allclose(run.array("s.a"), 4.5, rtol=1e-12)
    assert not run.array("s.sticking").any()
