"""Velocities of a start where branches of motion meet: they lie along one of them, whatever was given."""

import re
import warnings

import numpy as np
import pytest

import cardan
from tests.selection import each
from tests.truths.flat_mechanisms import flat_slider_crank, parallelogram, three_cranks

FLAT = {"A": 0, "B": 0, "D": 0}


def start(**velocities):
    """Velocities of the flat parallelogram, cranks of 1 m and a coupler of 2 m, and those that were changed."""
    model = parallelogram().replace(initial=FLAT | {f"{name}.v": value for name, value in velocities.items()})
    found = cardan.assemble(model)
    return np.array([found.v[name] for name in "ABD"]), found.changed


@each(
    "given, along",
    [
        ({"A": 5}, [5, -5, 5]),  # the cranks turn alike
        ({"A": 5, "B": -5}, [5, -5, 5]),
        ({"A": -2, "D": 6}, [-2, 6, 6]),  # or against each other: B = D = −3 A
        ({"D": 5}, [-5 / 3, 5, 5]),
        ({"B": -5}, [5 / 3, -5, -5]),
        ({}, [0, 0, 0]),
    ],
)
def test_what_is_given_is_kept_and_the_rest_follows_one_branch(given, along):
    """Tangents by hand: with s = A + B the coupler gives A + 2 s = D and A² + 2 s² = D², hence s = 0 or s = −2 A."""
    v, changed = start(**given)
    np.testing.assert_allclose(v, along, rtol=0, atol=1e-9)  # the tangent of a position that is closed to 1e-12
    assert changed == ()


@each(
    "given, name, other",
    [({"A": 5}, "D", -15), ({"D": 5}, "B", -5), ({"A": 5, "B": -5}, "", 0), ({"A": -2, "D": 6}, "", 0), ({}, "", 0)],
)
@each("call", [cardan.assemble, lambda model: cardan.simulate(model, times=[0.0])])
def test_a_start_that_leaves_the_branch_open_warns_and_names_what_would_decide(call, given, name, other):
    """By hand as above: B = D = −3 A on the other branch; what two given velocities decide is not warned of."""
    model = parallelogram().replace(initial=FLAT | {f"{key}.v": value for key, value in given.items()})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(model)
    texts = [str(entry.message) for entry in caught]
    assert len(texts) == bool(name)
    for text in texts:
        assert re.search(rf"the run uses {name}\.v = .*, but {other} is possible .* give {name}\.v", text)


def test_three_cranks_and_a_mechanism_at_large_leave_no_branch_open():
    for model in (three_cranks(np.pi, 2.0), three_cranks(np.pi, 2.0, False), cardan.load("four_bar_spatial")):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            cardan.assemble(model)


def two_parallelograms():
    """Two flat ones side by side, each with a freedom of its own."""
    one = parallelogram()

    def numbered(place, k):
        return place if place == "ground" else re.sub("^[a-z]+", rf"\g<0>{k}", place)

    bodies = {f"{body}{k}": record for k in "12" for body, record in one.bodies.items()}
    joints = {
        f"{name}{k}": joint.replace(parent=numbered(joint.parent, k), child=numbered(joint.child, k))
        for k in "12"
        for name, joint in one.joints.items()
    }
    return one.replace(bodies=bodies, joints=joints, initial={f"{name}{k}": 0 for name in "ABD" for k in "12"})


def test_a_freedom_without_a_given_velocity_is_no_other_branch():
    """The second parallelogram may turn as it likes and stands still; the first has two branches, or a given one."""
    model = two_parallelograms()
    for given, count in (({"A1.v": 5}, 1), ({"A1.v": 5, "D1.v": 5}, 0)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = cardan.assemble(model, given)
        assert [found.v[f"{name}2"] for name in "ABD"] == pytest.approx([0, 0, 0], abs=1e-12)
        assert len(caught) == count, [str(entry.message) for entry in caught]
        assert all("is possible" in str(entry.message) and "1.v = " in str(entry.message) for entry in caught)


def test_velocities_that_no_motion_has_are_changed_and_told():
    v, changed = start(A=2, B=-4, D=-2)
    a, s, d = v[0], v[0] + v[1], v[2]
    assert a + 2 * s == pytest.approx(d, rel=0, abs=1e-12)
    assert a**2 + 2 * s**2 == pytest.approx(d**2, rel=0, abs=1e-9)
    assert np.linalg.norm(v) == pytest.approx(np.linalg.norm([2, -4, -2]), rel=1e-12)  # the size of what was given
    assert [name for name, _, _ in changed] == ["A.v", "B.v", "D.v"]


@each("speed", [5.0, -0.3])
def test_a_run_starts_along_the_branch(speed):
    """No weight: cranks that turn alike do so at constant speed."""
    model = parallelogram().replace(initial=FLAT | {"A.v": speed})
    run = cardan.simulate(model, until=2)
    assert run.ok, run.message
    for crank in "AD":
        np.testing.assert_allclose(run.array(f"{crank}.q"), speed * run.t, rtol=0, atol=1e-6)  # rtol 1e-8, 10 rad


def test_a_slider_crank_of_equal_links_leaves_its_flat_position_either_way():
    """At 90° the crank may turn with the rod, slider at rest, or the slider move at −2 m times the crank's rate."""
    for given, slide in (({"crank.v": 2}, 0.0), ({"crank.v": 2, "slide.v": -4}, -4.0), ({"slide.v": -1}, -1.0)):
        flat = {"crank": np.pi / 2, "pin": {"guess": -np.pi}, "slide": {"guess": 0}}
        found = cardan.assemble(flat_slider_crank().replace(initial=flat | given))
        assert found.v["slide"] == pytest.approx(slide, rel=0, abs=1e-9)
        assert found.v["slide"] == pytest.approx(0, abs=1e-9) or found.v["slide"] == pytest.approx(
            -2 * found.v["crank"], rel=0, abs=1e-9
        )
        assert found.changed == ()


@each("planar", [True, False])
@each("beside", [0.0, 1e-6, 0.01])
def test_three_cranks_have_one_branch(planar, beside):
    """Of two cranks against each other the third would be torn off."""
    speed = three_cranks(np.pi + beside, 2.0, planar)
    found = cardan.assemble(speed)
    # velocities of the tree follow up to the ranks' 1e-13 over the distance from the singular position
    allowed = 1e-9 if beside in (0.0, 1e-8) else 1e-13 / beside**2
    np.testing.assert_allclose([found.v[name] for name in "ABDE"], [2, -2, 2, 2], rtol=0, atol=max(allowed, 1e-9))
    run = cardan.simulate(speed, until=0.5)
    assert run.status == "completed", run.message
    np.testing.assert_allclose(run.array("A.q"), np.pi + beside + 2 * run.t, rtol=0, atol=1e-6)  # rtol 1e-8
    assert cardan.mobility(speed).degrees_of_freedom == 1


@each("beside", [0.0, 1e-9, 1e-6, 1e-3])
def test_a_driven_start(beside):
    """What follows time has no neighbours at t = 0; those of later instants tell which equations are independent."""
    drive = {"type": "expression", "expression": f"A - {beside!r} - 2*t - t**2/2"}
    model = parallelogram(2.0, beside).replace(constraints={"drive": drive})
    run = cardan.simulate(model, times=[0.0, 1e-3, 0.5, 2.0])
    assert run.status == "completed", run.message
    np.testing.assert_allclose(run.array("D.q"), beside + 2 * run.t + run.t**2 / 2, rtol=0, atol=1e-7)  # rtol 1e-8
    np.testing.assert_allclose(run.array("D.a"), 1.0, rtol=0, atol=1e-6)  # as the position, over 2 s


@each("beside", [1e-9, 1e-8, 1e-7, 4e-7])
def test_a_driven_start_with_redundant_equations(beside):
    """Rows differ by less than by what ranks are told from, and yet they are fulfilled."""
    drive = {"type": "expression", "expression": f"A - {beside!r} - 2*t"}
    found = cardan.assemble(three_cranks(beside, 2.0).replace(constraints={"drive": drive}))
    assert found.v["A"] == pytest.approx(2.0, rel=0, abs=1e-9)
