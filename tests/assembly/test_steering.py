"""Guesses for joints that close loops choose the branch, as those for joints of the tree do."""

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from tests.analysis.examples import bar, hinge
from tests.selection import few

A = np.deg2rad(60)


def four_bar(planar, **initial):
    """The gallery's linkage without guesses: C closes the loop."""
    model = cardan.load("four_bar" if planar else "four_bar_spatial")
    return model.replace(initial={"A": A} | initial)


def angle_at_C(found):
    """Rocker against coupler."""
    return np.mod(found.q["D"] - found.q["A"] - found.q["B"] + np.pi, 2 * np.pi) - np.pi


@pytest.mark.parametrize("planar", few([True, False], 1))
def test_the_guess_of_a_cut_joint_chooses_the_branch(planar):
    """Both branches by a guess of D first; then each from its angle at C, and from one 40° off it."""
    for D in (110, -60):
        expected = cardan.assemble(four_bar(planar, D={"guess": np.deg2rad(D)}))
        for off in (0, 40, -40):
            C = angle_at_C(expected) + np.deg2rad(off)
            found = cardan.assemble(four_bar(planar, C={"guess": f"{np.rad2deg(C)} deg"}))
            assert found.q["A"] == A
            assert angle_at_C(found) == pytest.approx(angle_at_C(expected), abs=1e-9)
            assert found.residual < 1e-11
        assert cardan.assemble(four_bar(planar), {"C.q": {"guess": C}}).q["D"] == pytest.approx(found.q["D"], abs=1e-9)


def test_a_slider_that_closes_a_loop_is_guessed_by_its_way():
    ends = {"A": ("ground", "crank"), "B": ("crank.tip", "rod"), "C": ("rod.tip", "slider")}
    joints = {name: hinge(*pair) for name, pair in ends.items()}
    joints["D"] = {"type": "prismatic", "parent": "ground", "child": "slider", "axis": "x", "cut": True}
    bodies = {"crank": bar(0.3), "rod": bar(0.9), "slider": {"mass": 1, "inertia": [1, 1, 1]}}
    model = cardan.Model(planar="xy", bodies=bodies, joints=joints, initial={"A": 1.0})
    for way, sign in ((1.0, 1), (-0.7, -1)):
        found = cardan.assemble(model, {"D": {"guess": way}})
        x = 0.3 * np.cos(1) + sign * np.sqrt(0.9**2 - (0.3 * np.sin(1)) ** 2)
        assert found.positions["slider"] == pytest.approx([x, 0, 0], abs=1e-9)


def test_a_sweep_keeps_the_branch_of_the_guess():
    C = angle_at_C(cardan.assemble(four_bar(True, D={"guess": np.deg2rad(-60)})))
    sweep = cardan.sweep(four_bar(True, C={"guess": C}), initial={"A": [A, A + 0.01]}, until=0.01, outputs=["D.q"])
    expected = [cardan.assemble(four_bar(True, C={"guess": C}), {"A": a}).q["D"] for a in (A, A + 0.01)]
    np.testing.assert_allclose(np.array(sweep["D.q"])[:, 0], expected, rtol=0, atol=1e-9)


def test_the_guess_is_checked_as_others_are_and_nothing_but_a_guess_is_taken():
    with pytest.raises(ModelError, match=r"initial.C.guess: .*is a length"):
        four_bar(True, C={"guess": "3 m"})
    with pytest.raises(ModelError, match=r"is a length"):
        cardan.assemble(four_bar(True), {"C": {"guess": "3 m"}})
    with pytest.raises(ModelError, match=r"'C' closes a loop and has no coordinate; .*or guess it: {C: {guess: …}}"):
        four_bar(True, C=0.3)
