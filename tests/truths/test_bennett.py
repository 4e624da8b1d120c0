"""Bennett's linkage: four hinges in space that move, though Grübler counts −2; three of five equations are redundant.

With a/sin α = b/sin β opposite angles are equal and tan(θ1/2) tan(θ2/2) = sin((α + β)/2) / sin((α − β)/2). Which
equations are independent changes on the way, where the links fold into one line.
Source: Bennett 1903, "A new mechanism", Engineering 76:777
"""

from __future__ import annotations

import numpy as np

import cardan
from cardan.model.model import Model
from tests.selection import each

A, B = 1.0, 0.7
ALPHA = np.deg2rad(40)
BETA = np.arcsin(B / A * np.sin(ALPHA))
PRODUCT = np.sin((ALPHA + BETA) / 2) / np.sin((ALPHA - BETA) / 2)
START = 1.0
OPPOSITE = 2 * np.arctan(PRODUCT / np.tan(START / 2))
GUESSES = {"j1": START, "j2": OPPOSITE, "j3": -START, "j4": -OPPOSITE}


def end(length: float, twist: float) -> dict[str, object]:
    """The far end of a link: its hinge turned about the link."""
    return {"end": {"position": [length, 0, 0], "axis_angle": {"axis": "x", "angle": float(twist)}}}


def linkage(cut: str = "j3") -> Model:
    """In its weight, from rest."""
    link = {"mass": 1, "com": [0.3, 0, 0], "inertia": [0.1, 0.1, 0.1]}
    hinge = {"type": "revolute", "axis": "z"}
    joints = {
        "base": {"type": "fixed", "parent": "ground", "child": "base"},
        "j1": {**hinge, "parent": "base.end", "child": "l1"},
        "j2": {**hinge, "parent": "l1.end", "child": "l2"},
        "j3": {**hinge, "parent": "l2.end", "child": "l3"},
        "j4": {**hinge, "parent": "l3.end", "child": "base"},
    }
    joints[cut]["cut"] = True
    return Model(
        bodies={
            "base": {"markers": end(A, ALPHA)},
            "l1": link | {"markers": end(B, BETA)},
            "l2": link | {"markers": end(A, ALPHA)},
            "l3": link | {"markers": end(B, BETA)},
        },
        joints=joints,
        initial={name: {"guess": float(guess)} for name, guess in GUESSES.items() if name != cut},
        outputs={"x": "l1.end.x", "y": "l1.end.y", "z": "l1.end.z"},
    )


@each("cut", GUESSES)
def test_it_moves_and_says_what_is_redundant(cut):
    report = cardan.mobility(linkage(cut))
    assert (report.grubler, report.degrees_of_freedom, len(report.redundant)) == (-2, 1, 3)
    assert not report.singular


@each("method", ["dop853", "tsit5", "rodas5p"])
@each("cut", GUESSES)
def test_it_passes_positions_in_which_the_equations_chosen_depend_on_each_other(cut, method):
    times = np.linspace(0, 5, 101)
    run = cardan.simulate(linkage(cut), times=times, method=method)
    assert run.ok, run.message
    assert run.passages == ()  # all equations together keep their rank
    assert np.array_equal(run.t, times)
    assert run.report.constraint_violation < 1e-10
    assert run.report.relative_energy_error < 1e-6  # rtol 1e-8, some hundred steps
    known = run.array({"j1": "j2", "j2": "j3", "j3": "j4", "j4": "j2"}[cut] + ".q")
    assert np.ptp(known) > 1
    if cut in ("j3", "j4"):
        product = np.tan(run.array("j1.q") / 2) * np.tan(run.array("j2.q") / 2)
        folded = np.abs(np.sin(run.array("j1.q"))) < 0.1
        np.testing.assert_allclose(product[~folded], PRODUCT, rtol=1e-8)  # of |Φ| 1e-10, with a hundredfold slope


def test_the_motion_is_the_same_whichever_joint_is_cut_and_however_long_the_steps():
    times = np.linspace(0, 5, 26)
    exact = cardan.simulate(linkage("j2"), times=times, method="rk4", step=1e-3)
    for cut in GUESSES:
        run = cardan.simulate(linkage(cut), times=times, rtol=1e-10, atol=1e-12)
        for axis in "xyz":
            np.testing.assert_allclose(run.array(axis), exact.array(axis), rtol=0, atol=1e-6)  # of RK4 at 1 ms


def test_reactions_are_the_same_whichever_joint_is_cut():
    """Also where the equations chosen at the start depend on each other: folded, links carry what all equations say."""
    times = np.linspace(0, 5, 501)
    runs = [cardan.simulate(linkage(cut), times=times, rtol=1e-10, atol=1e-12) for cut in ("j1", "j3")]
    for name in ("j1.reaction_force", "j2.reaction_moment", "j4.reaction_force"):
        first, second = (run.array(name) for run in runs)
        np.testing.assert_allclose(first, second, rtol=0, atol=1e-6)  # of 29 N; 1e-10 of the run, over the slope there
