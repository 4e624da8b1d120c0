"""Singular positions of closed loops: where textbooks put them, of the kind they say, and confirmed by `mobility`."""

import warnings

import numpy as np
import pytest

import cardan
from tests.analysis.examples import bricard, door, four_bar, hinge, planar_3rrr
from tests.selection import each, few

FOUND = 1e-7  # of a coordinate: singular values are brought to 1e-11, coordinates follow them with factors up to 1e2
DOUBLE = 1e-4  # of a coordinate where the loops' equations are flat: root of the round-off, with a margin


def load(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cardan.ModelWarning)
        return cardan.load(name)


def test_dead_centres_of_the_slider_crank_are_of_type_1():
    """Crank and rod in line, stretched or folded, to the right or to the left."""
    model = load("slider_crank")
    reach = cardan.singular_positions(model, "slider")
    assert (reach.rank, reach.here, reach.singular) == (1, 0, True)
    assert {entry.kind for entry in reach.sets} == {"type 1"}
    places = {round(entry.where["slide"], 6): abs(entry.where["crank"]) for entry in reach.sets}
    assert places == pytest.approx({-0.7: np.pi, -0.3: 0, 0.3: np.pi, 0.7: 0}, abs=FOUND)
    assert reach.sets[0].where["slide"] == pytest.approx(0.7)  # the nearest to the start comes first
    assert not any(entry.example for entry in reach.sets)
    assert all(entry.rank == 0 for entry in reach.sets)


def test_dead_centres_are_of_type_2_for_a_driven_slider():
    """The crank turns while the drive of the slider stands; the crank itself moves in every position."""
    model = load("slider_crank")
    pushed = model.replace(motors={"drive": model.motors["drive"].replace(joint="slide")})
    reach = cardan.singular_positions(pushed, "crank")
    assert (reach.rank, reach.here) == (1, 1)
    assert len(reach.sets) == 4
    assert {entry.kind for entry in reach.sets} == {"type 2"}
    assert all(abs(np.sin(entry.where["crank"])) < FOUND for entry in reach.sets)


def test_a_rocker_turns_back_where_crank_and_coupler_are_in_line():
    """Grashof's crank-rocker 1, 2.5, 2 on a base of 2.2: two positions on each of its two branches."""
    model = four_bar((1.0, 2.5, 2.0), 2.2, planar="xy", motors={}, initial={"a": 0.7})
    reach = cardan.singular_positions(model, "rocker")
    assert len(reach.sets) == 4
    assert {entry.kind for entry in reach.sets} == {"type 1"}
    assert all(abs(np.sin(entry.where["b"])) < FOUND for entry in reach.sets)
    stretched = [abs(entry.where["b"]) < 1 for entry in reach.sets]
    # law of cosines in the triangle of base, rocker and 2.5 ± 1
    for entry, long in zip(reach.sets, stretched, strict=True):
        side = 3.5 if long else 1.5
        angle = np.arccos((2.2**2 + side**2 - 2.0**2) / (2 * 2.2 * side))
        direction = entry.where["a"] if long else np.pi - abs(entry.where["a"])
        assert abs(direction) == pytest.approx(angle, abs=FOUND)


@each("seed", [0, 1])
def test_a_3rrr_is_singular_of_both_types(seed):
    """Type 2: the lines of the rods meet in one point; type 1: a crank and its rod are in line."""
    model = planar_3rrr()
    reach = cardan.singular_positions(model, "platform", seed=seed)
    assert (reach.rank, reach.here) == (3, 3)
    sets = {entry.kind: entry for entry in reach.sets}
    assert set(sets) == {"type 1", "type 2"}  # one example of each surface
    assert all(entry.example and entry.rank == 2 for entry in reach.sets)

    def lines(entry):
        at = cardan.assemble(model, entry.where).positions
        for k in (1, 2, 3):
            o, a, b = at[f"crank{k}"], at[f"crank{k}.tip"], at[f"platform.b{k}"]
            yield (a - o) / np.linalg.norm(a - o), a, (b - a) / np.linalg.norm(b - a)

    plucker = [[d[0], d[1], a[0] * d[1] - a[1] * d[0]] for _, a, d in lines(sets["type 2"])]
    assert abs(np.linalg.det(plucker)) < FOUND
    assert min(abs(np.cross(crank, rod)[2]) for crank, _, rod in lines(sets["type 1"])) < FOUND


@each("kind", ["type 1", "type 2"])
def test_mobility_says_the_same_of_the_3rrr_of_the_gallery(kind):
    model = load("planar_3rrr")
    reach = cardan.singular_positions(model, "platform")
    where = next(entry.where for entry in reach.sets if entry.kind == kind)
    report = cardan.mobility(
        model,
        {name: {"guess": value} for name, value in where.items()},
        output=[f"platform.{k}" for k in ("x", "y", "rz")],
    )
    assert [entry.kind for entry in report.singularities] == [kind]


@pytest.mark.parametrize("planar", few(["xy", None], 1))
def test_branches_of_a_parallelogram_meet_where_it_is_flat(planar):
    model = four_bar((1, 2, 1), 2.0, planar=planar, initial={"a": 0.5, "b": {"guess": -0.5}})
    reach = cardan.singular_positions(model, "coupler")
    assert {entry.kind for entry in reach.sets} == {"branch"}
    assert sorted(abs(entry.where["a"]) for entry in reach.sets) == pytest.approx([0, np.pi], abs=DOUBLE)
    assert "branches" in reach.sets[0].meaning


@pytest.mark.parametrize(
    ("model", "marker"),
    [(door(), "door"), (four_bar((2.0, 2.5, 2.2), 1.0, planar="xy"), "coupler"), (bricard(), "rod2")],
)
def test_what_is_never_singular(model, marker):
    """A door; the coupler of a drag link, which turns all round; Bricard's mechanism, whose rods never rest."""
    reach = cardan.singular_positions(model, marker)
    assert (reach.rank, reach.here, reach.sets) == (1, 1, ())


def test_a_marker_that_never_moves_is_not_singular():
    model = four_bar(planar="xy")
    reach = cardan.singular_positions(model, "frame")
    assert (reach.rank, reach.here, reach.sets) == (0, 0, ())


def test_only_the_drives_that_are_there_are_watched():
    """One drive on two freedoms holds nothing in any position: that is no singular one."""
    five = cardan.Model(
        planar="xy",
        bodies={
            name: {"mass": 1, "inertia": [1, 1, 1], "markers": {"tip": {"position": [length, 0, 0]}}}
            for name, length in (("one", 1.0), ("two", 1.5), ("three", 1.5), ("four", 1.0))
        },
        joints={
            "a": hinge("ground", "one"),
            "b": hinge("one.tip", "two"),
            "c": hinge("two.tip", "three"),
            "d": hinge("three.tip", "four"),
            "e": hinge("ground", "four.tip"),
        },
        motors={"m": {"type": "dc", "joint": "a", "resistance": 1, "torque_constant": 1, "back_emf_constant": 1}},
        initial={"a": 0.3, "b": {"guess": 1.0}},
    )
    reach = cardan.singular_positions(five, "two.tip", of="position")
    assert reach.rank == 2
    assert {entry.kind for entry in reach.sets} <= {"type 1", "branch"} | {"type 2"}
