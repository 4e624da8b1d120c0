"""A ball or a sleeve that sticks in a linkage, which leaves it fewer freedoms than directions, against a guide."""

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from tests.truths.rubbing_mechanisms import G, linkage
from tests.truths.rubbing_mechanisms import spatial_slider_crank as slider_crank
from tests.truths.test_sticking_in_several_directions import RUN

EFFORT = {"effort": 3.3, "static": 3.8}


def guided(kind, laws, cut=False):
    """Two blocks of 1 kg, one on the other, that slide along x: on guides, or on sleeves that slots keep in place."""
    parents = ["ground", *(f"b{k}" for k in range(len(laws)))]
    joints = {
        f"j{k}": {"type": kind, "parent": parent, "child": f"b{k}", "axis": "x", "friction": law}
        for k, (parent, law) in enumerate(zip(parents, laws, strict=False))
    }
    if cut:
        free = {f"free{k}": {"type": "free", "parent": "ground", "child": f"b{k}"} for k in range(len(laws))}
        joints = free | {name: joint | {"cut": True} for name, joint in joints.items()}
    slots = {
        f"slot{k}": {"type": "point_on_curve", "parent": parent, "child": f"b{k}.pin", "equations": ["y"]}
        for k, parent in enumerate(parents[:-1])
    }
    bodies = {
        each: {"mass": 1, "inertia": [0.1, 0.1, 0.1], "markers": {"pin": {"position": [0, 0, 0.3]}}}
        for each in parents[1:]
    }
    return cardan.Model(
        gravity=[0, 0, -G],
        bodies=bodies,
        joints=joints,
        constraints=slots if kind == "cylindrical" else {},
        forces={
            "f0": {"type": "force", "child": "b0", "value": ["15*sin(2*t + 1)", 0, 0]},
            "f1": {"type": "force", "child": "b1", "value": ["8*sin(3*t)", 0, 0]},
        },
    )


def instants(run, name):
    """Instants at which a joint stops or slides on; of a guide that reverses both in one event."""
    return [
        t for t, did in ((e.t, e.did) for e in run.events if e.name == name) for _ in range(1 + (did == "reverses"))
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("laws", "cut"),
    [
        ([{"effort": 5.0, "static": 6.0}, {"effort": 3.0, "static": 4.0}], True),
        ([{"coefficient": 0.2, "static": 0.25}, {"coefficient": 0.3, "static": 0.4}], False),
    ],
)
def test_a_sleeve_that_cannot_turn_is_a_guide(laws, cut):
    """Two of them slide, stop, and are pushed back, each in its own time."""
    guide = cardan.simulate(guided("prismatic", laws), until=4, **RUN)
    sleeves = [law | {"radius": 0.02} for law in laws]
    run = cardan.simulate(guided("cylindrical", sleeves, cut), until=4, **RUN)
    assert run.ok, run.message
    for k in range(2):
        assert len(instants(run, f"j{k}")) > 2
        np.testing.assert_allclose(instants(run, f"j{k}"), instants(guide, f"j{k}"), rtol=0, atol=1e-8)
        np.testing.assert_allclose(
            run.array(f"b{k}.position")[-1], guide.array(f"b{k}.position")[-1], rtol=0, atol=1e-7
        )
        assert run.array(f"j{k}.heat")[-1] == pytest.approx(guide.array(f"j{k}.heat")[-1], rel=1e-7)
        for name in ("friction_limit", "sticking"):
            assert run.array(f"j{k}.{name}")[-1] == pytest.approx(guide.array(f"j{k}.{name}")[-1], rel=1e-9)


@pytest.mark.exhaustive
@pytest.mark.parametrize("law", [{"effort": 3.0, "static": 4.0}, {"coefficient": 0.3}])
@pytest.mark.parametrize(
    ("start", "push"), [({"crank": 0.5, "crank.v": 8.0}, "0"), ({"crank": 0.5}, "1.5*sin(3*t)"), ({"crank": 0}, "2*t")]
)
def test_a_sleeve_passes_its_dead_centres_as_a_guide_does(law, start, push):
    """There nothing that friction could do would hold the crank, from rest neither."""
    guide = cardan.simulate(slider_crank("prismatic", law, start, push), until=2.2, **RUN)
    run = cardan.simulate(slider_crank("cylindrical", law | {"radius": 0.02}, start, push), until=2.2, **RUN)
    assert run.ok, run.message
    if "crank.v" in start or start["crank"]:
        np.testing.assert_allclose(instants(run, "slide"), instants(guide, "slide"), rtol=0, atol=1e-8)
        assert run.array("crank.q")[-1] == pytest.approx(guide.array("crank.q")[-1], abs=1e-7)
        assert run.array("slide.heat")[-1] == pytest.approx(guide.array("slide.heat")[-1], rel=1e-7)
    else:
        assert run.events[0].t < 1e-4  # until then the torque has turned the crank by less than 1e-11 rad


@pytest.mark.parametrize("end", ["universal", "spherical"])
def test_a_ball_that_a_motion_moves_is_refused(end):
    """Also where it leaves the spin of the rod free."""
    model = linkage(EFFORT, end)
    driven = model.replace(motions={"crank": "0.5 + 0.1*t"}, initial={"slide": {"guess": 0.8}})
    with pytest.raises(
        ModelError,
        match=r"the joint 'a' moves only together with 'crank', so that the effort that each holds at rest is not",
    ):
        cardan.simulate(driven, until=0.1)


def test_what_cannot_slide_is_refused():
    """A sleeve whose pins in two slots keep it in its place."""
    model = guided("cylindrical", [EFFORT | {"radius": 0.02}] * 2)
    stop = model.constraints["slot0"].replace(equations=["x"])
    with pytest.raises(ModelError, match=r"the joint 'j0' cannot slide in any direction"):
        cardan.simulate(model.replace(constraints={**model.constraints, "stop": stop}), until=0.1)
