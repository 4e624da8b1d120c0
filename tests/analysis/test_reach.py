"""Singular positions of open arms: the ones that textbooks derive, no others, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError

PUMA = Path(__file__).parents[1] / "truths" / "models" / "puma560.yaml"
SOLVED = 1e-5  # of a coordinate at a double zero: root of the round-off in a singular value, with a margin


def found(model, marker, **options):
    """(names, values, rank) of every set."""
    reach = cardan.singular_positions(model, marker, **options)
    return [(tuple(entry.where), tuple(entry.where.values()), entry.rank) for entry in reach.sets]


def test_the_six_axis_arm_loses_one_rank_where_q4_is_a_right_angle():
    """det J = ± cos² q4: the turns about z, y' and x'' and the shifts along them become dependent at the same angle."""
    reach = cardan.singular_positions(cardan.load("manipulator_6dof"), "link6")
    assert (reach.rank, reach.here, reach.singular) == (6, 6, False)
    assert sorted(entry.where["q4"] for entry in reach.sets) == pytest.approx([-np.pi / 2, np.pi / 2], abs=SOLVED)
    assert all(list(entry.where) == ["q4"] and entry.rank == 5 for entry in reach.sets)
    there = cardan.singular_positions(cardan.load("manipulator_6dof"), "link6", {"q4": "90 deg"})
    assert (there.rank, there.here, there.singular) == (6, 5, True)


def test_two_links_stretched_or_folded():
    sets = found(cardan.load("scara"), "link2.tip", of="position")
    assert [names for names, _, _ in sets] == [("joint2",)] * 2
    assert sorted(value for _, (value,), _ in sets) == pytest.approx([0, np.pi], abs=SOLVED)
    assert found(cardan.load("scara"), "link2.tip") == []  # turning counts as motion: two ways in every position


def test_prescribed_motions_hold_nothing_and_their_joints_drive():
    """A level basket at the end of two links; a platform whose driven joints no motor turns."""
    reach = cardan.singular_positions(cardan.load("basket_arm"), "basket")
    assert (reach.rank, reach.here) == (3, 3)
    assert sorted(entry.where["elbow"] for entry in reach.sets) == pytest.approx([0, np.pi], abs=SOLVED)
    model = cardan.load("planar_3rrr")
    still = {"platform.position": {"value": ["0", "0"], "by": ["crank1", "crank2"]}}
    still["platform.angle"] = {"value": "0", "by": ["crank3"]}
    driven = model.replace(motions=still, inputs={}, initial={name: {"guess": 0.1} for name in ("crank1", "crank2")})
    kinds = [{entry.kind for entry in cardan.singular_positions(one, "platform").sets} for one in (model, driven)]
    assert kinds[0] == kinds[1] >= {"type 1", "type 2"}


def test_the_puma_has_a_wrist_an_elbow_and_a_shoulder():
    """Siciliano et al. 2009, §3.3: the wrist by q5, the elbow by q3, the shoulder by the wrist's place over axis 1."""
    sets = found(cardan.load(PUMA), "link6")
    assert all(rank == 5 for _, _, rank in sets)
    by_names = {}
    for names, values, _ in sets:
        by_names.setdefault(names, []).append(values)
    assert set(by_names) == {("q5",), ("q3",), ("q2", "q3")}
    assert np.sort(by_names["q5",], axis=0).ravel() == pytest.approx([0, np.pi], abs=SOLVED)
    assert len(by_names["q3",]) == 2
    assert abs(by_names["q3",][0][0] - by_names["q3",][1][0]) == pytest.approx(np.pi, abs=SOLVED)


def test_what_cannot_be_is_refused():
    arm = cardan.load("scara")
    with pytest.raises(ModelError, match=r"there is no body or marker 'link2\.tpi'"):
        cardan.singular_positions(arm, "link2.tpi")
    with pytest.raises(ModelError, match="of='speed' is no part of a motion"):
        cardan.singular_positions(arm, "link2.tip", of="speed")
