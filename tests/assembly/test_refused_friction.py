"""Friction that Cardan refuses: the message names the joint and the reason, and its cure helps."""

import pytest

import cardan
from cardan.errors import ModelError
from tests.selection import few
from tests.truths.rods_on_a_trolley import model as rods
from tests.truths.rubbing_mechanisms import FIVE as JOINTS
from tests.truths.rubbing_mechanisms import five_bar, linkage


def rod_between_two_balls(laws):
    """A rod that may spin between two balls, of which one rubs, on a crank that rubs."""
    model = linkage({"effort": 1.0, **laws})
    crank = model.joints["crank"].replace(friction={"effort": 0.3, **laws})
    return model.replace(joints={**model.joints, "crank": crank})


def five_bar_under_loads(laws):
    """Five pins that rub under their loads share two freedoms; with smooth friction in three of them two stick."""
    pin = {"coefficient": 0.2, "radius": 0.03}
    return five_bar({name: pin | (laws if name in "bcd" else {}) for name in JOINTS}, 9.81)


def five_bar_at_a_stop(laws):
    """A crank that rubs like all pins of its linkage of two freedoms stops by impact."""
    model = five_bar({name: {"effort": 0.1, **laws} for name in JOINTS})
    crank = model.joints["a"].replace(limits={"lower": 1.0, "restitution": 0.5})
    return model.replace(joints={**model.joints, "a": crank})


def pins_beside_drives(laws):
    """Two pins that rub and drive one relation have one freedom."""
    line = {"type": "program", "expression": "rod2.end.z + 0.6", "by": ["pin1", "pin2"], "realize": "ideal"}
    law = {"effort": 1.0, **laws}
    return rods(
        2, {0: law, 1: law}, still=True, constraints={"line": line}, initial={"pin1": 0.5, "pin2": {"guess": 0.7}}
    )


def plate_beside_drives(laws):
    """A plate that rubs on a table whose lift keeps a height."""
    joints = {
        "lift": {"type": "prismatic", "parent": "ground", "child": "table", "axis": [0.6, 0, 0.8]},
        "plate": {"type": "planar", "parent": "table", "child": "plate", "friction": {"effort": 1.0, **laws}},
    }
    height = {"type": "program", "expression": "plate.z - 0.1*t**2", "by": ["lift"]}
    bodies = {"table": {"mass": 3}, "plate": {"mass": 2, "inertia": [0.1, 0.1, 0.1]}}
    return cardan.Model(bodies=bodies, joints=joints, constraints={"height": height})


def pins_that_a_motion_moves_apart(laws):
    """The motion of one crank of a five-bar linkage lets either of two other pins rest alone."""
    model = five_bar({"b": {"effort": 0.1}, "e": {"effort": 0.1, **laws}})
    initial = {"e": {"guess": 1.4}}
    return model.replace(motions={"a": "1.7 + 0.1*t"}, initial=initial)


def plate_on_a_cart(laws):
    """A plate that rubs on a cart between two stops by impact."""
    guide = {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x"}
    guide["limits"] = {"lower": -1, "upper": 1, "restitution": 0.5}
    plate = {"type": "planar", "parent": "cart", "child": "plate", "friction": {"effort": 1.0, **laws}}
    bodies = {"cart": {"mass": 1.0}, "plate": {"mass": 1.0, "inertia": [0.1, 0.1, 0.2]}}
    return cardan.Model(bodies=bodies, joints={"guide": guide, "plate": plate})


REFUSED = {
    "a ball in a group of two freedoms": (
        rod_between_two_balls,
        r"the joint 'a' moves only together with 'crank', and sticks in several directions, in several freedoms"
        r".*write regularize: 0\.001 rad/s",
    ),
    "loads in a group of two freedoms": (
        five_bar_under_loads,
        r"'c' moves only together with 'a', 'b', 'e', 'd'; together they have 2 freedoms, in which friction "
        r"holds only by given efforts: that of 'a' follows its load"
        r".*write regularize: 0\.001 rad/s or type: lugre for all but 2",
    ),
    "in several directions beside stops by impact": (
        plate_on_a_cart,
        r"the joint 'plate' sticks in several directions beside 'guide', which stops by impact"
        r".*give the stops a stiffness, or write regularize: 1 mm/s",
    ),
    "one freedom beside drives of other joints": (
        pins_beside_drives,
        r"the joint 'pin2' moves only together with 'pin1' and sticks, beside 'line', which other joints drive"
        r".*write regularize: 0\.001 rad/s or type: lugre",
    ),
    "in several directions beside drives of other joints": (
        plate_beside_drives,
        r"the joint 'plate' sticks in several directions beside 'height', which other joints drive"
        r".*write regularize: 1 mm/s",
    ),
    "ratios of speeds that depend on time": (
        pins_that_a_motion_moves_apart,
        r"'e' moves only together with 'b', but 'a' changes the ratio of their speeds.*write regularize",
    ),
    "a stop by impact in a group of two freedoms": (
        five_bar_at_a_stop,
        r"the joint 'a' stops by impact and moves only together with 'b', 'e', 'd', 'c', which may rest too, in more "
        r"than one freedom.*give the stops a stiffness, or write regularize: 0\.001 rad/s or type: lugre",
    ),
}
BALL = {"type": "spherical", "parent": "ground", "child": "b"}


def test_bristles_in_several_directions_are_refused():
    law = {"type": "lugre", "effort": 1.0, "bristle": 1e4}
    with pytest.raises(ModelError, match=r"(?s)spherical slides in several directions.*no bristles.*regularize"):
        cardan.Model(bodies={"b": {"mass": 1, "inertia": [0.1, 0.1, 0.1]}}, joints={"j": BALL | {"friction": law}})


SMOOTH = {"regularize": 0.001}, {"type": "lugre", "bristle": 1e4}


@pytest.mark.parametrize("case", few(REFUSED, 3))
def test_it_is_refused_and_the_cures_help(case):
    make, words = REFUSED[case]
    with pytest.raises(ModelError, match=rf"(?s){words}"):
        cardan.simulate(make({}), until=0.1)
    for laws in SMOOTH[: 1 if "several directions" in words else 2]:  # bristles bend in one
        assert cardan.simulate(make(laws), until=1e-3).ok
