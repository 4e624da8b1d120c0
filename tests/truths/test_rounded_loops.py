"""Four-bar linkages in space whose numbers are rounded, as files from CAD and MJCF have them.

With exact numbers all four axes are parallel, so that equations of the loop are redundant and the linkage moves. The
reference is the same linkage with exact numbers, in its plane, where no equation is redundant.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import cardan
from cardan.errors import AssemblyError, ModelError, ModelWarning
from cardan.model.model import Model

pytestmark = pytest.mark.exhaustive


A_QUARTER = np.pi / 2
TURNED = np.array([0.7993037122416132, 0.2325470197245559, 0.1634887207734078, 0.5294401735738214])
BENT = np.array([0.9540375894350729, 0.0, 0.0, -0.2996869665916677])
AT = np.array([0.7740804043845423, 0.1569138662593581, -0.4314829847437827])
OTHER = np.array([0.6195202258794369, 0.2689677382892675, 0.0919947496461315, 0.7317021330592068])


def four_bar(first: float = A_QUARTER, second: float = A_QUARTER, slant: float = 0.0, **more: object) -> Model:
    """A linkage in the plane xz whose hinges stand on bases turned about x; `slant` turns the last hinge [rad]."""
    rod = {"inertia": [0.001, 0.01, 0.01]}
    hinge = {"type": "revolute", "axis": "z"}
    ends = {"parent": {"body": "coupler", "position": [0.8, 0, 0], "rpy": [slant, 0, 0]}}
    return Model(
        bodies={
            "crank": {"mass": 1, "com": [0.15, 0, 0], **rod},
            "coupler": {"mass": 2, "com": [0.4, 0, 0], **rod},
            "rocker": {"mass": 1, "com": [0.3, 0, 0], **rod},
        },
        joints={
            "A": {**hinge, "parent": {"body": "ground", "rpy": [first, 0, 0]}, "child": "crank"},
            "B": {**hinge, "parent": {"body": "crank", "position": [0.3, 0, 0]}, "child": "coupler"},
            "D": {
                **hinge,
                "parent": {"body": "ground", "position": [0.9, 0, 0], "rpy": [second, 0, 0]},
                "child": "rocker",
            },
            "C": {**hinge, **ends, "child": {"body": "rocker", "position": [0.6, 0, 0]}},
        },
        initial={"A": "60 deg", "B": {"guess": "-40 deg"}, "D": {"guess": "110 deg"}},
        simulate={"until": 1.0},
        **more,
    )


TIMES = np.linspace(0, 1, 11)


def quietly(call, *arguments, **options):
    """What a call returns, without the warning about rounding."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "rounded numbers")
        return call(*arguments, **options)


@pytest.mark.parametrize(
    ("numbers", "tolerance"),
    [
        ({"first": 1.5707963, "second": 1.570796}, None),
        ({"first": 1.5708, "second": 1.5707963}, 1e-5),
        ({"slant": 1.7e-11}, None),
        ({"slant": 1e-6, "first": 1.570796}, 1e-5),
    ],
    ids=["base", "five digits", "round-off", "two roundings"],
)
def test_a_linkage_with_rounded_numbers_is_the_exact_one_but_for_the_rounding(numbers, tolerance):
    rounded = four_bar(**numbers, **({} if tolerance is None else {"assemble": {"tolerance": tolerance}}))
    exact = four_bar()
    wanted, found = cardan.mobility(exact), quietly(cardan.mobility, rounded)
    assert (found.degrees_of_freedom, len(found.redundant)) == (wanted.degrees_of_freedom, len(wanted.redundant))
    assert found.unique == wanted.unique
    plane = cardan.simulate(exact.replace(planar="xz"), times=TIMES)
    run = quietly(cardan.simulate, rounded, times=TIMES)
    rounding = tolerance or 1e-6
    for name in ("A.q", "B.q", "D.q"):  # the states differ by about the rounding, which the motion may grow tenfold
        np.testing.assert_allclose(run[name], plane[name], atol=10 * rounding)
    assert 1e-12 < run.report.constraint_violation < rounding  # the report contains the equation that is left out
    force = run["A.reaction_force"].values
    np.testing.assert_allclose(force[:, 2], plane["A.reaction_force"].values[:, 2], atol=1e3 * rounding)


def mjcf(folder: Path, digits: int) -> Path:
    """The file of a linkage in a plane that stands askew, with quaternions and positions of so many digits."""

    def text(numbers: np.ndarray) -> str:
        return " ".join(f"{x:.{digits}f}" for x in numbers)

    path = folder / f"digits{digits}.xml"
    path.write_text(
        f"""<mujoco><option gravity="0 -9.81 0"/><worldbody>
<body name="crank" quat="{text(TURNED)}"><joint name="A" axis="0 0 1"/>
<inertial pos="0.15 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>
<body name="coupler" pos="0.3 0 0" quat="{text(BENT)}"><joint name="B" axis="0 0 1"/>
<inertial pos="0.4 0 0" mass="2" diaginertia="0.1 0.1 0.1"/></body></body>
<body name="rocker" pos="{text(AT)}" quat="{text(OTHER)}"><joint name="D" axis="0 0 1"/>
<inertial pos="0.3 0 0" mass="1" diaginertia="0.05 0.05 0.05"/></body></worldbody>
<equality><connect body1="coupler" body2="rocker" anchor="0.8 0 0"/></equality></mujoco>"""
    )
    return path


@pytest.mark.parametrize("digits", [6, 9])
def test_a_file_of_mjcf_with_few_digits_moves_as_the_exact_one(tmp_path, digits):
    exact = cardan.simulate(cardan.load(mjcf(tmp_path, 16)), times=TIMES)
    model = cardan.load(mjcf(tmp_path, digits))
    with pytest.warns(ModelWarning, match=r"leave loops open by 'rocker_connect' \(force along z: .* m\)"):
        assert cardan.mobility(model).degrees_of_freedom == 1
    run = quietly(cardan.simulate, model, times=TIMES)
    np.testing.assert_allclose(run["A.q"], exact["A.q"], atol=10.0 ** (1 - digits))
    assert quietly(cardan.verify, model).ok


def test_above_the_tolerance_the_refusal_names_the_gap_the_equation_and_the_cure(tmp_path):
    with pytest.raises(
        AssemblyError, match=re.escape("a gap of 3.7e-06 rad is left (moment about x of the joint)")
    ) as refused:
        cardan.simulate(four_bar(1.5708, 1.5707963))
    assert "assemble: {tolerance: 1e-05}" in str(refused.value)
    with pytest.raises(AssemblyError, match=re.escape("without 'C' (force along y: 0.00012 m), ")) as refused:
        cardan.mobility(four_bar(1.571))
    assert "assemble: {tolerance: 1e-03}" in str(refused.value)
    locked = cardan.load(mjcf(tmp_path, 4))  # this one closes at the start, and nowhere else
    with pytest.raises(AssemblyError, match=r"without '.*' \(force along z: 1.6e-05 m\) it could") as refused:
        cardan.simulate(locked, until=1.0)
    assert "assemble: {tolerance: 1e-04}" in str(refused.value)
    with pytest.raises(AssemblyError):
        cardan.simulate(four_bar(1.5707963, 1.570796, assemble={"tolerance": 0}))


def test_a_gap_that_grows_beyond_rounding_on_the_way_gets_a_warning(tmp_path):
    """The walk of the start sees 2.2e-7 m, the run 2.3e-7 m, and a loop of 1.28 m may open by 2.25e-7 m."""
    model = cardan.load(mjcf(tmp_path, 6)).replace(assemble={"tolerance": 2.25e-7 / 1.28})
    with pytest.warns(ModelWarning, match="'rocker_connect' that count as redundant opened by 2.3e-07 on the way"):
        cardan.simulate(model, until=1.0)


def test_a_linkage_that_is_truly_locked_stays_so(tmp_path):
    with pytest.raises(AssemblyError):
        cardan.simulate(four_bar(slant=0.01))
    hinged = four_bar(first=A_QUARTER + 0.02).replace(assemble={"tolerance": 1e-4})
    with pytest.raises(AssemblyError):
        cardan.simulate(hinged)


def test_a_negative_tolerance_is_refused():
    with pytest.raises(ModelError, match="tolerance"):
        four_bar(assemble={"tolerance": -1e-6})


def with_planes(first, second):
    """The linkage whose loop a planar joint closes."""
    model = four_bar(first, second)
    ends = {"parent": model.joints["C"].parent, "child": model.joints["C"].child}
    return model.replace(joints={**model.joints, "C": {"type": "planar", **ends}})


@pytest.mark.parametrize("first", [A_QUARTER, 1.5707963])
def test_equations_that_are_rounding_alone_couple_nothing(first):
    """Of parallel planes no equation is left: the rocker swings freely, and the others as with equal numbers."""
    runs = [quietly(cardan.simulate, with_planes(base, 1.570796), times=[0, 1.0]) for base in (first, 1.570796)]
    for name in ("A.q", "B.q", "D.q"):
        rounded, equal = (run[name].values[-1] for run in runs)
        assert rounded == pytest.approx(equal, abs=1e-6), name
    assert quietly(cardan.mobility, with_planes(first, 1.570796)).degrees_of_freedom == 3


@pytest.mark.parametrize("digits", [7, 9, 11])
def test_equal_rounded_numbers_need_no_tolerance(digits):
    """Axes that are exactly parallel: equations that are implied by others, and small besides, are no fault."""
    base = round(A_QUARTER, digits)
    run = cardan.simulate(four_bar(base, base), times=[0, 1.0])
    exact = cardan.simulate(four_bar(), times=[0, 1.0])
    assert run["A.q"].values[-1] == pytest.approx(exact["A.q"].values[-1], abs=1e-8)


def bennett(digits: int, **more: object) -> Model:
    """Bennett's linkage (1903): links of 1 m and 1.5 m, whose twists obey sin α/1 = sin β/1.5, with so many digits."""
    alpha = np.radians(40)
    twists = [round(x, digits) for x in (alpha, np.pi - np.arcsin(1.5 * np.sin(alpha)))]
    link = {"mass": 1, "inertia": [0.01, 0.1, 0.1]}

    def hinge(parent: str, child: str, place: float, twist: float) -> dict[str, object]:
        at = {"body": parent, "position": [place, 0, 0], "rpy": [twist, 0, 0]}
        return {"type": "revolute", "axis": "z", "parent": at, "child": child}

    return Model(
        bodies={
            "l1": {**link, "com": [0.5, 0, 0]},
            "l2": {**link, "com": [0.75, 0, 0]},
            "l3": {**link, "com": [0.5, 0, 0], "markers": {"e": {"position": [1, 0, 0], "rpy": [twists[0], 0, 0]}}},
        },
        joints={
            "J1": {"type": "revolute", "axis": "z", "parent": "ground", "child": "l1"},
            "J2": hinge("l1", "l2", 1, twists[0]),
            "J3": hinge("l2", "l3", 1.5, twists[1]),
            "J4": hinge("ground", "l3.e", -1.5, -twists[1]),
        },
        initial={"J1": "60 deg", "J1.v": 4, "J2": {"guess": "-160 deg"}, "J3": {"guess": "-160 deg"}},
        simulate={"until": 2.0},
        **more,
    )


@pytest.mark.parametrize(("digits", "tolerance"), [(4, 1e-4), (5, 1e-5), (6, None), (8, None), (9, None)])
def test_a_bennett_linkage_with_few_digits_turns_as_the_exact_one(digits, tolerance):
    """Two of its five equations lead to two assemblies, and become dependent on the way round: others are solved then.

    The motion enlarges a difference of the twists some ten times within two seconds.
    """
    exact = cardan.simulate(bennett(16), times=np.linspace(0, 2, 21), rtol=1e-10)
    assert np.ptp(exact["J1.q"].values) > 2 * np.pi
    rounded = bennett(digits, **({} if tolerance is None else {"assemble": {"tolerance": tolerance}}))
    run = quietly(cardan.simulate, rounded, times=exact.t, rtol=1e-10)
    assert quietly(cardan.mobility, rounded).degrees_of_freedom == 1
    np.testing.assert_allclose(run["J1.q"], exact["J1.q"], atol=10 * 10.0**-digits)
    force = exact["J1.reaction_force"].values
    np.testing.assert_allclose(run["J1.reaction_force"], force, atol=100 * 10.0**-digits * np.abs(force).max())


def test_a_bennett_linkage_with_wrong_digits_is_told_the_tolerance_that_accepts_it():
    with pytest.raises(AssemblyError, match=r"a gap of .* m is left .* could, and these gaps") as refused:
        cardan.simulate(bennett(4))
    assert "assemble: {tolerance: 1e-04}" in str(refused.value)
